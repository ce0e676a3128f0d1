package steps_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

type driveIn struct {
	Name string `json:"name" doc:"whom"`
	Text string `json:"text,omitempty" doc:"what" private:"true"`
}

type said struct {
	Said string `json:"said" lines:"ours"`
}

func (s said) Text() string { return s.Said }

// sight is a screen of which only the hash is known.
type sight string

func (s sight) Hash() string { return string(s) }

// driving is a catalogue with show_step, one operation that drives a device, and one that looks at it. The newest line of its log is the
// one that the test says.
type driving struct {
	*op.Catalogue
	store *steps.Store
	line  int64
}

func newDriving(drive func(*op.Call, driveIn) (said, error)) *driving {
	d := &driving{}
	d.store = steps.New(steps.Options{Line: func(*op.Call) (int64, bool) { return d.line, true }})
	spec := op.Spec{Name: "drive", Groups: []string{"thing"}, Summary: "Drive"}
	do := func(_ context.Context, c *op.Call, in driveIn) (said, error) { return drive(c, in) }
	look := func(_ context.Context, c *op.Call, _ struct{}) (said, error) {
		c.Device = &op.Device{UDID: "D1"}
		return said{"looked"}, nil
	}
	d.Catalogue = op.NewCatalogue(append(d.store.Ops(), op.New(spec, do),
		op.New(op.Spec{Name: "look", Groups: []string{"thing"}, Summary: "Look"}, look)), op.Options{Observers: []op.Observer{d.store}})
	return d
}

// onD1 drives the device D1.
func onD1(c *op.Call, in driveIn) (said, error) {
	c.Device = &op.Device{UDID: "D1"}
	c.Act()
	c.Saw(sight("before"), sight("after"))
	c.Notify(op.Notice{Kind: op.Meanwhile, Text: "by whom", Lines: []string{"+ a", "- b"}})
	if in.Name == "shown" {
		c.Reveal("text")
	}
	return said{strings.Repeat("drove "+in.Name, max(1, len(in.Text)))}, nil
}

// call makes a call of session a, and gives the id of its step.
func (d *driving) call(t *testing.T, name, input string) string {
	t.Helper()
	e := d.Run(t.Context(), name, op.Call{Session: "a"}, []byte(input))
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	return e.Meta.Step
}

// show is what session a is told of a step.
func (d *driving) show(t *testing.T, id string) (s steps.Step, f *fault.Fault) {
	t.Helper()
	e := d.Run(t.Context(), "show_step", op.Call{Session: "a"}, fmt.Appendf(nil, `{"step":%q}`, id))
	if e.Error == nil {
		if err := json.Unmarshal(e.Result, &s); err != nil {
			t.Fatal(err)
		}
	}
	return s, e.Error
}

// TestStepStoresCallAndAnswer: with its notices beside its text, the hashes of its screens, and only for calls that acted.
func TestStepStoresCallAndAnswer(t *testing.T) {
	d := newDriving(onD1)
	if id := d.call(t, "look", "{}"); id != "" {
		t.Errorf("a look has the step %q", id)
	}
	id := d.call(t, "drive", `{"name":"x","text":"y"}`)
	s, f := d.show(t, id)
	if f != nil || id != "s1" || s.ID != id || s.Op != "drive" || s.Status != op.Success || s.Device == nil || s.Device.UDID != "D1" {
		t.Errorf("got %v %+v, want the call of drive on D1 as s1", f, s)
	}
	want := "map[name:x text:•••] [before after] [meanwhile (by whom):\n+ a\n- b]"
	if got := fmt.Sprint(s.Input, s.Screens, s.Notices); got != want || s.Answer != "drove x" {
		t.Errorf("got %q, want %q", got, want)
	}
	if e := d.Run(t.Context(), "show_step", op.Call{Session: "b"}, []byte(`{"step":"s1"}`)); e.Error == nil {
		t.Errorf("another session is told %s", e.Text())
	}
}

// TestStepLogLinesEndAtNextStep on its device; a session finds its own steps alone.
func TestStepLogLinesEndAtNextStep(t *testing.T) {
	d := newDriving(onD1)
	d.line = 7
	d.call(t, "drive", `{"name":"x"}`)
	if of, step, device, err := d.store.LinesOf("a", steps.Last, ""); err != nil || of.After != 7 || of.Upto != nil || step+device != "s1D1" {
		t.Errorf("got %+v of %s on %s, %v; want an open range after line 7", of, step, device, err)
	}
	d.line = 9
	d.call(t, "drive", `{"name":"x"}`)
	of, _, _, err := d.store.LinesOf("a", "s1", "")
	if err != nil || of.Upto == nil || *of.Upto != 9 {
		t.Errorf("got %+v, %v; want lines 7 to 9", of, err)
	}
	from, to, _, _, err := d.store.TimesOf("a", "s1", "")
	next, _, _, _, _ := d.store.TimesOf("a", "s2", "")
	if err != nil || !to.Equal(next) || to.Before(from) {
		t.Errorf("got %s to %s, %v; want it to end at %s", from, to, err, next)
	}
	for _, id := range []string{"s3", steps.Last} {
		if _, _, _, err := d.store.LinesOf("b", id, ""); !fault.Is(err, fault.StepNotFound) {
			t.Errorf("%s of another session: got %v, want %s", id, err, fault.StepNotFound)
		}
	}
}

// TestStepsAreBounded: the oldest are forgotten, and so is a result that is too large.
func TestStepsAreBounded(t *testing.T) {
	d := newDriving(onD1)
	for i := range 501 {
		if got, want := d.call(t, "drive", `{"name":"x"}`), fmt.Sprintf("s%d", i+1); got != want {
			t.Fatalf("got step %s, want %s", got, want)
		}
	}
	if _, f := d.show(t, "s1"); f == nil || f.Code != fault.StepNotFound || !strings.Contains(f.Hint, "s501") {
		t.Errorf("the oldest is there: %v", f)
	}
	if s, f := d.show(t, "s2"); f != nil || s.Answer != "drove x" || len(s.Notices) != 1 {
		t.Errorf("%v %+v", f, s)
	}
	d.call(t, "drive", fmt.Sprintf(`{"name":"x","text":%q}`, strings.Repeat("y", 9000)))
	if s, f := d.show(t, "s502"); f != nil || s.Result != nil || s.LeftOut < 16<<10 || s.Input["text"] != "•••" {
		t.Errorf("%v %d %v", f, s.LeftOut, s.Input)
	}
	d.call(t, "drive", `{"name":"shown","text":"z"}`)
	if s, _ := d.show(t, "s503"); s.Input["text"] != "z" {
		t.Errorf("what was revealed is masked: %v", s.Input)
	}
}

// TestLargeStepsAreCut: whatever is large about a call, remembering it takes little.
func TestLargeStepsAreCut(t *testing.T) {
	large := strings.Repeat("y", 50_000) // a hundred of one kind that were not cut would be 5 MB
	c := newDriving(func(c *op.Call, in driveIn) (said, error) {
		c.Act()
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
	})
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
		"s496": `"input":{"name":"ada","text":"•••"}`, "s497": `"answer":"drove"`, "s498": "14 KB of 49 KB of text",
		"s499": `"code":"ELEMENT_NOT_FOUND"`, "s500": `"input":{"name":"yyy`,
	} {
		e := c.Run(t.Context(), "show_step", op.Call{Session: "a"}, fmt.Appendf(nil, `{"step":%q}`, id))
		if size := len(e.Result); e.Error != nil || size > 16<<10 || !strings.Contains(string(e.Result), want) {
			t.Errorf("%s, %d bytes: %.300s", id, size, e.Text())
		}
	}
}
