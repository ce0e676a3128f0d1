// Package steps remembers the calls that drove a device. A Store observes calls and stores each as a Step under the id that the answer
// has in meta.step: its input, its outcome, the screens before and after, and the range of its log lines. It never drives a device.
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

// Store has the steps. Like jobs, steps belong to their session, because they contain its inputs and screens.
type Store struct {
	line func(*op.Call) (int64, bool)

	mu     sync.Mutex
	last   int
	kept   map[int]Step
	ranges map[int]*lineRange
	newest map[string]int // last step of each device
}

// Options configure a Store.
type Options struct {
	// Line is the number of the newest log line when a call begins to act; false if it is unknown. Nil: no log.
	Line func(*op.Call) (int64, bool)
}

// New makes a store without steps.
func New(o Options) *Store {
	return &Store{line: o.Line, kept: map[int]Step{}, ranges: map[int]*lineRange{}, newest: map[string]int{}}
}

var _ op.Observer = (*Store)(nil)

// mostSteps is the maximum number of steps and mostStepBytes the maximum size of one. A larger step loses its result first, and then
// every text is cut to mostStepText bytes.
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
	Input   map[string]any  `json:"input"` // secrets are masked
	Time    time.Time       `json:"time"`
	TookMS  int64           `json:"took_ms"`
	Status  string          `json:"status"`
	Answer  string          `json:"answer" lines:"ours"` // text of the answer
	Error   *fault.Fault    `json:"error,omitempty"`
	Notices []op.Notice     `json:"notices,omitempty"`
	Screens []string        `json:"snapshots,omitempty"` // ids of the screens before and after
	Result  json.RawMessage `json:"result,omitempty"`
	LeftOut int             `json:"result_bytes_left_out,omitempty"` // size of a result that was too large to store
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

// Begin watches a call. The call becomes a step when it acts.
func (s *Store) Begin(c *op.Call) op.Watch { return &watch{s, c} }

// watch is a call that may become a step.
type watch struct {
	store *Store
	call  *op.Call
}

// Act gives the call its step id and records the start of its log lines.
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

// End stores a call that acted.
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

// number is the number in a step id; 0 for an invalid id.
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
	e.Meta.Notices = nil // notices have a field of their own
	one.Answer = e.Text()
	one.fit()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[number(id)] = one
	if len(s.kept) > mostSteps {
		delete(s.kept, slices.Min(slices.Collect(maps.Keys(s.kept))))
	}
}

// fit reduces the step to the maximum size. The remaining fields share no memory with the removed ones.
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

// size is the size of the step as JSON, in bytes.
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

// stepIn is the input of the step operation.
type stepIn struct {
	Step string `json:"step" doc:"id of the step, from meta.step (s12), or last" cli:"arg" match:"^(s[0-9]{1,9}|last)$"`
}

// Ops are the operations on steps.
func (s *Store) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{Name: "show_step", Groups: []string{"system"}, Verb: "step show", Route: "GET /api/v1/steps/{step}",
			Hints: op.ReadOnly | op.Idempotent, Summary: "Show a call's input, outcome, diff, times and screens",
			Help: "Every answer of an operation that drives a device has the id in meta.step. A session sees its own steps; the daemon keeps\n" +
				"the last 500. Text typed into secure or unknown fields is masked.",
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
