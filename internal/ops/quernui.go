package ops

import (
	"context"
	"math"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// quernEyes are quern's rows about looking, with its routes, parameters and answers.
func (s *screen) quernEyes() []op.Op {
	row := func(name, route, summary string) op.Spec {
		return op.Spec{Name: name, Family: quern, Groups: []string{"ui"}, Route: route, Summary: summary, Hints: op.ReadOnly | op.Idempotent, Timeout: 2 * time.Minute}
	}
	picture := row("take_annotated_screenshot", "GET /api/v1/device/screenshot/annotated", "Take a picture with a red box and a name around every element one can act on")
	picture.Picture = true
	return []op.Op{
		op.New(row("get_ui_tree", "GET /api/v1/device/ui", "Read every element on the screen: flat, or nested with include_hierarchy; children_of narrows to what lies below one element, by identifier or else label"), s.quernTree),
		op.New(row("get_element_state", "GET /api/v1/device/ui/element", "Read one element's state without acting on it"), s.quernElement),
		op.New(row("wait_for_element", "POST /api/v1/device/ui/wait-for-element", "Wait for an element to exist, be visible, enabled or disabled, go, or have a value; running out of time answers matched: false"), s.quernWait),
		op.New(row("get_screen_summary", "GET /api/v1/device/screen-summary", "Summarise the screen: what it is, what one can act on; include_hierarchy says what each element lies in"), s.quernSummary),
		op.New(picture, s.annotated),
	}
}

// QuernTreeIn is quern's input.
type QuernTreeIn struct {
	UDID      string `json:"udid,omitempty" doc:"the device; else the current one"`
	Children  string `json:"children_of,omitempty" doc:"only what lies below this element: an identifier, or else a label"`
	Hierarchy bool   `json:"include_hierarchy,omitempty" doc:"nest the elements and name their parents"`
}

func (s *screen) quernTree(ctx context.Context, c *op.Call, in QuernTreeIn) (ui.FlatTree, error) {
	var out ui.FlatTree
	err := s.look(ctx, c, Target{UDID: in.UDID}, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		out = sc.Flat(in.Children, in.Hierarchy)
		out.UDID = udid
		return nil
	})
	return out, err
}

// QuernElementIn is quern's input.
type QuernElementIn struct {
	Label      string `json:"label,omitempty" doc:"the element's label, case ignored"`
	Identifier string `json:"identifier,omitempty" doc:"the element's accessibility identifier"`
	Type       string `json:"type,omitempty" doc:"the element's type, such as Button"`
	Kind       string `json:"element_type,omitempty" doc:"the same as type"`
	UDID       string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (in QuernElementIn) query(operation string) (ui.Query, error) {
	q := ui.Query{Label: in.Label, Identifier: in.Identifier, Type: in.Type}
	if q.Type == "" {
		q.Type = in.Kind
	}
	if q.Empty() {
		return q, fault.New(fault.InvalidInput, "%s: give label, identifier or type", operation).With("field", "label")
	}
	return q, nil
}

// QuernElementOut is quern's answer.
type QuernElementOut struct {
	Element ui.FlatElement `json:"element"`
	UDID    string         `json:"udid"`
}

func (s *screen) quernElement(ctx context.Context, c *op.Call, in QuernElementIn) (QuernElementOut, error) {
	q, err := in.query("get_element_state")
	if err != nil {
		return QuernElementOut{}, err
	}
	out := QuernElementOut{}
	err = s.look(ctx, c, Target{UDID: in.UDID}, func(sc *ui.Screen, refs *ui.Refs, udid string) error {
		found := sc.ElementState(q)
		if found == nil {
			_, err := refs.Find(q, udid, sc)
			return err
		}
		out = QuernElementOut{*found, udid}
		return nil
	})
	return out, err
}

// QuernWaitIn is quern's input.
type QuernWaitIn struct {
	QuernElementIn
	Condition string  `json:"condition" doc:"what to wait for" enum:"exists,not_exists,visible,enabled,disabled,value_equals,value_contains"`
	Value     string  `json:"value,omitempty" doc:"for value_equals and value_contains"`
	Timeout   float64 `json:"timeout,omitempty" doc:"seconds; 0 looks once" min:"0" max:"60" default:"10"`
	Interval  float64 `json:"interval,omitempty" doc:"seconds between looks" min:"0.1" max:"5" default:"0.5"`
}

// QuernWaitOut is quern's answer.
type QuernWaitOut struct {
	Matched bool            `json:"matched"`
	Elapsed float64         `json:"elapsed_seconds"`
	Polls   int             `json:"polls"`
	Element *ui.FlatElement `json:"element,omitempty"`
	Last    *ui.FlatElement `json:"last_state,omitempty"`
	UDID    string          `json:"udid"`
}

func (s *screen) quernWait(ctx context.Context, c *op.Call, in QuernWaitIn) (QuernWaitOut, error) {
	q, err := in.query("wait_for_element")
	if err != nil {
		return QuernWaitOut{}, err
	}
	w := act.Waiting{Condition: ui.Condition(in.Condition), Value: in.Value, Query: q, Timeout: span(in.Timeout), Interval: span(in.Interval)}
	if (w.Condition == ui.ValueEquals || w.Condition == ui.ValueContains) && in.Value == "" {
		return QuernWaitOut{}, fault.New(fault.InvalidInput, "wait_for_element: the condition %s needs value", in.Condition).With("field", "value")
	}
	done, err := s.await(ctx, c, Target{UDID: in.UDID}, w)
	if err != nil {
		return QuernWaitOut{}, err
	}
	out := QuernWaitOut{Matched: done.Matched, Elapsed: math.Round(done.Took.Seconds()*100) / 100, Polls: done.Polls, UDID: c.Device.UDID}
	if done.Node != nil {
		flat := done.Node.Flat()
		if out.Matched {
			out.Element = &flat
		} else {
			out.Last = &flat
		}
	}
	return out, nil
}

// QuernSummaryIn is quern's input.
type QuernSummaryIn struct {
	Most      int    `json:"max_elements,omitempty" doc:"how many elements to list; 0 is all" min:"0" max:"500" default:"20"`
	Hierarchy bool   `json:"include_hierarchy,omitempty" doc:"say what each element lies in"`
	UDID      string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (s *screen) quernSummary(ctx context.Context, c *op.Call, in QuernSummaryIn) (ui.ScreenSummary, error) {
	var out ui.ScreenSummary
	err := s.look(ctx, c, Target{UDID: in.UDID}, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		out = sc.Summarize(in.Most, in.Hierarchy)
		out.UDID = udid
		return nil
	})
	return out, err
}

// quernHands are quern's rows about acting: there "ok" means that the input was delivered, and what came of it is said beside it.
func (t *touch) quernHands() []op.Op {
	row := func(name, route, summary string) op.Spec {
		return op.Spec{Name: name, Family: quern, Groups: []string{"ui"}, Route: "POST /api/v1/device/ui/" + route, Summary: summary, Timeout: 2 * time.Minute}
	}
	element := row("tap_element", "tap-element", "Find a UI element by label or identifier and tap its centre; several matches are returned as ambiguous, and element_type (Button, TextField, StaticText) narrows them")
	element.Require = [][]string{{"label", "identifier"}}
	return []op.Op{
		op.New(row("tap", "tap", "Tap a point, in points of the screen"), t.quernTapAt),
		op.New(element, t.quernTap),
		op.New(row("swipe", "swipe", "Swipe from one point to another"), t.quernSwipe),
		op.New(row("type_text", "type", "Type text into the focused field"), t.quernType),
		op.New(row("clear_text", "clear", "Select everything in the focused field and delete it; a secure field may resist"), t.quernClear),
		op.New(row("press_button", "press", "Press a button of the device: HOME, LOCK, SIDE_BUTTON, SIRI or APPLE_PAY"), t.quernPress),
	}
}

// usually is how patient quern's rows are.
var usually = ActIn{Timeout: 5000}

// QuernPointIn is quern's input.
type QuernPointIn struct {
	X    float64 `json:"x" doc:"points from the left" min:"0"`
	Y    float64 `json:"y" doc:"points from the top" min:"0"`
	UDID string  `json:"udid,omitempty" doc:"the device; else the current one"`
}

// QuernPointOut is quern's answer.
type QuernPointOut struct {
	QuernTapOut
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func (t *touch) quernTapAt(ctx context.Context, c *op.Call, in QuernPointIn) (QuernPointOut, error) {
	out, err := t.tap(ctx, c, TapIn{Target: Target{UDID: in.UDID}, PointIn: PointIn{&in.X, &in.Y}, ActIn: usually})
	if err != nil {
		return QuernPointOut{}, err
	}
	return QuernPointOut{quernAnswer(c, out), in.X, in.Y}, nil
}

// QuernSwipeIn is quern's input.
type QuernSwipeIn struct {
	StartX   float64 `json:"start_x" doc:"from the left" min:"0"`
	StartY   float64 `json:"start_y" doc:"from the top" min:"0"`
	EndX     float64 `json:"end_x" doc:"from the left" min:"0"`
	EndY     float64 `json:"end_y" doc:"from the top" min:"0"`
	Duration float64 `json:"duration,omitempty" doc:"seconds" min:"0.05" max:"60" default:"0.5"`
	UDID     string  `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (t *touch) quernSwipe(ctx context.Context, c *op.Call, in QuernSwipeIn) (QuernTapOut, error) {
	out, err := t.swipe(ctx, c, SwipeIn{
		Target: Target{UDID: in.UDID}, StartX: &in.StartX, StartY: &in.StartY, EndX: &in.EndX, EndY: &in.EndY, Seconds: in.Duration, ActIn: usually,
	})
	if err != nil {
		return QuernTapOut{}, err
	}
	return quernAnswer(c, out), nil
}

// QuernClearIn is quern's input.
type QuernClearIn struct {
	UDID string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (t *touch) quernClear(ctx context.Context, c *op.Call, in QuernClearIn) (QuernTapOut, error) {
	out, err := t.clear(ctx, c, ClearIn{OnElementIn{Target: Target{UDID: in.UDID}, ActIn: usually}})
	if err != nil {
		return QuernTapOut{}, err
	}
	return quernAnswer(c, out), nil
}
