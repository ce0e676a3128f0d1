package op

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
)

// Steps remember what calls did to devices, each under the id that its answer gives in meta.step. The zero value is ready.
// Like jobs, steps belong to their session: they hold what it gave and what it saw.
type Steps struct {
	mu     sync.Mutex
	last   int
	kept   map[int]Step
	ranges map[int]*lineRange
	newest map[string]int // the last step of every device
}

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
	Device  *Device         `json:"device,omitempty"`
	Input   map[string]any  `json:"input"` // what may be secret is masked
	Time    time.Time       `json:"time"`
	TookMS  int64           `json:"took_ms"`
	Status  string          `json:"status"`
	Answer  string          `json:"answer"` // its text
	Error   *fault.Fault    `json:"error,omitempty"`
	Notices []Notice        `json:"notices,omitempty"`
	Screens []string        `json:"snapshots,omitempty"` // ids of the screens before and after
	Result  json.RawMessage `json:"result,omitempty"`
	LeftOut int             `json:"result_bytes_left_out,omitempty"` // of a result too large to be remembered
	Lines   *LogRange       `json:"log_range,omitempty"`             // of what its device logged; `ios-agent logs --step` shows it
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

// BeginStep gives the call a step id: it is about to drive its device. Further calls change nothing.
func (c *Call) BeginStep() {
	if c.steps == nil || c.step != 0 {
		return
	}
	if c.lines != nil && c.Device != nil {
		c.from = c.lines.Now(c.Device.UDID)
	}
	c.began = time.Now()
	c.step = c.steps.begin(c)
}

// Reveal says that an input that may be secret is not in this call: the screen shows it.
func (c *Call) Reveal(field string) { c.revealed = append(c.revealed, field) }

func stepID(number int) string {
	if number == 0 {
		return ""
	}
	return "s" + strconv.Itoa(number)
}

func (s *Steps) begin(c *Call) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	if c.lines != nil && c.Device != nil {
		s.mark(s.last, c.Session, c.Device.UDID, c.from, c.began)
	}
	return s.last
}

// keep remembers a call that is over.
func (s *Steps) keep(o Op, call *Call, input []byte, started time.Time, e Envelope) {
	one := Step{
		ID: stepID(call.step), Op: o.Name, Session: call.Session, Device: call.Device, Input: o.masked(call.secrets.JSON(input), call.revealed),
		Time: started.UTC(), TookMS: e.Meta.TookMS, Status: e.Status, Error: e.Error, Notices: slices.Clone(e.Meta.Notices),
		Screens: call.Screens, Result: e.Result,
	}
	e.Meta.Notices = nil // they have their own field
	one.Answer = e.Text()
	one.fit()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[int]Step{}
	}
	s.kept[call.step] = one
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
		s.Notices[i] = Notice{Kind: n.Kind, Text: shortened(cmp.Or(n.Text, strings.Join(n.Lines, "\n")))}
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

// withheld stands for an input that may be secret.
const withheld = "•••"

// masked is the input of a call without what may be secret.
func (o Op) masked(input []byte, revealed []string) map[string]any {
	values, err := o.Read(input)
	if err != nil {
		return map[string]any{}
	}
	for _, f := range o.Fields() {
		if _, given := values[f.Name]; given && f.Private && !slices.Contains(revealed, f.Name) {
			values[f.Name] = withheld
		}
	}
	return values
}

// stepIn names a step.
type stepIn struct {
	Step string `json:"step" doc:"the step's id, such as s12: meta.step of its answer" cli:"arg" match:"^s[0-9]{1,9}$"`
}

// Ops are the operations on steps.
func (s *Steps) Ops() []Op {
	return []Op{
		New(Spec{Name: "show_step", Groups: []string{"system"}, Verb: "step show", Route: "GET /api/v1/steps/{step}",
			Hints: ReadOnly | Idempotent, Summary: "Show what a call did to a device: its input, outcome, diff, times and screens",
			Help: "Every answer of an operation that drives a device has the id in meta.step. The last 500 steps are remembered, for the\n" +
				"session that made them. What was typed into a secure field, or is unknown to be harmless, is masked.",
			Examples: []string{"step show s12"}}, s.show),
	}
}

func (s *Steps) show(_ context.Context, c *Call, in stepIn) (Step, error) {
	number, _ := strconv.Atoi(in.Step[1:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if one, known := s.kept[number]; known && one.Session == c.Session {
		if r := s.ranges[number]; r != nil {
			of := r.lines
			one.Lines = &of
		}
		return one, nil
	}
	return Step{}, fault.New(fault.StepNotFound, "this session has no step %q", in.Step).With("field", "step").
		WithHint("%s", s.otherSteps(c.Session))
}
