package apps

import (
	"context"

	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/macapp"
)

// MacApps opens and ends apps on this Mac.
type MacApps struct{ apps *macapp.Service }

// NewMacApps makes MacApps from the service that runs apps on this Mac.
func NewMacApps(apps *macapp.Service) *MacApps { return &MacApps{apps} }

// MacAppOut is an app that was opened, and its pid; 0 if the process was not found.
type MacAppOut struct {
	macapp.App
	PID int
}

// Launch opens an app and waits for its process. A running app comes to the front. With arguments it is started again, because a running
// app would not receive them.
func (m *MacApps) Launch(ctx context.Context, c *op.Call, path op.Path, args []string) (MacAppOut, error) {
	app, err := m.Open(ctx, c, string(path), target.LaunchHow{Args: args}, len(args) > 0)
	if err != nil {
		return MacAppOut{}, err
	}
	return MacAppOut{app, m.apps.Process(ctx, app)}, nil
}

// Stop ends an app by its exact name or its pid. It refuses to end the process that the call comes from.
func (m *MacApps) Stop(ctx context.Context, c *op.Call, which macapp.Which) (macapp.Ended, error) {
	which.Caller = c.Process
	return m.apps.Stop(ctx, which)
}

// Open opens an app without waiting for its process.
func (m *MacApps) Open(ctx context.Context, c *op.Call, path string, how target.LaunchHow, restart bool) (macapp.App, error) {
	if _, err := op.NameValues(complete.EnvKey, how.Env); err != nil {
		return macapp.App{}, fault.From(err)
	}
	return m.apps.Open(ctx, macapp.Launch{Path: path, Args: how.Args, Env: how.Env, Restart: restart, Caller: c.Process})
}
