// Package steps remembers the calls that drove a device, each under the id that its answer gives in meta.step: what was asked, what came
// of it, between which screens, and which lines of the log belong to it. It observes calls and drives nothing.
package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// Store holds the steps. Like jobs, steps belong to their session: they hold what it gave and what it saw.
type Store struct {
	line func(*op.Call) (int64, bool)

	mu     sync.Mutex
	last   int
	kept   map[int]Step
	ranges map[int]*lineRange
	newest map[string]int // the last step of every device
}

// Options say what a step is remembered with.
type Options struct {
	// Line is the number of the newest line of the log when a call began to act; false: nobody counts. Nil: there is no log.
	Line func(*op.Call) (int64, bool)
}

// New makes a store without steps.
func New(o Options) *Store {
	return &Store{line: o.Line, kept: map[int]Step{}, ranges: map[int]*lineRange{}, newest: map[string]int{}}
}

var _ op.Observer = (*Store)(nil)

// mostSteps is how many steps are remembered, and mostStepBytes how large one may be. Of a larger one the result is left out; if that
// is not enough, every text of more than mostStepText bytes is cut.
const (
	mostSteps       = 500
	mostStepBytes   = 16 << 10
	mostStepText    = 500
	mostStepNotices = 5
)

// Step is one call that drove a device.
type Step struct {
	ID      string          `json:"step"`
	Op      string          `json:"operation"`
	Session string          `json:"session"`
	Device  *op.Device      `json:"device,omitempty"`
	Input   map[string]any  `json:"input"` // what may be secret is masked
	Time    time.Time       `json:"time"`
	TookMS  int64           `json:"took_ms"`
	Status  string          `json:"status"`
	Answer  string          `json:"answer" lines:"ours"` // its text
	Error   *fault.Fault    `json:"error,omitempty"`
	Notices []op.Notice     `json:"notices,omitempty"`
	Screens []string        `json:"snapshots,omitempty"` // ids of the screens before and after
	Result  json.RawMessage `json:"result,omitempty"`
	LeftOut int             `json:"result_bytes_left_out,omitempty"` // of a result too large to be remembered
	Lines   *LogRange       `json:"log_range,omitempty"`             // log lines of its device during the step
}

// Text is the call and its answer.
func (s Step) Text() string {
	input, err := json.Marshal(s.Input)
	if err != nil {
		input = []byte("{}")
	}
	head := fmt.Sprintf("%s: %s %s, %s, took %d ms", s.ID, s.Op, input, s.Time.Format(time.RFC3339), s.TookMS)
	return strings.TrimSpace(head + "\n" + s.Answer)
}

// Begin watches a call: it becomes a step when it acts.
func (s *Store) Begin(c *op.Call) op.Watch { return &watch{s, c} }

// watch is a call that may become a step.
type watch struct {
	store *Store
	call  *op.Call
}

// Act gives the call the id of its step, and notes where its lines begin.
func (w *watch) Act() {
	line, counted := int64(0), false
	if w.store.line != nil && w.call.Device != nil {
		line, counted = w.store.line(w.call)
	}
	now := time.Now()
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.store.last++
	if counted {
		w.store.mark(w.store.last, w.call.Session, w.call.Device.UDID, line, now)
	}
	w.call.SetStep(stepID(w.store.last), now)
}

// End remembers a call that acted.
func (w *watch) End(_ context.Context, x *op.Exchange) {
	if id, _ := x.Call.Step(); id != "" && x.Mode != op.Stream {
		w.store.keep(id, x)
	}
}

func stepID(number int) string {
	if number == 0 {
		return ""
	}
	return "s" + strconv.Itoa(number)
}

// number is that of an id; 0: it has none.
func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "s"))
	return n
}

func (s *Store) keep(id string, x *op.Exchange) {
	e := x.Answer
	one := Step{
		ID: id, Op: x.Name, Session: x.Call.Session, Device: x.Call.Device, Input: x.Input(), Time: x.Began.UTC(), TookMS: e.Meta.TookMS,
		Status: e.Status, Error: e.Error, Notices: slices.Clone(e.Meta.Notices), Result: e.Result,
	}
	for _, sight := range x.Seen {
		one.Screens = append(one.Screens, sight.Hash())
	}
	e.Meta.Notices = nil // they have their own field
	one.Answer = e.Text()
	one.fit()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[number(id)] = one
	if len(s.kept) > mostSteps {
		delete(s.kept, slices.Min(slices.Collect(maps.Keys(s.kept))))
	}
}

// fit makes the step small enough to be remembered. Nothing of what is left out is held by what stays.
func (s *Step) fit() {
	if s.size() <= mostStepBytes {
		return
	}
	s.Result, s.LeftOut = nil, len(s.Result)
	head, _, _ := strings.Cut(s.Answer, "\n")
	if s.Answer = strings.Clone(head); s.size() <= mostStepBytes {
		return
	}
	s.Answer = shortened(s.Answer)
	for name, value := range s.Input {
		if text, is := value.(string); is {
			s.Input[name] = shortened(text)
		} else if raw, err := json.Marshal(value); err != nil || len(raw) > mostStepText {
			s.Input[name] = shortened(string(raw))
		}
	}
	if f := s.Error; f != nil {
		s.Error = &fault.Fault{Code: f.Code, Message: shortened(f.Message), Hint: shortened(f.Hint), Dispatched: f.Dispatched}
	}
	for i, n := range s.Notices {
		s.Notices[i] = op.Notice{Kind: n.Kind, Text: shortened(cmp.Or(n.Text, strings.Join(n.Lines, "\n")))}
	}
	s.Notices = s.Notices[:min(len(s.Notices), mostStepNotices)]
}

// size is how many bytes the step has as JSON.
func (s *Step) size() int {
	raw, err := json.Marshal(s)
	if err != nil {
		return mostStepBytes + 1
	}
	return len(raw)
}

// shortened is the beginning of a text.
func shortened(text string) string {
	if len(text) <= mostStepText {
		return text
	}
	return strings.ToValidUTF8(text[:mostStepText], "") + fmt.Sprintf("… (%d bytes)", len(text))
}

// stepIn names a step.
type stepIn struct {
	Step string `json:"step" doc:"its id, such as s12: meta.step of its answer; or last" cli:"arg" match:"^(s[0-9]{1,9}|last)$"`
}

// Ops are the operations on steps.
func (s *Store) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{Name: "show_step", Groups: []string{"system"}, Verb: "step show", Route: "GET /api/v1/steps/{step}",
			Hints: op.ReadOnly | op.Idempotent, Summary: "Show what a call did to a device: its input, outcome, diff, times and screens",
			Help: "Every answer of an operation that drives a device has the id in meta.step. The last 500 steps are remembered, for the\n" +
				"session that made them. What was typed into a secure field, or is unknown to be harmless, is masked.",
			Examples: []string{"step show s12", "step show last"}}, s.show),
	}
}

func (s *Store) show(_ context.Context, c *op.Call, in stepIn) (Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := number(in.Step)
	if in.Step == Last {
		n = s.lastOf(c.Session, "")
	}
	if one, known := s.kept[n]; known && one.Session == c.Session {
		if r := s.ranges[n]; r != nil {
			of := r.lines
			one.Lines = &of
		}
		return one, nil
	}
	return Step{}, fault.New(fault.StepNotFound, "this session has no step %q", in.Step).With("field", "step").
		WithHint("%s", s.otherSteps(c.Session))
}
