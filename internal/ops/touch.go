package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

type touch struct{ desk }

func (t *touch) ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "tap_element", Groups: []string{"ui"}, Verb: "tap", Route: "POST /api/v1/ui/tap",
			Summary: "Tap one element, by ref, identifier, label or what else is known of it, and tell what changed",
			Help: "Waits until the screen is still, taps, lets it settle and answers with the outcome: changed, unchanged or unknown,\n" +
				"with the diff as evidence. Several matches, or a ref whose element is gone, are refused with candidates; nothing is sent then.",
			Timeout: time.Minute, Default: true, AsksBack: true, Require: [][]string{elementKeys},
			Examples: []string{"tap @e7", "tap --identifier login-button --expect-change"},
		}, t.tap),
		op.New(op.Spec{
			Name: "type_text", Groups: []string{"ui"}, Verb: "type", Route: "POST /api/v1/ui/type",
			Summary: "Type text at the end of a field, by ref, identifier or label, or into what has the focus",
			Timeout: time.Minute, Default: true,
			Examples: []string{`type @e5 "a@b.c"`, `type --identifier email-field --text "a@b.c"`, `type "into the focused field"`},
		}, t.typeText),
		op.New(op.Spec{
			Name: "press_button", Groups: []string{"ui"}, Verb: "press-button", Route: "POST /api/v1/ui/press", Timeout: time.Minute,
			Summary:  "Press a button of the device's body: home, lock, volume-up, volume-down, action, camera or siri",
			Examples: []string{"press-button home", "press-button lock --hold 2"},
		}, t.press),
	}
}

// ElementIn says which element is meant.
type ElementIn struct {
	Ref        string `json:"ref,omitempty" doc:"a ref from a snapshot, such as @e12" match:"^@?e[0-9]{1,9}$" cli:"arg"`
	Identifier string `json:"identifier,omitempty" doc:"the element's accessibility identifier, exactly"`
	Label      string `json:"label,omitempty" doc:"the element's label, case ignored"`
	Contains   string `json:"contains,omitempty" doc:"a part of its label, value, placeholder or identifier, case ignored"`
	Type       string `json:"type,omitempty" doc:"its type, such as Button"`
	Role       string `json:"role,omitempty" doc:"its role in the outline, such as switch"`
	Value      string `json:"value,omitempty" doc:"its value, exactly"`
	Index      *int   `json:"index,omitempty" doc:"which of several that fit, from 0 in the outline's order" min:"0"`
	Within     string `json:"within,omitempty" doc:"ref, identifier or label of what it lies in"`
}

// elementKeys are the inputs of which one at least says which element is meant.
var elementKeys = []string{"ref", "identifier", "label", "contains", "type", "role", "value"}

func (e ElementIn) query() ui.Query {
	return ui.Query{
		Ref: e.Ref, Identifier: e.Identifier, Label: e.Label, Contains: e.Contains, Type: e.Type, Role: e.Role, Value: e.Value,
		Index: e.Index, Within: e.Within,
	}
}

// ActIn is what every action takes.
type ActIn struct {
	Expect bool `json:"expect_change,omitempty" doc:"fail (exit 6) when nothing changes"`
}

// TapIn says what to tap.
type TapIn struct {
	Target
	ElementIn
	ActIn
}

// TypeIn says what to type where.
type TypeIn struct {
	Target
	ElementIn
	Text string `json:"text" doc:"the text" cli:"arg"`
	ActIn
}

// ActionOut is what came of an action.
type ActionOut struct {
	Action   string     `json:"action"`
	Outcome  ui.Outcome `json:"outcome"`
	Evidence []string   `json:"evidence"`
	Target   *TargetOut `json:"target,omitempty"`
	Diff     []string   `json:"diff"`
	Screen   string     `json:"screen"`
	Snapshot string     `json:"snapshot"`
	Settled  bool       `json:"settled"`

	expect bool
	lost   error
}

// TargetOut is the element acted on.
type TargetOut struct {
	Ref        string   `json:"ref"`
	Type       string   `json:"type"`
	Label      string   `json:"label"`
	Identifier string   `json:"identifier"`
	At         ui.Point `json:"at"`

	described string
}

// Fault is what the outcome means to a caller who has to know before going on.
func (o ActionOut) Fault() *fault.Fault {
	switch {
	case o.Outcome == ui.Unknown:
		return fault.From(o.lost)
	case o.Outcome == ui.Unchanged && o.expect:
		return fault.New(fault.OutcomeUnchanged, "%s changed nothing on the screen", o.what()).WithDispatch(fault.Dispatched)
	}
	return nil
}

func (o ActionOut) what() string {
	if o.Target == nil {
		return o.Action
	}
	return o.Action + " " + o.Target.described
}

// mostLines caps the diff in an answer for models.
const mostLines = 40

// Text says what was done and what came of it; an action without effect is never called a success.
func (o ActionOut) Text() string {
	said := map[ui.Outcome]string{
		ui.Changed:   "changed (" + strings.Join(o.Evidence, ", ") + ")",
		ui.Unchanged: "unchanged: nothing on the screen reacted",
		ui.Unknown:   "unknown: the input may or may not have arrived",
	}[o.Outcome]
	text := fmt.Sprintf("%s → %s", o.what(), said)
	if !o.Settled {
		text += ", still moving"
	}
	if len(o.Diff) > 0 {
		text += "\n" + ui.Summary(o.Diff, mostLines)
	}
	return text
}

func (t *touch) tap(ctx context.Context, c *op.Call, in TapIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "tap", in.Expect, func(s act.Step) (act.Report, error) {
		return s.Tap(ctx, in.query())
	})
}

func (t *touch) typeText(ctx context.Context, c *op.Call, in TypeIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "type", in.Expect, func(s act.Step) (act.Report, error) {
		return s.Type(ctx, in.query(), in.Text)
	})
}

// act performs a step on the device that is meant, in its lane.
func (t *touch) act(ctx context.Context, c *op.Call, target Target, name string, expect bool, do func(act.Step) (act.Report, error)) (ActionOut, error) {
	h, session, err := t.device(ctx, c, target)
	if err != nil {
		return ActionOut{}, err
	}
	var r act.Report
	err = t.do(ctx, h, func() error {
		r, err = do(act.Step{Device: h.Device, Session: session})
		return err
	})
	if err != nil {
		return ActionOut{}, err
	}
	out := ActionOut{
		Action: name, Outcome: r.Outcome, Evidence: append([]string{}, r.Evidence...), Diff: r.Lines,
		Screen: r.After.Title(), Snapshot: r.After.Hash(), Settled: r.After.Settled, expect: expect, lost: r.Lost,
	}
	if n := r.Target; n != nil {
		out.Target = &TargetOut{"@" + r.Ref, n.Type, n.Label, n.Identifier, n.Frame.Centre(), n.Describe() + " [ref=" + r.Ref + "]"}
	}
	return out, nil
}

// PressIn names a button.
type PressIn struct {
	Target
	Button string  `json:"button" doc:"the button" enum:"home,lock,volume-up,volume-down,action,camera,siri" cli:"arg"`
	Hold   float64 `json:"hold,omitempty" doc:"seconds to hold it" min:"0" max:"60"`
	Times  int     `json:"times,omitempty" doc:"how often" min:"1" max:"10" default:"1"`
	ActIn
}

func (t *touch) press(ctx context.Context, c *op.Call, in PressIn) (ActionOut, error) {
	return t.act(ctx, c, in.Target, "press "+in.Button, in.Expect, func(s act.Step) (act.Report, error) {
		return s.Press(ctx, in.Button, time.Duration(in.Hold*float64(time.Second)), in.Times)
	})
}
