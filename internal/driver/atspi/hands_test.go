package atspi

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
)

func isGone(err error) bool {
	_, is := errors.AsType[*desktop.GoneError](err)
	return is
}

func isUnsupported(err error) bool {
	_, is := errors.AsType[*desktop.UnsupportedError](err)
	return is
}

// TestActionsReachProgram: each action reaches the program, whose own state is the witness.
func TestActionsReachProgram(t *testing.T) {
	app := gtk3App()
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	tree := look(t, a)
	key := func(w *fakeWidget) string { return a.keyOf(ref{":1.5", w.path}) }
	own := func(check func() bool) bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return check()
	}
	if err := a.Perform(t.Context(), titled(t, tree, "Bold").Key, desktop.Press); err != nil ||
		!own(func() bool { return slices.Contains(app.toggle.states, stateChecked) }) {
		t.Errorf("press: %v", err)
	}
	if n := titled(t, look(t, a), "Bold"); !n.Selected || *n.Value != "1" {
		t.Errorf("pressed, and it is %q", *n.Value)
	}
	if err := a.SetNumber(t.Context(), key(app.slider), 25.5); err != nil || !own(func() bool { return app.slider.number == 25.5 }) {
		t.Errorf("set number: %v", err)
	}
	if err := a.SetText(t.Context(), key(app.entry), "héllo 世界"); err != nil || !own(func() bool { return app.entry.text == "héllo 世界" }) {
		t.Errorf("set text: %v", err)
	}
	if err := a.Focus(t.Context(), key(app.entry)); err != nil || !own(func() bool {
		return slices.Contains(app.entry.states,
			stateFocused)
	}) {
		t.Errorf("focus: %v", err)
	}
	for what, err := range map[string]error{
		"no such action":        a.Perform(t.Context(), key(app.toggle), "AXIncrement"),
		"no actions":            a.Perform(t.Context(), key(app.slider), desktop.Press),
		"the program refuses":   a.Perform(t.Context(), key(app.off), desktop.Press),
		"no number":             a.SetNumber(t.Context(), key(app.entry), 1),
		"no text":               a.SetText(t.Context(), key(app.toggle), "x"),
		"a zero in a text":      a.SetText(t.Context(), key(app.entry), "a\x00b"),
		"cannot have the focus": a.Focus(t.Context(), key(app.label)),
	} {
		if !isUnsupported(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	f.mu.Lock()
	app.window.kids = slices.DeleteFunc(app.window.kids, func(w *fakeWidget) bool { return w == app.toggle })
	app.slider.states = append(app.slider.states, stateDefunct)
	f.mu.Unlock()
	for what, err := range map[string]error{
		"removed":          a.Perform(t.Context(), key(app.toggle), desktop.Press),
		"defunct":          a.SetNumber(t.Context(), key(app.slider), 1),
		"no key":           a.Focus(t.Context(), "nonsense"),
		"nobody's":         a.Focus(t.Context(), ":1.77/x#0"),
		"another's path":   a.Focus(t.Context(), ":1.5/x y#0"),
		"a later element":  a.Focus(t.Context(), ":1.5"+app.entry.path+"#3"),
		"the null element": a.Focus(t.Context(), ":1.5"+nullPath+"#0"),
	} {
		if !isGone(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if tree := look(t, a); slices.ContainsFunc(tree.Windows[0].Children, func(n *desktop.Node) bool {
		return n.Title == "Bold" ||
			n.Title == "Volume"
	}) {
		t.Errorf("what is gone is shown:\n%s", outline(tree))
	}
}

// TestUnansweredActionMayHaveBeenDone: an unanswered action may have been done. It has begun if its program answers other requests.
func TestUnansweredActionMayHaveBeenDone(t *testing.T) {
	app := gtk3App()
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	stopped := false
	f.before = func(c fakeCall) *fakeReply {
		f.mu.Lock()
		defer f.mu.Unlock()
		if c.member == "DoAction" || stopped && c.dest == ":1.5" && f.calls["DoAction"] > 0 {
			f.calls["DoAction"]++
			return &fakeReply{silent: true}
		}
		return nil
	}
	a := openFake(t, f, nil)
	key := titled(t, look(t, a), "Bold").Key
	a.bus.answer = time.Second
	if err := a.Perform(t.Context(), key, desktop.Press); err != nil {
		t.Errorf("a dialog that the press opened is waited for: %v", err)
	}
	f.mu.Lock()
	stopped, f.calls["DoAction"] = true, 0
	f.mu.Unlock()
	err := a.Perform(t.Context(), key, desktop.Press)
	if got, is := fault.In(err); !is || got.Code != fault.OutcomeUnknown || got.Dispatched != fault.MaybeDispatched {
		t.Errorf("%v", err)
	}
}

// TestEventsOfOwnProcessWakeWaiters: only the process's own events count, and they wake waiters; a program that ends wakes them too.
func TestEventsOfOwnProcessWakeWaiters(t *testing.T) {
	app := gtk3App()
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	if want := []string{"object:", "window:", "document:"}; !slices.Equal(f.events, want) {
		t.Errorf("registered %q", f.events)
	}
	before := a.Events()
	f.emit(":1.7", "/x", "org.a11y.atspi.Event.Object", "StateChanged", "focused", int32(1), int32(0), dbus.MakeVariant(""),
		map[string]dbus.Variant{})
	f.emit(":1.5", "/x", "org.example.Other", "Happened", "x")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Next(ended, before); !errors.Is(err, context.Canceled) || a.Events() != before {
		t.Errorf("%d events, %v", a.Events()-before, err)
	}
	woken := make(chan error, 1)
	go func() { woken <- a.Next(t.Context(), before) }()
	for range 300 {
		f.object(app.window, "BoundsChanged", "", 0, int32(0))
	}
	if err := <-woken; err != nil {
		t.Error(err)
	}
	for n := before; n < before+300; n = a.Events() {
		if err := a.Next(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	n := a.Events()
	f.emit("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", ":1.5", ":1.5", "")
	if err := a.Next(t.Context(), n); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	f.programs = nil
	f.mu.Unlock()
	if _, err := a.Look(t.Context(), desktop.Limits{}); !fault.Is(err, fault.Unsupported) {
		t.Errorf("a program that left the bus: %v", err)
	}
	go func() { woken <- a.Next(t.Context(), a.Events()) }()
	a.Close()
	if err := <-woken; err != nil && !fault.Is(err, fault.ToolFailed) {
		t.Error(err)
	}
}
