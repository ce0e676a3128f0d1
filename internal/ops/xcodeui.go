package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// uiTools are XcodeBuildMCP's tools for the screen: its coordinates of October 2025 and its refs of 2026, over our own
// actions. Every answer says what the screen did.
type uiTools struct {
	sims   *simulators
	screen *screen
	hands  *touch
}

// uiTool is a spec of the group; the verb is left to the core family where that has it.
func uiTool(name, summary string, hints op.Hints, verb bool) op.Spec {
	s := tool(name, summary, hints, "ui-automation", "ui-testing")
	if !verb {
		s.Verb = ""
	}
	s.Timeout = 2 * time.Minute
	return s
}

func (u *uiTools) ops() []op.Op {
	describe := uiTool("describe_ui", "Give the whole tree of elements with their frames, in points: the centre of a frame is where to tap", readOnly, true)
	describe.Groups = append(describe.Groups, inSimulator)
	touching := uiTool("touch", "Put a finger down and lift it, after a delay if one is given", 0, false)
	touching.Require = [][]string{{"down", "up"}}
	tapping := uiTool("tap", "Tap an element by elementRef, id or label, or a point", 0, false)
	tapping.Require, tapping.Exclude = [][]string{{"elementRef", "id", "label", "x"}}, [][]string{{"id", "label", "elementRef"}}
	return []op.Op{
		op.New(describe, u.describe),
		op.New(uiTool("snapshot_ui", "See the screen: an outline with a ref for every element", readOnly, true), u.snapshot),
		op.New(tapping, u.tap),
		op.New(uiTool("long_press", "Rest a finger on an element or a point for so many milliseconds", 0, false), u.longPress),
		op.New(touching, u.touch),
		op.New(uiTool("swipe", "Swipe from point to point, or within an element in a direction", 0, false), u.swipe),
		op.New(uiTool("drag", "Carry an element in a direction", 0, false), u.drag),
		op.New(uiTool("gesture", "Perform one of the usual gestures: scroll, or swipe in from an edge", 0, true), u.gesture),
		op.New(uiTool("type_text", "Type text into an element, or into what has the focus", 0, false), u.typeText),
		op.New(uiTool("key_press", "Press one key by its HID usage: 40 return, 42 backspace, 43 tab, 44 space", 0, true), u.keyPress),
		op.New(uiTool("key_sequence", "Press keys one after the other, by their HID usages", 0, false), u.keySequence),
		op.New(uiTool("button", "Press a button of the device: apple-pay, home, lock, side-button or siri", 0, true), u.button),
		op.New(uiTool("wait_for_ui", "Wait until an element is there, gone, enabled or focused, a text shows, or the screen is still", readOnly, true), u.wait),
		op.New(uiTool("batch", "Tap several elements in one call", 0, false), u.batch),
	}
}

// DelayIn are pauses around an action.
type DelayIn struct {
	Before float64 `json:"preDelay,omitempty" doc:"seconds to wait before" min:"0" max:"10"`
	After  float64 `json:"postDelay,omitempty" doc:"seconds to wait after" min:"0" max:"10"`
}

// around does something between the pauses.
func (d DelayIn) around(ctx context.Context, do func() (ActionOut, error)) (UIOut, error) {
	if err := pause(ctx, d.Before); err != nil {
		return UIOut{}, err
	}
	out, err := do()
	if err != nil {
		return UIOut{}, err
	}
	return UIOut{ActionOut: out}, pause(ctx, d.After)
}

func pause(ctx context.Context, seconds float64) error {
	if seconds <= 0 {
		return nil
	}
	t := time.NewTimer(span(seconds))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// UIOut is what came of an action. What the screen shows now is in its diff; a new look is rarely needed.
type UIOut struct {
	ActionOut
	Warnings []string `json:"warnings,omitempty"`
}

// Text is the outcome, and what was not done as asked.
func (o UIOut) Text() string {
	text := o.ActionOut.Text()
	for _, w := range o.Warnings {
		text += "\nnote: " + w
	}
	return text
}

// patience is how long an element may take to be there, still and reachable.
func patience() ActIn { return ActIn{Timeout: 5000} }

// on completes an input and finds its simulator.
func on[In any](ctx context.Context, u *uiTools, c *op.Call, in In, sim func(*In) *SimIn) (In, Target, error) {
	return simCall(ctx, u.sims, c, in, sim)
}

// DescribeIn names the simulator.
type DescribeIn struct{ SimIn }

// DescribeOut is the tree, in the words AXe and quern have for it.
type DescribeOut struct {
	Elements []ui.FlatElement `json:"elements"`
	Count    int              `json:"elementCount"`
	ID       string           `json:"simulatorId"`
}

// Text is the tree as JSON, and how to use it.
func (o DescribeOut) Text() string {
	raw, err := json.MarshalIndent(o.Elements, "", " ")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d elements; tap the centre of a frame (x + width/2, y + height/2), and describe again after the layout changed; "+
		"snapshot_ui gives refs instead of points\n%s", o.Count, raw)
}

func (u *uiTools) describe(ctx context.Context, c *op.Call, in DescribeIn) (DescribeOut, error) {
	_, target, err := on(ctx, u, c, in, func(in *DescribeIn) *SimIn { return &in.SimIn })
	if err != nil {
		return DescribeOut{}, err
	}
	var out DescribeOut
	err = u.screen.look(ctx, c, target, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		tree := sc.Flat("", true)
		out = DescribeOut{tree.Elements, tree.Count, udid}
		return nil
	})
	return out, err
}

// SnapshotUIIn says whether the whole screen is wanted.
type SnapshotUIIn struct {
	SimIn
	Since string `json:"sinceScreenHash,omitempty" doc:"the screenHash of an earlier look: an unchanged screen is not shown again"`
}

// SnapshotUIOut is a look at the screen.
type SnapshotUIOut struct {
	Type     string       `json:"type"` // runtime-snapshot or runtime-snapshot-unchanged
	Hash     string       `json:"screenHash"`
	App      string       `json:"app"`
	Screen   string       `json:"screen"`
	Elements []ui.Element `json:"elements,omitempty"`
	Actions  []ui.Action  `json:"actions,omitempty"`

	outline string
}

// Text is the outline.
func (o SnapshotUIOut) Text() string { return o.outline }

func (u *uiTools) snapshot(ctx context.Context, c *op.Call, in SnapshotUIIn) (SnapshotUIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *SnapshotUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SnapshotUIOut{}, err
	}
	seen, err := u.screen.snapshot(ctx, c, SnapshotIn{Target: target})
	if err != nil {
		return SnapshotUIOut{}, err
	}
	out := SnapshotUIOut{Type: "runtime-snapshot", Hash: seen.ID, App: seen.App, Screen: seen.Screen, Elements: seen.Elements, Actions: seen.Actions, outline: seen.outline}
	if in.Since != "" && in.Since == seen.ID {
		return SnapshotUIOut{Type: "runtime-snapshot-unchanged", Hash: seen.ID, App: seen.App, Screen: seen.Screen, outline: "the screen is as it was: " + seen.ID}, nil
	}
	return out, nil
}

// RefIn names an element by the ref of a look.
type RefIn struct {
	Ref string `json:"elementRef,omitempty" doc:"a ref of snapshot_ui, such as e12" match:"^(@?e[0-9]{1,9})?$"`
}

// XYIn is a point.
type XYIn struct {
	X *float64 `json:"x,omitempty" doc:"points from the left" min:"0"`
	Y *float64 `json:"y,omitempty" doc:"points from the top" min:"0"`
}

// at is the point, when one was given.
func (p XYIn) at(tool string) (*ui.Point, error) {
	at, is, err := PointIn(p).point(tool)
	if err != nil || !is {
		return nil, err
	}
	return &at, nil
}

// somewhere wants a ref or a point.
func somewhere(tool string, r RefIn, p XYIn) (*ui.Point, error) {
	at, err := p.at(tool)
	if err == nil && at == nil && r.Ref == "" {
		err = fault.New(fault.InvalidInput, "%s: give elementRef, or x and y", tool).With("field", "elementRef")
	}
	return at, err
}

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

// WaitUIIn says for what.
type WaitUIIn struct {
	SimIn
	Predicate  string `json:"predicate" doc:"what to wait for" enum:"exists,gone,enabled,focused,textContains,settled"`
	Ref        string `json:"elementRef,omitempty" doc:"a ref of snapshot_ui" match:"^(@?e[0-9]{1,9})?$"`
	Identifier string `json:"identifier,omitempty" doc:"the element's accessibility identifier, exactly"`
	Label      string `json:"label,omitempty" doc:"its label"`
	Role       string `json:"role,omitempty" doc:"its role, such as button"`
	Value      string `json:"value,omitempty" doc:"its value, exactly"`
	Text       string `json:"text,omitempty" doc:"the text of textContains, anywhere on the screen or in the element"`
	Timeout    int    `json:"timeoutMs,omitempty" doc:"milliseconds" min:"0" max:"60000" default:"5000"`
	Poll       int    `json:"pollIntervalMs,omitempty" doc:"milliseconds between looks" min:"10" max:"10000" default:"250"`
	Settled    int    `json:"settledDurationMs,omitempty" doc:"how long the screen must be still; the agent's own measure is 300, so that this is only noted" min:"0" max:"10000" default:"500"`
}

func (in WaitUIIn) waiting() (act.Waiting, error) {
	conditions := map[string]ui.Condition{
		"exists": ui.Exists, "gone": ui.IsGone, "enabled": ui.IsEnabled, "focused": ui.HasFocus, "textContains": ui.HasText, "settled": ui.IsSettled,
	}
	q := ui.Query{Ref: in.Ref, Identifier: in.Identifier, Label: in.Label, Role: in.Role, Value: in.Value}
	w := act.Waiting{Condition: conditions[in.Predicate], Value: in.Text, Query: q, Timeout: time.Duration(in.Timeout) * time.Millisecond, Interval: time.Duration(in.Poll) * time.Millisecond}
	switch {
	case w.Condition == ui.HasText && in.Text == "":
		return w, fault.New(fault.InvalidInput, "wait_for_ui: textContains needs text").With("field", "text")
	case w.Condition != ui.HasText && w.Condition != ui.IsSettled && q.Empty():
		return w, fault.New(fault.InvalidInput, "wait_for_ui: %s needs elementRef, identifier, label, role or value", in.Predicate).With("field", "identifier")
	}
	return w, nil
}

// WaitUIOut is what came of it.
type WaitUIOut struct {
	Matched bool        `json:"matched"`
	Took    int64       `json:"tookMs"`
	Polls   int         `json:"polls"`
	Element *ElementOut `json:"element,omitempty"`

	what  string
	limit int
}

// Text says whether it came.
func (o WaitUIOut) Text() string {
	if !o.Matched {
		return fmt.Sprintf("%s did not come in %d ms", o.what, o.Took)
	}
	text := fmt.Sprintf("%s came after %d ms", o.what, o.Took)
	if o.Element != nil {
		text += ": " + o.Element.described
	}
	return text
}

// Fault is a wait that was in vain: theirs is an error too.
func (o WaitUIOut) Fault() *fault.Fault {
	if o.Matched {
		return nil
	}
	return fault.New(fault.Timeout, "%s did not come within %d ms", o.what, o.limit).WithHint("look at the screen with snapshot_ui, or give it more time: timeoutMs")
}

func (u *uiTools) wait(ctx context.Context, c *op.Call, in WaitUIIn) (WaitUIOut, error) {
	w, err := in.waiting()
	if err != nil {
		return WaitUIOut{}, err
	}
	in, target, err := on(ctx, u, c, in, func(in *WaitUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return WaitUIOut{}, err
	}
	done, err := u.screen.await(ctx, c, target, w)
	if err != nil {
		return WaitUIOut{}, err
	}
	out := WaitUIOut{Matched: done.Matched, Took: done.Took.Milliseconds(), Polls: done.Polls, limit: in.Timeout, what: strings.TrimSpace(in.Predicate + " " + w.Query.String())}
	if w.Condition == ui.HasText {
		out.what += " " + ui.Quote(in.Text)
	}
	if n := done.Node; n != nil {
		out.Element = &ElementOut{"@" + done.Ref, n.Flat(), n.Describe() + " [ref=" + done.Ref + "]"}
	}
	return out, nil
}
