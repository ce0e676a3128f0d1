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
	_ device.Touch    = (*phone)(nil)
	_ device.Gestures = (*phone)(nil)
	_ device.Adjust   = (*phone)(nil)
	_ device.Keyboard = (*phone)(nil)
	_ device.Alerts   = (*phone)(nil)
	_ device.Rotation = (*phone)(nil)
)

// send sends an input whose answer is only OK; under a guard, only if what it is aimed at is there.
func (p *phone) send(ctx context.Context, req agentwire.Request) error {
	p.stir()
	if guard := device.TakeGuard(ctx); guard != nil {
		able, err := p.canAct(ctx)
		if err != nil {
			return err
		}
		if able {
			return p.act(ctx, req, guard)
		}
	}
	_, err := ask[*agentwire.OK](ctx, p, req, acts)
	return err
}

var _ device.Guarding = (*phone)(nil)

// GuardsInputs says that send checks guards.
func (*phone) GuardsInputs() {}

// canAct reports whether the agent checks guards.
func (p *phone) canAct(ctx context.Context) (bool, error) {
	if _, err := p.connect(ctx); err != nil {
		return false, unsent(err)
	}
	a, _ := p.current()
	return a != nil && a.can(agentwire.CanAct), nil
}

// act sends an input with its guard. Once the agent has said that it was sent, the input has succeeded, whatever becomes of the
// look after it.
func (p *phone) act(ctx context.Context, req agentwire.Request, g *device.Guard) error {
	input, err := agentwire.MarshalRequest(req)
	if err != nil {
		return unsent(fault.New(fault.InvalidInput, "%w", err))
	}
	guarded := &agentwire.Act{App: g.App, Input: input, Wait: waitOf(g.After), Limits: agentwire.Limits{Depth: uint32(g.Depth)}}
	if n := g.Aim; n != nil {
		guarded.Aim = &agentwire.Aim{
			Type: n.Type, Identifier: n.Identifier, Label: n.Label, X: n.Frame.X, Y: n.Frame.Y, Width: n.Frame.W, Height: n.Frame.H,
			Rank: uint32(g.Rank), AtX: g.At.X, AtY: g.At.Y,
		}
	}
	sight, err := ask[*agentwire.Sight](ctx, p, guarded, guards)
	if errors.Is(err, errActed) {
		return nil
	}
	if err != nil || !ofAnApp(sight) {
		return err
	}
	seen, err := p.screenOf(sight, nil)
	if err != nil {
		return nil // the input was sent; who cannot read this look looks again
	}
	if g.Seen = seen; sight.Settled && g.After.Stable > 0 {
		p.settled(sight)
	}
	p.inFront(sight.Front)
	return nil
}

func whole(f float64) int32 { return int32(math.Round(f)) }

// Tap touches a point.
func (p *phone) Tap(ctx context.Context, at ui.Point) error {
	return p.send(ctx, &agentwire.TapCoord{X: whole(at.X), Y: whole(at.Y)})
}

// DoubleTap touches a point twice.
func (p *phone) DoubleTap(ctx context.Context, at ui.Point) error {
	return p.send(ctx, &agentwire.DoubleTap{X: whole(at.X), Y: whole(at.Y)})
}

// LongPress holds a finger on a point.
func (p *phone) LongPress(ctx context.Context, at ui.Point, long time.Duration) error {
	return p.send(ctx, &agentwire.LongPress{X: whole(at.X), Y: whole(at.Y), Seconds: long.Seconds()})
}

// Swipe moves a finger and lets go.
func (p *phone) Swipe(ctx context.Context, from, to ui.Point, took time.Duration) error {
	req := &agentwire.Swipe{StartX: whole(from.X), StartY: whole(from.Y), EndX: whole(to.X), EndY: whole(to.Y)}
	if took > 0 {
		req.Seconds = new(took.Seconds())
	}
	return p.send(ctx, req)
}

// Drag presses a point and moves to another.
func (p *phone) Drag(ctx context.Context, d device.Drag) error {
	return p.send(ctx, &agentwire.Drag{
		StartX: whole(d.From.X), StartY: whole(d.From.Y), EndX: whole(d.To.X), EndY: whole(d.To.Y),
		PressSeconds: d.Press.Seconds(), HoldSeconds: d.Hold.Seconds(), Velocity: d.Velocity,
	})
}

// Pinch moves two fingers.
func (p *phone) Pinch(ctx context.Context, at ui.Point, scale float64) error {
	return p.send(ctx, &agentwire.Pinch{X: whole(at.X), Y: whole(at.Y), Scale: scale})
}

// SetValue adjusts a control.
func (p *phone) SetValue(ctx context.Context, at ui.Point, value string) error {
	return p.send(ctx, &agentwire.SetValue{X: whole(at.X), Y: whole(at.Y), Value: value})
}

// Type types into what has the focus.
func (p *phone) Type(ctx context.Context, text string) error {
	return p.send(ctx, &agentwire.TypeText{Text: text})
}

// Clear empties what has the focus.
func (p *phone) Clear(ctx context.Context) error { return p.send(ctx, &agentwire.Clear{}) }

var modifiers = map[string]agentwire.Modifiers{
	"shift": agentwire.Shift, "control": agentwire.Control, "option": agentwire.Option, "command": agentwire.Command,
}

// Key presses a key.
func (p *phone) Key(ctx context.Context, name string, held []string, times int) error {
	req := &agentwire.Key{Name: name, Count: uint32(times)}
	for _, m := range held {
		bit, ok := modifiers[m]
		if !ok {
			return fault.New(fault.InvalidInput, "%q is no modifier key",
				m).WithHint("shift, control, option or command").WithDispatch(fault.NotDispatched)
		}
		req.Modifiers |= bit
	}
	return p.send(ctx, req)
}

// Alert reads the alert in front, and answers it. Reading may be repeated; an answer may not.
func (p *phone) Alert(ctx context.Context, answer string) (*device.Alert, error) {
	req, e := &agentwire.Alert{Do: agentwire.PressButton, Button: answer}, acts
	if answer != "" {
		p.stir()
	}
	switch answer {
	case "":
		req.Do, e = agentwire.ReadAlert, reads
	case "accept":
		req = &agentwire.Alert{Do: agentwire.AcceptAlert}
	case "dismiss":
		req = &agentwire.Alert{Do: agentwire.DismissAlert}
	}
	state, err := ask[*agentwire.AlertState](ctx, p, req, e)
	if err != nil {
		return nil, err
	}
	info, err := state.Info()
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "the agent's alert cannot be read: %w", err)
	}
	if info == nil {
		return nil, nil
	}
	return &device.Alert{Title: info.Title, Text: info.Text, Buttons: info.Buttons, Source: info.Source}, nil
}

// Rotate turns the simulator.
func (p *phone) Rotate(ctx context.Context, to string) error {
	return p.send(ctx, &agentwire.Rotate{To: to})
}
