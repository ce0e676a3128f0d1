package op_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/op"
)

// witness writes down what an observer of calls is told.
type witness struct {
	of   *watching // has what all witnesses are told, in one order
	name string
	add  func(*op.Exchange)              // at the end of a call; may be nil
	at   func(moment string, c *op.Call) // may be nil
	over []*op.Exchange
}

func (w *witness) Begin(c *op.Call) op.Watch {
	w.note("begin", c)
	return &witnessed{w, c}
}

func (w *witness) note(moment string, c *op.Call) {
	w.of.tell(w.name + " " + moment)
	if w.at != nil {
		w.at(moment, c)
	}
}

type witnessed struct {
	*witness
	call *op.Call
}

func (w *witnessed) Act() { w.note("act", w.call) }

func (w *witnessed) End(ctx context.Context, x *op.Exchange) {
	w.note("end", x.Call)
	w.of.mu.Lock()
	w.over = append(w.over, x)
	w.of.mu.Unlock()
	if ctx.Err() != nil {
		w.of.tell(w.name + " " + ctx.Err().Error())
	}
	if w.add != nil {
		w.add(x)
	}
}

// watching is a catalogue of operations of one name each, and two observers.
type watching struct {
	*op.Catalogue
	first, second *witness

	mu   sync.Mutex
	seen []string
}

func (w *watching) tell(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, what)
}

func watch(o op.Options, ops ...op.Op) *watching {
	w := &watching{}
	w.first, w.second = &witness{of: w, name: "first"}, &witness{of: w, name: "second"}
	o.Observers = []op.Observer{w.first, w.second}
	w.Catalogue = op.NewCatalogue(append(ops, o.Jobs.Ops()...), o)
	return w
}

// want compares what the observers were told so far.
func (w *watching) want(t *testing.T, want ...string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.seen, want) {
		t.Errorf("got %q, want %q", w.seen, want)
	}
}

type driveIn struct {
	Name string `json:"name,omitempty" doc:"whom"`
	Text string `json:"text,omitempty" doc:"what" private:"true"`
}

type said struct {
	Said string `json:"said"`
}

func (s said) Text() string { return s.Said }

// named is an operation of that name.
func named(name string, fn func(context.Context, *op.Call, driveIn) (said, error), change ...func(*op.Spec)) op.Op {
	s := op.Spec{Name: name, Groups: []string{"thing"}, Summary: "Drive"}
	for _, c := range change {
		c(&s)
	}
	return op.New(s, fn)
}

func asJob(s *op.Spec) { s.Long = true }

// drive acts on a device, sees it twice, and tells notices in the wrong order.
func drive(_ context.Context, c *op.Call, in driveIn) (said, error) {
	c.Device = &op.Device{UDID: "D1"}
	c.Act()
	c.Act()
	c.Epoch = 4
	c.Saw(sight("one"), sight("two"))
	for _, kind := range []op.NoticeKind{op.Net, op.Logged, op.Meanwhile, op.Paused, op.Config} {
		c.Notify(op.Notice{Kind: kind, Text: "told"})
	}
	c.Notify(op.Notice{Kind: op.Meanwhile, Text: "by whom", Lines: []string{"+ a", "- b"}})
	return said{"drove " + in.Name}, nil
}

type sight string

func (s sight) Hash() string { return string(s) }

// TestObserversSeeACallBeginActAndEnd, each once and in their order, with what was asked, answered and seen.
func TestObserversSeeACallBeginActAndEnd(t *testing.T) {
	w := watch(op.Options{Toolchain: "t"}, named("drive", drive))
	w.first.at = func(moment string, c *op.Call) {
		if moment == "act" {
			c.SetStep("s7", time.Unix(7, 0))
		}
	}
	e := w.Run(t.Context(), "drive", op.Call{Session: "a", Trace: "t1"}, []byte(`{"name":"x","text":"geheim","session":"b"}`))
	w.want(t, "first begin", "second begin", "first act", "second act", "first end", "second end")
	x := w.second.over[0]
	if x.Name != "drive" || x.Op == nil || x.Op.Name != "drive" || x.Mode != op.Single || x.Job != "" || x.Began.IsZero() {
		t.Errorf("got %s (%v), mode %d, job %q, began %s", x.Name, x.Op, x.Mode, x.Job, x.Began)
	}
	if got, want := fmt.Sprint(x.Input()), "map[name:x text:•••]"; got != want {
		t.Errorf("got the input %s, want %s", got, want)
	}
	if c := x.Call; c.ID == "" || c.Session != "b" || c.Trace != "t1" || c.Device.UDID != "D1" || c.Epoch != 4 {
		t.Errorf("got the call %+v", c)
	}
	if got := fmt.Sprint(x.Seen); got != "[one two]" {
		t.Errorf("saw %s, want [one two]", got)
	}
	r := x.Record()
	if x.Answer.Stdout != "drove x" || x.Answer.Meta.Step != "s7" || r.Step != "s7" || r.Status != op.Success || e.Meta.Step != "s7" {
		t.Errorf("got the answer %+v and the record %+v", x.Answer, r)
	}
}

// TestNoticesHaveOneOrder, whoever tells them: the operation, or observers in any order.
func TestNoticesHaveOneOrder(t *testing.T) {
	w := watch(op.Options{}, named("drive", drive))
	w.first.add = func(x *op.Exchange) {
		x.Notify(op.Notice{Kind: op.Net, Text: "observed"})
		x.AttachNet(&op.Requests{Count: 2})
	}
	w.second.add = func(x *op.Exchange) {
		x.Notify(op.Notice{Kind: op.Config, Text: "observed"})
		x.Notify(op.Notice{Kind: op.Logged, Text: "observed"})
	}
	e := w.Run(t.Context(), "drive", op.Call{Session: "a"}, []byte(`{"name":"x"}`))
	want := "config: told\nconfig: observed\npaused: told\nmeanwhile: told\nmeanwhile (by whom):\n+ a\n- b\ndrove x\n" +
		"log: told\nlog: observed\nnet: told\nnet: observed"
	if e.Text() != want {
		t.Errorf("got %s, want %s", e.Text(), want)
	}
	raw, err := json.Marshal(e.Meta)
	if err != nil || !strings.Contains(string(raw), `"notices":[{"kind":"config","text":"told"},{"kind":"config"`) ||
		!strings.HasSuffix(string(raw), `"net":{"requests":2,"failed_requests":0}}`) {
		t.Errorf("got %s, %v", raw, err)
	}
	e.Error = fault.New(fault.Timeout, "late")
	if !strings.Contains(e.Text(), "- b\nTIMEOUT: late\n") {
		t.Errorf("got %s, want the fault after what comes before a result", e.Text())
	}
}

// TestObserversReceiveNoSecrets, and those that they tell do not reach the answer.
func TestObserversReceiveNoSecrets(t *testing.T) {
	secrets := &mask.Set{}
	secrets.Add("geheim-4711", "•••")
	w := watch(op.Options{Secrets: secrets}, named("drive", drive))
	w.first.add = func(x *op.Exchange) {
		x.Notify(op.Notice{Kind: op.Logged, Text: "geheim-4711", Lines: []string{"geheim-4711"}})
		x.AttachLogs(&op.AppErrors{Errors: 1, First: "geheim-4711"})
	}
	e := w.Run(t.Context(), "drive", op.Call{}, []byte(`{"name":"geheim-4711"}`))
	x := w.second.over[0]
	for _, text := range []string{fmt.Sprint(x.Input()), e.Text(), fmt.Sprintf("%+v", x.Answer), e.Meta.Logs.First} {
		if strings.Contains(text, "4711") || !strings.Contains(text, "•••") {
			t.Errorf("got %s, want ••• for the secret", text)
		}
	}
}

type unsayable struct{ said }

func (unsayable) Text() string { panic("no text") }

// TestPanicEndsCallOnceForObservers for its observers, also one in the text of its output; a panic of an observer ends nothing.
func TestPanicEndsCallOnceForObservers(t *testing.T) {
	broken := func(_ context.Context, c *op.Call, _ driveIn) (said, error) { c.Act(); panic("on purpose") }
	mute := op.New(op.Spec{Name: "mute", Groups: []string{"thing"}, Summary: "Drive"},
		func(context.Context, *op.Call, driveIn) (unsayable, error) { return unsayable{}, nil })
	w := watch(op.Options{}, named("broken", broken), named("drive", drive), mute)
	for _, name := range []string{"broken", "mute"} {
		w.seen, w.second.over = nil, nil
		e := w.Run(t.Context(), name, op.Call{}, nil)
		if len(w.second.over) != 1 || e.Error == nil || e.Error.Code != fault.Internal || w.second.over[0].Answer.Error.Code != fault.Internal {
			t.Errorf("%s: got %d ends and %s, want one with %s", name, len(w.second.over), e.Text(), fault.Internal)
		}
	}
	for _, moment := range []string{"begin", "act", "end"} {
		w.seen, w.second.over = nil, nil
		w.first.at = func(now string, _ *op.Call) {
			if now == moment {
				panic("an observer's")
			}
		}
		if e := w.Run(t.Context(), "drive", op.Call{}, []byte(`{"name":"x"}`)); e.Error != nil || len(w.second.over) != 1 {
			t.Errorf("a panic at its %s: got %s and %d ends of the other observer", moment, e.Text(), len(w.second.over))
		}
	}
}

// TestObserversSeeRefusedCalls: whoever asks for an operation that does not exist, or wrongly, is seen too.
func TestObserversSeeRefusedCalls(t *testing.T) {
	w := watch(op.Options{}, named("drive", drive))
	for _, c := range []struct {
		name, session, input string
		code                 fault.Code
	}{
		{"dirve", "a", "{}", fault.UnknownOperation}, {"drive", "a", `{"nme":"x"}`, fault.InvalidInput},
		{"drive", "a\x1b", "{}", fault.InvalidInput}, {"drive", "a", "\xff", fault.InvalidInput},
	} {
		w.seen, w.first.over = nil, nil
		w.Run(t.Context(), c.name, op.Call{Session: c.session}, []byte(c.input))
		w.want(t, "first begin", "second begin", "first end", "second end")
		x := w.first.over[0]
		if r := x.Record(); r.Code != c.code || r.Op != c.name || (x.Op == nil) != (c.name == "dirve") || strings.Contains(r.Session, "\x1b") {
			t.Errorf("%q: got %+v of %v, want %s", c, r, x.Op, c.code)
		}
		if len(x.Input()) != 0 {
			t.Errorf("%q: got the input %v", c, x.Input())
		}
	}
}

// TestPublicOperationsAreNotObserved, however they end: strangers must not fill what observers keep.
func TestPublicOperationsAreNotObserved(t *testing.T) {
	w := watch(op.Options{}, named("be_there", drive, func(s *op.Spec) { s.Public = true }))
	for _, input := range []string{"{}", "\xff", `{"nme":1}`} {
		w.Run(t.Context(), "be_there", op.Call{}, []byte(input))
	}
	w.want(t)
}

// TestChildCallKnowsItsParent, is observed for itself, and is over first.
func TestChildCallKnowsItsParent(t *testing.T) {
	var w *watching
	both := func(ctx context.Context, c *op.Call, in driveIn) (said, error) {
		w.Run(ctx, "drive", c.Child(), []byte(`{"name":"x"}`))
		return said{c.ID}, nil
	}
	w = watch(op.Options{}, named("drive", drive), named("both", both))
	call := op.Call{Session: "a", Client: "c", Dir: "/d", Env: map[string]string{"A": "b"}, Process: 7, Trace: "t", Parent: "run"}
	e := w.Run(t.Context(), "both", call, nil)
	child, parent := w.first.over[0].Call, w.first.over[1].Call
	if child.Parent != e.Stdout || child.ID == e.Stdout || parent.ID != e.Stdout || parent.Parent != "run" {
		t.Errorf("the child %s has the parent %q; the parent %s has %q", child.ID, child.Parent, parent.ID, parent.Parent)
	}
	if child.Session != "a" || child.Client != "c" || child.Dir != "/d" || child.Env["A"] != "b" || child.Process != 7 || child.Trace != "" {
		t.Errorf("got %+v, want the client of its parent", child)
	}
	call.Parent = strings.Repeat("x", 201)
	if e := w.Run(t.Context(), "drive", call, nil); e.Error == nil || e.Error.Code != fault.InvalidInput {
		t.Errorf("a parent of 201 characters: got %s, want %s", e.Text(), fault.InvalidInput)
	}
	ctx := op.WithParent(t.Context(), "run2")
	op.Local{Catalogue: w.Catalogue}.Call(ctx, "drive", nil, nil)
	if got := w.first.over[len(w.first.over)-1].Call.Parent; got != "run2" {
		t.Errorf("got the parent %q from the context, want run2", got)
	}
}

// TestAnswerTimeIncludesWaitForObservers: those that say so count, and all after them see the same time.
func TestAnswerTimeIncludesWaitForObservers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(op.Options{}, named("drive", drive))
		w.first.add = func(x *op.Exchange) { time.Sleep(2 * time.Second); x.Waited() }
		w.second.add = func(*op.Exchange) { time.Sleep(5 * time.Second) }
		e := w.Run(t.Context(), "drive", op.Call{}, nil)
		if seen := w.second.over[0].Record().TookMS; e.Meta.TookMS != 2000 || seen != 2000 {
			t.Errorf("got %d ms, recorded %d; want 2000", e.Meta.TookMS, seen)
		}
	})
}

// TestCallWithoutCatalogueHasNoObservers: an operation's function can be called by itself.
func TestCallWithoutCatalogueHasNoObservers(t *testing.T) {
	c := &op.Call{}
	if _, err := drive(t.Context(), c, driveIn{}); err != nil {
		t.Fatal(err)
	}
	c.SetStep("s1", time.Now())
	c.Reveal("text")
	c.Note(1)
	if _, is := op.Noted[int](c); is {
		t.Error("a note was kept")
	}
	if id, _ := c.Step(); id != "" {
		t.Errorf("got the step %s", id)
	}
}

// TestNotedReturnsLastNoteOfType.
func TestNotedReturnsLastNoteOfType(t *testing.T) {
	type app string
	w := watch(op.Options{}, named("drive", func(_ context.Context, c *op.Call, _ driveIn) (said, error) {
		c.Note(app("a"))
		c.Note(app("b"))
		c.Note("c")
		return said{}, nil
	}))
	w.Run(t.Context(), "drive", op.Call{}, nil)
	if got, is := op.Noted[app](w.first.over[0].Call); got != "b" || !is {
		t.Errorf("got %q, %v; want b", got, is)
	}
	if got, is := op.Noted[int](w.first.over[0].Call); is {
		t.Errorf("got %d, want no note", got)
	}
}
