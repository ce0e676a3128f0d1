package act

import (
	"context"
	"slices"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// HideKeyboard hides the keyboard without typing: with its dismiss key or a Done button above it, with a drag in a scroll view, or with
// a tap on an empty place. It never presses return, which adds a line in an editor and submits a search. Without a keyboard it does
// nothing. A gesture that led to another screen is a failure, and HideKeyboard stops there.
func (s Step) HideKeyboard(ctx context.Context) (Report, error) {
	return s.perform(ctx, How{}, ui.Query{}, with(s, func(ctx context.Context, t device.Touch, a aim, r *Report) error {
		if a.screen.Keyboard() == nil {
			r.Method = "none: the keyboard is down"
			return nil
		}
		device.GuardOf(ctx).After = device.Wait{}
		h := hiding{Step: s, touch: t, report: r}
		return h.sent.fail(h.hide(ctx, a.screen))
	}))
}

// hiding tries the ways to hide the keyboard, one after the other.
type hiding struct {
	Step
	touch  device.Touch
	report *Report
	sent   sent
}

// way is one gesture that may hide the keyboard. It sends nothing and reports false if the screen has no place for it.
type way func(ctx context.Context, screen *ui.Screen) (tried bool, err error)

func (h *hiding) hide(ctx context.Context, screen *ui.Screen) error {
	before := screen
	for _, try := range []way{h.key, h.dragUp, h.dragDown, h.beside} {
		tried, err := try(ctx, screen)
		if err != nil {
			return err
		}
		if !tried {
			continue
		}
		if screen, err = h.observe(ctx, settled()); err != nil {
			return err
		}
		if h.report.Failed = h.left(before, screen); h.report.Failed != nil || screen.Keyboard() == nil {
			return nil
		}
	}
	advice := hint.Do("scroll_to", "label", "LABEL") + " brings a covered element into view"
	if field := screen.Focused(); field != nil && !field.TakesLines() {
		advice += "; " + hint.Do("press_key", "key", "return") + " leaves most one-line fields but may submit them"
	}
	return fault.New(fault.Unsupported,
		"cannot hide the keyboard: it has no hide key, and neither a drag nor a tap outside the field closes it").
		WithHint("%s", advice).WithDispatch(fault.NotDispatched)
}

// left is the fault of a gesture that led to another screen, or closed the presented sheet together with the typed text.
func (h *hiding) left(before, after *ui.Screen) error {
	from, to := before.Title(), after.Title()
	if before.App == after.App && from == to && (before.Presented() == nil) == (after.Presented() == nil) {
		return nil
	}
	const led = "hiding the keyboard (%s) changed the screen from %s to %s"
	return fault.New(fault.ScreenLeft, led, h.report.Method, ui.Quote(from), ui.Quote(to)).WithDispatch(fault.Dispatched)
}

func (h *hiding) key(ctx context.Context, screen *ui.Screen) (bool, error) {
	key := screen.KeyboardExit()
	if key == nil {
		return false, nil
	}
	reach, err := h.reach(screen, key)
	if err != nil {
		return false, nil
	}
	h.report.At, h.report.Method = reach.At, "key "+ui.Quote(key.Name())
	return true, h.sent.input(h.touch.Tap(ctx, reach.At))
}

// shortDrag is the drag length that apps with a keyboard-dismiss drag notice, in points.
const shortDrag = 60

func (h *hiding) dragUp(ctx context.Context, screen *ui.Screen) (bool, error) {
	from, ok := dragStart(screen)
	if !ok {
		return false, nil
	}
	h.report.At, h.report.Method = from, "drag"
	return true, h.sent.input(h.drag(ctx, from, ui.Point{X: from.X, Y: from.Y - shortDrag}))
}

// dragDown pulls the keyboard down with the content, as some apps allow. It spares sheets, which the drag would close.
func (h *hiding) dragDown(ctx context.Context, screen *ui.Screen) (bool, error) {
	from, ok := dragStart(screen)
	if !ok || screen.Presented() != nil {
		return false, nil
	}
	h.report.At, h.report.Method = from, "drag down"
	return true, h.sent.input(h.drag(ctx, from, ui.Point{X: from.X, Y: screen.Keyboard().Seen().Y + shortDrag}))
}

// dragStart is the start of a drag above the keyboard: in the scroll view around the field, or else in the largest scroll view.
func dragStart(screen *ui.Screen) (ui.Point, bool) {
	lists := screen.Scrollers(nil)
	if field := screen.Focused(); field != nil {
		lists = slices.Concat(screen.Scrollers(field), lists)
	}
	for _, list := range lists {
		area := open(screen, list)
		if list.Type != "TextView" && area.W >= thinnest && area.H >= 2*shortDrag {
			return area.Centre(), true
		}
	}
	return ui.Point{}, false
}

// beside taps an empty place: many apps hide the keyboard then.
func (h *hiding) beside(ctx context.Context, screen *ui.Screen) (bool, error) {
	at, ok := neutral(screen)
	if !ok {
		return false, nil
	}
	h.report.At, h.report.Method = at, "tap beside the field"
	return true, h.sent.input(h.touch.Tap(ctx, at))
}

// neutral is a point above the keyboard without a control, inside the presented sheet, because a tap outside the sheet closes it. The
// point is as low as possible, because bars are at the top.
func neutral(screen *ui.Screen) (ui.Point, bool) {
	area := screen.Viewport().Inset(edge)
	if presented := screen.Presented(); presented != nil {
		area = presented.Seen().Inset(12)
	}
	bottom := screen.Keyboard().Seen().Y - 12
	taken := screen.Actionable()
	for y := min(bottom, area.Y+area.H); y > area.Y; y -= 20 {
		for _, across := range []float64{0.5, 0.05, 0.95} {
			at := ui.Point{X: area.X + area.W*across, Y: y}
			if !slices.ContainsFunc(taken, func(n *ui.Node) bool { return reacts(n, at) }) {
				return at, true
			}
		}
	}
	return ui.Point{}, false
}

// reacts reports whether an element may react to a tap at a point. A scroll view does not.
func reacts(n *ui.Node, at ui.Point) bool {
	switch n.Type {
	case "ScrollView", "Table", "CollectionView", "Keyboard":
		return false
	}
	return n.Seen().Contains(at)
}
