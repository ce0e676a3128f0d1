package agent

import (
	"context"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

// Eyes read the content of apps. Callers must not change the returned trees.
type Eyes interface {
	// State reports whether an app runs and is in front, without reading a tree.
	State(ctx context.Context, udid, bundle string) (world.AppState, error)
	// Observe looks until the app's screen is still. With world.ErrTooDeep the observation has the tree, to be read by parts.
	Observe(ctx context.Context, udid, bundle string, w world.Wait) (world.Observation, error)
}

// Hands touch the device. They return when the finger has left the screen, not when the screen has settled.
type Hands interface {
	Tap(ctx context.Context, udid string, p world.Point) error
	LongPress(ctx context.Context, udid string, p world.Point, d time.Duration) error
	Swipe(ctx context.Context, udid string, from, to world.Point, d time.Duration) error
	// TypeText types at the cursor; its error is world.ErrNoFocus without a focus.
	TypeText(ctx context.Context, udid, text string) error
}

// Gestures are inputs with more than one touch.
type Gestures interface {
	DoubleTap(ctx context.Context, udid string, p world.Point) error
	Drag(ctx context.Context, udid string, c world.Carry) error
	Pinch(ctx context.Context, udid string, p world.Point, scale float64, took time.Duration) error
	// SetValue adjusts the control at a point; its error is world.ErrNoValue if the control does not accept the value.
	SetValue(ctx context.Context, udid string, p world.Point, value string) error
}

// Body is the device's buttons and orientation, and the text that has the focus.
type Body interface {
	SelectAll(ctx context.Context, udid string) error
	Rotate(ctx context.Context, udid string, to world.Orientation) error
	Launch(ctx context.Context, udid, bundle string, o world.LaunchOptions) (int, error)
}

// Screen is the agent's whole view of a device.
type Screen interface {
	Eyes
	Hands
	Gestures
	Body
}
