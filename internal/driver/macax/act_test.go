//go:build macaxfake

package macax

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// TestActionsChangeStateOfFakeApp runs the scenarios of the seed's Task 8 on the fake app, with the app's own state after each.
func TestActionsChangeStateOfFakeApp(t *testing.T) {
	a, f := open(t)
	ctx, p := t.Context(), desktop.Performer{App: a, Methods: (*Desktop).Methods(nil)}
	node := func(name string) *desktop.Node { return find(t, look(t, a), name) }
	did := func(method, want string) func(string, error) {
		return func(got string, err error) {
			t.Helper()
			if got != want || err != nil {
				t.Errorf("%s: %q, %v", method, got, err)
			}
		}
	}
	f.active(0) // keys that are posted to such an app are dropped
	did("click", "ax")(p.Click(ctx, node("Action")))
	node("Clicked: 1")
	did("set_value of a slider", "ax")(p.SetValue(ctx, node("Volume"), json.RawMessage("0.8")))
	if v := *node("Volume").Value; v != "0.8" {
		t.Errorf("value = %q, want 0.8", v)
	}
	did("set_value of a text field", "ax")(p.SetValue(ctx, node("Name"), json.RawMessage(`"programmatic"`)))
	did("type", "cgevent")(p.Type(ctx, node("Name"), " hello"))
	if n := node("Name"); *n.Value != "programmatic hello" || !n.Focused {
		t.Errorf("value = %q, focused = %v, want the typed text and the focus", *n.Value, n.Focused)
	}
	did("key", "cgevent")(p.Key(ctx, "a", []string{"cmd"}))
	did("scroll", "cgevent")(p.Scroll(ctx, node("Items"), "down", 3))
	did("drag", "pointer")(p.Drag(ctx, node("Drag Source"), node("Drop Here"), true))
	node("Drop Received")
	if _, is := errors.AsType[*desktop.GoneError](a.Perform(ctx, "ax9999", desktop.Press)); !is {
		t.Error("an unknown element did not return a GoneError")
	}
	if _, err := p.Key(ctx, "nosuchkey", nil); err == nil || !strings.Contains(err.Error(), "unknown key") {
		t.Errorf("unknown key: got %v", err)
	}
	if told := f.told(); !strings.Contains(told, "key down 0 0x100000\nkey up 0 0x100000\n") ||
		!strings.Contains(told, "scroll 0,-3 over 220,405 window 102 at 120,355\n") {
		t.Errorf("events = %s, want a key and a scroll", told)
	}
}

func TestActionErrorsMapToFaults(t *testing.T) {
	a, f := open(t)
	tree := look(t, a)
	button, slider := find(t, tree, "Action").Key, find(t, tree, "Volume").Key
	field, label := find(t, tree, "Name").Key, find(t, tree, "Ready").Key
	ctx := t.Context()
	cannot := func(err error, what string) {
		t.Helper()
		if u, is := errors.AsType[*desktop.UnsupportedError](err); !is || u.What != what {
			t.Errorf("%v, and not: cannot %s", err, what)
		}
	}
	cannot(a.Perform(ctx, label, desktop.Press), "do AXPress")
	cannot(a.SetNumber(ctx, field, 1), "take a number") // IllegalArgument
	cannot(a.SetText(ctx, slider, "1"), "take a text")
	cannot(a.SetText(ctx, label, "1"), "take a text") // AttributeUnsupported
	cannot(a.Focus(ctx, label), "take the focus")
	for _, code := range []axError{axActionUnsupported, axAttributeUnsupported, axIllegalArgument, axNotImplemented} {
		f.errors(code, code, 0, 0)
		cannot(a.Perform(ctx, button, desktop.Press), "do AXPress")
		cannot(a.SetNumber(ctx, slider, 1), "take a number")
	}
	f.errors(axFailure, axFailure, 0, 0)
	cannot(a.SetNumber(ctx, slider, 1), "take a number") // SwiftUI
	refused := wantFault(t, a.Perform(ctx, button, desktop.Press), fault.ToolFailed, "kAXErrorFailure")
	if refused.Dispatched != fault.MaybeDispatched {
		t.Errorf("dispatched %q", refused.Dispatched)
	}
	f.errors(axCannotComplete, axCannotComplete, 0, 0)
	for _, err := range []error{a.Perform(ctx, button, desktop.Press), a.SetText(ctx, field, "x"), a.Focus(ctx, field)} {
		if refused := wantFault(t, err, fault.OutcomeUnknown); refused.Dispatched != fault.MaybeDispatched {
			t.Errorf("dispatched %q", refused.Dispatched)
		}
	}
	f.errors(axInvalidElement, 0, 0, 0)
	if _, is := errors.AsType[*desktop.GoneError](a.Perform(ctx, button, desktop.Press)); !is {
		t.Error("it is not gone")
	}
	f.errors(-1, 0, 0, 0)
	wantFault(t, a.Perform(ctx, find(t, look(t, a), "Action").Key, desktop.Press), fault.ToolFailed, "AXError -1")
	f.errors(0, 0, 0, 0)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range []error{
		a.Perform(ended, button, desktop.Press), a.Click(ended, ui.Point{}, 1, 1), a.Type(ended, "x"), a.Scroll(ended, ui.Point{}, 0, 1),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if f.told() != "" {
		t.Errorf("something was done: %s", f.told())
	}
}

func TestPointerInputsPostExpectedEvents(t *testing.T) {
	a, f := open(t)
	f.shift(1) // the user holds a key, which must not count
	at, ctx := ui.Point{X: 150, Y: 100}, t.Context()
	line := func(what, clicks, button string) string {
		return what + " 150,100 clicks " + clicks + " button " + button + " window 102 at 50,50\n"
	}
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"click": {func() error { return a.Click(ctx, at, 1, 1) },
			line("moved", "0", "0") + line("down", "1", "0") + line("up", "1", "0") + "press Action\n"},
		"double": {func() error { return a.Click(ctx, at, 1, 2) }, line("moved", "0", "0") + line("down", "1", "0") + line("up", "1", "0") +
			"press Action\n" + line("down", "2", "0") + line("up", "2", "0") + "press Action\n"},
		"right": {func() error { return a.Click(ctx, at, 3, 1) },
			line("moved", "0", "1") + line("right down", "1", "1") + line("right up", "1", "1")},
		"hold": {func() error { return a.Hold(ctx, at, time.Millisecond) },
			line("moved", "0", "0") + line("down", "1", "0") + line("up", "1", "0") + "press Action\n"},
		"drag": {func() error {
			return a.Drag(ctx, desktop.Move{From: at, Path: []ui.Point{{X: 160, Y: 110}, {X: 490, Y: 60}}, Pointer: true})
		},
			"pointer moved 150,100 by 143,92\npointer down 150,100 by 0,0\npointer dragged 160,110 by 10,10\n" +
				"pointer dragged 490,60 by 330,-50\npointer up 490,60 by 0,0\npointer moved 7,8 by -483,-52\n"},
		"scroll": {func() error { return a.Scroll(ctx, at, 2, -5) }, line("moved", "0", "0") + "scroll 2,-5 over 150,100 window 102 at 50,50\n"},
		"beside": {func() error { return a.Click(ctx, ui.Point{X: 5, Y: 6}, 1, 1) }, "moved 5,6 clicks 0 button 0 window 0 at -1,-1\n" +
			"down 5,6 clicks 1 button 0 window 0 at -1,-1\nup 5,6 clicks 1 button 0 window 0 at -1,-1\n"},
	} {
		f.forget()
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := f.told(); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, c.want)
		}
	}
	a.options.Alive = func(int) error { return syscall.ESRCH }
	wantFault(t, a.Click(ctx, at, 1, 1), fault.AppNotRunning, "has ended")
}

// TestDragNeedsPointer: AppKit begins no drag for events that are posted to a process, and the pointer reaches whatever is in front.
func TestDragNeedsPointer(t *testing.T) {
	a, f := open(t)
	tree := look(t, a)
	m := desktop.Move{From: find(t, tree, "Drag Source").Bounds.Centre()}
	to := find(t, tree, "Drop Here").Bounds.Centre()
	m.Path = []ui.Point{{X: to.X, Y: to.Y - 5}, to}
	refused := wantFault(t, a.Drag(t.Context(), m), fault.Unsupported, hint.Field("pointer"), "moves the user's mouse pointer")
	if refused.Dispatched != fault.NotDispatched || f.told() != "" {
		t.Errorf("dispatched %q, events %s, want none", refused.Dispatched, f.told())
	}
	m.Pointer = true
	f.cover(2)
	a.options.Activate = time.Nanosecond
	refused = wantFault(t, a.Drag(t.Context(), m), fault.ElementUnhittable, `a window of "other" covers process 4242`)
	if refused.Dispatched != fault.NotDispatched || f.told() != "" {
		t.Errorf("dispatched %q, events %s, want none", refused.Dispatched, f.told())
	}
	f.cover(1)
	f.active(0)
	f.lag(20)
	a.options.Activate, a.options.Drop = time.Minute, 40*time.Millisecond
	if err := a.Drag(soon(t), m); err != nil {
		t.Fatal(err)
	}
	find(t, look(t, a), "Drop Received")
	if told := f.told(); !strings.HasSuffix(told, "\npointer moved 7,8 by -213,-547\n") {
		t.Errorf("events = %s, want the pointer back at its place", told)
	}
	m.Path = nil
	if err := a.Drag(soon(t), m); err != nil {
		t.Errorf("a drag without a way: %v", err)
	}
	a.options.Activate = time.Nanosecond
	wantFault(t, a.Drag(t.Context(), desktop.Move{From: ui.Point{X: 5, Y: 6}, Pointer: true}), fault.ElementUnhittable)
}

// TestKeysActivateApp: keys that are posted to an app that is not active are dropped; clicks arrive there.
func TestKeysActivateApp(t *testing.T) {
	a, f := open(t)
	f.active(0)
	if err := a.Click(t.Context(), ui.Point{X: 150, Y: 100}, 1, 1); err != nil || a.frontmost() {
		t.Errorf("click: %v, active %v, want a click that leaves the app where it is", err, a.frontmost())
	}
	f.stubborn(1)
	f.forget()
	a.options.Activate = 30 * time.Millisecond
	for _, err := range []error{a.Type(t.Context(), "x"), a.Press(t.Context(), desktop.Chord{Key: "s"}, 1)} {
		if refused := wantFault(t, err, fault.NoFocus, "does not become the active app"); refused.Dispatched != fault.NotDispatched {
			t.Errorf("dispatched %q, want not", refused.Dispatched)
		}
	}
	if f.downs() != 0 {
		t.Errorf("%d keys were sent, want none", f.downs())
	}
	f.stubborn(0)
	a.options.Activate = time.Minute
	if err := a.Press(soon(t), desktop.Chord{Key: "s"}, 1); err != nil || f.told() != "key down 0x1 0\nkey up 0x1 0\n" {
		t.Errorf("press: %v, events %s, want a key", err, f.told())
	}
}

// TestPressNumbersFollowSystem: macOS drops a press whose number is used, or not just above the number of the system's own presses.
func TestPressNumbersFollowSystem(t *testing.T) {
	d, f := newDesktop(t, built.now)
	pressed := 0
	click := func(a desktop.App) {
		t.Helper()
		pressed++
		err := a.Click(t.Context(), ui.Point{X: 150, Y: 100}, 1, 1)
		if got := strings.Count(f.told(), "press Action\n"); err != nil || got != pressed {
			t.Errorf("%v, %d presses, want %d", err, got, pressed)
		}
	}
	var apps []desktop.App
	for range 2 {
		a, err := d.Open(t.Context(), pid)
		if err != nil {
			t.Fatal(err)
		}
		apps = append(apps, a)
	}
	for _, a := range apps {
		click(a)
		f.userClicks(1500)
		click(a)
	}
	f.userClicks(1<<15 - 2*1500 - 5070) // more than an event has room for
	if n := apps[0].(*App).lib.nextPress(); n != 2 {
		t.Errorf("number = %d, want 2", n)
	}
	for _, a := range apps {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestInputIsReleasedWhenCallerLeaves: a pressed button is released when the caller leaves in the middle.
func TestInputIsReleasedWhenCallerLeaves(t *testing.T) {
	a, f := open(t)
	at := ui.Point{X: 150, Y: 100}
	for name, do := range map[string]func(context.Context) error{
		"hold": func(ctx context.Context) error { return a.Hold(ctx, at, time.Hour) },
		"drag": func(ctx context.Context) error {
			return a.Drag(ctx, desktop.Move{From: at, Path: []ui.Point{{X: 160, Y: 110}}, Step: time.Hour, Pointer: true})
		},
		"click": func(ctx context.Context) error { return a.Click(ctx, at, 1, 1_000_000) },
		"press": func(ctx context.Context) error {
			return a.Press(ctx, desktop.Chord{Key: "s", Modifiers: desktop.Command}, 1_000_000)
		},
		"type": func(ctx context.Context) error { return a.Type(ctx, strings.Repeat("x", 1_000_000)) },
	} {
		f.forget()
		a.options.Pace = time.Millisecond
		ctx, leave := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() {
			defer close(left)
			for f.downs() == 0 {
				runtime.Gosched()
			}
			leave()
		}()
		if err := do(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		<-left
		told := f.told()
		if down, up := strings.Count(told, "down"), strings.Count(told, "up"); down != up || down == 0 {
			t.Errorf("%s: %d times down, %d times up:\n%s", name, down, up, told)
		}
	}
}

func TestPressPostsKeyCodesAndFlags(t *testing.T) {
	a, f := open(t)
	f.shift(1)
	for want, c := range map[string]desktop.Chord{
		"0x1 0x120000":  {Key: "s", Modifiers: desktop.Command | desktop.Shift}, // kVK_ANSI_S
		"0x24 0":        {Key: "return"},
		"0x7b 0xa80000": {Key: "left", Modifiers: desktop.Option}, // with what belongs to arrows
	} {
		f.forget()
		if err := a.Press(t.Context(), c, 2); err != nil {
			t.Fatal(err)
		}
		if got, stroke := f.told(), "key down "+want+"\nkey up "+want+"\n"; got != stroke+stroke {
			t.Errorf("%v: %s", c, got)
		}
	}
}

func TestTypeEntersUnicodeText(t *testing.T) {
	a, f := open(t)
	field := find(t, look(t, a), "Name")
	if err := a.Focus(t.Context(), field.Key); err != nil {
		t.Fatal(err)
	}
	const text = "héllo, wörld 👋👋👋👋👋 日本語 — 0123456789 👩‍👩‍👧‍👦 end"
	f.shift(1)
	if err := a.Type(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	if got := *find(t, look(t, a), "Name").Value; got != text {
		t.Errorf("the field has %q", got)
	}
	if strings.Contains(f.told(), "0x20000") {
		t.Error("it was typed with the user's shift")
	}
	f.forget()
	if err := a.Type(t.Context(), "a\tb\r\nc\n"); err != nil {
		t.Fatal(err)
	}
	const want = "text down a 0\ntext up a 0\nkey down 0x30 0\nkey up 0x30 0\ntext down b 0\ntext up b 0\nkey down 0x24 0\nkey up 0x24 0\n" +
		"text down c 0\ntext up c 0\nkey down 0x24 0\nkey up 0x24 0\n"
	if got := f.told(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestStrokesKeepTextAndCharacters: no event exceeds macOS's limit, no character is split, and no text is lost.
func TestStrokesKeepTextAndCharacters(t *testing.T) {
	texts := []string{"", "x", strings.Repeat("👋", 30), strings.Repeat("x", 19) + "👋", "a\nb\tc\r\n", "\xff\xfe", "\r\r\n\n"}
	random, letters := rand.New(rand.NewPCG(1, 2)), []rune("ab é語👋\u200d\n\r\t")
	for range 1000 {
		s := make([]rune, random.IntN(100))
		for i := range s {
			s[i] = letters[random.IntN(len(letters))]
		}
		texts = append(texts, string(s))
	}
	for _, s := range texts {
		var typed []uint16
		for _, one := range strokes(s) {
			if n := len(one.text); n > textUnits || n > 0 && (one.text[0]&0xFC00 == 0xDC00 || one.text[n-1]&0xFC00 == 0xD800) {
				t.Fatalf("%q: %x", s, one.text)
			}
			typed = append(typed, one.text...)
			if one.text == nil {
				typed = append(typed, map[desktop.Key]uint16{"return": '\n', "tab": '\t'}[one.key])
			}
		}
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
		if want := utf16.Encode([]rune(lines)); !slices.Equal(typed, want) {
			t.Errorf("%q: %x became %x", s, want, typed)
		}
	}
}
