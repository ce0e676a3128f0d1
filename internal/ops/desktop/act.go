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
	Advice  string     // what to do instead of what was refused
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
	tried  bool // it was scrolled into view
}

// send does the action on what the look just now showed.
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

// within is the element with what of it can be reached. What a person could not get to is refused: it lies behind a dialog that keeps
// input from its window, or all of it lies under something else.
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
	case part.Bounds != nil && at != (ui.Point{}) && at != node.Seen().Centre(): // its middle lies under something
		part = part.At(at)
	}
	if a.points() && part.Bounds != nil {
		if over := tree.Over(n, part.Bounds.Centre()); over != nil {
			return nil, covered(node, shown.Called(over.ID))
		}
	}
	return part, nil
}

// points reports whether the action is one of the mouse.
func (a *desktopDoing) points() bool {
	switch a.Action {
	case desktop.Click:
		return !slices.Contains(a.before.Actions, desktop.Press)
	case desktop.Scroll, desktop.Drag:
		return true
	}
	return false
}

// mostWays is how many elements of a cover a refusal offers.
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
	r := &desktop.Refusal{Says: n.Describe() + " is covered by " + name(cover), Hint: "nothing was sent; use what is in front first"}
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
	if _, tree, err := seen(a.h); err == nil && tree.Bare {
		if out.Outcome == ui.Unchanged {
			out.Outcome = ui.Unknown
		}
		out.Advice = "its toolkit tells nothing of what is in its windows; a picture shows it: " +
			"`ios-agent app ui " + a.Session + " --mode screenshot`"
	}
	if _, tree, err := seen(a.h); err == nil && a.before != nil && r.Ended == nil {
		if out.After = tree.ByKey(a.before.Key); out.After != nil && r.Lost == nil {
			changed := desktop.Differs(a.before, out.After)
			out.Changed = &changed
		}
	}
	return out
}
