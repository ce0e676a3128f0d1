package ops

import (
	"cmp"
	"context"

	"ios-agent/internal/device/act"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// Awaited is a wait that is over, and what the session is shown of it.
type Awaited struct {
	act.Waited
	Shown   shown
	Element *ui.Element // nil: the wait was for something else
}

// Await waits on the device that is meant, in its lane. The answer tells first what changed on the screen.
func (s *Screen) Await(ctx context.Context, c *op.Call, t Target, w act.Waiting) (act.Waited, error) {
	return s.await(ctx, c, t, w, func(l *looking, done act.Waited) { l.saw(done.Screen) })
}

// AwaitShown is Await with the screen at its end in the answer: what changed on it, or its outline.
func (s *Screen) AwaitShown(ctx context.Context, c *op.Call, t Target, w act.Waiting) (out Awaited, err error) {
	out.Waited, err = s.await(ctx, c, t, w, func(l *looking, done act.Waited) {
		out.Shown = l.show(done.Screen, done.Still)
		n := done.Node
		if n == nil {
			return
		}
		n = cmp.Or(done.Screen.Again(n), n) // on the screen at the end, unless it is gone from there
		l.Session.Refs(func(r *ui.Refs) {
			out.Element = &done.Screen.SnapshotOf([]*ui.Node{n}, l.udid(), r, s.now()).Elements[0]
		})
		out.Element.Ref = "@" + done.Ref
	})
	return out, err
}

// await lets show use the screen at the end of a wait, if there is one.
func (s *Screen) await(ctx context.Context, c *op.Call, t Target, w act.Waiting, show func(*looking, act.Waited)) (act.Waited, error) {
	h, session, err := s.device(ctx, c, t)
	if err != nil {
		return act.Waited{}, err
	}
	var done act.Waited
	l := &looking{Call: c, Handle: h, Session: session}
	err = s.step(ctx, l, func(step act.Step) error {
		if done, err = step.Wait(ctx, w); err == nil && done.Screen != nil {
			show(l, done)
		}
		return err
	})
	return done, err
}
