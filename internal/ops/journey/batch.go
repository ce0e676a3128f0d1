// Package journey offers the operations that call other operations. A batch runs several in one call; an audit checks the screens that they
// lead to. Both find operations in the catalogue and must not call another package's methods to act.
package journey

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

// batch runs several command lines in one call.
type batch struct{ catalogue func() *op.Catalogue }

// NewBatch makes the batch operation. It calls catalogue only while it runs, because the catalogue has this operation too.
func NewBatch(catalogue func() *op.Catalogue) *batch { return &batch{catalogue} }

// Ops lists the batch operation.
func (b *batch) Ops() []op.Op {
	return []op.Op{op.New(op.Spec{
		Name: "batch", Groups: []string{"ui"}, Route: "POST /api/v1/ui/batch", Timeout: 10 * time.Minute, Long: true, Default: true,
		Summary: "Run several commands until one fails; also " + moreSteps,
		Help: "Steps are verbs of the group ui, with launch, terminate and open, as one types them. All are read before the first is\n" +
			"performed. A question, a wait that times out and an unknown outcome stop the batch too.",
		Short:    target.DesktopFlags("udid"),
		Examples: []string{`batch "fill @e5 a@b.c" "tap @e7" "wait --text Welcome"`},
	}, b.run)}
}

// moreSteps are examples of steps beyond those in the input's doc tag.
const moreSteps = "alert accept, wait settled, back, rotate landscape, hide-keyboard"

// batchIn are the steps.
type batchIn struct {
	target.Target
	Steps []string `json:"steps" doc:"tap @e7; fill @e5 'a b'; swipe up; scroll-to --label X; set-value @e3 4; wait --text X" cli:"arg"`
	Go    bool     `json:"continue,omitempty" doc:"continue after a failure"`
}

// batchOut is the result of each step.
type batchOut struct {
	Steps []stepOut `json:"steps"`
	Done  int       `json:"done"`

	went bool // the batch continued after a failure
}

// stepOut is the result of one step.
type stepOut struct {
	Step    string          `json:"step"`
	ID      string          `json:"id,omitempty"` // for show_step
	Status  string          `json:"status"`
	Text    string          `json:"text" lines:"ours"`
	Error   *fault.Fault    `json:"error,omitempty"`
	Notices []op.Notice     `json:"notices,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`

	asked   bool   // the step asked for the screen
	outside bool   // no Xcode tool was used
	said    string `lines:"ours"` // the text without the fault, which the batch reports as its own
}

// Text has a line for each step, and the full text of failed steps and of the last step that showed a screen.
func (o batchOut) Text() string {
	var lines []string
	shown, told := o.lastScreen(), false
	for i, s := range o.Steps {
		text := s.line()
		switch {
		case s.Error != nil && !told:
			told = true // Fault reports the rest
			text = strings.TrimSpace(fmt.Sprintf("%s: %s\n%s", s.Step, s.Error.Code, s.said))
		case s.Error != nil || i == shown:
			text = s.Text
		}
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	if o.Done < len(o.Steps) {
		done := fmt.Sprintf("%d of %d steps done", o.Done, len(o.Steps))
		if !o.went {
			done = "stopped: " + done
		}
		lines = append(lines, done)
	}
	return strings.Join(lines, "\n")
}

// lastScreen is the last step with more than one line of text, which is the current screen; -1 if none.
func (o batchOut) lastScreen() int {
	for i, s := range slices.Backward(o.Steps) {
		if s.Status == op.Success && strings.Contains(s.said, "\n") {
			return i
		}
	}
	return -1
}

// line is the first line of a step's text, with its notices.
func (s stepOut) line() string {
	first, rest, more := strings.Cut(cmp.Or(s.said, s.Text), "\n")
	if more && s.asked {
		first += " (a batch shows the last screen only)"
	}
	first += ofTarget(first, rest)
	for _, n := range s.Notices {
		if n.Kind != op.Meanwhile && n.Kind != op.Cut { // they describe a screen that the batch leaves out
			first += "\n   " + strings.ReplaceAll(n.String(), "\n", "\n   ")
		}
	}
	return first
}

// ofTarget is the change of the step's own element, found in the lines after the first; empty: it did not change.
func ofTarget(first, rest string) string {
	_, ref, named := strings.Cut(first, "[ref=")
	ref, _, _ = strings.Cut(ref, "]")
	for line := range strings.Lines(rest) {
		what, about := strings.CutPrefix(line, "~ ")
		if _, change, found := strings.Cut(what, "[ref="+ref+"] "); named && about && found {
			return ", " + strings.TrimSpace(change)
		}
	}
	return ""
}

// Fault is the fault of the first failed step.
func (o batchOut) Fault() *fault.Fault {
	for i, s := range o.Steps {
		if s.Error != nil {
			f := *s.Error
			f.Message = fmt.Sprintf("step %d (%s): %s", i+1, s.Step, f.Message)
			return &f
		}
	}
	return nil
}

// mostBatch is the maximum number of steps.
const mostBatch = 100

func (b *batch) run(ctx context.Context, c *op.Call, in batchIn) (batchOut, error) {
	if len(in.Steps) == 0 || len(in.Steps) > mostBatch {
		return batchOut{}, fault.New(fault.InvalidInput, "batch: %d steps; it takes 1 to %d", len(in.Steps), mostBatch).With("field", "steps")
	}
	calls, err := b.readAll(c, in.Steps, in.Target)
	if err != nil {
		f := fault.From(err)
		return batchOut{}, fault.New(f.Code, "batch: %s", f.Message).WithHint("%s", f.Hint).With("field", "steps")
	}
	out := batchOut{went: in.Go}
	for _, k := range calls {
		c.Progress(fmt.Sprintf("step %d of %d: %s", len(out.Steps)+1, len(calls), k.line))
		step, done := b.perform(ctx, c, k)
		if out.Steps = append(out.Steps, step); done {
			out.Done++
		} else if !in.Go {
			break
		}
	}
	c.Outside = !slices.ContainsFunc(out.Steps, func(s stepOut) bool { return !s.outside })
	for _, rest := range in.Steps[len(out.Steps):] {
		out.Steps = append(out.Steps, stepOut{Step: rest, Status: "skipped", Text: rest + ": not performed"})
	}
	return out, nil
}

// stepCall is a parsed step.
type stepCall struct {
	line, name string
	input      []byte
}

// readAll parses all steps before the first one runs.
func (b *batch) readAll(c *op.Call, lines []string, t target.Target) ([]stepCall, error) {
	calls := make([]stepCall, len(lines))
	for i, line := range lines {
		name, input, err := b.read(c, line, t)
		if err != nil {
			f := fault.From(err)
			return nil, fault.New(f.Code, "step %d (%s): %s", i+1, line, f.Message).WithHint("%s", f.Hint)
		}
		calls[i] = stepCall{line, name, input}
	}
	return calls, nil
}

// perform runs one step and reports whether it succeeded.
func (b *batch) perform(ctx context.Context, c *op.Call, k stepCall) (stepOut, bool) {
	e := b.catalogue().Run(ctx, k.name, c.Child(), k.input)
	if e.Meta.Device != nil {
		c.Device = e.Meta.Device
	}
	return stepOut{
		Step: k.line, ID: e.Meta.Step, Status: e.Status, Text: e.Text(), Error: e.Error, Notices: e.Meta.Notices, Result: e.Result,
		outside: e.Meta.Toolchain == "",
		asked:   k.name == "snapshot",
		said:    unmarked(e),
	}, e.Error == nil && !e.Refused
}

// unmarked is a step's text without the mark of its toolchain, which the batch's own first line has.
func unmarked(e op.Envelope) string {
	first, rest, more := strings.Cut(e.Stdout, "\n")
	if first = strings.TrimSuffix(first, " ["+e.Meta.Toolchain+"]"); more {
		return first + "\n" + rest
	}
	return first
}

// forms lists examples of steps.
func (b *batch) forms() string {
	o, err := b.catalogue().Lookup("batch")
	if err != nil {
		return ""
	}
	for _, f := range o.Fields() {
		if f.Name == "steps" {
			return "steps look like " + f.Doc + "; also " + moreSteps
		}
	}
	return ""
}

// read parses a line into a call. Only operations on a screen or an app can be a step.
func (b *batch) read(c *op.Call, line string, t target.Target) (string, []byte, error) {
	words, err := op.Words(line)
	if err != nil {
		return "", nil, err
	}
	if len(words) == 0 {
		return "", nil, fault.New(fault.InvalidInput, "it is empty")
	}
	for _, o := range b.catalogue().Ops() {
		if !o.Called(words[0]) {
			continue
		}
		if o.Name == "batch" || o.Name == "audit" || !slices.Contains(o.Groups, "ui") && !slices.Contains(o.Groups, "app") {
			return "", nil, fault.New(fault.InvalidInput, "%s cannot be a step", words[0])
		}
		if err := byItself(o, nil); err != nil {
			return "", nil, err
		}
		input, err := op.ParseArgs(o, words[1:])
		if err == nil {
			err = byItself(o, input)
		}
		if err != nil {
			return "", nil, err
		}
		if _, named := input["udid"]; !named && input["sim"] == nil {
			if t.UDID != "" {
				input["udid"] = t.UDID
			} else if t.Sim != "" {
				input["sim"] = t.Sim
			}
		}
		raw, err := json.Marshal(input)
		if err == nil {
			err = o.Check(&op.Call{Session: c.Session, Dir: c.Dir, Env: c.Env}, raw)
		}
		return b.catalogue().ID(o), raw, err
	}
	return "", nil, fault.New(fault.InvalidInput, "unknown command %q", words[0]).WithHint("%s", b.forms())
}

// byItself refuses a step that needs approval of its own. The user approves a batch as a whole, without seeing its steps.
func byItself(o op.Op, input map[string]any) error {
	why := ""
	switch {
	case o.Hints.Has(op.Executes):
		why = "runs code of the caller's choice"
	case o.Hints.Has(op.Destructive):
		why = "may lose data"
	}
	for _, f := range o.Fields() {
		if _, given := input[f.Name]; given && f.Risky() {
			why = "with " + hint.Field(f.Name) + " names a file, may lose data or sends requests elsewhere"
		}
	}
	for _, s := range o.Shorts() {
		if _, given := input[s.Default]; given && s.Elsewhere != "" {
			why = "with " + hint.Field(s.Flag) + " names a server"
		}
	}
	if why == "" {
		return nil
	}
	return fault.New(fault.InvalidInput, "%s %s and cannot be a step", o.Verb, why).WithHint("call %s outside of the batch", o.Verb)
}
