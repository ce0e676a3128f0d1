// Package wait offers the operation that waits for a condition on the screen or for a request of the app. Wait is its main type; packages
// screen and network do the waiting.
package wait

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/network"
	"ios-agent/internal/ops/screen"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
)

// Wait waits for a condition on the screen or for a request.
type Wait struct {
	access  access.Access
	screen  *screen.Screen
	network *network.Network
}

// New makes the operation that waits.
func New(access access.Access, screen *screen.Screen, network *network.Network) *Wait {
	return &Wait{access, screen, network}
}

// Ops lists the wait operation.
func (w *Wait) Ops() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "wait", Groups: []string{"ui"}, Route: "POST /api/v1/ui/wait",
		Summary: "Wait for an element, text, value, request or still screen",
		Help: "A timeout fails the call (exit 5), unless " + hint.Field("soft") + " is set: then matched is false. A timeout of 0 looks once.\n" +
			"The answer has the changes since you saw the screen, or its outline, with refs to act on.",
		Hints: op.ReadOnly | op.Idempotent, Default: true, Timeout: 6 * time.Minute, Short: target.DesktopFlags("udid"),
		Examples: []string{"wait --text Welcome", "wait --identifier spinner gone", "wait settled", `wait --request "POST /order"`},
	}, w.wait)}
}

// waitIn is the condition to wait for.
type waitIn struct {
	target.Target
	target.ElementIn
	Condition condition `json:"condition,omitempty" doc:"default: visible; with text: text" else:"text" cli:"arg"`
	Expected  *string   `json:"expected,omitempty" doc:"for value_equals and value_contains"`
	Text      string    `json:"text,omitempty" doc:"this text shows anywhere"`
	Request   string    `json:"request,omitempty" doc:"POST /order: the app's, over the proxy"`
	Timeout   float64   `json:"timeout,omitempty" doc:"seconds; 0 looks once" min:"0" max:"300" default:"10" unit:"s"`
	Soft      bool      `json:"soft,omitempty" doc:"no failure when time runs out"`
}

// condition is the name of a condition.
type condition string

// Choices are all of them.
func (condition) Choices() []string {
	return []string{
		"exists", "not_exists", "visible", "gone", "enabled", "disabled", "focused", "value_equals", "value_contains", "text", "settled",
	}
}

// waitOut is the result of a wait.
type waitOut struct {
	Matched   bool              `json:"matched"`
	ElapsedMS int64             `json:"elapsed_ms"`
	Polls     int               `json:"polls"`
	Element   *ui.Element       `json:"element,omitempty"`
	Flow      *network.FlowLine `json:"flow,omitempty"`     // the matching request
	Screen    string            `json:"screen,omitempty"`   // its title, as in a snapshot
	Snapshot  string            `json:"snapshot,omitempty"` // the id of the final screen
	Running   []string          `json:"running,omitempty"`  // running animations, if the wait was for a still screen
	access.Shown

	what      string
	soft      bool
	request   bool // the wait was for a request
	took      time.Duration
	described string // the element
}

// Text says whether the condition matched.
func (o waitOut) Text() string {
	said := "did not match"
	if o.Matched {
		said = "matched"
	}
	text := oneline.Of(o.what) + " " + said + " after " + briefly(o.took)
	if o.Element != nil {
		text += ": " + oneline.Of(o.described)
	}
	if o.Flow != nil {
		text += ": " + o.Flow.Text()
	}
	if len(o.Running) > 0 {
		text += ", with " + strings.Join(o.Running, ", ") + " on the screen"
	}
	return text + o.Shown.Text()
}

// Fault is the timeout, unless the wait is soft.
func (o waitOut) Fault() *fault.Fault {
	if o.Matched || o.soft {
		return nil
	}
	advice := hint.Do("snapshot") + " shows the screen"
	if o.request {
		advice = hint.Do("list_flows") + " lists the requests; " + hint.Do("proxy_guide") + " explains how an app uses the proxy"
	}
	running := ""
	if len(o.Running) > 0 {
		running = ": still running: " + strings.Join(o.Running, ", ")
	}
	return fault.New(fault.Timeout, "%s did not match within %s%s", o.what, briefly(o.took), running).
		WithHint("%s", advice)
}

func briefly(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }

func (in waitIn) waiting() (act.Waiting, error) {
	w := act.Waiting{Condition: ui.Condition(in.Condition), Query: in.Query(), Timeout: op.Seconds(in.Timeout)}
	if in.Expected != nil {
		w.Value = *in.Expected
	}
	if w.Condition == "" && in.Text != "" {
		w.Condition = ui.HasText
	}
	if w.Condition == "" {
		w.Condition = ui.IsVisible
	}
	if w.Condition == ui.HasText && w.Value == "" {
		w.Value = in.Text
	}
	switch {
	case w.Condition == ui.IsSettled:
	case w.Condition == ui.HasText && w.Value == "":
		return w, fault.New(fault.InvalidInput, "wait: the condition text needs text").With("field", "text")
	case w.Condition == ui.ValueEquals && in.Expected == nil, w.Condition == ui.ValueContains && w.Value == "":
		return w, fault.New(fault.InvalidInput, "wait: the condition %s needs expected", w.Condition).With("field", "expected")
	case w.Condition != ui.HasText && w.Query.Empty():
		return w, fault.New(fault.InvalidInput, "wait: no element to wait for").With("field", "identifier").
			WithHint("give ref, identifier, label, contains, type, role or value; or text; or condition settled")
	}
	return w, nil
}

// Check validates the input. A batch checks all its steps before it runs the first.
func (in waitIn) Check() error {
	if in.Request != "" {
		_, err := in.requested()
		return err
	}
	_, err := in.waiting()
	return err
}

// requested is the filter of the request to wait for.
func (in waitIn) requested() (f flow.Filter, err error) {
	if in.Text != "" || in.Condition != "" || in.Expected != nil || !in.Query().Empty() {
		return f, fault.New(fault.InvalidInput, "wait: request cannot be combined with other conditions").With("field", "request").
			WithHint("wait for the request first: %s; then wait for the screen", hint.Do("wait", "request", "/order"))
	}
	err = network.AskedFor(in.Request, &f)
	return f, err
}

// request waits until a matching request of the device is answered or has failed.
func (w *Wait) request(ctx context.Context, c *op.Call, in waitIn) (waitOut, error) {
	f, err := in.requested()
	if err != nil {
		return waitOut{}, err
	}
	h, _, err := w.access.Device(ctx, c, in.Target)
	if err != nil {
		return waitOut{}, err
	}
	f.Device, f.OrUnknown = h.Info().UDID, true
	done, err := w.network.Finished(ctx, c, f, op.Seconds(in.Timeout), in.Soft)
	if err != nil {
		return waitOut{}, err
	}
	out := waitOut{
		Matched: done.Matched, ElapsedMS: done.ElapsedMS, Flow: done.Flow, what: "request " + ui.Quote(in.Request), soft: in.Soft,
		request: true, took: time.Duration(done.ElapsedMS) * time.Millisecond,
	}
	return out, nil
}

func (w *Wait) wait(ctx context.Context, c *op.Call, in waitIn) (waitOut, error) {
	if in.Request != "" {
		return w.request(ctx, c, in)
	}
	until, err := in.waiting()
	if err != nil {
		return waitOut{}, err
	}
	done, err := w.screen.AwaitShown(ctx, c, in.Target, until)
	if err != nil {
		return waitOut{}, err
	}
	out := waitOut{
		Matched: done.Matched, ElapsedMS: done.Took.Milliseconds(), Polls: done.Polls, Element: done.Element, Shown: done.Shown,
		soft: in.Soft, what: string(until.Condition), took: done.Took,
	}
	out.Running = done.RunningNames()
	if n := done.Node; n != nil {
		out.described = n.Describe() + " [ref=" + done.Ref + "]"
	}
	if done.Screen != nil {
		out.Screen, out.Snapshot = done.Screen.Title(), done.Screen.Hash()
	}
	if what := until.Query.String(); what != "" {
		out.what = what + " (" + string(until.Condition) + ")"
	} else if until.Value != "" {
		out.what = string(until.Condition) + " " + ui.Quote(until.Value)
	}
	return out, nil
}
