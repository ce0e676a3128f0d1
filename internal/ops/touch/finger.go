package touch

import (
	"cmp"
	"context"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

// FingerIn is the element or the point where the session's finger goes down or up.
type FingerIn struct {
	target.Target
	target.ElementIn
	At *ui.Point // wins over the element
}

// longestRest is the longest press of a finger that goes up where it went down. Callers are slower than any gesture, so the rest is capped.
const longestRest = 2 * time.Second

// Down notes where a finger goes down. A device cannot hold a finger down between two calls, so the touch happens in Up.
func (t *Touch) Down(ctx context.Context, c *op.Call, in FingerIn) (ui.Point, error) {
	at, udid, err := t.place(ctx, c, in)
	if err == nil {
		t.access.Sessions.Get(c.Session).PutDown(session.Finger{Device: udid, At: at, Since: time.Now()})
	}
	return at, err
}

// Up lifts the finger: a press if it is where the finger went down, else a swipe.
func (t *Touch) Up(ctx context.Context, c *op.Call, in FingerIn) (ActionOut, error) {
	at, udid, err := t.place(ctx, c, in)
	if err != nil {
		return ActionOut{}, err
	}
	f, down := t.access.Sessions.Get(c.Session).Lift(udid)
	if !down {
		return ActionOut{}, fault.New(fault.InvalidInput, "no finger is down on %s", c.Device.Name).With("field", "up").
			WithHint("call with down first, or with down and up together")
	}
	on, held := target.Target{UDID: udid}, min(max(time.Since(f.Since), 50*time.Millisecond), longestRest).Seconds()
	if f.At == at {
		return t.TouchPoint(ctx, c, TouchIn{Target: on, X: at.X, Y: at.Y, Seconds: held, ActIn: in.patience()})
	}
	return t.Swipe(ctx, c, SwipeIn{
		Target: on, StartX: &f.At.X, StartY: &f.At.Y, EndX: &at.X, EndY: &at.Y, Seconds: max(held, 0.3), ActIn: in.patience(),
	})
}

func (in FingerIn) patience() target.ActIn { return target.ActIn{Timeout: 5000} }

// place finds the point and the device.
func (t *Touch) place(ctx context.Context, c *op.Call, in FingerIn) (at ui.Point, udid string, err error) {
	h, s, err := t.access.Device(ctx, c, in.Target)
	if err != nil {
		return at, "", err
	}
	err = t.access.Step(ctx, &access.Looking{Call: c, Handle: h, Session: s}, func(step act.Step) error {
		var failed error
		err := step.Look(ctx, func(sc *ui.Screen, refs *ui.Refs) {
			if in.At != nil {
				at = *in.At
				if view := sc.Viewport(); !view.Contains(at) {
					failed = fault.New(fault.InvalidInput, "%g, %g is not on the screen, which is %g×%g points", at.X, at.Y, view.W, view.H)
				}
				return
			}
			var n *ui.Node
			if n, failed = refs.Find(in.Query(), h.Info().UDID, sc); failed == nil {
				at = n.Frame.Centre()
			}
		})
		return cmp.Or(err, failed)
	})
	return at, h.Info().UDID, err
}
