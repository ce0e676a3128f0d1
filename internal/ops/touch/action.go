package touch

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

// ActionOut is what came of an action.
type ActionOut struct {
	Action   string     `json:"action"`
	Outcome  ui.Outcome `json:"outcome"`
	Evidence []string   `json:"evidence"`
	Doubt    string     `json:"doubt,omitempty"`  // why what changed may have another cause
	Note     string     `json:"note,omitempty"`   // what is to be known of how it was judged
	Return   ui.Outcome `json:"return,omitempty"` // what came of the return after a text, if one was to be pressed
	Target   *TargetOut `json:"target,omitempty"`
	Method   string     `json:"method,omitempty"`
	Diff     []string   `json:"diff"`
	Ended    *EndedOut  `json:"end,omitempty"` // of an app: what the input ended
	Screen   string     `json:"screen"`        // its title, as in a snapshot
	Snapshot string     `json:"snapshot"`      // the id of the screen after it
	Settled  bool       `json:"settled"`
	WaitedMS int64      `json:"waited_ms"`
	TookMS   int64      `json:"took_ms"`
	LookedMS int64      `json:"looked_ms"`

	expect bool
	lost   error
	failed error
}

// EndedOut is an app that an input ended, by itself and without a crash.
type EndedOut struct {
	App  string   `json:"app"`
	How  string   `json:"how"`
	Logs []string `json:"last_log_lines,omitempty"`
}

// TargetOut is the element acted on.
type TargetOut struct {
	Ref        string   `json:"ref"`
	Type       string   `json:"type"`
	Label      string   `json:"label"`
	Identifier string   `json:"identifier"`
	At         ui.Point `json:"at"`

	described string
	secure    bool
}

// Fault is an unknown outcome, an effect that was not wanted, or an unchanged screen where a change was expected.
func (o ActionOut) Fault() *fault.Fault {
	switch {
	case o.lost != nil:
		return fault.From(o.lost)
	case o.failed != nil:
		return fault.From(o.failed)
	case o.Outcome == ui.Unknown && o.expect:
		return fault.New(fault.OutcomeUnknown, "what changed after %s may have another cause: %s", o.what(), o.Doubt).
			WithHint("see what came of it: `ios-agent snapshot`").WithDispatch(fault.Dispatched)
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

// looked is for how many seconds a change was looked for.
func (o ActionOut) looked() float64 { return float64(o.LookedMS) / 1000 }

// mostLines caps the diff in an answer for models.
const mostLines = 40

// Text says what was done and what came of it; an action without effect is never called a success.
func (o ActionOut) Text() string {
	said := map[ui.Outcome]string{
		ui.Changed:   "changed (" + strings.Join(o.Evidence, ", ") + ")",
		ui.Unchanged: fmt.Sprintf("unchanged: nothing on the screen reacted in %.1f s", o.looked()),
		ui.Unknown:   "unknown: the input may or may not have arrived",
	}[o.Outcome]
	if o.Outcome == ui.Unknown && o.Doubt != "" {
		said = "unknown: what changed may have another cause: " + o.Doubt
	}
	if o.Outcome == ui.Unchanged && len(o.Evidence) > 0 {
		said = fmt.Sprintf("unchanged: only elements that change by themselves did in %.1f s", o.looked())
	}
	if why := o.spared(); why != "" && o.Outcome == ui.Unchanged {
		said = "unchanged: " + why + ", so nothing was sent"
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
		text += "\nnote: the return moved at most the focus; if it was to send something, tap the button that does"
	}
	if o.Doubt != "" && o.Outcome == ui.Changed {
		text += "\nnote: " + o.Doubt
	}
	if o.Note != "" {
		text += "\nnote: " + o.Note
	}
	return text
}

// spared is why nothing had to be sent; empty: something was.
func (o ActionOut) spared() string {
	if why, none := strings.CutPrefix(o.Method, "none: "); none {
		return why
	}
	if o.Method == act.InSight {
		return "it is in sight already"
	}
	return ""
}

// doing is an action under way: where, its name in the answer, and whether the screen has to change.
type doing struct {
	on     target.Target
	name   string
	expect bool
}

// act performs a step on the device that is meant, in its lane.
func (t *Touch) act(ctx context.Context, c *op.Call, what doing, do func(act.Step) (act.Report, error)) (ActionOut, error) {
	return t.actBeside(ctx, c, what, func(_ *access.Looking, s act.Step) (act.Report, error) { return do(s) })
}

// byDriver is a step that another driver may take.
type byDriver func(*access.Looking, act.Step) (act.Report, error)

// actBeside is act for a step that may ask another driver than the one that looks.
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

// action is the spec that all actions share.
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

// ofPhones is for actions that no app of a desktop can do.
func ofPhones(lines ...string) func(*op.Spec) {
	return func(s *op.Spec) { s.Examples, s.Short = lines, nil }
}

// PlainIn is an action without an element.
type PlainIn struct {
	target.Target
	Expect bool `json:"expect_change,omitempty" doc:"fail (exit 6) when nothing changes"`
}
