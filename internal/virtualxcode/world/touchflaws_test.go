package world_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func TestTypingFaultChangesTextOnce(t *testing.T) {
	for _, c := range []struct {
		name, types, arrives string
		set                  []string
	}{
		{flaw.DroppedCharacters, "abcdefgh", "abdegh", nil},
		{flaw.DroppedCharacters, "abcdefgh", "abcdeg", []string{"every=2", "after=4"}},
		{flaw.DoubledCharacters, "abcdef", "abccdeff", nil},
		{flaw.NoOpType, "abc", "", nil},
		{flaw.UnicodeLost, "añ😀b", "ab", nil},
		{flaw.WrongLayout, `a@b.c "x"`, `a"b.c @x@`, nil},
		{flaw.WrongLayout, "quiz", "auiw", []string{"layout=azerty"}},
		{flaw.WrongLayout, "lazy", "layz", []string{"layout=qwertz"}},
		{flaw.Autocorrect, `teh "end" -- dont`, "The “end” — don’t", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := small(t, lab, world.LaunchOptions{})
			d.tap("name")
			d.settle()
			d.fault(c.name, c.set...)
			d.must(d.TypeText(t.Context(), d.udid, c.types))
			if got := d.get("name").Value; got != c.arrives {
				t.Errorf("typed %q, %q arrived, want %q", c.types, got, c.arrives)
			}
			d.must(d.TypeText(t.Context(), d.udid, c.types))
			if got := d.get("name").Value; got != c.arrives+c.types {
				t.Errorf("the next time %q arrived", got)
			}
		})
	}
}

func TestSlowKeyboardLosesEarlyKeys(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	d.fault(flaw.SlowKeyboard, "ms=300")
	d.tap("name") // takes 50 ms
	if !find(d.tree(), "name").Focused || count(d.tree(), ofType("Keyboard")) != 0 {
		t.Error("the field has no focus, or the keyboard is there at once")
	}
	d.must(d.TypeText(t.Context(), d.udid, strings.Repeat("x", 25)+"abc")) // a key takes 10 ms
	if got := d.get("name").Value; got != "abc" {
		t.Errorf("%q arrived", got)
	}
	d.settle()
	if count(d.tree(), ofType("Keyboard")) != 1 {
		t.Error("the keyboard never came")
	}
	d.must(d.TypeText(t.Context(), d.udid, "d"))
	if got := d.get("name").Value; got != "abcd" {
		t.Errorf("%q arrived", got)
	}
}

// The last field of a long screen is scrolled up from under the keyboard, unless that goes wrong.
func TestKeyboardCoversFieldWhenArmed(t *testing.T) {
	bottom := func(covers bool) (field, keyboard float64) {
		d := small(t, lab, world.LaunchOptions{})
		id := "low"
		if covers {
			d.fault(flaw.KeyboardCoversField)
		}
		d.tap(id)
		d.settle()
		if !d.get(id).Focused {
			t.Fatalf("%s has no focus", id)
		}
		f := d.get(id).Frame
		for e := range d.root().All() {
			if e.Type == "Keyboard" {
				keyboard = e.Frame.Y
			}
		}
		return f.Y + f.H, keyboard
	}
	if field, keyboard := bottom(false); field > keyboard {
		t.Errorf("the field ends at %v, the keyboard begins at %v", field, keyboard)
	}
	if field, keyboard := bottom(true); field <= keyboard {
		t.Errorf("the field ends at %v, above the keyboard at %v", field, keyboard)
	}
}

func TestSwipeFaultsChangeScrollDistance(t *testing.T) {
	moved := func(name string) float64 {
		d := small(t, lab, world.LaunchOptions{})
		before := d.get("count").Frame.Y
		if name != "" {
			d.fault(name)
		}
		d.must(d.Swipe(t.Context(), d.udid, world.Point{X: 195, Y: 600}, world.Point{X: 195, Y: 570}, 200*time.Millisecond))
		d.settle()
		return before - d.get("count").Frame.Y
	}
	plain := moved("")
	if plain < 29 {
		t.Fatalf("a swipe moves the content by %v", plain)
	}
	if none := moved(flaw.NoOpSwipe); none != 0 {
		t.Errorf("a swallowed swipe moves it by %v", none)
	}
	if far := moved(flaw.ScrollOvershoots); far < plain+20 {
		t.Errorf("an overshooting one moves it by %v, the plain one by %v", far, plain)
	}
}

func TestTapFaultsMissOrDelayTap(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	total := func() string { return find(d.tree(), "count").Label }
	add := d.get("add").Frame
	d.fault(flaw.TapMisses, "dx=0", "dy=-300")
	d.tap("add")
	if total() != "Count: 0" {
		t.Errorf("a tap that missed: %s", total())
	}
	d.fault(flaw.AppSlow, "ms=800")
	d.tap("add") // takes 50 ms
	if total() != "Count: 0" {
		t.Errorf("at once: %s", total())
	}
	d.must(d.Sleep(t.Context(), 700*time.Millisecond))
	if total() != "Count: 0" {
		t.Errorf("after 750 ms: %s", total())
	}
	d.must(d.Sleep(t.Context(), 50*time.Millisecond))
	if total() != "Count: 1" {
		t.Errorf("after 800 ms: %s", total())
	}
	d.fault(flaw.LateInsert, "points=200")
	d.tap("add")
	if moved := d.get("add").Frame.Y - add.Y; moved != 200 || total() != "Count: 1" || d.find("late-banner") == nil {
		t.Errorf("the button moved by %v, %s", moved, total())
	}
	d.tap("add")
	if total() != "Count: 2" {
		t.Errorf("in its new place: %s", total())
	}
}

func TestSwitchIgnoresTapOnceWhenArmed(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	at := d.get("wifi").Frame.Centre()
	value := func() string { return d.get("wifi").Value }
	before := value()
	d.fault(flaw.SwitchIgnoresTap)
	d.must(d.Tap(t.Context(), d.udid, world.Point{X: 1, Y: 1})) // no switch, no occasion
	d.must(d.Tap(t.Context(), d.udid, at))
	if value() != before || len(d.Faults()) != 0 {
		t.Errorf("the switch is %s, faults left: %v", value(), d.Faults())
	}
	d.must(d.LongPress(t.Context(), d.udid, at, 200*time.Millisecond))
	if value() == before {
		t.Error("a longer touch does not move it either")
	}
	d.must(d.Tap(t.Context(), d.udid, at))
	if value() != before {
		t.Error("the next tap does nothing")
	}
}

func TestAppCrashesOnTapWhenArmed(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	d.fault(flaw.AppCrashOnTap)
	d.tap("name")
	if front, err := d.Foreground(d.udid); err != nil || front != world.SpringBoard {
		t.Errorf("in front is %s, %v", front, err)
	}
	entries, _, _, err := d.Logs(d.udid, 0)
	d.must(err)
	if !slices.ContainsFunc(entries, func(e world.Entry) bool {
		return e.Level == world.LevelFault && strings.Contains(e.Message, "Fatal error")
	}) {
		t.Errorf("the log ends with %+v", entries[len(entries)-2:])
	}
	d.launch("com.example.small")
	d.tap("name")
	if !d.get("name").Focused {
		t.Error("the next tap does nothing")
	}
}

func TestHungAppQueuesTaps(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	add := d.get("add").Frame.Centre()
	d.fault(flaw.AppHang, "seconds=20")
	start := d.Now()
	d.must(d.Tap(t.Context(), d.udid, add))
	scene, err := d.Scene(t.Context(), d.udid)
	d.must(err)
	if got := find(scene.Root, "count").Label; got != "Count: 0" || d.Now().Sub(start) != 50*time.Millisecond {
		t.Errorf("the picture shows %q after %s", got, d.Now().Sub(start))
	}
	d.must(d.Tap(t.Context(), d.udid, add)) // waits in the queue
	if got := find(d.tree(), "count").Label; got != "Count: 2" || d.Now().Sub(start) != 20*time.Second {
		t.Errorf("after %s the tree says %q: both taps count when the app is back", d.Now().Sub(start), got)
	}
	d.fault(flaw.AppHang, "seconds=600")
	d.tap("add")
	start = d.Now()
	if _, _, err := d.Snapshot(t.Context(), d.udid, "com.example.small"); !errors.Is(err, world.ErrFault) ||
		d.Now().Sub(start) != time.Minute {
		t.Errorf("after %s: %v", d.Now().Sub(start), err)
	}
	if _, _, err := d.Snapshot(t.Context(), d.udid, world.SpringBoard); err != nil {
		t.Errorf("the home screen hangs too: %v", err)
	}
	_, err = d.Launch(t.Context(), d.udid, "com.example.small", world.LaunchOptions{TerminateRunning: true})
	d.must(err)
	d.settle()
}

func TestAnimationPauseSettlesTooEarly(t *testing.T) {
	wait := world.Wait{Stable: 200 * time.Millisecond, Max: 5 * time.Second}
	for _, pauses := range []bool{false, true} {
		d := small(t, lab, world.LaunchOptions{})
		if pauses {
			d.fault(flaw.AnimationPlateau, "ms=600")
		}
		d.tap("next")
		o, err := d.Observe(t.Context(), d.udid, "", wait)
		d.must(err)
		first := find(o.Root, "there").Frame.X
		if !o.Settled || (first != 16) != pauses {
			t.Errorf("pauses %v: settled %v with the screen at %v", pauses, o.Settled, first)
		}
		d.must(d.Sleep(t.Context(), time.Second))
		if at := d.get("there").Frame.X; at != 16 {
			t.Errorf("pauses %v: in the end the screen is at %v", pauses, at)
		}
	}
}

func TestEndlessAnimationNeverSettles(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	d.settle()
	d.fault(flaw.EndlessAnimation)
	for range 2 {
		o, err := d.Observe(t.Context(), d.udid, "", world.Wait{Stable: 100 * time.Millisecond, Max: 5 * time.Second})
		d.must(err)
		if o.Settled || o.Waited != 5*time.Second {
			t.Errorf("it settled after %s", o.Waited)
		}
	}
	_, err := d.Launch(t.Context(), d.udid, "com.example.small", world.LaunchOptions{TerminateRunning: true})
	d.must(err)
	d.settle()
}

func find(root *world.Element, id string) *world.Element {
	for e := range root.All() {
		if e.Identifier == id {
			return e
		}
	}
	return &world.Element{Label: "(no " + id + ")"}
}
