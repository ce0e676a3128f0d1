package xcode

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
)

// uiTool is the spec of a tool for the screen.
func uiTool(row op.Spec, summary string, hints op.Hints) op.Spec {
	return taking(2*time.Minute, tool(row, summary, hints, "ui-automation", "ui-testing"))
}

// looks are the tools that read the screen: with coordinates as in XcodeBuildMCP of October 2025, and with refs as in 2026.
func (v views) looks() []op.Op {
	describe := uiTool(describeUI,
		"Show all elements with their frames in points; tap a frame's centre", readOnly)
	describe.OwnText = mostTree
	describe.Groups = append(describe.Groups, inSimulator)
	return []op.Op{
		sim(v, describe, v.describe),
		sim(v, uiTool(snapshotUI, "Show an outline of the screen with a ref per element", readOnly), v.snapshot),
		sim(v, uiTool(waitForUI,
			"Wait for an element, a text, or a screen that is still", readOnly), v.wait),
	}
}

// mostTree is the maximum size of a tree in bytes if an MCP server serves this set alone: XcodeBuildMCP never cuts a tree.
const mostTree = 1 << 20

// describeOut is the tree with AXe's keys.
type describeOut struct {
	Elements []axElement `json:"elements"`
	Count    int         `json:"elementCount"`
	ID       string      `json:"simulatorId"`
}

// Text is the tree as fenced JSON, and how to use it.
func (o describeOut) Text() string {
	raw, err := json.MarshalIndent(o.Elements, "", " ")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("Accessibility hierarchy: %d elements, frames in points\n```json\n%s\n```\n"+
		"- tap the centre of a frame: x + width/2, y + height/2; positions read off a screenshot miss\n"+
		"- describe again after the layout changed; snapshot_ui gives refs instead of points", o.Count, raw)
}

func (v views) describe(ctx context.Context, c *op.Call, _ simIn, on target.Target) (describeOut, error) {
	out := describeOut{Elements: []axElement{}}
	err := v.core.Screen.Look(ctx, c, on, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		out.ID = udid
		if sc.Root == nil {
			return nil
		}
		tops := []*ui.Node{sc.Root}
		if sc.Root.Made {
			tops = sc.Root.Children
		}
		for _, top := range tops {
			out.Elements = append(out.Elements, inAXe(top))
			top.Walk(func(*ui.Node) bool { out.Count++; return true })
		}
		return nil
	})
	return out, err
}

// snapshotUIIn are the inputs of snapshot_ui.
type snapshotUIIn struct {
	simIn
	Since string `json:"sinceScreenHash,omitempty" doc:"screenHash of an earlier snapshot: skip an unchanged screen"`
}

// snapshotUIOut is the screen.
type snapshotUIOut struct {
	Type     string       `json:"type"` // runtime-snapshot or runtime-snapshot-unchanged
	Hash     string       `json:"screenHash"`
	App      string       `json:"app"`
	Screen   string       `json:"screen"`
	Elements []ui.Element `json:"elements,omitempty"`
	Actions  []ui.Action  `json:"actions,omitempty"`

	outline string `lines:"ours"`
}

// Text is the outline.
func (o snapshotUIOut) Text() string { return o.outline }

func (v views) snapshot(ctx context.Context, c *op.Call, in snapshotUIIn, on target.Target) (snapshotUIOut, error) {
	seen, err := v.core.Screen.Snapshot(ctx, c, screen.SnapshotIn{Target: on})
	if err != nil {
		return snapshotUIOut{}, err
	}
	out := snapshotUIOut{Type: "runtime-snapshot", Hash: seen.ID, App: seen.App, Screen: seen.Screen}
	if in.Since != "" && in.Since == seen.ID {
		out.Type, out.outline = "runtime-snapshot-unchanged", "the screen has not changed: "+seen.ID
		return out, nil
	}
	out.Elements, out.Actions, out.outline = seen.Elements, seen.Actions, seen.Text()
	return out, nil
}

// waitUIIn is the condition to wait for.
type waitUIIn struct {
	simIn
	Predicate  string `json:"predicate" doc:"condition" enum:"exists,gone,enabled,focused,textContains,settled"`
	Ref        string `json:"elementRef,omitempty" doc:"a ref of snapshot_ui" match:"^(@?e[0-9]{1,9})?$"`
	Identifier string `json:"identifier,omitempty" doc:"exact accessibility identifier"`
	Label      string `json:"label,omitempty" doc:"label"`
	Role       string `json:"role,omitempty" doc:"role, such as button"`
	Value      string `json:"value,omitempty" doc:"exact value"`
	Text       string `json:"text,omitempty" doc:"with textContains: text of the element or anywhere on the screen"`
	Timeout    int    `json:"timeoutMs,omitempty" doc:"milliseconds" min:"0" max:"60000" default:"5000" unit:"ms"`
	Poll       int    `json:"pollIntervalMs,omitempty" doc:"milliseconds between looks" min:"10" max:"10000" default:"250" unit:"ms"`
	Settled    int    `json:"settledDurationMs,omitempty" doc:"ignored: always 300" min:"0" max:"10000" default:"500" unit:"ms"`
}

func (in waitUIIn) waiting() (act.Waiting, error) {
	conditions := map[string]ui.Condition{
		"exists": ui.Exists, "gone": ui.IsGone, "enabled": ui.IsEnabled, "focused": ui.HasFocus, "textContains": ui.HasText,
		"settled": ui.IsSettled,
	}
	q := ui.Query{Ref: in.Ref, Identifier: in.Identifier, Label: in.Label, Role: in.Role, Value: in.Value}
	w := act.Waiting{
		Condition: conditions[in.Predicate], Value: in.Text, Query: q,
		Timeout: time.Duration(in.Timeout) * time.Millisecond, Interval: time.Duration(in.Poll) * time.Millisecond,
	}
	switch {
	case w.Condition == ui.HasText && in.Text == "":
		return w, fault.New(fault.InvalidInput, "wait_for_ui: textContains needs text").With("field", "text")
	case w.Condition != ui.HasText && w.Condition != ui.IsSettled && q.Empty():
		return w, fault.New(fault.InvalidInput, "wait_for_ui: %s needs elementRef, identifier, label, role or value", in.Predicate).
			With("field", "identifier")
	}
	return w, nil
}

// waitedElement is the element that met the condition.
type waitedElement struct {
	Ref string `json:"ref"`
	flat.Element
}

// waitUIOut is the result of a wait.
type waitUIOut struct {
	Matched bool           `json:"matched"`
	Took    int64          `json:"tookMs"`
	Polls   int            `json:"polls"`
	Element *waitedElement `json:"element,omitempty"`

	what, described string
	running         string // the animations and loads that keep the screen from settling
	limit           int
}

// Text says whether the condition matched.
func (o waitUIOut) Text() string {
	if !o.Matched {
		return fmt.Sprintf("%s did not match within %d ms%s", oneline.Of(o.what), o.Took, oneline.Of(o.running))
	}
	text := fmt.Sprintf("%s matched after %d ms", oneline.Of(o.what), o.Took)
	if o.Element != nil {
		text += ": " + oneline.Of(o.described)
	}
	return text
}

// Fault is the timeout of a wait, which is an error in XcodeBuildMCP too.
func (o waitUIOut) Fault() *fault.Fault {
	if o.Matched {
		return nil
	}
	return fault.New(fault.Timeout, "%s did not match within %d ms%s", o.what, o.limit, o.running).
		WithHint("%s shows the screen; or wait longer with %s", nextCall(snapshotUI), hint.Field("timeoutMs"))
}

func (v views) wait(ctx context.Context, c *op.Call, in waitUIIn, on target.Target) (waitUIOut, error) {
	w, err := in.waiting()
	if err != nil {
		return waitUIOut{}, err
	}
	done, err := v.core.Screen.Await(ctx, c, on, w)
	if err != nil {
		return waitUIOut{}, err
	}
	out := waitUIOut{
		Matched: done.Matched, Took: done.Took.Milliseconds(), Polls: done.Polls, limit: in.Timeout,
		what: strings.TrimSpace(in.Predicate + " " + w.Query.String()),
	}
	if names := done.RunningNames(); len(names) > 0 {
		out.running = ": still running: " + strings.Join(names, ", ")
	}
	if w.Condition == ui.HasText {
		out.what += " " + ui.Quote(in.Text)
	}
	if n := done.Node; n != nil {
		out.Element, out.described = &waitedElement{Ref: "@" + done.Ref, Element: flat.ElementOf(n)}, n.Describe()+" [ref="+done.Ref+"]"
	}
	return out, nil
}
