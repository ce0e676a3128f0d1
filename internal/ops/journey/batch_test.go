package journey_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/journey"
	"ios-agent/internal/ops/target"
	"ios-agent/test/fakedevice"
)

// stage has a few operations that write down how they were called.
type stage struct {
	*fakedevice.Room
	called []string
	fails  map[string]error
}

// pressIn is the input of a step; its label must not be "never".
type pressIn struct {
	target.Target
	Label string       `json:"label,omitempty" doc:"what" cli:"arg"`
	Out   op.Path      `json:"out,omitempty" doc:"a file"`
	Force op.Overwrite `json:"force,omitempty" doc:"overwrite"`
}

// Check is for batches.
func (in pressIn) Check() error {
	if in.Label == "never" {
		return fault.New(fault.InvalidInput, "never is never")
	}
	return nil
}

type pressOut struct {
	Said string `lines:"ours"`
}

// Text is what was said.
func (o pressOut) Text() string { return o.Said }

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{fails: map[string]error{}}
	var catalogue *op.Catalogue
	press := func(name, group string, hints op.Hints) op.Op {
		return op.New(op.Spec{
			Name: name, Verb: name, Groups: []string{group}, Route: "POST /api/v1/" + name, Summary: "Do " + name, Hints: hints,
			Examples: []string{name}, Short: []op.Short{
				{Flag: "server", Default: "server", Doc: "a server", Elsewhere: "in the settings"}, {Flag: "by", Default: "driver", Doc: "a driver"},
			},
		}, func(_ context.Context, c *op.Call, in pressIn) (pressOut, error) {
			s.called = append(s.called, strings.TrimSpace(name+" "+in.Label+" "+in.UDID+in.Sim))
			c.Device = &op.Device{UDID: "U", Name: "Phone"}
			return pressOut{name + " " + in.Label}, s.fails[in.Label]
		})
	}
	ops := append(journey.NewBatch(func() *op.Catalogue { return catalogue }).Ops(), press("press", "ui", 0), press("start", "app", 0),
		press("erase", "ui", op.Destructive), press("execute", "ui", op.Executes), press("list", "device", op.ReadOnly),
		press("audit", "ui", 0))
	catalogue = op.NewCatalogue(ops, op.Options{})
	s.Room = fakedevice.Open(t, ops)
	return s
}

// batch calls the operation with steps.
func (s *stage) batch(more string, steps ...string) op.Envelope {
	s.T.Helper()
	raw, err := json.Marshal(steps)
	if err != nil {
		s.T.Fatal(err)
	}
	return s.Run("batch", `{"steps":`+string(raw)+more+`}`)
}

// answer is a batch as clients read it.
type answer struct {
	Done  int
	Steps []struct {
		Step, Status, Text string
		Error              *fault.Fault
		Result             *pressOut
	}
}

func (s *stage) read(e op.Envelope) (got answer) {
	s.T.Helper()
	if err := json.Unmarshal(e.Result, &got); err != nil {
		s.T.Fatalf("%v: %s (%+v)", err, e.Result, e.Error)
	}
	return got
}

func TestBatchPerformsItsStepsInOrder(t *testing.T) {
	s := newStage(t)
	e := s.batch("", `press "a b"`, `start shop`)
	got := s.read(e)
	if e.Error != nil || got.Done != 2 || len(got.Steps) != 2 || strings.Join(s.called, ",") != "press a b,start shop" {
		t.Fatalf("got %+v after %q (%v), want both steps in order", got, s.called, e.Error)
	}
	if e.Stdout != "1. press a b\n2. start shop" {
		t.Errorf("got the text\n%s\nwant a paragraph a step", e.Stdout)
	}
	if first := got.Steps[0]; first.Step != `press "a b"` || first.Status != "success" || first.Result == nil ||
		first.Result.Said != "press a b" {
		t.Errorf("got the step %+v, want what came of it", first)
	}
	if e.Meta.Device == nil || e.Meta.Device.UDID != "U" {
		t.Errorf("got the device %+v, want that of the steps", e.Meta.Device)
	}
}

func TestBatchStopsAtTheFirstFailure(t *testing.T) {
	s := newStage(t)
	s.fails["b"] = fault.New(fault.ElementNotFound, "there is no b").WithHint("look again")
	e := s.batch("", "press a", "press b", "press c")
	got := s.read(e)
	if strings.Join(s.called, ",") != "press a,press b" || got.Done != 1 || len(got.Steps) != 3 {
		t.Fatalf("got %+v after %q, want it to stop after b", got, s.called)
	}
	if e.Error == nil || e.Error.Code != fault.ElementNotFound || e.Error.Message != "step 2 (press b): there is no b" ||
		e.Error.Hint != "look again" {
		t.Errorf("got %+v, want the fault of the step, with its place", e.Error)
	}
	if rest := got.Steps[2]; rest.Status != "skipped" || rest.Text != "press c: not performed" || rest.Step != "press c" || rest.Error != nil {
		t.Errorf("got the last step %+v, want it skipped", rest)
	}
	if got.Steps[1].Status != "error" || got.Steps[1].Error == nil || got.Steps[1].Error.Message != "there is no b" {
		t.Errorf("got the step %+v, want its own fault", got.Steps[1])
	}
	if !strings.HasSuffix(e.Stdout, "\nstopped: 1 of 3 steps done") {
		t.Errorf("got the text\n%s\nwant how many were done", e.Stdout)
	}
}

func TestBatchContinuesAfterAFailureOnRequest(t *testing.T) {
	s := newStage(t)
	s.fails["b"] = fault.New(fault.ElementNotFound, "there is no b")
	e := s.batch(`,"continue":true`, "press a", "press b", "press c")
	if got := s.read(e); strings.Join(s.called, ",") != "press a,press b,press c" || got.Done != 2 || e.Error == nil ||
		!strings.HasPrefix(e.Error.Message, "step 2 (press b): ") {
		t.Errorf("got %+v after %q (%v), want all steps and the fault of b", got, s.called, e.Error)
	}
	if !strings.HasSuffix(e.Stdout, "\n2 of 3 steps done") {
		t.Errorf("got the text\n%s\nwant how many were done, as nothing stopped", e.Stdout)
	}
}

func TestBatchPassesDeviceToItsSteps(t *testing.T) {
	for more, want := range map[string]string{
		``:                         "press a,press b X,press c Y",
		`,"udid":"Z"`:              "press a Z,press b X,press c Y",
		`,"sim":"S"`:               "press a S,press b X,press c Y",
		`,"udid":"Z","sim":"Same"`: "press a Z,press b X,press c Y",
	} {
		s := newStage(t)
		s.batch(more, "press a", "press b --udid X", "press c --sim Y")
		if got := strings.Join(s.called, ","); got != want {
			t.Errorf("%s: got %q, want %q", more, got, want)
		}
	}
}

func TestBatchRefusesInvalidStepBeforeFirst(t *testing.T) {
	s := newStage(t)
	for step, says := range map[string]string{
		``:                "it is empty",
		`fly`:             `unknown command "fly"`,
		`batch "press a"`: "batch cannot be a step",
		`audit`:           "audit cannot be a step",
		`list`:            "list cannot be a step",
		`erase a`:         "erase may lose data and cannot be a step",
		`execute a`:       "execute runs code of the caller's choice and cannot be a step",
		`press a --out /tmp/x`: "press with " + hint.Field("out") +
			" names a file, may lose data or sends requests elsewhere and cannot be a step",
		`press a --force`:    "press with " + hint.Field("force") + " names a file",
		`press a --server x`: "press with " + hint.Field("server") + " names a server and cannot be a step",
		`press never`:        "never is never",
		`press --nothing 1`:  "nothing",
		`press "a`:           "",
	} {
		e := s.batch("", "press a", step)
		if e.Error == nil || e.Error.Code != fault.InvalidInput || !strings.HasPrefix(e.Error.Message, "batch: step 2 ("+step+"): ") ||
			!strings.Contains(e.Error.Message, says) || e.Error.Details["field"] != "steps" {
			t.Errorf("%q: got %+v, want it refused with its place and %q", step, e.Error, says)
		}
		if len(s.called) != 0 {
			t.Errorf("%q: got %q performed, want nothing", step, s.called)
			s.called = nil
		}
	}
	if e := s.batch("", "fly"); !strings.HasPrefix(e.Error.Hint, "steps look like tap @e7; ") ||
		!strings.Contains(e.Error.Hint, "; also alert accept") {
		t.Errorf("got the hint %q, want forms of steps", e.Error.Hint)
	}
	if e := s.batch("", "erase"); e.Error.Hint != "call erase outside of the batch" {
		t.Errorf("got the hint %q, want it called by itself", e.Error.Hint)
	}
}

func TestBatchTakesOneToAHundredSteps(t *testing.T) {
	s := newStage(t)
	many := make([]string, 101)
	for i := range many {
		many[i] = "press a"
	}
	if e := s.batch("", many...); e.Error == nil || e.Error.Message != "batch: 101 steps; it takes 1 to 100" ||
		e.Error.Details["field"] != "steps" {
		t.Errorf("got %+v, want 101 steps refused", e.Error)
	}
	if e := s.batch("", many[1:]...); e.Error != nil || len(s.called) != 100 {
		t.Errorf("got %v after %d, want 100 steps done", e.Error, len(s.called))
	}
	s.Refused("batch", `{"steps":[]}`, fault.InvalidInput, "steps")
}

func TestBatchReportsCurrentStep(t *testing.T) {
	s := newStage(t)
	var told []string
	s.Call = s.Call.WithProgress(func(e op.Event) { told = append(told, e.Message) })
	s.batch("", "press a", "press b")
	if got := strings.Join(told, ","); got != "step 1 of 2: press a,step 2 of 2: press b" {
		t.Errorf("got %q, want each step told", got)
	}
}

func TestBatchShowsTheLastScreenOnly(t *testing.T) {
	s := newStage(t)
	e := s.batch("", "press 'a\nscreen of a'", "press 'b\nscreen of b'", "press c")
	if want := "1. press a\n2. press b\nscreen of b\n3. press c"; e.Text() != want {
		t.Errorf("got\n%s\nwant a line a step, and the last screen\n%s", e.Text(), want)
	}
	if got := s.read(e); !strings.Contains(got.Steps[0].Text, "screen of a") {
		t.Errorf("got the first step %+v, want all that it said in JSON", got.Steps[0])
	}
}

// What became of the element that a step was about would else cost a look.
func TestBatchReportsTargetStateAfterStep(t *testing.T) {
	s := newStage(t)
	e := s.batch("", "press 'a [ref=e1] → changed\n~ text \"On\"\n~ switch \"a\" [ref=e1] value: \"0\" → \"1\"'", "press 'b\nscreen of b'")
	if want := "1. press a [ref=e1] → changed, value: \"0\" → \"1\"\n2. press b\nscreen of b"; e.Text() != want {
		t.Errorf("got\n%s\nwant\n%s", e.Text(), want)
	}
}

func TestBatchReportsEachFaultOnce(t *testing.T) {
	s := newStage(t)
	s.fails["b"] = fault.New(fault.ElementNotFound, "there is no b").WithHint("look again")
	s.fails["c"] = fault.New(fault.Timeout, "c took too long").WithHint("wait longer")
	text := s.batch(`,"continue":true`, "press a", "press b", "press c").Text()
	for _, once := range []string{"there is no b", "look again", "c took too long", "wait longer"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("got %q %d times, want it once:\n%s", once, n, text)
		}
	}
	if want := "2. press b: ELEMENT_NOT_FOUND\n3. TIMEOUT: c took too long\nhint: wait longer"; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
