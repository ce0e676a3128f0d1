package atspi

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/x11"
	"ios-agent/internal/fault"
)

// TestLookSurvivesHostileAnswers: programs may answer anything. A look ends, without a panic, with what could be read or with a fault.
func TestLookSurvivesHostileAnswers(t *testing.T) {
	wrong := []any{"text", int32(math.MinInt32), uint32(math.MaxUint32), math.NaN(), []string{"a"}, []uint32{1, 2, 3}, []wireRef{{"", "/"},
		{":1.5", "/x"}},
		dbus.MakeVariant(dbus.MakeVariant("deep")), map[string]string{"id": "x"}, [][]string{}, true, nil}
	methods := []string{"GetItems", "GetChildren", "GetChildAtIndex", "GetRole", "GetState", "GetInterfaces", "GetExtents", "GetActions",
		"Get", "GetText",
		"GetAttributes", "GetRelationSet", "GetConnectionUnixProcessID", "DoAction", "GrabFocus"}
	for _, cache := range []string{"always", ""} {
		app := gtk3App()
		app.program.cache = cache
		f := &fakeBus{programs: []*fakeProgram{app.program}}
		a := openFake(t, f, nil)
		answers := func(before func(c fakeCall) *fakeReply) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.before = before
		}
		key := titled(t, look(t, a), "Bold").Key
		for i, method := range methods {
			for k := range 3 { // each answer comes to some methods, and each method gets some
				body := wrong[(i+4*k)%len(wrong)]
				if p := a.names[":1.5"]; p != nil {
					p.cache = cacheUntried
				}
				answers(func(c fakeCall) *fakeReply {
					if c.member != method {
						return nil
					}
					if body == nil {
						return &fakeReply{}
					}
					return &fakeReply{body: []any{body, body}}
				})
				if _, err := a.Look(t.Context(), desktop.Limits{}); err != nil {
					if _, is := fault.In(err); !is {
						t.Errorf("%s answers %v: %v", method, body, err)
					}
				}
				a.Perform(t.Context(), key, desktop.Press) // whatever comes of it
				a.Focus(t.Context(), key)
			}
		}
	}
}

// TestCyclicTreeShowsEachElementOnce: an element that is its own child, an element with two parents, a parent below its child.
func TestCyclicTreeShowsEachElementOnce(t *testing.T) {
	for _, cache := range []string{"always", "old", ""} {
		app := gtk3App()
		app.program.cache = cache
		panel := &fakeWidget{path: "/p", role: 39, name: "P", states: shownStates(), faces: []string{component}}
		app.window.kids = append(app.window.kids, panel)
		f := &fakeBus{programs: []*fakeProgram{app.program}}
		f.before = func(c fakeCall) *fakeReply {
			if c.is("/p", accessible+".GetChildren") {
				return &fakeReply{body: []any{[]wireRef{{":1.5", "/p"}, {":1.5", dbus.ObjectPath(app.window.path)}, {":1.5",
					dbus.ObjectPath(app.root.path)},
					{":1.5", dbus.ObjectPath(app.toggle.path)}, {":1.5", dbus.ObjectPath(app.toggle.path)}}}}
			}
			return nil
		}
		panel.count = 5
		a := openFake(t, f, nil)
		tree := look(t, a)
		count := map[string]int{}
		tree.Walk(func(n *desktop.Node) bool { count[n.Key]++; return true })
		for key, n := range count {
			if n != 1 {
				t.Errorf("cache %q: %s is there %d times", cache, key, n)
			}
		}
		titled(t, tree, "P")
	}
}

// An element that a program has, and that is another program's, is not taken for one of its own: to press it would press the other's.
func TestElementsOfAnotherProgramAreLeftOut(t *testing.T) {
	for _, cache := range []string{"always", ""} {
		app, victim := gtk3App(), gtk3App()
		app.program.cache, victim.program.cache = cache, cache
		victim.program.name, victim.program.pid = ":1.9", 1
		f := &fakeBus{programs: []*fakeProgram{app.program, victim.program}}
		f.before = func(c fakeCall) *fakeReply {
			if c.dest == ":1.5" && c.is(app.window.path, accessible+".GetChildren") {
				return &fakeReply{body: []any{[]wireRef{{":1.5", dbus.ObjectPath(app.toggle.path)}, {":1.9", dbus.ObjectPath(victim.toggle.path)}}}}
			}
			return nil
		}
		app.window.count = 100 // more than its cache has, so that it is asked which
		tree := look(t, openFake(t, f, nil))
		tree.Walk(func(n *desktop.Node) bool {
			if !strings.HasPrefix(n.Key, ":1.5/") {
				t.Errorf("cache %q: got element %s, want those of :1.5", cache, n.Key)
			}
			return true
		})
		if tree.Left == 0 || tree.LeftWhy != othersElement {
			t.Errorf("cache %q: got %d elements left out for %q, want one of another program", cache, tree.Left, tree.LeftWhy)
		}
	}
}

// TestHugeChildCountCostsFewCalls: an element that claims two thousand million children costs a bounded number of calls, and the tree
// reports the omission.
func TestHugeChildCountCostsFewCalls(t *testing.T) {
	app := gtk3App()
	app.table.count = math.MaxInt32
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	tree := look(t, a)
	if tree.Left < 1<<30 || tree.LeftWhy == "" || f.calls["GetChildAtIndex"] > mostCells {
		t.Errorf("left %d %q after %d calls", tree.Left, tree.LeftWhy, f.calls["GetChildAtIndex"])
	}
	titled(t, tree, "two")
}

// A program with a huge tree is read within the bound, in a number of calls that does not grow with the tree.
func TestHugeTreeOfProgramIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("slow only because of its size: with the race detector, longer than a look may take")
	}
	var calls []int
	for _, many := range []int{40_000, 120_000} {
		app := gtk3App()
		app.program.cache = "always"
		for i := range many {
			app.window.kids = append(app.window.kids, &fakeWidget{path: fmt.Sprintf("/w/%d", i), role: 43, name: "b",
				states: []uint{stateEnabled, stateVisible}, faces: []string{component}}) // scrolled out: nobody asks where they are
		}
		f := &fakeBus{programs: []*fakeProgram{app.program}}
		tree := look(t, openFake(t, f, nil))
		kept := 0
		tree.Walk(func(*desktop.Node) bool { kept++; return true })
		if kept != desktop.MaxNodes || tree.Left < many-desktop.MaxNodes || tree.LeftWhy != "more than 10000 elements" {
			t.Errorf("of %d elements got %d and %d left out (%s), want %d and the others", many, kept, tree.Left, tree.LeftWhy, desktop.MaxNodes)
		}
		sum := 0
		for _, n := range f.calls {
			sum += n
		}
		calls = append(calls, sum)
	}
	if calls[1] > calls[0]+100 {
		t.Errorf("got %d calls for the small tree and %d for the large one, want as many", calls[0], calls[1])
	}
}

// Who leaves while a huge tree is read ends the look, and the next one is served.
func TestLookAtHugeTreeOfProgramEndsWithItsCaller(t *testing.T) {
	app := gtk3App()
	app.program.cache = "always"
	for i := range 3000 {
		app.window.kids = append(app.window.kids, &fakeWidget{path: fmt.Sprintf("/w/%d", i), role: 43, name: "b", states: shownStates(),
			rect: [4]int32{110, 230, 20, 20}, faces: []string{component}})
	}
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	ctx, leave := context.WithCancel(t.Context())
	asked := 0
	f.mu.Lock()
	f.before = func(c fakeCall) *fakeReply {
		if c.member == "GetExtents" {
			if asked++; asked == 100 {
				leave()
			}
		}
		return nil
	}
	f.mu.Unlock()
	if _, err := a.Look(ctx, desktop.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the caller left", err)
	}
	f.mu.Lock()
	f.before = nil
	if asked > 1000 {
		t.Errorf("got %d places asked for a caller who left after 100", asked)
	}
	f.mu.Unlock()
	titled(t, look(t, a), "Bold")
}

// TestLongTableReadsVisibleCells: of a table with thousands of cells, a look reads the visible ones, wherever it is scrolled to.
func TestLongTableReadsVisibleCells(t *testing.T) {
	app := gtk3App()
	app.table.kids = nil
	for i := range 3000 {
		w := &fakeWidget{path: fmt.Sprintf("/cell/%d", i), role: 56, name: fmt.Sprintf("row %d", i), transient: true, faces: []string{component},
			rect: [4]int32{110, int32(230 + 20*(i-1000)), 200, 20}}
		if i >= 1000 && i < 1005 {
			w.states = shownStates()
		}
		app.table.kids = append(app.table.kids, w)
	}
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	tree := look(t, a)
	for i := 1000; i < 1005; i++ {
		if n := titled(t, tree, fmt.Sprintf("row %d", i)); n.Bounds == nil || n.Hidden {
			t.Errorf("%+v", n)
		}
	}
	if tree.Left != 3000-mostCells {
		t.Errorf("left %d: %s", tree.Left, tree.LeftWhy)
	}
}

// TestLookTimesOutWhenProgramIsSilent: a look does not wait for a program that stops answering, and the fault says so; later looks work
// again.
func TestLookTimesOutWhenProgramIsSilent(t *testing.T) {
	app := gtk3App()
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	key := titled(t, look(t, a), "Bold").Key
	a.bus.answer = 100 * time.Millisecond
	for _, method := range []string{"GetItems", "GetExtents", "GetChildren"} {
		f.mu.Lock()
		f.before = func(c fakeCall) *fakeReply {
			if c.member == method {
				return &fakeReply{silent: true}
			}
			return nil
		}
		f.mu.Unlock()
		_, err := a.Look(t.Context(), desktop.Limits{})
		if !fault.Is(err, fault.Timeout) {
			t.Errorf("%s: %v", method, err)
		}
	}
	f.mu.Lock()
	f.before = func(c fakeCall) *fakeReply {
		if c.dest == ":1.5" {
			return &fakeReply{silent: true}
		}
		return nil
	}
	f.mu.Unlock()
	if err := a.Focus(t.Context(), key); !fault.Is(err, fault.Timeout) {
		t.Errorf("nothing was sent: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Look(ended, desktop.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller left: %v", err)
	}
	f.mu.Lock()
	f.before = nil
	f.mu.Unlock()
	a.bus.answer = time.Minute
	titled(t, look(t, a), "Bold")
}

// TestActionFailsWhenProgramExits: in the middle of a look, reported by the bus, and with a cut connection.
func TestActionFailsWhenProgramExits(t *testing.T) {
	for name, dies := range map[string]func(f *fakeBus){
		"it leaves": func(f *fakeBus) {
			f.mu.Lock()
			f.programs = nil
			f.mu.Unlock()
		},
		"the bus dies": func(f *fakeBus) {
			f.mu.Lock()
			defer f.mu.Unlock()
			for _, l := range f.lines {
				l.conn.Close()
			}
		},
	} {
		app := gtk3App()
		f := &fakeBus{programs: []*fakeProgram{app.program}}
		a := openFake(t, f, nil)
		key := titled(t, look(t, a), "Bold").Key
		f.mu.Lock()
		f.before = func(c fakeCall) *fakeReply {
			if c.member == "GetExtents" {
				dies(f)
			}
			return nil
		}
		f.mu.Unlock()
		if _, err := a.Look(t.Context(), desktop.Limits{}); err != nil {
			if _, is := fault.In(err); !is {
				t.Errorf("%s: %v", name, err)
			}
		}
		err := a.Perform(t.Context(), key, desktop.Press)
		if _, is := fault.In(err); !is && !isGone(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzWire: whatever a bus delivers, decoding it gives something or nothing, and never what a bus would not take back.
func FuzzWire(f *testing.F) {
	seed := func(body ...any) {
		var b bytes.Buffer
		m := &dbus.Message{Type: dbus.TypeMethodReply, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(uint32(1)), dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(body...))}}
		if err := m.EncodeTo(&b, binary.LittleEndian); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	app := gtk3App()
	seed(app.program.items())
	app.program.cache = "old"
	seed(app.program.items())
	seed([]wireRef{{":1.5", "/x"}})
	seed(struct{ X, Y, W, H int32 }{1, 2, 3, 4})
	seed(dbus.MakeVariant([]uint32{1, 2}))
	seed([]struct{ A, B, C string }{{"click", "", ""}})
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := dbus.DecodeMessage(bytes.NewReader(raw))
		if err != nil {
			return
		}
		v := unwrapped(m.Body)
		for _, it := range itemsOf(v) {
			if !dbus.ObjectPath(it.ref.path).IsValid() || !isBusName(it.ref.bus) {
				t.Errorf("%+v", it.ref)
			}
			if r, _, ok := parseKey(it.ref.bus + it.ref.path + "#0"); !ok || r != it.ref {
				t.Errorf("%+v is read as %+v", it.ref, r)
			}
		}
		refsOf(v)
		statesOf(v)
		facesOf(v)
		rectOf(v)
		number(v)
		whole(v)
		for _, a := range actionsOf(43, v) {
			if len(a.said) > longestText+8 {
				t.Errorf("%d bytes", len(a.said))
			}
		}
		(&reading{}).labelOf(v)
		h := &heard{senses: map[string]bool{":1.5": false}, gens: map[ref]uint32{}}
		for _, iface := range []string{"org.a11y.atspi.Event.Object", "org.freedesktop.DBus"} {
			for _, member := range []string{"StateChanged", "ChildrenChanged", "NameOwnerChanged"} {
				h.DeliverSignal(iface, member, &dbus.Signal{Sender: ":1.5", Path: "/x", Body: m.Body})
			}
		}
	})
}

// FuzzFiles: the environment of a process, an authority file, a key.
func FuzzFiles(f *testing.F) {
	f.Add([]byte("DISPLAY=:1\x00A=\x00=b\x00DISPLAY=:2\x00"))
	f.Add([]byte("\x01\x00\x00\x01h\x00\x011\x00\x12MIT-MAGIC-COOKIE-1\x00\x100123456789abcdef"))
	f.Add([]byte(":1.5/org/a11y/atspi/accessible/1#12"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name := range parseEnviron(raw) {
			if name == "" {
				t.Error("a variable without a name")
			}
		}
		if c := x11.CookieIn(raw, "h", "1"); c != nil && len(c) != 16 {
			t.Errorf("a cookie of %d bytes", len(c))
		}
		if r, _, ok := parseKey(string(raw)); ok && (!dbus.ObjectPath(r.path).IsValid() || !isBusName(r.bus)) {
			t.Errorf("%+v", r)
		}
		x11.Address(string(raw))
		cleanName(string(raw))
		nameAction(43, 0, string(raw))
	})
}
