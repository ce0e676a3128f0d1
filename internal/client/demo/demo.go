// Package demo shows the main workflow on a virtual device with the same operations that all clients call: boot, install, launch, see,
// type, tap, take a picture. Demo.Run prints each call and its answer. Nothing in it is staged: it reads refs from a snapshot and reports
// the actual outcomes.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/ui"
)

// Demo is one walk.
type Demo struct {
	Caller op.Caller
	App    string // path of the Shop's .app folder
	Out    io.Writer
	Next   string // how to call the program after the demo
	Voice  wording.Voice
}

// The device and the app of the walk.
const (
	phone = "iPhone 16"
	shop  = "com.iosagent.shop"
)

// Run performs the walk. It stops at the first step that fails.
func (d Demo) Run(ctx context.Context) error {
	type step struct {
		say  string
		call func() (op.Envelope, error)
	}
	steps := []step{
		{"a device", func() (op.Envelope, error) {
			return d.call(ctx, "boot_device", fmt.Sprintf("boot --sim %q", phone), map[string]any{"sim": phone})
		}},
		{"an app", func() (op.Envelope, error) {
			return d.call(ctx, "install_app", "install "+d.App, map[string]any{"app_path": d.App})
		}},
		{"", func() (op.Envelope, error) {
			return d.call(ctx, "launch_app", "launch "+shop+" --restart", map[string]any{"bundle_id": shop, "restart": true})
		}},
		{"what a model sees: one line an element, a ref for each", func() (op.Envelope, error) {
			return d.call(ctx, "snapshot", "snapshot", nil)
		}},
		{"log in by refs; every step lists its changes", func() (op.Envelope, error) {
			return d.enter(ctx, "email-field", "ada@example.com")
		}},
		{"", func() (op.Envelope, error) { return d.enter(ctx, "password-field", "secret") }},
		{"", func() (op.Envelope, error) { return d.tap(ctx, "login-button") }},
		{"", func() (op.Envelope, error) { return d.tap(ctx, "add-coffee") }},
		{"a picture for people", func() (op.Envelope, error) { return d.call(ctx, "take_screenshot", "screenshot", nil) }},
	}
	for _, s := range steps {
		if s.say != "" {
			fmt.Fprintf(d.Out, "\n# %s\n", s.say)
		}
		e, err := s.call()
		if err == nil && e.Error != nil {
			err = e.Error
		}
		if err != nil {
			return err
		}
	}
	d.farewell()
	return nil
}

func (d Demo) call(ctx context.Context, name, shown string, input map[string]any) (op.Envelope, error) {
	raw, err := json.Marshal(input)
	if err != nil {
		return op.Envelope{}, err
	}
	fmt.Fprintf(d.Out, "$ ios-agent %s\n", shown)
	e := d.Caller.Call(ctx, name, raw, nil)
	fmt.Fprintln(d.Out, d.Voice.Envelope(e, raw).Text())
	return e, nil
}

// enter types into a field, by its ref.
func (d Demo) enter(ctx context.Context, identifier, text string) (op.Envelope, error) {
	ref, err := d.ref(ctx, identifier)
	if err != nil {
		return op.Envelope{}, err
	}
	return d.expectChange(d.call(ctx, "type_text", fmt.Sprintf("type %s %q", ref, text), map[string]any{"ref": ref, "text": text}))
}

// tap taps an element, by its ref.
func (d Demo) tap(ctx context.Context, identifier string) (op.Envelope, error) {
	ref, err := d.ref(ctx, identifier)
	if err != nil {
		return op.Envelope{}, err
	}
	return d.expectChange(d.call(ctx, "tap_element", "tap "+ref, map[string]any{"ref": ref}))
}

// expectChange fails the demo when an action had no effect.
func (d Demo) expectChange(e op.Envelope, err error) (op.Envelope, error) {
	var out struct{ Outcome ui.Outcome }
	if err != nil || e.Error != nil {
		return e, err
	}
	if err := json.Unmarshal(e.Result, &out); err != nil {
		return e, err
	}
	if out.Outcome != ui.Changed {
		return e, fault.New(fault.OutcomeUnchanged, "a step of the demo was %s", out.Outcome)
	}
	return e, nil
}

// ref takes a snapshot as a model would and finds an element's ref in it.
func (d Demo) ref(ctx context.Context, identifier string) (string, error) {
	e := d.Caller.Call(ctx, "snapshot", nil, nil)
	if e.Error != nil {
		return "", e.Error
	}
	var snapshot ui.Snapshot
	if err := json.Unmarshal(e.Result, &snapshot); err != nil {
		return "", err
	}
	for _, element := range snapshot.Elements {
		if element.Identifier == identifier {
			return element.Ref, nil
		}
	}
	return "", fault.New(fault.ElementNotFound, "the demo's screen has no %s", identifier)
}

func (d Demo) farewell() {
	fmt.Fprintf(d.Out, "\n# now you, on the same device\n%s\n", strings.Join([]string{
		d.Next + " snapshot",
		d.Next + " tap --identifier open-cart",
		d.Next + " snapshot --json",
		d.Next + " mcp          # for an agent: an MCP server on stdio",
		d.Next + " help",
	}, "\n"))
}
