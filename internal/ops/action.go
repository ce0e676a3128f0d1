package ops

import (
	"context"
	"fmt"
	"strings"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// ActionOut is what came of an action.
type ActionOut struct {
	Action   string     `json:"action"`
	Outcome  ui.Outcome `json:"outcome"`
	Evidence []string   `json:"evidence"`
	Target   *TargetOut `json:"target,omitempty"`
	Method   string     `json:"method,omitempty"`
	Diff     []string   `json:"diff"`
	Screen   string     `json:"screen"`
	Snapshot string     `json:"snapshot"`
	Settled  bool       `json:"settled"`
	WaitedMS int64      `json:"waited_ms"`
	TookMS   int64      `json:"took_ms"`
	LookedMS int64      `json:"looked_ms"`

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
		return fault.New(fault.OutcomeUnchanged, "%s changed nothing on the screen in %.1f s", o.what(), o.looked()).
			WithDispatch(fault.Dispatched)
	}
	return nil
}

func (o ActionOut) what() string {
	if o.Target == nil {
		return o.Action
	}
	return o.Action + " " + o.Target.described
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
	if o.Outcome == ui.Unchanged && len(o.Evidence) > 0 {
		said = fmt.Sprintf("unchanged: only what moves by itself did in %.1f s", o.looked())
	}
	text := fmt.Sprintf("%s → %s", o.what(), said)
	if !o.Settled {
		text += ", still moving"
	}
	if len(o.Diff) > 0 {
		text += "\n" + ui.Summary(o.Diff, mostLines)
	}
	return text
}

// act performs a step on the device that is meant, in its lane.
func (t *Touch) act(ctx context.Context, c *op.Call, target Target, name string, expect bool, do func(act.Step) (act.Report, error)) (ActionOut, error) {
	h, session, err := t.device(ctx, c, target)
	if err != nil {
		return ActionOut{}, err
	}
	var r act.Report
	err = t.do(ctx, h, func() error {
		r, err = do(act.Step{Device: h.Device, Session: session, Tell: c.Progress, Expect: expect})
		return err
	})
	if err != nil {
		return ActionOut{}, err
	}
	return actionOut(name, expect, r), nil
}

func actionOut(name string, expect bool, r act.Report) ActionOut {
	out := ActionOut{
		Action: name, Outcome: r.Outcome, Evidence: append([]string{}, r.Evidence...), Diff: r.Lines, Method: r.Method,
		Screen: r.After.Title(), Snapshot: r.After.Hash(), Settled: r.After.Settled, expect: expect, lost: r.Lost,
		WaitedMS: r.Waited.Milliseconds(), TookMS: r.Took.Milliseconds(), LookedMS: r.Looked.Milliseconds(),
	}
	if n := r.Target; n != nil {
		out.Target = &TargetOut{"@" + r.Ref, n.Type, n.Label, n.Identifier, r.At, n.Describe() + " [ref=" + r.Ref + "]"}
	}
	return out
}
