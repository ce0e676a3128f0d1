package ops

import (
	"context"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// TapUIIn says what to tap.
type TapUIIn struct {
	SimIn
	RefIn
	ID    string `json:"id,omitempty" doc:"the element's accessibility identifier"`
	Label string `json:"label,omitempty" doc:"the element's label"`
	XYIn
	DelayIn
}

func (u *uiTools) tap(ctx context.Context, c *op.Call, in TapUIIn) (UIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *TapUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	at, err := in.at("tap")
	if err != nil {
		return UIOut{}, err
	}
	tap := TapIn{Target: target, ElementIn: ElementIn{Ref: in.Ref, Identifier: in.ID, Label: in.Label}, ActIn: patience()}
	if at != nil { // a point wins, as theirs does
		tap.ElementIn, tap.PointIn = ElementIn{}, PointIn(in.XYIn)
	}
	return in.around(ctx, func() (ActionOut, error) { return u.hands.tap(ctx, c, tap) })
}

// LongPressUIIn says where and how long.
type LongPressUIIn struct {
	SimIn
	RefIn
	XYIn
	Duration float64 `json:"duration" doc:"milliseconds" min:"1" max:"10000"`
}

func (u *uiTools) longPress(ctx context.Context, c *op.Call, in LongPressUIIn) (UIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *LongPressUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	return u.press(ctx, c, "long_press", target, in.RefIn, in.XYIn, in.Duration/1000)
}

// press rests a finger on a ref or a point.
func (u *uiTools) press(ctx context.Context, c *op.Call, tool string, target Target, r RefIn, p XYIn, seconds float64) (UIOut, error) {
	at, err := somewhere(tool, r, p)
	if err != nil {
		return UIOut{}, err
	}
	if at != nil {
		out, err := u.hands.touchPoint(ctx, c, TouchIn{Target: target, X: at.X, Y: at.Y, Seconds: seconds, ActIn: patience()})
		return UIOut{ActionOut: out}, err
	}
	out, err := u.hands.longPress(ctx, c, LongPressIn{OnElementIn: OnElementIn{Target: target, ElementIn: ElementIn{Ref: r.Ref}, ActIn: patience()}, Seconds: seconds})
	return UIOut{ActionOut: out}, err
}

// TouchUIIn is a finger that goes down, up, or both.
type TouchUIIn struct {
	SimIn
	RefIn
	XYIn
	Down  bool    `json:"down,omitempty" doc:"put the finger down"`
	Up    bool    `json:"up,omitempty" doc:"lift it"`
	Delay float64 `json:"delay,omitempty" doc:"seconds between down and up" min:"0" max:"10"`
}

func (u *uiTools) touch(ctx context.Context, c *op.Call, in TouchUIIn) (UIOut, error) {
	switch {
	case !in.Down && !in.Up:
		return UIOut{}, fault.New(fault.InvalidInput, "touch: at least one of down and up must be true").With("field", "down")
	case !in.Down || !in.Up:
		return UIOut{}, fault.New(fault.Unsupported, "touch: a finger cannot be left on the screen between two calls").
			WithHint("give down and up together, with a delay; long_press rests on an element, drag and swipe move")
	}
	in, target, err := on(ctx, u, c, in, func(in *TouchUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	return u.press(ctx, c, "touch", target, in.RefIn, in.XYIn, max(in.Delay, 0.05))
}

// SwipeUIIn says from where to where.
type SwipeUIIn struct {
	SimIn
	X1        *float64 `json:"x1,omitempty" doc:"from this point, in points" min:"0"`
	Y1        *float64 `json:"y1,omitempty" doc:"from this point" min:"0"`
	X2        *float64 `json:"x2,omitempty" doc:"to this point" min:"0"`
	Y2        *float64 `json:"y2,omitempty" doc:"to this point" min:"0"`
	Within    string   `json:"withinElementRef,omitempty" doc:"or within this element" match:"^(@?e[0-9]{1,9})?$"`
	Direction string   `json:"direction,omitempty" doc:"where the finger goes" enum:"up,down,left,right"`
	Distance  float64  `json:"distance,omitempty" doc:"share of the element that it crosses" min:"0.05" max:"1" default:"0.6"`
	Duration  float64  `json:"duration,omitempty" doc:"seconds" min:"0" max:"10"`
	Delta     float64  `json:"delta,omitempty" doc:"points between two touches; the device chooses them itself, so that this is only noted" min:"0" max:"200"`
	DelayIn
}

// usualSwipeTime is how long a swipe takes when nobody says.
const usualSwipeTime = 0.3

func (u *uiTools) swipe(ctx context.Context, c *op.Call, in SwipeUIIn) (UIOut, error) {
	points := in.X1 != nil || in.Y1 != nil || in.X2 != nil || in.Y2 != nil
	switch {
	case points && in.Direction != "":
		return UIOut{}, fault.New(fault.InvalidInput, "swipe: points and a direction exclude each other").With("field", "direction")
	case !points && in.Direction == "":
		return UIOut{}, fault.New(fault.InvalidInput, "swipe: give x1, y1, x2 and y2, or a direction").With("field", "direction")
	}
	in, target, err := on(ctx, u, c, in, func(in *SwipeUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	swipe := SwipeIn{
		Target: target, ElementIn: ElementIn{Ref: in.Within}, Direction: in.Direction, Distance: in.Distance, Seconds: orElse(in.Duration, usualSwipeTime),
		StartX: in.X1, StartY: in.Y1, EndX: in.X2, EndY: in.Y2, ActIn: patience(),
	}
	return in.around(ctx, func() (ActionOut, error) { return u.hands.swipe(ctx, c, swipe) })
}

func orElse(v, otherwise float64) float64 {
	if v <= 0 {
		return otherwise
	}
	return v
}

// DragUIIn says what to carry, and how far.
type DragUIIn struct {
	SimIn
	Ref       string  `json:"elementRef" doc:"what to carry: a ref of snapshot_ui" match:"^@?e[0-9]{1,9}$"`
	Direction string  `json:"direction" doc:"where to" enum:"up,down,left,right"`
	Distance  float64 `json:"distance,omitempty" doc:"share of the screen" min:"0.01" max:"1" default:"0.35"`
	Duration  float64 `json:"duration,omitempty" doc:"seconds to press before it moves" min:"0" max:"10"`
	Steps     int     `json:"steps,omitempty" doc:"touches on the way; the device chooses them itself, so that this is only noted" min:"1" max:"1000"`
	DelayIn
}

// inset is how far from the edge of the screen something is dropped: the edges belong to the system.
const inset = 24

func (u *uiTools) drag(ctx context.Context, c *op.Call, in DragUIIn) (UIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *DragUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	var to ui.Point
	err = u.screen.look(ctx, c, target, func(sc *ui.Screen, refs *ui.Refs, udid string) error {
		n, err := refs.Find(ui.Query{Ref: in.Ref}, udid, sc)
		if err == nil {
			to = beyond(n.Frame.Centre(), sc.Viewport(), in.Direction, in.Distance)
		}
		return err
	})
	if err != nil {
		return UIOut{}, err
	}
	return in.around(ctx, func() (ActionOut, error) {
		return u.hands.drag(ctx, c, DragIn{
			OnElementIn: OnElementIn{Target: target, ElementIn: ElementIn{Ref: in.Ref}, ActIn: patience()}, ToX: &to.X, ToY: &to.Y, Press: orElse(in.Duration, 0.6), Hold: 0.2,
		})
	})
}

// beyond is a point in a direction, within the screen.
func beyond(from ui.Point, view ui.Rect, direction string, share float64) ui.Point {
	moves := map[string]ui.Point{"up": {Y: -1}, "down": {Y: 1}, "left": {X: -1}, "right": {X: 1}}
	m := moves[direction]
	within := func(v, low, size float64) float64 { return min(max(v, low+inset), low+size-inset) }
	return ui.Point{X: within(from.X+m.X*share*view.W, view.X, view.W), Y: within(from.Y+m.Y*share*view.H, view.Y, view.H)}
}

// GestureUIIn names a gesture.
type GestureUIIn struct {
	SimIn
	Preset   string  `json:"preset" doc:"the gesture" enum:"scroll-up,scroll-down,scroll-left,scroll-right,swipe-from-left-edge,swipe-from-right-edge,swipe-from-top-edge,swipe-from-bottom-edge"`
	Width    int     `json:"screenWidth,omitempty" doc:"width of the screen in points; the device's own if absent" min:"1" max:"2000"`
	Height   int     `json:"screenHeight,omitempty" doc:"its height" min:"1" max:"3000"`
	Duration float64 `json:"duration,omitempty" doc:"seconds" min:"0" max:"10"`
	Delta    float64 `json:"delta,omitempty" doc:"points between two touches; the device chooses them itself, so that this is only noted" min:"0" max:"200"`
	DelayIn
}

// presets are AXe's gestures: from and to as shares of the screen, and seconds. To scroll down is to push the content up.
var presets = map[string]struct{ x1, y1, x2, y2, seconds float64 }{
	"scroll-up": {.5, .25, .5, .75, .5}, "scroll-down": {.5, .75, .5, .25, .5}, "scroll-left": {.25, .5, .75, .5, .5}, "scroll-right": {.75, .5, .25, .5, .5},
	"swipe-from-left-edge": {0, .5, 1, .5, .3}, "swipe-from-right-edge": {1, .5, 0, .5, .3}, "swipe-from-top-edge": {.5, 0, .5, 1, .3}, "swipe-from-bottom-edge": {.5, 1, .5, 0, .3},
}

func (u *uiTools) gesture(ctx context.Context, c *op.Call, in GestureUIIn) (UIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *GestureUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	w, h := float64(in.Width), float64(in.Height)
	if w == 0 || h == 0 {
		err := u.screen.look(ctx, c, target, func(sc *ui.Screen, _ *ui.Refs, _ string) error {
			w, h = orElse(w, sc.Viewport().W), orElse(h, sc.Viewport().H)
			return nil
		})
		if err != nil {
			return UIOut{}, err
		}
	}
	p := presets[in.Preset]
	from, to := ui.Point{X: p.x1 * (w - 1), Y: p.y1 * (h - 1)}, ui.Point{X: p.x2 * (w - 1), Y: p.y2 * (h - 1)}
	return in.around(ctx, func() (ActionOut, error) {
		return u.hands.act(ctx, c, target, in.Preset, false, func(s act.Step) (act.Report, error) {
			return s.Swipe(ctx, act.How{}, ui.Query{}, act.Swipe{From: &from, To: &to, Took: span(orElse(in.Duration, p.seconds))})
		})
	})
}

// TypeUIIn says what to type where.
type TypeUIIn struct {
	SimIn
	RefIn
	Text    string `json:"text" doc:"the text"`
	Replace bool   `json:"replaceExisting,omitempty" doc:"replace what the field holds"`
}

func (u *uiTools) typeText(ctx context.Context, c *op.Call, in TypeUIIn) (UIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *TypeUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	out, err := u.hands.enter(ctx, c, TypeIn{Target: target, ElementIn: ElementIn{Ref: in.Ref}, Text: in.Text, ActIn: patience()}, "type", in.Replace)
	return UIOut{ActionOut: out}, err
}

// ButtonUIIn names a button.
type ButtonUIIn struct {
	SimIn
	Button   string  `json:"buttonType" doc:"the button" enum:"apple-pay,home,lock,side-button,siri"`
	Duration float64 `json:"duration,omitempty" doc:"seconds to hold it" min:"0" max:"10"`
}

func (u *uiTools) button(ctx context.Context, c *op.Call, in ButtonUIIn) (UIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *ButtonUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	press := PressIn{PlainIn: PlainIn{Target: target}, Button: in.Button, Hold: in.Duration, Times: 1}
	switch in.Button {
	case "side-button":
		press.Button = "lock"
	case "apple-pay": // a double press of the side button
		press.Button, press.Times = "lock", 2
	}
	out, err := u.hands.press(ctx, c, press)
	return UIOut{ActionOut: out}, err
}
