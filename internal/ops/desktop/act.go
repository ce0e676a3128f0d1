package desktop

import (
	"context"
	"fmt"
	"strings"

	contract "ios-agent/internal/desktop"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	"ios-agent/internal/ui"
)

type actIn struct {
	contract.Request
	Children bool `json:"children,omitempty" doc:"nodeBefore and nodeAfter with all that is below them"`
}

// actOut is strobe's response, and what the engine saw.
type actOut struct {
	contract.Response
	Outcome  ui.Outcome `json:"outcome,omitempty"` // changed, unchanged or unknown, of all windows
	LookedMS int64      `json:"looked_ms"`
	Settled  bool       `json:"settled"`
	Diff     []string   `json:"diff,omitempty"`
	Hint     string     `json:"hint,omitempty"`

	action string
}

// Refused reports whether the action was not done.
func (o actOut) Refused() bool { return !o.Success }

// mostLines caps the diff in a text.
const mostLines = 40

// Text says what was done and what came of it.
func (o actOut) Text() string {
	what := o.action
	if o.Before != nil {
		what += " " + o.Before.Line()
	}
	if !o.Success {
		return fmt.Sprintf("%s → success: false: %s", what, o.Error)
	}
	text := fmt.Sprintf("%s → done by %s, %s", what, o.Method, o.Outcome)
	if o.Changed != nil {
		text += fmt.Sprintf(", element changed: %v", *o.Changed)
	}
	text += fmt.Sprintf(" (looked for %d ms)", o.LookedMS)
	if o.After != nil {
		text += "\nnow " + o.After.Line()
	}
	if len(o.Diff) > 0 {
		text += "\n" + ui.Summary(o.Diff, mostLines)
	}
	if o.Hint != "" {
		text += "\nhint: " + o.Hint
	}
	return text
}

func (v views) act(ctx context.Context, c *op.Call, in actIn) (out actOut, err error) {
	did, err := v.core.Act(ctx, c, in.Request)
	if err != nil {
		return out, err
	}
	out = actOut{
		Response: did.Response, Outcome: did.Outcome, LookedMS: did.Looked.Milliseconds(), Settled: did.Settled, Diff: did.Diff, action: in.Action,
	}
	shown := (*contract.Node).Counted
	if in.Children {
		shown = (*contract.Node).Whole
	}
	for _, n := range []**contract.Node{&out.Before, &out.After} {
		if *n != nil {
			*n = shown(*n)
		}
	}
	out.Hint = next(in.Request, did)
	return out, nil
}

// next is what to do when an action had no effect that can be seen.
func next(in contract.Request, did ops.DesktopAction) string {
	look := fmt.Sprintf("`ios-agent app ui %s`", in.Session)
	switch {
	case !did.Success && did.Outcome == ui.Unknown:
		return "the input may have arrived: look before you repeat it, " + look
	case did.Error == contract.ErrNoNode.Error() || did.Error == contract.ErrNoDestination.Error():
		return "the ids there are now: " + look
	case !did.Success || did.Outcome == ui.Changed || did.Changed != nil && *did.Changed:
		return ""
	case in.Action == contract.Scroll:
		return "how far something is scrolled is often not in the tree: " + strings.TrimSuffix(look, "`") + " --mode screenshot`"
	case did.Before != nil && !did.Before.Enabled:
		return "the element is not enabled: the app takes no action on it now"
	}
	return "nothing changed: the app may need another state first, or the effect comes later; " + look
}
