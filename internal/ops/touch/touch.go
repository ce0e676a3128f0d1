// Package touch offers the operations that act on a screen: taps, gestures, buttons, text, keys and answers to alerts. Each action reports
// its outcome with evidence: changed, unchanged or unknown. Touch is its main type; package device/act does the work.
package touch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

// Touch acts on the screen, the buttons and the keyboard of a device.
type Touch struct {
	access  access.Access
	secrets secrets.Folder
}

// New makes the operations that act on a screen.
func New(access access.Access, typed secrets.Folder) *Touch { return &Touch{access, typed} }

// Ops lists the operations that act on a screen.
func (t *Touch) Ops() []op.Op {
	return slices.Concat(t.touchOps(), t.buttonOps(), t.alertOps(), t.textOps())
}

func (t *Touch) touchOps() []op.Op {
	return []op.Op{
		op.New(action("tap_element", "tap", "Tap one element or a point and report what changed", func(s *op.Spec) {
			s.Aliases = []string{"click"}
			s.Help = "Waits until the element exists, is still and reachable, taps, lets the screen settle and answers with the outcome:\n" +
				"changed, unchanged or unknown, with the diff as evidence. It refuses several matches and stale refs, with candidates\n" +
				"and without a tap."
			s.Default, s.AsksBack = true, true
			s.Require, s.Exclude = [][]string{append(target.ElementKeys(), "x")}, [][]string{{"x", "ref"}}
			s.Examples = []string{
				"tap @e7", "tap --identifier login-button --expect-change", "tap --x 200 --y 400", "tap --x 236 --y 512 --pixels 472x1024",
			}
		}), t.Tap),
		op.New(action("double_tap", "double-tap", "Tap one element or a point twice, quickly", func(s *op.Spec) {
			s.Require, s.Exclude = [][]string{append(target.ElementKeys(), "x")}, [][]string{{"x", "ref"}}
			s.Examples = []string{"double-tap @e7", "double-tap --x 200 --y 400"}
		}), t.doubleTap),
		op.New(action("long_press", "long-press", "Press one element for a while", func(s *op.Spec) {
			s.Require, s.Examples = [][]string{target.ElementKeys()}, []string{"long-press @e7 --seconds 1.5"}
		}), t.LongPress),
		op.New(action("touch", "touch", "Press a point for a while",
			examples("touch --x 200 --y 400 --seconds 0.2")), t.TouchPoint),
		op.New(action("swipe", "swipe", "Swipe over one element or the screen; the content follows the finger", func(s *op.Spec) {
			s.Require, s.Exclude = [][]string{{"direction", "start_x"}}, [][]string{{"direction", "start_x"}}
			s.Examples = []string{"swipe up", "swipe @e7 left", "swipe --start-x 200 --start-y 600 --end-x 200 --end-y 200"}
		}), t.Swipe),
		op.New(action("scroll_to", "scroll-to", "Scroll until one element can be reached", func(s *op.Spec) {
			s.Require = [][]string{target.ElementKeys()}
			s.Help = "Scrolls down the list and, at its end, back up; directly to the element if its place is known. The finger rests at the\n" +
				"end of each swipe, so the list does not scroll past the element."
			s.Examples = []string{`scroll-to --label "Item 120"`, "scroll-to --contains Privacy --direction down"}
		}), t.scrollTo),
		op.New(action("drag", "drag", "Drag from an element or a point to another", func(s *op.Spec) {
			s.Require = [][]string{append(target.ElementKeys(), "from_x"), {"onto", "to_x"}}
			s.Exclude = [][]string{{"onto", "to_x"}, {"from_x", "ref"}}
			s.Examples = []string{"drag @e7 --onto @e9", "drag @e7 --to-x 100 --to-y 300", "drag --from-x 50 --from-y 90 --to-x 100 --to-y 300"}
		}), t.Drag),
		op.New(action("pinch", "pinch", "Spread two fingers (scale above 1) or pinch them together (below 1)",
			ofPhones("pinch --scale 2", "pinch @e7 --scale 0.5", "pinch --x 200 --y 400 --scale 2")), t.pinch),
		op.New(action("set_value", "set-value", "Set a switch, slider, stepper, picker or segmented control", func(s *op.Spec) {
			s.Require = [][]string{target.ElementKeys()}
			s.Examples = []string{"set-value @e7 on", "set-value --identifier volume --to 40%"}
		}), t.setValue),
	}
}

// TapIn names the element or the point to tap.
type TapIn struct {
	target.Target
	target.ElementIn
	target.PointIn
	Pixels string `json:"pixels,omitempty" doc:"x, y are pixels of a picture WxH" match:"^(\\d+[xX×]\\d+)?$"`
	target.ActIn
	target.ScrollIn
}

// Tap taps an element or a point.
func (t *Touch) Tap(ctx context.Context, c *op.Call, tap TapIn) (ActionOut, error) {
	at, is, err := tap.spot()
	if err != nil {
		return ActionOut{}, err
	}
	name := "tap"
	if is {
		name = fmt.Sprintf("tap %g, %g", at.X, at.Y)
	}
	return t.act(ctx, c, doing{tap.Target, name, tap.Expect}, func(s act.Step) (act.Report, error) {
		if is {
			return s.TapAt(ctx, tap.How(), at)
		}
		return s.Tap(ctx, tap.patience(), tap.Query())
	})
}

// Check validates the input. A batch checks all its steps before it runs the first.
func (in TapIn) Check() error {
	_, _, err := in.spot()
	return err
}

// spot is the point to tap, and whether the call gave one.
func (in TapIn) spot() (at act.Spot, is bool, err error) {
	if at.Point, is, err = in.Point("tap_element"); err != nil || in.Pixels == "" {
		return at, is, err
	}
	w, h, _ := strings.Cut(strings.Replace(strings.ToLower(in.Pixels), "×", "x", 1), "x")
	width, _ := strconv.ParseUint(w, 10, 16)
	height, _ := strconv.ParseUint(h, 10, 16)
	at.Width, at.Height = float64(width), float64(height)
	if !is || width == 0 || height == 0 {
		return at, is, fault.New(fault.InvalidInput, "tap_element: pixels is %q: it must be the size of the picture that x and y are from",
			in.Pixels).With("field", "pixels").WithHint("give x, y and the size from the answer of %s, such as 472x1024", hint.Do("take_screenshot"))
	}
	return at, is, nil
}

func (in TapIn) patience() act.How {
	how := in.How()
	how.Scroll = in.Scroll
	return how
}

// doubleTapIn names the element or the point to tap twice.
type doubleTapIn struct {
	target.OnElementIn
	target.PointIn
}

// Check validates the input. A batch checks all its steps before it runs the first.
func (in doubleTapIn) Check() error {
	_, _, err := in.Point("double_tap")
	return err
}

func (t *Touch) doubleTap(ctx context.Context, c *op.Call, in doubleTapIn) (ActionOut, error) {
	at, is, err := in.Point("double_tap")
	if err != nil {
		return ActionOut{}, err
	}
	return t.act(ctx, c, doing{in.Target, "double tap", in.Expect}, func(s act.Step) (act.Report, error) {
		if is {
			return s.DoubleTapAt(ctx, in.How(), at)
		}
		return s.DoubleTap(ctx, in.How(), in.Query())
	})
}

// LongPressIn is a long press on an element.
type LongPressIn struct {
	target.OnElementIn
	Seconds float64 `json:"seconds,omitempty" doc:"duration" min:"0.1" max:"60" default:"1" unit:"s"`
}

// LongPress presses an element.
func (t *Touch) LongPress(ctx context.Context, c *op.Call, in LongPressIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, "long press", in.Expect}, func(s act.Step) (act.Report, error) {
		return s.LongPress(ctx, in.How(), in.Query(), op.Seconds(in.Seconds))
	})
}

// TouchIn is a press on a point.
type TouchIn struct {
	target.Target
	X       float64 `json:"x" doc:"points from the left" min:"0"`
	Y       float64 `json:"y" doc:"points from the top" min:"0"`
	Seconds float64 `json:"seconds,omitempty" doc:"duration" min:"0.01" max:"60" default:"0.1" unit:"s"`
	target.ActIn
}

// TouchPoint presses a point.
func (t *Touch) TouchPoint(ctx context.Context, c *op.Call, in TouchIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, fmt.Sprintf("touch %g, %g", in.X, in.Y), in.Expect}, func(s act.Step) (act.Report, error) {
		return s.PressAt(ctx, in.How(), ui.Point{X: in.X, Y: in.Y}, op.Seconds(in.Seconds))
	})
}

// SwipeIn is a swipe over an element or the screen, or between two points.
type SwipeIn struct {
	target.Target
	target.ElementIn
	Direction string   `json:"direction,omitempty" doc:"direction of the finger" enum:"up,down,left,right" cli:"arg"`
	Distance  float64  `json:"distance,omitempty" doc:"share of the element or screen" min:"0.05" max:"1" default:"0.6"`
	Seconds   float64  `json:"seconds,omitempty" doc:"duration; a faster swipe scrolls further" min:"0.05" max:"60" default:"0.3" unit:"s"`
	StartX    *float64 `json:"start_x,omitempty" doc:"from this point instead" min:"0"`
	StartY    *float64 `json:"start_y,omitempty" doc:"from this point instead" min:"0"`
	EndX      *float64 `json:"end_x,omitempty" doc:"to this point" min:"0"`
	EndY      *float64 `json:"end_y,omitempty" doc:"to this point" min:"0"`
	target.ActIn

	called string // name in the answer; empty: a description
}

// Called sets the name of the swipe in the answer.
func (in SwipeIn) Called(name string) SwipeIn {
	in.called = name
	return in
}

// Swipe swipes.
func (t *Touch) Swipe(ctx context.Context, c *op.Call, in SwipeIn) (ActionOut, error) {
	w := act.Swipe{Direction: in.Direction, Distance: in.Distance, Took: op.Seconds(in.Seconds)}
	name := "swipe " + in.Direction
	if in.StartX != nil || in.StartY != nil || in.EndX != nil || in.EndY != nil {
		if in.StartX == nil || in.StartY == nil || in.EndX == nil || in.EndY == nil {
			return ActionOut{}, fault.New(fault.InvalidInput, "swipe: a path needs start_x, start_y, end_x and end_y").With("field", "end_y")
		}
		w.From, w.To = &ui.Point{X: *in.StartX, Y: *in.StartY}, &ui.Point{X: *in.EndX, Y: *in.EndY}
		name = fmt.Sprintf("swipe %g, %g to %g, %g", w.From.X, w.From.Y, w.To.X, w.To.Y)
	}
	name = cmp.Or(in.called, name)
	return t.act(ctx, c, doing{in.Target, name, in.Expect}, func(s act.Step) (act.Report, error) {
		return s.Swipe(ctx, in.How(), in.Query(), w)
	})
}

// scrollToIn names the element to scroll to, and the list.
type scrollToIn struct {
	target.Target
	target.ElementIn
	Direction string `json:"direction,omitempty" doc:"only this way" enum:"up,down,left,right"`
	List      string `json:"list,omitempty" doc:"list to scroll: ref, identifier or label; default: its own, or the largest"`
	Swipes    int    `json:"max_swipes,omitempty" doc:"maximum number of swipes" min:"1" max:"500" default:"120"`
}

func (t *Touch) scrollTo(ctx context.Context, c *op.Call, in scrollToIn) (ActionOut, error) {
	w := act.Scroll{Direction: in.Direction, Swipes: in.Swipes, Within: ui.Naming(in.List)}
	return t.act(ctx, c, doing{in.Target, "scroll to", false}, func(s act.Step) (act.Report, error) { return s.ScrollTo(ctx, in.Query(), w) })
}

// DragIn is a drag from an element or a point to another.
type DragIn struct {
	target.OnElementIn
	Onto  string   `json:"onto,omitempty" doc:"drop target: ref, identifier or label"`
	ToX   *float64 `json:"to_x,omitempty" doc:"or a point: from the left" min:"0"`
	ToY   *float64 `json:"to_y,omitempty" doc:"and from the top" min:"0"`
	FromX *float64 `json:"from_x,omitempty" doc:"start point instead of an element: from the left" min:"0"`
	FromY *float64 `json:"from_y,omitempty" doc:"and from the top" min:"0"`
	Press float64  `json:"press,omitempty" doc:"press before the move; items that lift need 0.5" min:"0" max:"60" default:"0.6" unit:"s"`
	Hold  float64  `json:"hold,omitempty" doc:"hold at the end" min:"0" max:"60" default:"0.2" unit:"s"`

	Pointer bool `json:"pointer,omitempty" doc:"drag with the user's mouse pointer, which moves; only drags in desktop apps of macOS need it"`
}

// Drag drags.
func (t *Touch) Drag(ctx context.Context, c *op.Call, in DragIn) (ActionOut, error) {
	to, is, err := target.PointIn{X: in.ToX, Y: in.ToY}.Point("drag")
	if err != nil {
		return ActionOut{}, err
	}
	from, isPoint, err := target.PointIn{X: in.FromX, Y: in.FromY}.Point("drag")
	if err != nil {
		return ActionOut{}, err
	}
	finger := device.Drag{Press: op.Seconds(in.Press), Hold: op.Seconds(in.Hold), Pointer: in.Pointer}
	drag := act.ElementDrag{Element: in.Query(), Onto: ui.Naming(in.Onto), Finger: finger}
	if is {
		drag.To = &to
	}
	if isPoint {
		drag.From = &from
	}
	return t.act(ctx, c, doing{in.Target, "drag", in.Expect}, func(s act.Step) (act.Report, error) { return s.Drag(ctx, in.How(), drag) })
}

// pinchIn is a pinch on an element, a point or the screen.
type pinchIn struct {
	target.Target
	target.ElementIn
	target.PointIn
	Scale float64 `json:"scale" doc:"above 1 spreads, below 1 pinches" min:"0.01" max:"100"`
	target.ActIn
}

// Check validates the input. A batch checks all its steps before it runs the first.
func (in pinchIn) Check() error {
	_, _, err := in.Point("pinch")
	return err
}

func (t *Touch) pinch(ctx context.Context, c *op.Call, in pinchIn) (ActionOut, error) {
	at, is, err := in.Point("pinch")
	if err != nil {
		return ActionOut{}, err
	}
	return t.act(ctx, c, doing{in.Target, fmt.Sprintf("pinch %g", in.Scale), in.Expect}, func(s act.Step) (act.Report, error) {
		if is {
			return s.PinchAt(ctx, in.How(), at, in.Scale)
		}
		return s.Pinch(ctx, in.How(), in.Query(), in.Scale)
	})
}

// setValueIn is an element and its new value.
type setValueIn struct {
	target.OnElementIn
	To string `json:"to" doc:"on, off, a number (slider: percent, unless below 1), a percentage, a row or segment" cli:"arg"`
}

func (t *Touch) setValue(ctx context.Context, c *op.Call, in setValueIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, "set " + in.To, in.Expect}, func(s act.Step) (act.Report, error) {
		return s.SetValue(ctx, in.How(), in.Query(), in.To)
	})
}
