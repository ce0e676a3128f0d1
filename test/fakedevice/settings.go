package fakedevice

import (
	"context"

	"ios-agent/internal/device"
)

var (
	_ device.Place       = (*Phone)(nil)
	_ device.Permissions = (*Phone)(nil)
	_ device.Looks       = (*Phone)(nil)
	_ device.Mailbox     = (*Phone)(nil)
	_ device.Pasteboard  = (*Phone)(nil)
	_ device.Preparer    = (*Phone)(nil)
	_ device.Power       = (*Phone)(nil)
	_ device.Eraser      = (*Phone)(nil)
	_ device.Apps        = (*Phone)(nil)
	_ device.Inventory   = (*Phone)(nil)
	_ device.Links       = (*Phone)(nil)
	_ device.Processes   = (*Phone)(nil)
	_ device.Eyes        = (*Phone)(nil)
	_ device.Agent       = (*Phone)(nil)
)

// SetLocation notes a place.
func (p *Phone) SetLocation(_ context.Context, latitude, longitude float64) error {
	return p.note("SetLocation", latitude, longitude)
}

// ClearLocation ends a simulated place.
func (p *Phone) ClearLocation(context.Context) error { return p.note("ClearLocation") }

// Permit notes a permission.
func (p *Phone) Permit(_ context.Context, action, service, bundle string) error {
	return p.note("Permit", action, service, bundle)
}

// Look tells what was set.
func (p *Phone) Look(_ context.Context, option string) (string, error) {
	return p.Set[option], p.note("Look", option)
}

// SetLook sets it.
func (p *Phone) SetLook(_ context.Context, option, value string) error {
	p.Set[option] = value
	return p.note("SetLook", option, value)
}

// OverrideStatusBar notes what is shown.
func (p *Phone) OverrideStatusBar(_ context.Context, show map[string]string) error {
	return p.note("OverrideStatusBar", show)
}

// Push notes a notification.
func (p *Phone) Push(_ context.Context, bundle string, payload []byte) error {
	return p.note("Push", bundle, string(payload))
}

// Copy sets the pasteboard.
func (p *Phone) Copy(_ context.Context, text string) error {
	p.Board = text
	return p.note("Copy", text)
}

// Paste tells it.
func (p *Phone) Paste(context.Context) (string, error) { return p.Board, p.note("Paste") }

// Prepare gives Adjusts.
func (p *Phone) Prepare(context.Context) ([]device.Adjusted, error) {
	return p.Adjusts, p.note("Prepare")
}

// Restore gives Adjusts.
func (p *Phone) Restore(context.Context) ([]device.Adjusted, error) {
	return p.Adjusts, p.note("Restore")
}
