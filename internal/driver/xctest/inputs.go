package xctest

import (
	"context"
	"errors"
	"math"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var (
	_ device.Touch    = (*hands)(nil)
	_ device.Gestures = (*hands)(nil)
	_ device.Adjust   = (*hands)(nil)
	_ device.Keyboard = (*hands)(nil)
	_ device.Alerts   = (*hands)(nil)
	_ device.Rotation = (*hands)(nil)
)

// send sends an input that is answered with OK; under a guard, only if its target is still there.
func (h *hands) send(ctx context.Context, req agentwire.Request) error {
	h.stir()
	if guard := device.TakeGuard(ctx); guard != nil {
		return h.act(ctx, req, guard)
	}
	_, err := ask[*agentwire.OK](ctx, h, req, acts)
	return err
}

var _ device.Guarding = (*hands)(nil)

// GuardsInputs reports that send checks guards.
func (*hands) GuardsInputs() {}

// act sends an input with its guard. Once the agent has confirmed it, the input has succeeded, even if reading the screen after it
// fails.
func (h *hands) act(ctx context.Context, req agentwire.Request, g *device.Guard) error {
	input, err := agentwire.MarshalRequest(req)
	if err != nil {
		return unsent(fault.New(fault.InvalidInput, "%w", err))
	}
	guarded := &agentwire.Act{App: g.App, Input: input, Wait: waitOf(g.After), Limits: limitsOf(g.Depth)}
	if n := g.Aim; n != nil {
		guarded.Aim = &agentwire.Aim{
			Type: n.Type, Identifier: n.Identifier, Label: n.Label, X: n.Frame.X, Y: n.Frame.Y, Width: n.Frame.W, Height: n.Frame.H,
			Rank: uint32(g.Rank), AtX: g.At.X, AtY: g.At.Y,
		}
	}
	sight, err := ask[*agentwire.Sight](ctx, h, guarded, guards)
	if errors.Is(err, errActed) {
		return nil
	}
	if err != nil || !h.ofAnApp(sight) {
		return err
	}
	seen, err := h.screenOf(sight, nil)
	if err != nil {
		return nil // the input was sent; the caller can read the screen again
	}
	if g.Seen = seen; sight.Settled && g.After.Stable > 0 {
		h.settled(sight)
	}
	h.inFront(sight.Front)
	return nil
}

func whole(f float64) int32 { return int32(math.Round(f)) }

// Tap touches a point.
func (h *hands) Tap(ctx context.Context, at ui.Point) error {
	return h.send(ctx, &agentwire.TapCoord{X: whole(at.X), Y: whole(at.Y)})
}

// DoubleTap touches a point twice.
func (h *hands) DoubleTap(ctx context.Context, at ui.Point) error {
	return h.send(ctx, &agentwire.DoubleTap{X: whole(at.X), Y: whole(at.Y)})
}

// LongPress holds a finger on a point.
func (h *hands) LongPress(ctx context.Context, at ui.Point, long time.Duration) error {
	return h.send(ctx, &agentwire.LongPress{X: whole(at.X), Y: whole(at.Y), Seconds: long.Seconds()})
}

// Swipe moves a finger over the screen and lifts it.
func (h *hands) Swipe(ctx context.Context, from, to ui.Point, took time.Duration) error {
	req := &agentwire.Swipe{StartX: whole(from.X), StartY: whole(from.Y), EndX: whole(to.X), EndY: whole(to.Y)}
	if took > 0 {
		req.Seconds = new(took.Seconds())
	}
	return h.send(ctx, req)
}

// Drag presses a point and moves to another.
func (h *hands) Drag(ctx context.Context, d device.Drag) error {
	return h.send(ctx, &agentwire.Drag{
		StartX: whole(d.From.X), StartY: whole(d.From.Y), EndX: whole(d.To.X), EndY: whole(d.To.Y),
		PressSeconds: d.Press.Seconds(), HoldSeconds: d.Hold.Seconds(), Velocity: d.Velocity,
	})
}

// Pinch moves two fingers.
func (h *hands) Pinch(ctx context.Context, at ui.Point, scale float64) error {
	return h.send(ctx, &agentwire.Pinch{X: whole(at.X), Y: whole(at.Y), Scale: scale})
}

// SetValue adjusts a control.
func (h *hands) SetValue(ctx context.Context, at ui.Point, value string) error {
	return h.send(ctx, &agentwire.SetValue{X: whole(at.X), Y: whole(at.Y), Value: value})
}

// Type types into what has the focus.
func (h *hands) Type(ctx context.Context, text string) error {
	return h.send(ctx, &agentwire.TypeText{Text: text})
}

// Clear empties what has the focus.
func (h *hands) Clear(ctx context.Context) error { return h.send(ctx, &agentwire.Clear{}) }

var modifiers = map[string]agentwire.Modifiers{
	"shift": agentwire.Shift, "control": agentwire.Control, "option": agentwire.Option, "command": agentwire.Command,
}

// Key presses a key.
func (h *hands) Key(ctx context.Context, name string, held []string, times int) error {
	req := &agentwire.Key{Name: name, Count: uint32(times)}
	for _, m := range held {
		bit, ok := modifiers[m]
		if !ok {
			return fault.New(fault.InvalidInput, "unknown modifier key %q",
				m).WithHint("use shift, control, option or command").WithDispatch(fault.NotDispatched)
		}
		req.Modifiers |= bit
	}
	return h.send(ctx, req)
}

// Alert reads the alert in front and answers it. Reading may be repeated; an answer may not.
func (h *hands) Alert(ctx context.Context, answer string) (*device.Alert, error) {
	req, e := &agentwire.Alert{Do: agentwire.PressButton, Button: answer}, acts
	if answer != "" {
		h.stir()
	}
	switch answer {
	case "":
		req.Do, e = agentwire.ReadAlert, reads
	case "accept":
		req = &agentwire.Alert{Do: agentwire.AcceptAlert}
	case "dismiss":
		req = &agentwire.Alert{Do: agentwire.DismissAlert}
	}
	state, err := ask[*agentwire.AlertState](ctx, h, req, e)
	if err != nil {
		return nil, err
	}
	info, err := state.Info()
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "cannot read the agent's alert: %w", err)
	}
	if info == nil {
		return nil, nil
	}
	return &device.Alert{Title: info.Title, Text: info.Text, Buttons: info.Buttons, Source: info.Source}, nil
}

// Rotate turns the simulator.
func (h *hands) Rotate(ctx context.Context, to string) error {
	return h.send(ctx, &agentwire.Rotate{To: to})
}

// Press presses a button through the agent: simctl and devicectl cannot press buttons.
func (h *hands) Press(ctx context.Context, button string, hold time.Duration) error {
	return h.send(ctx, &agentwire.Button{Name: button, Seconds: hold.Seconds()})
}
