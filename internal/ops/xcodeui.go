package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// uiTools are XcodeBuildMCP's tools for the screen: its coordinates of October 2025 and its refs of 2026, over our own
// actions. Every answer says what the screen did.
type uiTools struct {
	sims   *simulators
	screen *screen
	hands  *touch
}

// uiTool is a spec of the group; the verb is left to the core family where that has it.
func uiTool(name, summary string, hints op.Hints, verb bool) op.Spec {
	s := tool(name, summary, hints, "ui-automation", "ui-testing")
	if !verb {
		s.Verb = ""
	}
	s.Timeout = 2 * time.Minute
	return s
}

func (u *uiTools) ops() []op.Op {
	describe := uiTool("describe_ui", "Give the whole tree of elements with their frames, in points: the centre of a frame is where to tap", readOnly, true)
	describe.Groups = append(describe.Groups, inSimulator)
	touching := uiTool("touch", "Put a finger down and lift it, after a delay if one is given", 0, false)
	touching.Require = [][]string{{"down", "up"}}
	tapping := uiTool("tap", "Tap an element by elementRef, id or label, or a point", 0, false)
	tapping.Require, tapping.Exclude = [][]string{{"elementRef", "id", "label", "x"}}, [][]string{{"id", "label", "elementRef"}}
	return []op.Op{
		op.New(describe, u.describe),
		op.New(uiTool("snapshot_ui", "See the screen: an outline with a ref for every element", readOnly, true), u.snapshot),
		op.New(tapping, u.tap),
		op.New(uiTool("long_press", "Rest a finger on an element or a point for so many milliseconds", 0, false), u.longPress),
		op.New(touching, u.touch),
		op.New(uiTool("swipe", "Swipe from point to point, or within an element in a direction", 0, false), u.swipe),
		op.New(uiTool("drag", "Carry an element in a direction", 0, false), u.drag),
		op.New(uiTool("gesture", "Perform one of the usual gestures: scroll, or swipe in from an edge", 0, true), u.gesture),
		op.New(uiTool("type_text", "Type text into an element, or into what has the focus", 0, false), u.typeText),
		op.New(uiTool("key_press", "Press one key by its HID usage: 40 return, 42 backspace, 43 tab, 44 space", 0, true), u.keyPress),
		op.New(uiTool("key_sequence", "Press keys one after the other, by their HID usages", 0, false), u.keySequence),
		op.New(uiTool("button", "Press a button of the device: apple-pay, home, lock, side-button or siri", 0, true), u.button),
		op.New(uiTool("wait_for_ui", "Wait until an element is there, gone, enabled or focused, a text shows, or the screen is still", readOnly, true), u.wait),
		op.New(uiTool("batch", "Tap several elements in one call", 0, false), u.batch),
	}
}

// DelayIn are pauses around an action.
type DelayIn struct {
	Before float64 `json:"preDelay,omitempty" doc:"seconds to wait before" min:"0" max:"10"`
	After  float64 `json:"postDelay,omitempty" doc:"seconds to wait after" min:"0" max:"10"`
}

// around does something between the pauses.
func (d DelayIn) around(ctx context.Context, do func() (ActionOut, error)) (UIOut, error) {
	if err := pause(ctx, d.Before); err != nil {
		return UIOut{}, err
	}
	out, err := do()
	if err != nil {
		return UIOut{}, err
	}
	return UIOut{ActionOut: out}, pause(ctx, d.After)
}

func pause(ctx context.Context, seconds float64) error {
	if seconds <= 0 {
		return nil
	}
	t := time.NewTimer(span(seconds))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// UIOut is what came of an action. What the screen shows now is in its diff; a new look is rarely needed.
type UIOut struct {
	ActionOut
	Warnings []string `json:"warnings,omitempty"`
}

// Text is the outcome, and what was not done as asked.
func (o UIOut) Text() string {
	text := o.ActionOut.Text()
	for _, w := range o.Warnings {
		text += "\nnote: " + w
	}
	return text
}

// patience is how long an element may take to be there, still and reachable.
func patience() ActIn { return ActIn{Timeout: 5000} }

// on completes an input and finds its simulator.
func on[In any](ctx context.Context, u *uiTools, c *op.Call, in In, sim func(*In) *SimIn) (In, Target, error) {
	return simCall(ctx, u.sims, c, in, sim)
}

// DescribeIn names the simulator.
type DescribeIn struct{ SimIn }

// DescribeOut is the tree, in the words AXe and quern have for it.
type DescribeOut struct {
	Elements []ui.FlatElement `json:"elements"`
	Count    int              `json:"elementCount"`
	ID       string           `json:"simulatorId"`
}

// Text is the tree as JSON, and how to use it.
func (o DescribeOut) Text() string {
	raw, err := json.MarshalIndent(o.Elements, "", " ")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d elements; tap the centre of a frame (x + width/2, y + height/2), and describe again after the layout changed; "+
		"snapshot_ui gives refs instead of points\n%s", o.Count, raw)
}

func (u *uiTools) describe(ctx context.Context, c *op.Call, in DescribeIn) (DescribeOut, error) {
	_, target, err := on(ctx, u, c, in, func(in *DescribeIn) *SimIn { return &in.SimIn })
	if err != nil {
		return DescribeOut{}, err
	}
	var out DescribeOut
	err = u.screen.look(ctx, c, target, func(sc *ui.Screen, _ *ui.Refs, udid string) error {
		tree := sc.Flat("", true)
		out = DescribeOut{tree.Elements, tree.Count, udid}
		return nil
	})
	return out, err
}

// SnapshotUIIn says whether the whole screen is wanted.
type SnapshotUIIn struct {
	SimIn
	Since string `json:"sinceScreenHash,omitempty" doc:"the screenHash of an earlier look: an unchanged screen is not shown again"`
}

// SnapshotUIOut is a look at the screen.
type SnapshotUIOut struct {
	Type     string       `json:"type"` // runtime-snapshot or runtime-snapshot-unchanged
	Hash     string       `json:"screenHash"`
	App      string       `json:"app"`
	Screen   string       `json:"screen"`
	Elements []ui.Element `json:"elements,omitempty"`
	Actions  []ui.Action  `json:"actions,omitempty"`

	outline string
}

// Text is the outline.
func (o SnapshotUIOut) Text() string { return o.outline }

func (u *uiTools) snapshot(ctx context.Context, c *op.Call, in SnapshotUIIn) (SnapshotUIOut, error) {
	in, target, err := on(ctx, u, c, in, func(in *SnapshotUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return SnapshotUIOut{}, err
	}
	seen, err := u.screen.snapshot(ctx, c, SnapshotIn{Target: target})
	if err != nil {
		return SnapshotUIOut{}, err
	}
	out := SnapshotUIOut{Type: "runtime-snapshot", Hash: seen.ID, App: seen.App, Screen: seen.Screen, Elements: seen.Elements, Actions: seen.Actions, outline: seen.outline}
	if in.Since != "" && in.Since == seen.ID {
		return SnapshotUIOut{Type: "runtime-snapshot-unchanged", Hash: seen.ID, App: seen.App, Screen: seen.Screen, outline: "the screen is as it was: " + seen.ID}, nil
	}
	return out, nil
}

// RefIn names an element by the ref of a look.
type RefIn struct {
	Ref string `json:"elementRef,omitempty" doc:"a ref of snapshot_ui, such as e12" match:"^(@?e[0-9]{1,9})?$"`
}

// XYIn is a point.
type XYIn struct {
	X *float64 `json:"x,omitempty" doc:"points from the left" min:"0"`
	Y *float64 `json:"y,omitempty" doc:"points from the top" min:"0"`
}

// at is the point, when one was given.
func (p XYIn) at(tool string) (*ui.Point, error) {
	at, is, err := PointIn(p).point(tool)
	if err != nil || !is {
		return nil, err
	}
	return &at, nil
}

// somewhere wants a ref or a point.
func somewhere(tool string, r RefIn, p XYIn) (*ui.Point, error) {
	at, err := p.at(tool)
	if err == nil && at == nil && r.Ref == "" {
		err = fault.New(fault.InvalidInput, "%s: give elementRef, or x and y", tool).With("field", "elementRef")
	}
	return at, err
}

// WaitUIIn says for what.
type WaitUIIn struct {
	SimIn
	Predicate  string `json:"predicate" doc:"what to wait for" enum:"exists,gone,enabled,focused,textContains,settled"`
	Ref        string `json:"elementRef,omitempty" doc:"a ref of snapshot_ui" match:"^(@?e[0-9]{1,9})?$"`
	Identifier string `json:"identifier,omitempty" doc:"the element's accessibility identifier, exactly"`
	Label      string `json:"label,omitempty" doc:"its label"`
	Role       string `json:"role,omitempty" doc:"its role, such as button"`
	Value      string `json:"value,omitempty" doc:"its value, exactly"`
	Text       string `json:"text,omitempty" doc:"the text of textContains, anywhere on the screen or in the element"`
	Timeout    int    `json:"timeoutMs,omitempty" doc:"milliseconds" min:"0" max:"60000" default:"5000"`
	Poll       int    `json:"pollIntervalMs,omitempty" doc:"milliseconds between looks" min:"10" max:"10000" default:"250"`
	Settled    int    `json:"settledDurationMs,omitempty" doc:"how long the screen must be still; the agent's own measure is 300, so that this is only noted" min:"0" max:"10000" default:"500"`
}

func (in WaitUIIn) waiting() (act.Waiting, error) {
	conditions := map[string]ui.Condition{
		"exists": ui.Exists, "gone": ui.IsGone, "enabled": ui.IsEnabled, "focused": ui.HasFocus, "textContains": ui.HasText, "settled": ui.IsSettled,
	}
	q := ui.Query{Ref: in.Ref, Identifier: in.Identifier, Label: in.Label, Role: in.Role, Value: in.Value}
	w := act.Waiting{Condition: conditions[in.Predicate], Value: in.Text, Query: q, Timeout: time.Duration(in.Timeout) * time.Millisecond, Interval: time.Duration(in.Poll) * time.Millisecond}
	switch {
	case w.Condition == ui.HasText && in.Text == "":
		return w, fault.New(fault.InvalidInput, "wait_for_ui: textContains needs text").With("field", "text")
	case w.Condition != ui.HasText && w.Condition != ui.IsSettled && q.Empty():
		return w, fault.New(fault.InvalidInput, "wait_for_ui: %s needs elementRef, identifier, label, role or value", in.Predicate).With("field", "identifier")
	}
	return w, nil
}

// WaitUIOut is what came of it.
type WaitUIOut struct {
	Matched bool        `json:"matched"`
	Took    int64       `json:"tookMs"`
	Polls   int         `json:"polls"`
	Element *ElementOut `json:"element,omitempty"`

	what  string
	limit int
}

// Text says whether it came.
func (o WaitUIOut) Text() string {
	if !o.Matched {
		return fmt.Sprintf("%s did not come in %d ms", o.what, o.Took)
	}
	text := fmt.Sprintf("%s came after %d ms", o.what, o.Took)
	if o.Element != nil {
		text += ": " + o.Element.described
	}
	return text
}

// Fault is a wait that was in vain: theirs is an error too.
func (o WaitUIOut) Fault() *fault.Fault {
	if o.Matched {
		return nil
	}
	return fault.New(fault.Timeout, "%s did not come within %d ms", o.what, o.limit).WithHint("look at the screen with snapshot_ui, or give it more time: timeoutMs")
}

func (u *uiTools) wait(ctx context.Context, c *op.Call, in WaitUIIn) (WaitUIOut, error) {
	w, err := in.waiting()
	if err != nil {
		return WaitUIOut{}, err
	}
	in, target, err := on(ctx, u, c, in, func(in *WaitUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return WaitUIOut{}, err
	}
	done, err := u.screen.await(ctx, c, target, w)
	if err != nil {
		return WaitUIOut{}, err
	}
	out := WaitUIOut{Matched: done.Matched, Took: done.Took.Milliseconds(), Polls: done.Polls, limit: in.Timeout, what: strings.TrimSpace(in.Predicate + " " + w.Query.String())}
	if w.Condition == ui.HasText {
		out.what += " " + ui.Quote(in.Text)
	}
	if n := done.Node; n != nil {
		out.Element = &ElementOut{"@" + done.Ref, n.Flat(), n.Describe() + " [ref=" + done.Ref + "]"}
	}
	return out, nil
}
