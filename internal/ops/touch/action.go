package touch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// ActionOut is the result of an action.
type ActionOut struct {
	Action   string     `json:"action"`
	Outcome  ui.Outcome `json:"outcome"`
	Evidence []string   `json:"evidence"`
	Doubt    string     `json:"doubt,omitempty"`  // why the changes may have another cause
	Note     string     `json:"note,omitempty"`   // a remark on how the outcome was found
	Return   ui.Outcome `json:"return,omitempty"` // outcome of the return key after a text, if submit was set
	Target   *TargetOut `json:"target,omitempty"`
	Method   string     `json:"method,omitempty"`
	Diff     []string   `json:"diff"`
	Ended    *EndedOut  `json:"end,omitempty"` // the app that the input ended
	Screen   string     `json:"screen"`        // its title, as in a snapshot
	Snapshot string     `json:"snapshot"`      // the id of the screen afterwards
	Settled  bool       `json:"settled"`
	WaitedMS int64      `json:"waited_ms"`
	TookMS   int64      `json:"took_ms"`
	LookedMS int64      `json:"looked_ms"`

	expect bool
	lost   error
	failed error
}

// EndedOut is an app that exited after an input, without a crash.
type EndedOut struct {
	App  string   `json:"app"`
	How  string   `json:"how"`
	Logs []string `json:"last_log_lines,omitempty"`
}

// TargetOut is the element of an action.
type TargetOut struct {
	Ref        string   `json:"ref"`
	Type       string   `json:"type"`
	Label      string   `json:"label"`
	Identifier string   `json:"identifier"`
	At         ui.Point `json:"at"`

	described string
	secure    bool
}

// Fault is an unknown outcome, an unwanted effect, or an unchanged screen although a change was expected.
func (o ActionOut) Fault() *fault.Fault {
	switch {
	case o.lost != nil:
		return fault.From(o.lost)
	case o.failed != nil:
		return fault.From(o.failed)
	case o.Outcome == ui.Unknown && o.expect:
		return fault.New(fault.OutcomeUnknown, "the changes after %s may have another cause: %s", o.what(), o.Doubt).
			WithHint("see the result: %s", hint.Do("snapshot")).WithDispatch(fault.Dispatched)
	case o.Outcome == ui.Unchanged && o.expect:
		return fault.New(fault.OutcomeUnchanged, "%s changed nothing on the screen in %.1f s", o.what(), o.looked()).
			WithDispatch(fault.Dispatched)
	}
	return nil
}

func (o ActionOut) what() string {
	what := o.Action
	if o.Target != nil {
		what += " " + oneline.Of(o.Target.described)
	}
	if o.Return != "" {
		what += " and return"
	}
	return what
}

// looked is the number of seconds that the step watched for a change.
func (o ActionOut) looked() float64 { return float64(o.LookedMS) / 1000 }

// mostLines is the maximum number of lines of the diff in an answer for models.
const mostLines = 40

// Text is the action and its outcome. It never calls an action without effect a success.
func (o ActionOut) Text() string {
	said := map[ui.Outcome]string{
		ui.Changed:   "changed (" + strings.Join(o.Evidence, ", ") + ")",
		ui.Unchanged: fmt.Sprintf("unchanged: nothing on the screen reacted in %.1f s", o.looked()),
		ui.Unknown:   "unknown: the input may or may not have arrived",
	}[o.Outcome]
	if o.Outcome == ui.Unknown && o.Doubt != "" {
		said = "unknown: the changes may have another cause: " + o.Doubt
	}
	if o.Outcome == ui.Unchanged && len(o.Evidence) > 0 {
		said = fmt.Sprintf("unchanged: only elements that always change did so in %.1f s", o.looked())
	}
	if why := o.spared(); why != "" && o.Outcome == ui.Unchanged {
		said = "unchanged: " + why + ", so no input was sent"
	}
	text := fmt.Sprintf("%s → %s", o.what(), said)
	if !o.Settled {
		text += ", still moving"
	}
	if o.Ended != nil {
		text += "\n" + act.Ended(*o.Ended).Text()
	}
	if len(o.Diff) > 0 {
		text += "\n" + outline.Summary(o.Diff, mostLines)
	}
	if o.Return == ui.Unchanged && o.Outcome == ui.Changed {
		text += "\nnote: return moved at most the focus; to send the text, tap the button for that"
	}
	if o.Doubt != "" && o.Outcome == ui.Changed {
		text += "\nnote: " + o.Doubt
	}
	if o.Note != "" {
		text += "\nnote: " + o.Note
	}
	return text
}

// spared is the reason why no input was needed; empty: input was sent.
func (o ActionOut) spared() string {
	if why, none := strings.CutPrefix(o.Method, "none: "); none {
		return why
	}
	if o.Method == act.InSight {
		return "it is in sight already"
	}
	return ""
}

// doing is an action: its device, its name in the answer, and whether the screen must change.
type doing struct {
	on     target.Target
	name   string
	expect bool
}

// act performs a step on the call's device, in the device's lane.
func (t *Touch) act(ctx context.Context, c *op.Call, what doing, do func(act.Step) (act.Report, error)) (ActionOut, error) {
	return t.actBeside(ctx, c, what, func(_ *access.Looking, s act.Step) (act.Report, error) { return do(s) })
}

// byDriver is a step that may use another driver.
type byDriver func(*access.Looking, act.Step) (act.Report, error)

// actBeside is act for a step that may use a second driver besides the driver that reads the screen.
func (t *Touch) actBeside(ctx context.Context, c *op.Call, what doing, do byDriver) (ActionOut, error) {
	h, session, err := t.access.Device(ctx, c, what.on)
	if err != nil {
		return ActionOut{}, err
	}
	var r act.Report
	looking := &access.Looking{Call: c, Handle: h, Session: session}
	err = t.access.Step(ctx, looking, func(s act.Step) error {
		s.Expect = what.expect
		r, err = do(looking, s)
		return err
	})
	if err != nil {
		return ActionOut{}, err
	}
	c.Saw(r.Before, r.After)
	return actionOut(what, r), nil
}

func actionOut(what doing, r act.Report) ActionOut {
	out := ActionOut{
		Action: what.name, Outcome: r.Outcome, Evidence: append([]string{}, r.Evidence...), Doubt: r.Doubt, Note: r.Note, Return: r.Return,
		Diff: r.Lines, Method: r.Method,
		Screen: r.After.Title(), Snapshot: r.After.Hash(), Settled: r.After.Settled, expect: what.expect, lost: r.Lost, failed: r.Failed,
		WaitedMS: r.Waited.Milliseconds(), TookMS: r.Took.Milliseconds(), LookedMS: r.Looked.Milliseconds(),
	}
	if r.Ended != nil {
		out.Ended = new(EndedOut(*r.Ended))
	}
	if n := r.Target; n != nil {
		out.Target = &TargetOut{"@" + r.Ref, n.TypeName(), n.Label, n.Identifier, r.At, n.Describe() + " [ref=" + r.Ref + "]", n.Secure}
	}
	return out
}

// action makes the spec of an action.
func action(name, verb, summary string, more func(*op.Spec)) op.Spec {
	s := op.Spec{
		Name: name, Groups: []string{"ui"}, Verb: verb, Route: "POST /api/v1/ui/" + verb, Summary: summary, Timeout: 2 * time.Minute,
		Short: target.DesktopFlags("udid"),
	}
	if more != nil {
		more(&s)
	}
	return s
}

func examples(lines ...string) func(*op.Spec) { return func(s *op.Spec) { s.Examples = lines } }

// ofPhones is for actions that desktop apps do not support.
func ofPhones(lines ...string) func(*op.Spec) {
	return func(s *op.Spec) { s.Examples, s.Short = lines, nil }
}

// PlainIn is the input of an action without an element.
type PlainIn struct {
	target.Target
	Expect bool `json:"expect_change,omitempty" doc:"fail (exit 6) when nothing changes"`
}
