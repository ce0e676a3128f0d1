package desktop

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ui"
)

// DesktopAction is what came of an action, by strobe's names and ours.
type DesktopAction struct {
	desktop.Response
	Outcome ui.Outcome
	Looked  time.Duration
	Diff    []string
	Settled bool
	Ended   *act.Ended // what the action ended
}

// Act does an action on an element of a session's process. What the caller can mend by another request is an answer, not a fault.
func (d *Desktop) Act(ctx context.Context, c *op.Call, in desktop.Request) (out DesktopAction, err error) {
	if err := in.Check(); err != nil {
		return out, err
	}
	h, session, err := d.open(ctx, c, in.Session, "perform UI action")
	if err != nil {
		return out, err
	}
	if in.Text != nil {
		text, err := d.d.Secrets.Reveal(*in.Text, c.Env)
		if err != nil {
			return out, err
		}
		in.Text = &text
	}
	err = d.d.Access.Step(ctx, &access.Looking{Call: c, Handle: h, Session: session}, func(s act.Step) error {
		a := desktopDoing{Request: in, h: h}
		r, err := s.Do(ctx, settling(in), a.send)
		out = a.answer(r, err)
		if refused := (*desktop.Refusal)(nil); errors.As(err, &refused) {
			return nil
		}
		return err
	})
	return out, d.gone(c, in.Session, "perform UI action", err)
}

// settling is how long the windows may take to become still. Only a time that was asked for bounds how long an effect is looked for.
func settling(in desktop.Request) act.How {
	settle := desktop.UsualSettle
	how := act.How{NoWait: true, Settle: &settle}
	if in.SettleMS != nil {
		settle = op.Milliseconds(*in.SettleMS)
		how.React = &settle
	}
	return how
}

// desktopDoing is an action under way.
type desktopDoing struct {
	desktop.Request
	h      *pool.Handle
	before *desktop.Node
}

// send does the action on what the look just now showed.
func (a *desktopDoing) send(ctx context.Context, _ *ui.Screen) (method string, err error) {
	p, tree, err := seen(a.h)
	if err != nil {
		return "", err
	}
	if a.Action == desktop.PressKey {
		return p.Do(ctx, func(do desktop.Performer) (string, error) { return do.Key(ctx, *a.Key, a.Modifiers) })
	}
	if a.before = p.Node(*a.ID); a.before == nil {
		return "", desktop.ErrNoNode
	}
	var to *desktop.Node
	if a.Action == desktop.Drag {
		if to = p.Node(*a.ToID); to == nil {
			return "", desktop.ErrNoDestination
		}
		to = tree.InView(to)
	}
	method, err = p.Do(ctx, func(do desktop.Performer) (string, error) { return a.on(ctx, do, tree.InView(a.before), to) })
	if gone := (*desktop.GoneError)(nil); errors.As(err, &gone) {
		return "", desktop.ErrNoNode
	}
	return method, err
}

func (a *desktopDoing) on(ctx context.Context, do desktop.Performer, n, to *desktop.Node) (method string, err error) {
	switch a.Action {
	case desktop.SetValue:
		return do.SetValue(ctx, n, a.Value)
	case desktop.Type:
		return do.Type(ctx, n, *a.Text)
	case desktop.Scroll:
		return do.Scroll(ctx, n, *a.Direction, a.Lines())
	case desktop.Drag:
		return do.Drag(ctx, n, to)
	}
	return do.Click(ctx, n)
}

// answer tells what came of it. The element after it is found by what it is, not by its id or its title.
func (a *desktopDoing) answer(r act.Report, err error) (out DesktopAction) {
	out.Before = a.before
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Success, out.Method = r.Lost == nil, r.Method
	out.Outcome, out.Looked, out.Diff, out.Ended = r.Outcome, r.Looked, r.Lines, r.Ended
	if r.Lost != nil {
		out.Error = r.Lost.Error()
	}
	if r.After != nil {
		out.Settled = r.After.Settled
	}
	if _, tree, err := seen(a.h); err == nil && a.before != nil && r.Ended == nil {
		if out.After = tree.ByKey(a.before.Key); out.After != nil && r.Lost == nil {
			changed := desktop.Differs(a.before, out.After)
			out.Changed = &changed
		}
	}
	return out
}
