package screen

import (
	"cmp"
	"context"

	"ios-agent/internal/device/act"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

// Awaited is the result of a wait, with the screen for the answer.
type Awaited struct {
	act.Waited
	Shown   access.Shown
	Element *ui.Element // nil: the wait was not for an element
}

// Await waits on the call's device, in the device's lane. The answer begins with the changes on the screen.
func (s *Screen) Await(ctx context.Context, c *op.Call, t target.Target, w act.Waiting) (act.Waited, error) {
	return s.await(ctx, c, t, w, func(l *access.Looking, done act.Waited) { l.Saw(done.Screen) })
}

// AwaitShown is Await with the final screen in the answer: its changes, or its outline.
func (s *Screen) AwaitShown(ctx context.Context, c *op.Call, t target.Target, w act.Waiting) (out Awaited, err error) {
	out.Waited, err = s.await(ctx, c, t, w, func(l *access.Looking, done act.Waited) {
		out.Shown = l.Show(done.Screen, done.Still)
		n := done.Node
		if n == nil {
			return
		}
		n = cmp.Or(done.Screen.Again(n), n) // the element on the final screen, if it is still there
		l.Session.Refs(func(r *ui.Refs) {
			out.Element = &done.Screen.SnapshotOf([]*ui.Node{n}, l.UDID(), r, s.d.Now()).Elements[0]
		})
		out.Element.Ref = "@" + done.Ref
	})
	return out, err
}

// await calls show with the final screen of a wait, if there is one.
func (s *Screen) await(
	ctx context.Context, c *op.Call, t target.Target, w act.Waiting, show func(*access.Looking, act.Waited),
) (act.Waited, error) {
	h, session, err := s.d.Access.Device(ctx, c, t)
	if err != nil {
		return act.Waited{}, err
	}
	defer c.Waits(cmp.Or(w.Query.String(), "the screen")+" ("+string(w.Condition)+")", w.Timeout)()
	var done act.Waited
	l := &access.Looking{Call: c, Handle: h, Session: session}
	err = s.d.Access.Step(ctx, l, func(step act.Step) error {
		if done, err = step.Wait(ctx, w); err == nil && done.Screen != nil {
			show(l, done)
		}
		return err
	})
	return done, err
}
