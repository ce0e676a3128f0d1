package desktop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ui"
)

// DesktopAction is the result of an action, in strobe's fields and in the core family's.
type DesktopAction struct {
	desktop.Response
	Outcome ui.Outcome
	Looked  time.Duration
	Diff    []string
	Settled bool
	Ended   *act.Ended // the app that the action ended
	Advice  string     // what to do instead of a refused action
}

// Act does an action on an element of a session's process. A refusal that the caller can avoid with another request is an answer, not a
// fault, as in strobe.
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
		if errors.Is(err, errOutOfSight) {
			if err = a.reveal(ctx, s); err == nil {
				r, err = s.Do(ctx, settling(in), a.send)
			}
		}
		out = a.answer(r, err)
		var refused *desktop.Refusal
		var beyond *desktop.RangeError
		if errors.As(err, &refused) {
			out.Advice = refused.Hint
			return nil
		}
		if errors.As(err, &beyond) {
			return nil
		}
		return err
	})
	return out, d.gone(c, in.Session, "perform UI action", err)
}

// settling is the longest wait for still windows. Only a time that the caller gave also limits the wait for an effect.
func settling(in desktop.Request) act.How {
	settle := desktop.UsualSettle
	how := act.How{NoWait: true, Settle: &settle}
	if in.SettleMS != nil {
		settle = op.Milliseconds(*in.SettleMS)
		how.React = &settle
	}
	return how
}

// desktopDoing is a running action.
type desktopDoing struct {
	desktop.Request
	h      *pool.Handle
	before *desktop.Node
	tried  bool // the element was scrolled into view
}

// send does the action on the elements of the latest look.
func (a *desktopDoing) send(ctx context.Context, shown *ui.Screen) (method string, err error) {
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
	from, err := a.within(shown, tree, a.before)
	if err != nil {
		return "", err
	}
	var to *desktop.Node
	if a.Action == desktop.Drag {
		if to = p.Node(*a.ToID); to == nil {
			return "", desktop.ErrNoDestination
		}
		to = tree.InView(to)
	}
	method, err = p.Do(ctx, func(do desktop.Performer) (string, error) { return a.on(ctx, do, from, to) })
	if gone := (*desktop.GoneError)(nil); errors.As(err, &gone) {
		return "", desktop.ErrNoNode
	}
	return method, err
}

// errOutOfSight says that an element must be scrolled into view before it can be pointed at.
var errOutOfSight = errors.New("the element is out of sight")

// within is the element, reduced to the part that input can reach. It refuses an element that a person could not reach either: an element
// behind a modal dialog, or under other windows.
func (a *desktopDoing) within(shown *ui.Screen, tree *desktop.Tree, n *desktop.Node) (*desktop.Node, error) {
	part := tree.InView(n)
	node := shown.Called(n.ID)
	if node == nil {
		return part, nil
	}
	at, cover := shown.Exposed(node)
	switch {
	case cover != nil:
		return nil, covered(node, cover)
	case a.points() && !node.Visible() && !a.tried:
		return nil, errOutOfSight
	case part.Bounds != nil && at != (ui.Point{}) && at != node.Seen().Centre(): // something covers its centre
		part = part.At(at)
	}
	if a.points() && part.Bounds != nil {
		if over := tree.Over(n, part.Bounds.Centre()); over != nil {
			return nil, covered(node, shown.Called(over.ID))
		}
	}
	return part, nil
}

// points reports whether the action uses the mouse.
func (a *desktopDoing) points() bool {
	switch a.Action {
	case desktop.Click:
		return !slices.Contains(a.before.Actions, desktop.Press)
	case desktop.Scroll, desktop.Drag:
		return true
	}
	return false
}

// mostWays is the maximum number of the cover's elements that a refusal lists.
const mostWays = 5

func covered(n, cover *ui.Node) error {
	name := func(n *ui.Node) string { return n.Describe() + " " + n.Given }
	var ways []string
	cover.Walk(func(c *ui.Node) bool {
		if c != cover && c.Interactive() && c.Hittable() && len(ways) < mostWays {
			ways = append(ways, name(c))
		}
		return true
	})
	r := &desktop.Refusal{Says: n.Describe() + " is covered by " + name(cover), Hint: "no input was sent; use the front element first"}
	if len(ways) > 0 {
		r.Hint += ": " + strings.Join(ways, ", ")
	}
	return r
}

// reveal scrolls the element into view.
func (a *desktopDoing) reveal(ctx context.Context, s act.Step) error {
	a.tried = true
	udid := a.h.Info().UDID
	err := s.Look(ctx, func(screen *ui.Screen, refs *ui.Refs) { refs.NameGiven(udid, screen, []string{a.before.ID}) })
	if err != nil {
		return err
	}
	if _, err = s.ScrollTo(ctx, ui.Query{Ref: a.before.ID}, act.Scroll{}); err != nil && ctx.Err() == nil {
		return &desktop.Refusal{Says: "the element is out of sight, and cannot be scrolled into view: " + err.Error()}
	}
	return err
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
		return do.Drag(ctx, n, to, a.Pointer)
	}
	return do.Click(ctx, n)
}

// answer makes the result. It finds the element after the action by its identity, not by its id or title, which may change.
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
	if _, tree, err := seen(a.h); err == nil && tree.Bare {
		if out.Outcome == ui.Unchanged {
			out.Outcome = ui.Unknown
		}
		out.Advice = "its toolkit reports no contents of its windows; take a picture: " +
			hint.Do("debug_ui", "sessionId", a.Session, "mode", "screenshot")
	}
	if _, tree, err := seen(a.h); err == nil && a.before != nil && r.Ended == nil {
		if out.After = tree.ByKey(a.before.Key); out.After != nil && r.Lost == nil {
			changed := desktop.Differs(a.before, out.After)
			out.Changed = &changed
			if is, was := out.After.Value, a.before.Value; a.Action == desktop.Type && is != nil && was != nil && *is == *was {
				out.Advice = "the element's value is the same as before: the app dropped the keys, or another element has them; " +
					hint.Do("debug_ui_action", "sessionId", a.Session, "action", desktop.SetValue, "id", *a.ID, "value", "VALUE") +
					" needs no keys"
			}
		}
	}
	return out
}
