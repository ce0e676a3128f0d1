package quern

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
)

// acting are quern's tools that act on the screen. Their "ok" means that the input was delivered; the outcome is a field of its own.
func (v views) acting() []op.Op {
	spec := func(row op.Spec, summary string) op.Spec { return tool(row, "ui", summary, 0, 2*time.Minute) }
	element := spec(tapElement, "Tap the centre of an element by label or identifier")
	element.Require = [][]string{{"label", "identifier"}}
	return []op.Op{
		op.New(spec(tapTool, "Tap a point of the screen"), v.tapAt),
		op.New(element, v.tap),
		op.New(spec(swipeTool, "Swipe from one point to another"), v.swipe),
		op.New(spec(typeText, "Type text into the focused field"), v.typeText),
		op.New(spec(clearText, "Delete the text of the focused field"), v.clear),
		op.New(spec(pressButton, "Press a device button"), v.press),
	}
}

// usually is the time limit of quern's actions.
var usually = target.ActIn{Timeout: 5000}

// stability is the time in milliseconds that quern waits for an element to hold still before a tap.
const stability = 400

// pointIn is quern's input.
type pointIn struct {
	X    float64 `json:"x" doc:"points from the left" min:"0"`
	Y    float64 `json:"y" doc:"points from the top" min:"0"`
	UDID string  `json:"udid,omitempty" doc:"the device; else the current one"`
}

// pointOut is quern's answer.
type pointOut struct {
	actOut
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func (v views) tapAt(ctx context.Context, c *op.Call, in pointIn) (pointOut, error) {
	out, err := v.core.Touch.Tap(ctx, c, touch.TapIn{
		Target: target.Target{UDID: in.UDID}, PointIn: target.PointIn{X: &in.X, Y: &in.Y}, ActIn: usually,
	})
	view, err := answer(c, out, err)
	return pointOut{view, in.X, in.Y}, err
}

// swipeIn is quern's input.
type swipeIn struct {
	StartX   float64 `json:"start_x" doc:"from the left" min:"0"`
	StartY   float64 `json:"start_y" doc:"from the top" min:"0"`
	EndX     float64 `json:"end_x" doc:"from the left" min:"0"`
	EndY     float64 `json:"end_y" doc:"from the top" min:"0"`
	Duration float64 `json:"duration,omitempty" doc:"seconds" min:"0.05" max:"60" default:"0.5" unit:"s"`
	UDID     string  `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (v views) swipe(ctx context.Context, c *op.Call, in swipeIn) (actOut, error) {
	out, err := v.core.Touch.Swipe(ctx, c, touch.SwipeIn{
		Target: target.Target{UDID: in.UDID}, StartX: &in.StartX, StartY: &in.StartY, EndX: &in.EndX, EndY: &in.EndY,
		Seconds: in.Duration, ActIn: usually,
	})
	return answer(c, out, err)
}

// deviceIn is the input of tools that take only a device.
type deviceIn struct {
	UDID string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (v views) clear(ctx context.Context, c *op.Call, in deviceIn) (actOut, error) {
	out, err := v.core.Touch.Clear(ctx, c, touch.ClearIn{
		OnElementIn: target.OnElementIn{Target: target.Target{UDID: in.UDID}, ActIn: usually},
	})
	return answer(c, out, err)
}

// tapIn is quern's input.
type tapIn struct {
	Label      string `json:"label,omitempty" doc:"label, ignoring case"`
	Identifier string `json:"identifier,omitempty" doc:"accessibility identifier"`
	Type       string `json:"element_type,omitempty" doc:"type, such as Button; narrows several matches"`
	Skip       bool   `json:"skip_stability_check,omitempty" doc:"tap also while the element moves"`
	UDID       string `json:"udid,omitempty" doc:"the device; else the current one"`
}

// actOut is quern's answer and the outcome.
type actOut struct {
	Status  string     `json:"status"` // ok (delivered) or ambiguous
	UDID    string     `json:"udid,omitempty"`
	Tapped  *tapped    `json:"tapped,omitempty"`
	Matches []match    `json:"matches,omitempty"` // all of them
	Message string     `json:"message,omitempty"`
	Outcome ui.Outcome `json:"outcome,omitempty"`
	Diff    []string   `json:"diff,omitempty"`

	text  string `lines:"ours"`
	fault *fault.Fault
}

// tapped is the element that was tapped.
type tapped struct {
	Label      string  `json:"label"`
	Type       string  `json:"type"`
	Identifier string  `json:"identifier"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
}

// match is one of several matching elements.
type match struct {
	Label      string   `json:"label"`
	Type       string   `json:"type"`
	Identifier *string  `json:"identifier"`
	X          *float64 `json:"center_x,omitempty"` // absent if the frame is unknown
	Y          *float64 `json:"center_y,omitempty"`
}

func matchesOf(nodes []*ui.Node) []match {
	out := make([]match, len(nodes))
	for i, n := range nodes {
		e := flat.ElementOf(n)
		out[i] = match{Label: e.Label, Type: e.Type, Identifier: e.Identifier}
		if e.Frame != nil {
			at := n.Frame.Centre()
			out[i].X, out[i].Y = new(hundredths(at.X)), new(hundredths(at.Y))
		}
	}
	return out
}

// hundredths rounds as quern does.
func hundredths(n float64) float64 { return math.Round(n*100) / 100 }

// Text is the core operation's text, because "ok" says nothing about the outcome.
func (o actOut) Text() string { return o.text }

// Fault is the core operation's fault: an input whose delivery is unknown is not "ok".
func (o actOut) Fault() *fault.Fault { return o.fault }

func (v views) tap(ctx context.Context, c *op.Call, in tapIn) (actOut, error) {
	out, err := v.core.Touch.Tap(ctx, c, touch.TapIn{
		Target:    target.Target{UDID: in.UDID},
		ElementIn: target.ElementIn{Label: in.Label, Identifier: in.Identifier, Type: in.Type},
		ActIn:     target.ActIn{Timeout: stability, NoWait: in.Skip},
	})
	if several, ok := errors.AsType[*ui.AmbiguousError](err); ok {
		f := fault.From(err)
		return actOut{
			Status: "ambiguous", UDID: c.Device.UDID, Matches: matchesOf(several.All), text: f.Message + "\n" + f.Hint,
			Message: f.Message + "; no element was tapped: narrow with element_type or identifier",
		}, nil
	}
	view, err := answer(c, out, err)
	if err != nil {
		return view, err
	}
	view.Tapped = &tapped{
		out.Target.Label, ui.TypeOf(out.Target.Type), out.Target.Identifier, hundredths(out.Target.At.X), hundredths(out.Target.At.Y),
	}
	return view, nil
}

// typeIn is quern's input.
type typeIn struct {
	Text string `json:"text" doc:"the text" private:"true"`
	UDID string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (v views) typeText(ctx context.Context, c *op.Call, in typeIn) (actOut, error) {
	out, err := v.core.Touch.Type(ctx, c, touch.TypeIn{Target: target.Target{UDID: in.UDID}, Text: in.Text, ActIn: usually})
	return answer(c, out, err)
}

func answer(c *op.Call, out touch.ActionOut, err error) (actOut, error) {
	if err != nil {
		return actOut{}, err
	}
	return actOut{Status: "ok", UDID: c.Device.UDID, Outcome: out.Outcome, Diff: out.Diff, text: out.Text(), fault: out.Fault()}, nil
}

// pressIn is quern's input.
type pressIn struct {
	Button string `json:"button" doc:"button" enum:"HOME,LOCK,SIDE_BUTTON,SIRI,APPLE_PAY"`
	UDID   string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (v views) press(ctx context.Context, c *op.Call, in pressIn) (actOut, error) {
	press := touch.PressIn{PlainIn: touch.PlainIn{Target: target.Target{UDID: in.UDID}}, Button: strings.ToLower(in.Button), Times: 1}
	switch in.Button {
	case "SIDE_BUTTON":
		press.Button = "lock"
	case "APPLE_PAY": // a double press of the side button
		press.Button, press.Times = "lock", 2
	}
	out, err := v.core.Touch.Press(ctx, c, press)
	return answer(c, out, err)
}
