package op_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

type driveIn struct {
	Name string `json:"name" doc:"whom"`
	Text string `json:"text,omitempty" doc:"what" private:"true"`
}

type said struct {
	Said string `json:"said"`
}

func (s said) Text() string { return s.Said }

// driving is a catalogue with an operation that drives a device and tells notices in the wrong order.
func driving(jobs *op.Jobs) *op.Catalogue {
	steps := &op.Steps{}
	drive := func(_ context.Context, c *op.Call, in driveIn) (said, error) {
		c.Device = &op.Device{UDID: "D1"}
		c.BeginStep()
		for _, kind := range []op.NoticeKind{op.Net, op.Logged, op.Meanwhile, op.Paused, op.Config} {
			c.Notify(op.Notice{Kind: kind, Text: "told"})
		}
		c.Notify(op.Notice{Kind: op.Meanwhile, Text: "by whom", Lines: []string{"+ a", "- b"}})
		if in.Name == "shown" {
			c.Reveal("text")
		}
		return said{strings.Repeat("drove "+in.Name, max(1, len(in.Text)))}, nil
	}
	spec := op.Spec{Name: "drive", Groups: []string{"thing"}, Summary: "Drive", Long: jobs != nil}
	c := op.NewCatalogue(append(append([]op.Op{op.New(spec, drive)}, steps.Ops()...), jobs.Ops()...))
	c.Steps, c.Jobs = steps, jobs
	return c
}

func TestNoticesHaveOneOrder(t *testing.T) {
	e := driving(nil).Run(t.Context(), "drive", op.Call{Session: "a"}, []byte(`{"name":"x"}`))
	want := "config: told\npaused: told\nmeanwhile: told\nmeanwhile (by whom):\n+ a\n- b\ndrove x\nlog: told\nnet: told"
	if e.Text() != want {
		t.Errorf("%s", e.Text())
	}
	raw, err := json.Marshal(e.Meta)
	if err != nil || !strings.Contains(string(raw), `"notices":[{"kind":"config","text":"told"},{"kind":"paused"`) {
		t.Errorf("%v %s", err, raw)
	}
	e.Error = fault.New(fault.Timeout, "late")
	if !strings.Contains(e.Text(), "- b\nTIMEOUT: late\n") {
		t.Error(e.Text())
	}
}

// TestStepsAreBounded: the oldest are forgotten, and so is a result that is too large.
func TestStepsAreBounded(t *testing.T) {
	c := driving(nil)
	show := func(id string) (op.Step, *fault.Fault) {
		e := c.Run(t.Context(), "show_step", op.Call{Session: "a"}, fmt.Appendf(nil, `{"step":%q}`, id))
		var s op.Step
		if e.Error == nil {
			if err := json.Unmarshal(e.Result, &s); err != nil {
				t.Fatal(err)
			}
		}
		return s, e.Error
	}
	for i := range 501 {
		if e := c.Run(t.Context(), "drive", op.Call{Session: "a"}, []byte(`{"name":"x"}`)); e.Meta.Step != fmt.Sprintf("s%d", i+1) {
			t.Fatal(e.Meta.Step)
		}
	}
	if _, f := show("s1"); f == nil || f.Code != fault.StepNotFound || !strings.Contains(f.Hint, "s501") {
		t.Errorf("the oldest is there: %v", f)
	}
	if s, f := show("s2"); f != nil || s.Answer != "drove x" || len(s.Notices) != 6 {
		t.Errorf("%v %+v", f, s)
	}
	c.Run(t.Context(), "drive", op.Call{Session: "a"}, fmt.Appendf(nil, `{"name":"x","text":%q}`, strings.Repeat("y", 9000)))
	if s, f := show("s502"); f != nil || s.Result != nil || s.LeftOut < 16<<10 || s.Input["text"] != "•••" {
		t.Errorf("%v %d %v", f, s.LeftOut, s.Input)
	}
	c.Run(t.Context(), "drive", op.Call{Session: "a"}, []byte(`{"name":"shown","text":"z"}`))
	if s, _ := show("s503"); s.Input["text"] != "z" {
		t.Errorf("what was revealed is masked: %v", s.Input)
	}
}

// TestLargeStepsAreCut: whatever is large about a call, remembering it takes little.
func TestLargeStepsAreCut(t *testing.T) {
	large := strings.Repeat("y", 50_000) // a hundred of one kind that were not cut would be 5 MB
	drive := func(_ context.Context, c *op.Call, in driveIn) (said, error) {
		c.BeginStep()
		switch in.Text {
		case "notices":
			c.Notify(op.Notice{Kind: op.Meanwhile, Lines: []string{large}})
		case "lines":
			return said{"drove\n" + large}, nil
		case "one line":
			return said{large}, nil
		case "fault":
			return said{}, fault.New(fault.ElementNotFound, "no %s", large).With("candidates", []string{large}).WithDispatch(fault.NotDispatched)
		}
		return said{"drove"}, nil
	}
	steps := &op.Steps{}
	c := op.NewCatalogue(append(steps.Ops(), op.New(op.Spec{Name: "drive", Groups: []string{"thing"}, Summary: "Drive"}, drive)))
	c.Steps = steps
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	for i := range 500 {
		text := []string{"notices", "lines", "one line", "fault", "input"}[i%5]
		input := fmt.Appendf(nil, `{"name":%q,"text":%q}`, "ada", text)
		if text == "input" {
			input = fmt.Appendf(nil, `{"name":%q}`, large)
		}
		c.Run(t.Context(), "drive", op.Call{Session: "a"}, input)
	}
	if held := live() - before; held > 3<<20 {
		t.Errorf("500 steps take %d KB", held>>10)
	}
	for id, want := range map[string]string{
		"s496": `"input":{"name":"ada","text":"•••"}`, "s497": `"answer":"drove"`, "s498": "yyy… (50000 bytes)",
		"s499": `"code":"ELEMENT_NOT_FOUND"`, "s500": `"input":{"name":"yyy`,
	} {
		e := c.Run(t.Context(), "show_step", op.Call{Session: "a"}, fmt.Appendf(nil, `{"step":%q}`, id))
		if size := len(e.Result); e.Error != nil || size > 16<<10 || !strings.Contains(string(e.Result), want) {
			t.Errorf("%s, %d bytes: %.300s", id, size, e.Text())
		}
	}
}

// TestAJobTellsItsNotices to whoever asks for its result.
func TestAJobTellsItsNotices(t *testing.T) {
	c := driving(&op.Jobs{Keep: op.JobKeep})
	c.Run(t.Context(), "drive", op.Call{Session: "a"}, []byte(`{"name":"x"}`))
	e := c.Run(t.Context(), "job_wait", op.Call{Session: "a"}, []byte(`{"job":"job1"}`))
	if e.Meta.Step != "s1" || len(e.Meta.Notices) != 6 || !strings.HasPrefix(e.Text(), "config: told\n") {
		t.Errorf("%+v\n%s", e.Meta, e.Text())
	}
}
