package ops

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// touch is everything a finger does.
type Touch struct {
	desk
	secrets secrets
}

// action is the spec that all actions share.
func action(name, verb, summary string, more func(*op.Spec)) op.Spec {
	s := op.Spec{
		Name: name, Groups: []string{"ui"}, Verb: verb, Route: "POST /api/v1/ui/" + verb, Summary: summary, Timeout: 2 * time.Minute,
	}
	if more != nil {
		more(&s)
	}
	return s
}

func examples(lines ...string) func(*op.Spec) { return func(s *op.Spec) { s.Examples = lines } }

func (t *Touch) ops() []op.Op {
	return append([]op.Op{
		op.New(action("tap_element", "tap", "Tap one element, by ref or by what it is, or a point, and tell what changed", func(s *op.Spec) {
			s.Help = "Waits until the element is there, still and reachable, taps, lets the screen settle and answers with the outcome: changed,\n" +
				"unchanged or unknown, with the diff as evidence. Several matches, or a ref whose element is gone, are refused with\n" +
				"candidates; nothing is sent then."
			s.Default, s.AsksBack = true, true
			s.Require, s.Exclude = [][]string{append(whichever(), "x")}, [][]string{{"x", "ref"}}
			s.Examples = []string{"tap @e7", "tap --identifier login-button --expect-change", "tap --x 200 --y 400"}
		}), t.Tap),
		op.New(action("double_tap", "double-tap", "Tap one element twice, quickly", func(s *op.Spec) {
			s.Require, s.Examples = [][]string{whichever()}, []string{"double-tap @e7"}
		}), t.doubleTap),
		op.New(action("long_press", "long-press", "Rest a finger on one element", func(s *op.Spec) {
			s.Require, s.Examples = [][]string{whichever()}, []string{"long-press @e7 --seconds 1.5"}
		}), t.LongPress),
		op.New(action("touch", "touch", "Put a finger down on a point and lift it after a while", examples("touch --x 200 --y 400 --seconds 0.2")), t.TouchPoint),
		op.New(action("swipe", "swipe", "Swipe over one element or the screen; the content follows the finger", func(s *op.Spec) {
			s.Require, s.Exclude = [][]string{{"direction", "start_x"}}, [][]string{{"direction", "start_x"}}
			s.Examples = []string{"swipe up", "swipe @e7 left", "swipe --start-x 200 --start-y 600 --end-x 200 --end-y 200"}
		}), t.Swipe),
		op.New(action("scroll_to", "scroll-to", "Scroll until one element can be reached", func(s *op.Spec) {
			s.Require = [][]string{whichever()}
			s.Help = "Looks down the list and, at its end, back up; an element whose place is known is gone to directly. The swipes end with a\n" +
				"resting finger, so that the list does not fly past it."
			s.Examples = []string{`scroll-to --label "Item 120"`, "scroll-to --contains Privacy --direction down"}
		}), t.scrollTo),
		op.New(action("drag", "drag", "Carry one element onto another, or to a point", func(s *op.Spec) {
			s.Require = [][]string{whichever(), {"onto", "to_x"}}
			s.Exclude = [][]string{{"onto", "to_x"}}
			s.Examples = []string{"drag @e7 --onto @e9", "drag @e7 --to-x 100 --to-y 300"}
		}), t.Drag),
		op.New(action("pinch", "pinch", "Spread two fingers (scale above 1) or draw them together (below)", examples("pinch --scale 2", "pinch @e7 --scale 0.5")), t.pinch),
		op.New(action("set_value", "set-value", "Move a switch, slider, stepper, picker wheel or segmented control to a value", func(s *op.Spec) {
			s.Require = [][]string{whichever()}
			s.Examples = []string{"set-value @e7 --to on", "set-value --identifier volume --to 40%"}
		}), t.setValue),
		op.New(action("back", "back", "Go back: by the back button, else by the swipe from the left edge", examples("back")), t.back),
		op.New(action("press_button", "press-button", "Press a button of the device's body", examples("press-button home", "press-button lock --hold 2")), t.Press),
		op.New(action("rotate", "rotate", "Turn the device", examples("rotate landscape-left")), t.rotate),
		op.New(action("alert", "alert", "Read the alert in front, of the system or the app, and answer it", examples("alert", "alert --accept", `alert --button "Allow Once"`)), t.alert),
	}, t.textOps()...)
}

// PointIn is a place on the screen.
type PointIn struct {
	X *float64 `json:"x,omitempty" doc:"points from the left, instead of an element" min:"0"`
	Y *float64 `json:"y,omitempty" doc:"points from the top" min:"0"`
}

func (p PointIn) point(operation string) (ui.Point, bool, error) {
	switch {
	case p.X == nil && p.Y == nil:
		return ui.Point{}, false, nil
	case p.X == nil || p.Y == nil:
		return ui.Point{}, false, fault.New(fault.InvalidInput, "%s: a point is x and y", operation).With("field", "y")
	}
	return ui.Point{X: *p.X, Y: *p.Y}, true, nil
}

// TapIn says what to tap.
type TapIn struct {
	Target
	ElementIn
	PointIn
	ActIn
	ScrollIn
}

func (t *Touch) Tap(ctx context.Context, c *op.Call, in TapIn) (ActionOut, error) {
	at, is, err := in.point("tap_element")
	if err != nil {
		return ActionOut{}, err
	}
	name := "tap"
	if is {
		name = fmt.Sprintf("tap %g, %g", at.X, at.Y)
	}
	return t.act(ctx, c, in.Target, name, in.Expect, func(s act.Step) (act.Report, error) {
		if is {
			return s.TapAt(ctx, in.how(), at)
		}
		return s.Tap(ctx, in.patience(), in.query())
	})
}

func (in TapIn) patience() act.How {
	how := in.how()
	how.Scroll = in.Scroll
	return how
}

// OnElementIn is an element to act on.
type OnElementIn struct {
	Target
	ElementIn
	ActIn
	ScrollIn
}

func (in OnElementIn) how() act.How {
	how := in.ActIn.how()
	how.Scroll = in.Scroll
	return how
}

func (t *Touch) doubleTap(ctx context.Context, c *op.Call, in OnElementIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "double tap", in.Expect, func(s act.Step) (act.Report, error) { return s.DoubleTap(ctx, in.how(), in.query()) })
}

// LongPressIn says how long.
type LongPressIn struct {
	OnElementIn
	Seconds float64 `json:"seconds,omitempty" doc:"how long" min:"0.1" max:"60" default:"1"`
}

func (t *Touch) LongPress(ctx context.Context, c *op.Call, in LongPressIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "long press", in.Expect, func(s act.Step) (act.Report, error) {
		return s.LongPress(ctx, in.how(), in.query(), span(in.Seconds))
	})
}

func span(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// TouchIn is a finger on a point.
type TouchIn struct {
	Target
	X       float64 `json:"x" doc:"points from the left" min:"0"`
	Y       float64 `json:"y" doc:"points from the top" min:"0"`
	Seconds float64 `json:"seconds,omitempty" doc:"how long" min:"0.01" max:"60" default:"0.1"`
	ActIn
}

func (t *Touch) TouchPoint(ctx context.Context, c *op.Call, in TouchIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, fmt.Sprintf("touch %g, %g", in.X, in.Y), in.Expect, func(s act.Step) (act.Report, error) {
		return s.PressAt(ctx, in.how(), ui.Point{X: in.X, Y: in.Y}, span(in.Seconds))
	})
}

// SwipeIn says over what, and where to.
type SwipeIn struct {
	Target
	ElementIn
	Direction string   `json:"direction,omitempty" doc:"where the finger goes" enum:"up,down,left,right" cli:"arg"`
	Distance  float64  `json:"distance,omitempty" doc:"share of the element or screen it crosses" min:"0.05" max:"1" default:"0.6"`
	Seconds   float64  `json:"seconds,omitempty" doc:"how long it takes; shorter flies further" min:"0.05" max:"60" default:"0.3"`
	StartX    *float64 `json:"start_x,omitempty" doc:"from this point instead" min:"0"`
	StartY    *float64 `json:"start_y,omitempty" doc:"from this point instead" min:"0"`
	EndX      *float64 `json:"end_x,omitempty" doc:"to this point" min:"0"`
	EndY      *float64 `json:"end_y,omitempty" doc:"to this point" min:"0"`
	ActIn

	called string // in the answer; empty: what it does
}

// Called gives the swipe another name in the answer.
func (in SwipeIn) Called(name string) SwipeIn {
	in.called = name
	return in
}

func (t *Touch) Swipe(ctx context.Context, c *op.Call, in SwipeIn) (ActionOut, error) {
	w := act.Swipe{Direction: in.Direction, Distance: in.Distance, Took: span(in.Seconds)}
	name := "swipe " + in.Direction
	if in.StartX != nil || in.StartY != nil || in.EndX != nil || in.EndY != nil {
		if in.StartX == nil || in.StartY == nil || in.EndX == nil || in.EndY == nil {
			return ActionOut{}, fault.New(fault.InvalidInput, "swipe: a path is start_x, start_y, end_x and end_y").With("field", "end_y")
		}
		w.From, w.To = &ui.Point{X: *in.StartX, Y: *in.StartY}, &ui.Point{X: *in.EndX, Y: *in.EndY}
		name = fmt.Sprintf("swipe %g, %g to %g, %g", w.From.X, w.From.Y, w.To.X, w.To.Y)
	}
	name = cmp.Or(in.called, name)
	return t.act(ctx, c, in.Target, name, in.Expect, func(s act.Step) (act.Report, error) { return s.Swipe(ctx, in.how(), in.query(), w) })
}

// ScrollToIn says what to look for, and where.
type ScrollToIn struct {
	Target
	ElementIn
	Direction string `json:"direction,omitempty" doc:"look only this way" enum:"up,down,left,right"`
	List      string `json:"list,omitempty" doc:"ref, identifier or label of the list to scroll; else the one it lies in, or the largest"`
	Swipes    int    `json:"max_swipes,omitempty" doc:"give up after so many" min:"1" max:"500" default:"120"`
}

func (t *Touch) scrollTo(ctx context.Context, c *op.Call, in ScrollToIn) (ActionOut, error) {
	w := act.Scroll{Direction: in.Direction, Swipes: in.Swipes, Within: ui.Naming(in.List)}
	return t.act(ctx, c, in.Target, "scroll to", false, func(s act.Step) (act.Report, error) { return s.ScrollTo(ctx, in.query(), w) })
}

// DragIn says what to carry where.
type DragIn struct {
	OnElementIn
	Onto  string   `json:"onto,omitempty" doc:"ref, identifier or label of what to drop it on"`
	ToX   *float64 `json:"to_x,omitempty" doc:"or a point: from the left" min:"0"`
	ToY   *float64 `json:"to_y,omitempty" doc:"and from the top" min:"0"`
	Press float64  `json:"press,omitempty" doc:"seconds to press before it moves; what must lift first needs half a second" min:"0" max:"60" default:"0.6"`
	Hold  float64  `json:"hold,omitempty" doc:"seconds to hold at the end" min:"0" max:"60" default:"0.2"`
}

func (t *Touch) Drag(ctx context.Context, c *op.Call, in DragIn) (ActionOut, error) {
	to, is, err := PointIn{in.ToX, in.ToY}.point("drag")
	if err != nil {
		return ActionOut{}, err
	}
	d := device.Drag{Press: span(in.Press), Hold: span(in.Hold)}
	return t.act(ctx, c, in.Target, "drag", in.Expect, func(s act.Step) (act.Report, error) {
		if is {
			return s.Drag(ctx, in.how(), in.query(), ui.Query{}, &to, d)
		}
		return s.Drag(ctx, in.how(), in.query(), ui.Naming(in.Onto), nil, d)
	})
}

// PinchIn says how far.
type PinchIn struct {
	Target
	ElementIn
	Scale float64 `json:"scale" doc:"above 1 spreads, below 1 draws together" min:"0.01" max:"100"`
	ActIn
}

func (t *Touch) pinch(ctx context.Context, c *op.Call, in PinchIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, fmt.Sprintf("pinch %g", in.Scale), in.Expect, func(s act.Step) (act.Report, error) {
		return s.Pinch(ctx, in.how(), in.query(), in.Scale)
	})
}

// SetValueIn is a value.
type SetValueIn struct {
	OnElementIn
	To string `json:"to" doc:"on or off, a number (for a slider percent, unless below 1), a percentage, the text of a row or segment"`
}

func (t *Touch) setValue(ctx context.Context, c *op.Call, in SetValueIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "set "+in.To, in.Expect, func(s act.Step) (act.Report, error) {
		return s.SetValue(ctx, in.how(), in.query(), in.To)
	})
}

// PlainIn is an action without an element.
type PlainIn struct {
	Target
	Expect bool `json:"expect_change,omitempty" doc:"fail (exit 6) when nothing changes"`
}

func (t *Touch) back(ctx context.Context, c *op.Call, in PlainIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "back", in.Expect, func(s act.Step) (act.Report, error) { return s.Back(ctx, act.How{}) })
}

// PressIn names a button.
type PressIn struct {
	PlainIn
	Button string  `json:"button" doc:"the button" enum:"home,lock,volume-up,volume-down,action,camera,siri" cli:"arg"`
	Hold   float64 `json:"hold,omitempty" doc:"seconds to hold it" min:"0" max:"60"`
	Times  int     `json:"times,omitempty" doc:"how often" min:"1" max:"10" default:"1"`
}

func (t *Touch) Press(ctx context.Context, c *op.Call, in PressIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "press "+in.Button, in.Expect, func(s act.Step) (act.Report, error) {
		return s.Press(ctx, in.Button, span(in.Hold), in.Times)
	})
}

// RotateIn says how the device is to be held.
type RotateIn struct {
	PlainIn
	To string `json:"orientation" doc:"how to hold it" enum:"portrait,portrait-upside-down,landscape-left,landscape-right" cli:"arg"`
}

func (t *Touch) rotate(ctx context.Context, c *op.Call, in RotateIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "rotate "+in.To, in.Expect, func(s act.Step) (act.Report, error) { return s.Rotate(ctx, in.To) })
}

// AlertIn says how to answer.
type AlertIn struct {
	Target
	Accept  bool   `json:"accept,omitempty" doc:"press the button that says yes"`
	Dismiss bool   `json:"dismiss,omitempty" doc:"press the button that leaves things as they are"`
	Button  string `json:"button,omitempty" doc:"press the button of this label"`
}

// AlertOut is the alert, and what came of answering it.
type AlertOut struct {
	Alert *device.Alert `json:"alert"`
	ActionOut
}

// Text shows the alert and what came of it.
func (o AlertOut) Text() string {
	if o.Alert == nil {
		return "no alert"
	}
	text := fmt.Sprintf("alert %s %s, buttons %s", ui.Quote(o.Alert.Title), ui.Quote(o.Alert.Text), quoted(o.Alert.Buttons))
	if o.Action == "alert" {
		return text
	}
	return text + "\n" + o.ActionOut.Text()
}

func quoted(words []string) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += ui.Quote(w)
	}
	return text
}

func (t *Touch) alert(ctx context.Context, c *op.Call, in AlertIn) (AlertOut, error) {
	answer, name := "", "alert"
	for _, a := range []struct {
		asked  bool
		answer string
	}{{in.Accept, "accept"}, {in.Dismiss, "dismiss"}, {in.Button != "", in.Button}} {
		if !a.asked {
			continue
		}
		if answer != "" {
			return AlertOut{}, fault.New(fault.InvalidInput, "alert: accept, dismiss and button exclude each other").With("field", "button")
		}
		answer, name = a.answer, "answer "+ui.Quote(a.answer)
	}
	var found *device.Alert
	out, err := t.act(ctx, c, in.Target, name, false, func(s act.Step) (r act.Report, err error) {
		r, found, err = s.Alert(ctx, answer)
		return r, err
	})
	return AlertOut{found, out}, err
}
