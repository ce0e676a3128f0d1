package quern

import (
	"cmp"
	"context"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
	"ios-agent/internal/ui/summary"
)

// looking are quern's tools that read the screen, with its routes, parameters and answers.
func (v views) looking() []op.Op {
	spec := func(row op.Spec, summary string) op.Spec { return tool(row, "ui", summary, readOnly, 2*time.Minute) }
	picture := spec(takeAnnotatedScreenshot, "Take a screenshot with a labelled box around every actionable element")
	picture.Picture = true
	return []op.Op{
		op.New(spec(getUITree, "Read every element on the screen"), v.tree),
		op.New(spec(getElementState, "Read the state of one element"), v.element),
		op.New(spec(waitForElement, "Wait for a state of an element; a timeout answers matched: false"), v.wait),
		op.New(spec(getScreenSummary, "Summarize the screen and its actionable elements"), v.summary),
		op.New(picture, v.annotated),
	}
}

// treeIn is quern's input.
type treeIn struct {
	UDID      string `json:"udid,omitempty" doc:"the device; else the current one"`
	Children  string `json:"children_of,omitempty" doc:"only descendants of this element: its identifier or label"`
	Hierarchy bool   `json:"include_hierarchy,omitempty" doc:"nest the elements and name their parents"`
}

func (v views) tree(ctx context.Context, c *op.Call, in treeIn) (flat.Tree, error) {
	var out flat.Tree
	err := v.core.Screen.Look(ctx, c, target.Target{UDID: in.UDID}, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		out = flat.Of(sc, in.Children, in.Hierarchy)
		out.UDID = udid
		return nil
	})
	return out, err
}

// elementIn is quern's input.
type elementIn struct {
	Label      string `json:"label,omitempty" doc:"label, ignoring case"`
	Identifier string `json:"identifier,omitempty" doc:"accessibility identifier"`
	Type       string `json:"type,omitempty" doc:"type, such as Button"`
	Kind       string `json:"element_type,omitempty" doc:"the same as type"`
	UDID       string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (in elementIn) query(operation string) (ui.Query, error) {
	q := ui.Query{Label: in.Label, Identifier: in.Identifier, Type: cmp.Or(in.Type, in.Kind)}
	if q.Empty() {
		return q, fault.New(fault.InvalidInput, "%s: give label, identifier or type", operation).With("field", "label")
	}
	return q, nil
}

// elementOut is quern's answer.
type elementOut struct {
	Element flat.Element `json:"element"`
	UDID    string       `json:"udid"`
}

func (v views) element(ctx context.Context, c *op.Call, in elementIn) (elementOut, error) {
	q, err := in.query(getElementState.Name)
	if err != nil {
		return elementOut{}, err
	}
	out := elementOut{}
	err = v.core.Screen.Look(ctx, c, target.Target{UDID: in.UDID}, func(sc *ui.Screen, refs *ui.Refs, udid string) error {
		found := flat.State(sc, q)
		if found == nil {
			_, err := refs.Find(q, udid, sc)
			return err
		}
		out = elementOut{*found, udid}
		return nil
	})
	return out, err
}

// waitIn is quern's input.
type waitIn struct {
	elementIn
	Condition string  `json:"condition" doc:"condition" enum:"exists,not_exists,visible,enabled,disabled,value_equals,value_contains"`
	Value     *string `json:"value,omitempty" doc:"for value_equals and value_contains; may be empty"`
	Timeout   float64 `json:"timeout,omitempty" doc:"seconds; 0 looks once" min:"0" max:"60" default:"10" unit:"s"`
	Interval  float64 `json:"interval,omitempty" doc:"seconds between looks" min:"0.1" max:"5" default:"0.5" unit:"s"`
}

// waitOut is quern's answer.
type waitOut struct {
	Matched bool          `json:"matched"`
	Elapsed float64       `json:"elapsed_seconds"`
	Polls   int           `json:"polls"`
	Element *flat.Element `json:"element,omitempty"`
	Last    *flat.Element `json:"last_state,omitempty"`
	UDID    string        `json:"udid"`
}

func (v views) wait(ctx context.Context, c *op.Call, in waitIn) (waitOut, error) {
	q, err := in.query(waitForElement.Name)
	if err != nil {
		return waitOut{}, err
	}
	w := act.Waiting{
		Condition: ui.Condition(in.Condition), Query: q, Timeout: op.Seconds(in.Timeout), Interval: op.Seconds(in.Interval),
	}
	if in.Value != nil {
		w.Value = *in.Value
	}
	if (w.Condition == ui.ValueEquals || w.Condition == ui.ValueContains) && in.Value == nil {
		return waitOut{}, fault.New(fault.InvalidInput, "wait_for_element: the condition %s needs value", in.Condition).With("field", "value")
	}
	done, err := v.core.Screen.Await(ctx, c, target.Target{UDID: in.UDID}, w)
	if err != nil {
		return waitOut{}, err
	}
	out := waitOut{Matched: done.Matched, Elapsed: hundredths(done.Took.Seconds()), Polls: done.Polls, UDID: c.Device.UDID}
	if done.Node != nil {
		e := flat.ElementOf(done.Node)
		if out.Matched {
			out.Element = &e
		} else {
			out.Last = &e
		}
	}
	return out, nil
}

// summaryIn is quern's input.
type summaryIn struct {
	Most      int    `json:"max_elements,omitempty" doc:"maximum number of elements; 0: all" min:"0" max:"500" default:"20" more:"true"`
	Hierarchy bool   `json:"include_hierarchy,omitempty" doc:"name the container of each element"`
	UDID      string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (v views) summary(ctx context.Context, c *op.Call, in summaryIn) (summary.Screen, error) {
	var out summary.Screen
	err := v.core.Screen.Look(ctx, c, target.Target{UDID: in.UDID}, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		out = summary.Of(sc, in.Most, in.Hierarchy)
		out.UDID = udid
		return nil
	})
	return out, err
}
