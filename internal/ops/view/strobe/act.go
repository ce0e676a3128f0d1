package strobe

import (
	"context"
	"encoding/json"
	"fmt"

	contract "ios-agent/internal/desktop"
	"ios-agent/internal/device/act"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	desktopops "ios-agent/internal/ops/desktop"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

type actIn struct {
	contract.Request
	Children bool `json:"children,omitempty" doc:"show nodeBefore and nodeAfter with their children"`
}

// actOut is strobe's response and the effect on all windows.
type actOut struct {
	Success  bool       `json:"success"`
	Method   string     `json:"method,omitempty"`
	Before   *nodeOut   `json:"nodeBefore,omitempty"`
	After    *nodeOut   `json:"nodeAfter,omitempty"`
	Changed  *bool      `json:"changed,omitempty"` // absent if unknown
	Error    string     `json:"error,omitempty"`
	Outcome  ui.Outcome `json:"outcome,omitempty"` // changed, unchanged or unknown, of all windows
	LookedMS int64      `json:"looked_ms"`
	Settled  bool       `json:"settled"`
	Diff     []string   `json:"diff,omitempty"`
	Ended    *endedOut  `json:"ended,omitempty"` // the program, if the action ended it
	Hint     string     `json:"hint,omitempty"`

	action string
}

// endedOut is a program that an action ended.
type endedOut struct {
	App  string   `json:"app"`
	How  string   `json:"how"`
	Logs []string `json:"lastOutput,omitempty"`
}

// nodeOut is an element. It has its children only on request, because it may be a whole window.
type nodeOut struct {
	ID       string            `json:"id"`
	Role     string            `json:"role"`
	Title    string            `json:"title,omitempty"`
	Value    *string           `json:"value,omitempty"`
	Enabled  bool              `json:"enabled"`
	Focused  bool              `json:"focused"`
	Selected bool              `json:"selected,omitempty"` // or checked, or pressed
	Bounds   *ui.Rect          `json:"bounds,omitempty"`
	Actions  []string          `json:"actions,omitempty"`
	Source   string            `json:"source"`
	Children []json.RawMessage `json:"children,omitempty"`
	Omitted  int               `json:"childrenOmitted,omitempty"` // number of descendants that are left out

	line string
}

func nodeOf(n *contract.Node, children bool) *nodeOut {
	if n == nil {
		return nil
	}
	n = n.Whole()
	out := &nodeOut{
		ID: n.ID, Role: n.Role, Title: n.Title, Value: n.Value, Enabled: n.Enabled, Focused: n.Focused, Selected: n.Selected,
		Bounds: n.Bounds, Actions: n.Actions, Source: n.Source, line: n.Line(),
	}
	if !children {
		out.Omitted = n.Below()
		return out
	}
	for _, c := range n.Children {
		raw, _ := json.Marshal(c) // cannot fail: strings, numbers and booleans
		out.Children = append(out.Children, raw)
	}
	return out
}

// Refused reports whether the action failed.
func (o actOut) Refused() bool { return !o.Success }

// mostLines is the maximum number of lines of a diff in a text.
const mostLines = 40

// Text is the action and its effect.
func (o actOut) Text() string {
	what := oneline.Of(o.action)
	if o.Before != nil {
		what += " " + oneline.Of(o.Before.line)
	}
	if !o.Success {
		text := fmt.Sprintf("%s → success: false: %s", what, o.Error)
		if o.Hint != "" {
			text += "\nhint: " + o.Hint
		}
		return text
	}
	text := fmt.Sprintf("%s → done by %s, %s", what, o.Method, o.Outcome)
	if o.Changed != nil {
		text += fmt.Sprintf(", element changed: %v", *o.Changed)
	}
	text += fmt.Sprintf(" (looked for %d ms)", o.LookedMS)
	if o.After != nil {
		text += "\nnow " + oneline.Of(o.After.line)
	}
	if len(o.Diff) > 0 {
		text += "\n" + outline.Summary(o.Diff, mostLines)
	}
	if o.Ended != nil {
		text += "\n" + act.Ended(*o.Ended).Text()
	}
	if o.Hint != "" {
		text += "\nhint: " + o.Hint
	}
	return text
}

func (v views) perform(ctx context.Context, c *op.Call, in actIn) (out actOut, err error) {
	did, err := v.core.Act(ctx, c, in.Request)
	if err != nil {
		return out, err
	}
	out = actOut{
		Success: did.Success, Method: did.Method, Before: nodeOf(did.Before, in.Children), After: nodeOf(did.After, in.Children),
		Changed: did.Changed, Error: did.Error, Outcome: did.Outcome, LookedMS: did.Looked.Milliseconds(), Settled: did.Settled, Diff: did.Diff,
		Hint: next(in.Request, did), action: in.Action,
	}
	if did.Ended != nil {
		out.Ended = new(endedOut(*did.Ended))
	}
	return out, nil
}

// next is the hint after an action without a visible effect.
func next(in contract.Request, did desktopops.DesktopAction) string {
	look := hint.Do(debugUI.FullName(), "sessionId", in.Session)
	switch {
	case did.Advice != "":
		return did.Advice
	case !did.Success && did.Outcome == ui.Unknown:
		return "the input may have arrived: " + look + " shows the windows before you repeat it"
	case did.Error == contract.ErrNoNode.Error() || did.Error == contract.ErrNoDestination.Error():
		return look + " shows the current ids"
	case !did.Success || did.Outcome == ui.Changed || did.Changed != nil && *did.Changed:
		return ""
	case in.Action == contract.Scroll:
		picture := hint.Do(debugUI.FullName(), "sessionId", in.Session, "mode", "screenshot")
		return "the tree often lacks the scroll position: " + picture + " shows it"
	case did.Before != nil && !did.Before.Enabled:
		return "the element is disabled: the app ignores actions on it now"
	}
	return "the windows have not changed: the app may need another state first, or the effect comes later; " + look +
		" shows the windows again"
}
