package xcode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
)

// touches are the tools that act on the screen. Every answer shows how the screen changed.
func (v views) touches() []op.Op {
	touch := uiTool(touchTool, "Put a finger down and lift it, also in two calls", 0)
	touch.Require = [][]string{{"down", "up"}}
	tap := uiTool(tapTool, "Tap an element by elementRef, id or label, or a point", 0)
	tap.Require, tap.Exclude = [][]string{{"elementRef", "id", "label", "x"}}, [][]string{{"id", "label", "elementRef"}}
	return []op.Op{
		sim(v, tap, v.tap),
		sim(v, uiTool(longPress, "Hold a finger on an element or a point", 0), v.longPress),
		sim(v, touch, v.touch),
		sim(v, uiTool(swipeTool, "Swipe from point to point, or within an element", 0), v.swipe),
		sim(v, uiTool(dragTool, "Drag an element in a direction", 0), v.drag),
		sim(v, uiTool(gestureTool, "Perform a preset gesture: scroll, or swipe from an edge", 0), v.gesture),
		sim(v, uiTool(buttonTool, "Press a device button", 0), v.button),
	}
}

// delayIn are pauses around an action.
type delayIn struct {
	Before float64 `json:"preDelay,omitempty" doc:"seconds to wait before" min:"0" max:"10" unit:"s"`
	After  float64 `json:"postDelay,omitempty" doc:"seconds to wait after" min:"0" max:"10" unit:"s"`
}

// around calls do between the pauses.
func (d delayIn) around(ctx context.Context, do func() (touch.ActionOut, error)) (touch.ActionOut, error) {
	if err := rest(ctx, d.Before); err != nil {
		return touch.ActionOut{}, err
	}
	out, err := do()
	if err != nil {
		return touch.ActionOut{}, err
	}
	return out, rest(ctx, d.After)
}

func rest(ctx context.Context, s float64) error {
	if s <= 0 {
		return nil
	}
	return device.TimeOfDay{}.Sleep(ctx, op.Seconds(s))
}

// patience is the time limit, in milliseconds, for an element to exist, hold still and be reachable.
func patience() target.ActIn { return target.ActIn{Timeout: 5000} }

// refIn names an element by a ref of a snapshot.
type refIn struct {
	Ref string `json:"elementRef,omitempty" doc:"a ref of snapshot_ui, such as e12" match:"^(@?e[0-9]{1,9})?$"`
}

// xyIn is a point.
type xyIn struct {
	X *float64 `json:"x,omitempty" doc:"points from the left" min:"0"`
	Y *float64 `json:"y,omitempty" doc:"points from the top" min:"0"`
}

// at is the point of the input, or nil.
func (p xyIn) at(tool string) (*ui.Point, error) {
	switch {
	case p.X == nil && p.Y == nil:
		return nil, nil
	case p.X == nil || p.Y == nil:
		return nil, fault.New(fault.InvalidInput, "%s: a point needs x and y", tool).With("field", "y")
	}
	return &ui.Point{X: *p.X, Y: *p.Y}, nil
}

// somewhere is the point of the input; it fails if there is neither a ref nor a point.
func somewhere(tool string, r refIn, p xyIn) (*ui.Point, error) {
	at, err := p.at(tool)
	if err == nil && at == nil && r.Ref == "" {
		err = fault.New(fault.InvalidInput, "%s: give elementRef, or x and y", tool).With("field", "elementRef")
	}
	return at, err
}

// tapUIIn is the element or the point to tap.
type tapUIIn struct {
	simIn
	refIn
	ID    string `json:"id,omitempty" doc:"accessibility identifier"`
	Label string `json:"label,omitempty" doc:"label"`
	xyIn
	delayIn
}

func (v views) tap(ctx context.Context, c *op.Call, in tapUIIn, on target.Target) (touch.ActionOut, error) {
	at, err := in.at("tap")
	if err != nil {
		return touch.ActionOut{}, err
	}
	tap := touch.TapIn{Target: on, ElementIn: target.ElementIn{Ref: in.Ref, Identifier: in.ID, Label: in.Label}, ActIn: patience()}
	if at != nil { // a point has priority over an element, as in XcodeBuildMCP
		tap.ElementIn, tap.PointIn = target.ElementIn{}, target.PointIn(in.xyIn)
	}
	return in.around(ctx, func() (touch.ActionOut, error) { return v.core.Touch.Tap(ctx, c, tap) })
}

// longPressUIIn is a place and a duration.
type longPressUIIn struct {
	simIn
	refIn
	xyIn
	Duration float64 `json:"duration" doc:"milliseconds" min:"1" max:"10000" unit:"ms"`
}

func (v views) longPress(ctx context.Context, c *op.Call, in longPressUIIn, on target.Target) (touch.ActionOut, error) {
	return v.press(ctx, c, on, pressing{longPress.Name, in.refIn, in.xyIn, in.Duration / 1000})
}

// pressing is a press on an element or a point.
type pressing struct {
	tool string
	refIn
	xyIn
	seconds float64
}

func (v views) press(ctx context.Context, c *op.Call, on target.Target, p pressing) (touch.ActionOut, error) {
	at, err := somewhere(p.tool, p.refIn, p.xyIn)
	if err != nil {
		return touch.ActionOut{}, err
	}
	if at != nil {
		return v.core.Touch.TouchPoint(ctx, c, touch.TouchIn{Target: on, X: at.X, Y: at.Y, Seconds: p.seconds, ActIn: patience()})
	}
	element := target.OnElementIn{Target: on, ElementIn: target.ElementIn{Ref: p.Ref}, ActIn: patience()}
	return v.core.Touch.LongPress(ctx, c, touch.LongPressIn{OnElementIn: element, Seconds: p.seconds})
}

// touchUIIn is a finger that goes down, up, or both.
type touchUIIn struct {
	simIn
	refIn
	xyIn
	Down  bool    `json:"down,omitempty" doc:"put the finger down"`
	Up    bool    `json:"up,omitempty" doc:"lift it"`
	Delay float64 `json:"delay,omitempty" doc:"seconds between down and up" min:"0" max:"10" unit:"s"`
}

// touchUIOut is the result of a touch. A finger that is only put down has no effect before it is lifted.
type touchUIOut struct {
	touch.ActionOut
	Message string `json:"message,omitempty"`
}

// Text is the effect of the touch, or that the finger is down.
func (o touchUIOut) Text() string {
	if o.Message != "" {
		return o.Message
	}
	return o.ActionOut.Text()
}

func (v views) touch(ctx context.Context, c *op.Call, in touchUIIn, on target.Target) (touchUIOut, error) {
	at, err := somewhere("touch", in.refIn, in.xyIn)
	if err != nil {
		return touchUIOut{}, err
	}
	finger := touch.FingerIn{Target: on, ElementIn: target.ElementIn{Ref: in.Ref}, At: at}
	var done touch.ActionOut
	switch {
	case !in.Down && !in.Up:
		err = fault.New(fault.InvalidInput, "touch: at least one of down and up must be true").With("field", "down")
	case in.Down && in.Up:
		done, err = v.press(ctx, c, on, pressing{"touch", in.refIn, in.xyIn, max(in.Delay, 0.05)})
	case in.Up:
		done, err = v.core.Touch.Up(ctx, c, finger)
	default:
		return v.putDown(ctx, c, finger)
	}
	return touchUIOut{ActionOut: done}, err
}

func (v views) putDown(ctx context.Context, c *op.Call, finger touch.FingerIn) (touchUIOut, error) {
	at, err := v.core.Touch.Down(ctx, c, finger)
	if err != nil {
		return touchUIOut{}, err
	}
	return touchUIOut{
		ActionOut: touch.ActionOut{
			Action: "touch down", Outcome: ui.Unchanged, Evidence: []string{}, Diff: []string{}, Settled: true,
		},
		Message: fmt.Sprintf("the finger is down at %g, %g; it acts when it is lifted: touch with up at this point presses, elsewhere drags",
			at.X, at.Y),
	}, nil
}

// swipeUIIn is the path of a swipe.
type swipeUIIn struct {
	simIn
	X1        *float64 `json:"x1,omitempty" doc:"start, in points" min:"0"`
	Y1        *float64 `json:"y1,omitempty" doc:"start" min:"0"`
	X2        *float64 `json:"x2,omitempty" doc:"end" min:"0"`
	Y2        *float64 `json:"y2,omitempty" doc:"end" min:"0"`
	Within    string   `json:"withinElementRef,omitempty" doc:"or within this element" match:"^(@?e[0-9]{1,9})?$"`
	Direction string   `json:"direction,omitempty" doc:"direction of the finger" enum:"up,down,left,right"`
	Distance  float64  `json:"distance,omitempty" doc:"share of the element to cross" min:"0.05" max:"1" default:"0.6"`
	Duration  float64  `json:"duration,omitempty" doc:"seconds" min:"0" max:"10" unit:"s"`
	Delta     float64  `json:"delta,omitempty" doc:"ignored: the device chooses the points between" min:"0" max:"200"`
	delayIn
}

// usualSwipeTime is the default duration of a swipe in seconds.
const usualSwipeTime = 0.3

func (v views) swipe(ctx context.Context, c *op.Call, in swipeUIIn, on target.Target) (touch.ActionOut, error) {
	points := in.X1 != nil || in.Y1 != nil || in.X2 != nil || in.Y2 != nil
	switch {
	case points && in.Direction != "":
		return touch.ActionOut{}, fault.New(fault.InvalidInput, "swipe: points and a direction exclude each other").With("field", "direction")
	case !points && in.Direction == "":
		return touch.ActionOut{}, fault.New(fault.InvalidInput, "swipe: give x1, y1, x2 and y2, or a direction").With("field", "direction")
	}
	swipe := touch.SwipeIn{
		Target: on, ElementIn: target.ElementIn{Ref: in.Within}, Direction: in.Direction, Distance: in.Distance,
		Seconds: cmp.Or(in.Duration, usualSwipeTime), StartX: in.X1, StartY: in.Y1, EndX: in.X2, EndY: in.Y2, ActIn: patience(),
	}
	return in.around(ctx, func() (touch.ActionOut, error) { return v.core.Touch.Swipe(ctx, c, swipe) })
}

// dragUIIn is the element to drag, and how far.
type dragUIIn struct {
	simIn
	Ref       string  `json:"elementRef" doc:"element to drag: a ref of snapshot_ui" match:"^@?e[0-9]{1,9}$"`
	Direction string  `json:"direction" doc:"direction" enum:"up,down,left,right"`
	Distance  float64 `json:"distance,omitempty" doc:"share of the screen" min:"0.01" max:"1" default:"0.35"`
	Duration  float64 `json:"duration,omitempty" doc:"seconds to press before moving" min:"0" max:"10" unit:"s"`
	Steps     int     `json:"steps,omitempty" doc:"ignored: the device chooses the points between" min:"1" max:"1000"`
	delayIn
}

// inset is the minimum distance of a drop from the edges of the screen, which belong to the system.
const inset = 24

func (v views) drag(ctx context.Context, c *op.Call, in dragUIIn, on target.Target) (touch.ActionOut, error) {
	var to ui.Point
	err := v.core.Screen.Look(ctx, c, on, func(sc *ui.Screen, refs *ui.Refs, udid string) error {
		n, err := refs.Find(ui.Query{Ref: in.Ref}, udid, sc)
		if err == nil {
			to = beyond(n.Frame.Centre(), sc.Viewport(), in.Direction, in.Distance)
		}
		return err
	})
	if err != nil {
		return touch.ActionOut{}, err
	}
	drag := touch.DragIn{
		OnElementIn: target.OnElementIn{Target: on, ElementIn: target.ElementIn{Ref: in.Ref}, ActIn: patience()},
		ToX:         &to.X, ToY: &to.Y, Press: cmp.Or(in.Duration, 0.6), Hold: 0.2,
	}
	return in.around(ctx, func() (touch.ActionOut, error) { return v.core.Touch.Drag(ctx, c, drag) })
}

// beyond is the end of a drag in a direction, within the screen.
func beyond(from ui.Point, view ui.Rect, direction string, share float64) ui.Point {
	moves := map[string]ui.Point{"up": {Y: -1}, "down": {Y: 1}, "left": {X: -1}, "right": {X: 1}}
	m := moves[direction]
	within := func(v, low, size float64) float64 { return min(max(v, low+inset), low+size-inset) }
	return ui.Point{X: within(from.X+m.X*share*view.W, view.X, view.W), Y: within(from.Y+m.Y*share*view.H, view.Y, view.H)}
}

// gestureUIIn names a gesture.
type gestureUIIn struct {
	simIn
	Preset   preset  `json:"preset" doc:"the gesture"`
	Width    int     `json:"screenWidth,omitempty" doc:"width of the screen in points (default: the device's)" min:"1" max:"2000"`
	Height   int     `json:"screenHeight,omitempty" doc:"height" min:"1" max:"3000"`
	Duration float64 `json:"duration,omitempty" doc:"seconds" min:"0" max:"10" unit:"s"`
	Delta    float64 `json:"delta,omitempty" doc:"ignored: the device chooses the points between" min:"0" max:"200"`
	delayIn
}

// preset names a gesture.
type preset string

// Choices lists all presets.
func (preset) Choices() []string {
	var names []string
	for name := range presets {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return names
}

// The measures of AXe's presets, in points.
const (
	presetReach = 200 // length of a scroll, around the centre of the screen
	presetEdge  = 20  // distance of a swipe's ends from the edges of the screen
)

// presets are AXe's gestures. The name of a scroll is the direction of the finger: scroll-up pushes the content up.
var presets = map[preset]func(w, h float64) (from, to ui.Point){
	"scroll-up":              crossing(0, -1, presetReach),
	"scroll-down":            crossing(0, 1, presetReach),
	"scroll-left":            crossing(-1, 0, presetReach),
	"scroll-right":           crossing(1, 0, presetReach),
	"swipe-from-left-edge":   crossing(1, 0, 0),
	"swipe-from-right-edge":  crossing(-1, 0, 0),
	"swipe-from-top-edge":    crossing(0, 1, 0),
	"swipe-from-bottom-edge": crossing(0, -1, 0),
}

// crossing is a path across the centre of the screen in a direction: reach points long, or from edge to edge if reach is 0.
func crossing(x, y, reach float64) func(w, h float64) (from, to ui.Point) {
	return func(w, h float64) (from, to ui.Point) {
		dx, dy := x*reach/2, y*reach/2
		if reach == 0 {
			dx, dy = x*(w/2-presetEdge), y*(h/2-presetEdge)
		}
		return ui.Point{X: w/2 - dx, Y: h/2 - dy}, ui.Point{X: w/2 + dx, Y: h/2 + dy}
	}
}

// presetSeconds is the duration of a preset in AXe.
func presetSeconds(name preset) float64 {
	if strings.HasPrefix(string(name), "scroll-") {
		return 0.5
	}
	return 0.3
}

func (v views) gesture(ctx context.Context, c *op.Call, in gestureUIIn, on target.Target) (touch.ActionOut, error) {
	w, h := float64(in.Width), float64(in.Height)
	if w == 0 || h == 0 {
		err := v.core.Screen.Look(ctx, c, on, func(sc *ui.Screen, _ *ui.Refs, _ string) error {
			w, h = cmp.Or(w, sc.Viewport().W), cmp.Or(h, sc.Viewport().H)
			return nil
		})
		if err != nil {
			return touch.ActionOut{}, err
		}
	}
	from, to := presets[in.Preset](w, h)
	swipe := touch.SwipeIn{
		Target: on, StartX: &from.X, StartY: &from.Y, EndX: &to.X, EndY: &to.Y, ActIn: patience(),
		Seconds: cmp.Or(in.Duration, presetSeconds(in.Preset)),
	}
	return in.around(ctx, func() (touch.ActionOut, error) { return v.core.Touch.Swipe(ctx, c, swipe.Called(string(in.Preset))) })
}

// buttonUIIn names a button.
type buttonUIIn struct {
	simIn
	Button   string  `json:"buttonType" doc:"button" enum:"apple-pay,home,lock,side-button,siri"`
	Duration float64 `json:"duration,omitempty" doc:"seconds to hold the button" min:"0" max:"10" unit:"s"`
}

func (v views) button(ctx context.Context, c *op.Call, in buttonUIIn, on target.Target) (touch.ActionOut, error) {
	press := touch.PressIn{PlainIn: touch.PlainIn{Target: on}, Button: in.Button, Hold: in.Duration, Times: 1}
	switch in.Button {
	case "side-button":
		press.Button = "lock"
	case "apple-pay": // a double press of the side button
		press.Button, press.Times = "lock", 2
	}
	done, err := v.core.Touch.Press(ctx, c, press)
	if fault.Is(err, fault.Unsupported) && c.Device != nil {
		err = fault.New(fault.Unsupported, "cannot press the button %s of %s: XCTest presses only home on a simulator",
			in.Button, c.Device.Name).
			WithHint("%s; %s", fault.From(err).Hint, nextCall(buttonTool, "simulatorId", c.Device.UDID, "buttonType", "home"))
	}
	return done, err
}
