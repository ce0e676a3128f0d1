package world_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

const conformance = "com.iosagent.conformance"

// conform launches Conformance on a tab.
func conform(t *testing.T, tab string) *driver {
	t.Helper()
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	d.launch(conformance)
	d.tab(tab)
	return d
}

// tab goes to a tab the way a suite does: up to the top, over, up again.
func (d *driver) tab(name string) {
	d.t.Helper()
	for range 5 {
		d.swipe(world.Point{X: 200, Y: 300}, world.Point{X: 200, Y: 700})
	}
	d.pass(500 * time.Millisecond)
	d.tapIn("TabBar", name)
	d.pass(500 * time.Millisecond)
}

func (d *driver) swipe(from, to world.Point) {
	d.t.Helper()
	d.must(d.Swipe(d.t.Context(), d.udid, from, to, 300*time.Millisecond))
}

func (d *driver) pass(long time.Duration) {
	d.t.Helper()
	d.must(d.Sleep(d.t.Context(), long))
}

// tapIn taps what has a label inside the first element of a type.
func (d *driver) tapIn(kind, label string) {
	d.t.Helper()
	for e := range d.root().All() {
		if e.Type != kind {
			continue
		}
		for inner := range e.All() {
			if inner.Label == label && inner != e {
				d.must(d.Tap(d.t.Context(), d.udid, inner.Frame.Centre()))
				return
			}
		}
	}
	d.t.Fatalf("there is no %q in a %s", label, kind)
}

// now finds an element at this moment, without waiting for rest.
func (d *driver) now(id string) *world.Element {
	d.t.Helper()
	root := d.root()
	if root == nil {
		return nil
	}
	for e := range root.All() {
		if e.Identifier == id {
			return e
		}
	}
	return nil
}

// waitFor waits until an element is there, or gone, and reports how long that took.
func (d *driver) waitFor(id string, there bool, limit time.Duration) time.Duration {
	d.t.Helper()
	for start := d.Now(); ; d.pass(50 * time.Millisecond) {
		passed := d.Now().Sub(start)
		if (d.now(id) != nil) == there {
			return passed
		}
		if passed > limit {
			d.t.Fatalf("%s: there is %v after %s", id, !there, limit)
		}
	}
}

func (d *driver) press(id string) {
	d.t.Helper()
	e := d.now(id)
	if e == nil {
		d.t.Fatalf("there is no %s", id)
	}
	d.must(d.Tap(d.t.Context(), d.udid, e.Frame.Centre()))
}

func (d *driver) want(id, label string) {
	d.t.Helper()
	if got := d.get(id); got.Label != label {
		d.t.Errorf("%s says %q, want %q", id, got.Label, label)
	}
}

// steps are the scenarios of the suite, by name and tab; each begins with the app just launched.
var scenarios = map[string]struct {
	tab string
	run func(*driver)
}{
	"A1 tap while a spinner turns": {"Dynamic", func(d *driver) {
		d.press("dynamic-reset")
		d.press("dynamic-start-loading")
		d.waitFor("dynamic-loading-spinner", true, 3*time.Second)
		d.press("dynamic-toggle-visibility")
		d.waitFor("dynamic-togglable", true, 3*time.Second)
		if d.now("dynamic-loading-spinner") == nil {
			d.t.Error("the spinner was gone already")
		}
	}},
	"C1 tap": {"Controls", func(d *driver) {
		d.want("controls-tap-count", "Tapped: 0")
		d.tap("controls-tap-button")
		d.want("controls-tap-count", "Tapped: 1")
		d.tap("controls-tap-button")
		d.want("controls-tap-count", "Tapped: 2")
	}},
	"C2 toggle": {"Controls", func(d *driver) {
		d.want("controls-wifi-status", "Off")
		d.tap("controls-toggle-wifi")
		d.want("controls-wifi-status", "On")
		if e := d.get("controls-toggle-wifi"); e.Type != "Switch" || e.Value != "1" {
			d.t.Errorf("the toggle is %+v", e)
		}
	}},
	"C3 destructive": {"Controls", func(d *driver) {
		d.swipe(world.Point{X: 200, Y: 650}, world.Point{X: 200, Y: 300})
		d.tap("controls-delete-button")
		d.swipe(world.Point{X: 200, Y: 650}, world.Point{X: 200, Y: 300})
		d.want("controls-delete-status", "Deleted!")
	}},
	"C4 segments": {"Controls", func(d *driver) {
		d.want("controls-picker-value", "Medium")
		d.tapIn("SegmentedControl", "Small")
		d.want("controls-picker-value", "Small")
		d.tapIn("SegmentedControl", "Large")
		d.want("controls-picker-value", "Large")
	}},
	"C5 slider and stepper": {"Controls", func(d *driver) {
		at := d.get("controls-slider-volume").Frame.Centre()
		d.swipe(at, world.Point{X: at.X + 400, Y: at.Y})
		d.want("controls-slider-value", "Volume: 100")
		if v := d.get("controls-slider-volume"); v.Value != "100%" || v.Label != "Volume" {
			d.t.Errorf("the slider is %+v", v)
		}
		d.tap("controls-stepper-quantity-Decrement")
		d.want("controls-stepper-value", "Quantity: 0")
		if !d.get("controls-stepper-quantity-Decrement").Disabled {
			d.t.Error("the stepper goes below its least")
		}
		d.tap("controls-stepper-quantity-Increment")
		d.want("controls-stepper-value", "Quantity: 1")
	}},
	"D1 delayed": {"Dynamic", func(d *driver) {
		d.press("dynamic-show-delayed")
		if took := d.waitFor("dynamic-delayed-label", true, 5*time.Second); took < 1900*time.Millisecond {
			d.t.Errorf("it came after %s", took)
		}
		d.want("dynamic-delayed-label", "I appeared!")
	}},
	"D2 brief": {"Dynamic", func(d *driver) {
		d.press("dynamic-show-brief")
		d.waitFor("dynamic-brief-label", true, 3*time.Second)
		d.waitFor("dynamic-brief-label", false, 5*time.Second)
	}},
	"D3 loading": {"Dynamic", func(d *driver) {
		d.press("dynamic-start-loading")
		d.waitFor("dynamic-loading-spinner", true, 3*time.Second)
		d.waitFor("dynamic-loading-spinner", false, 5*time.Second)
		d.waitFor("dynamic-loading-done", true, 3*time.Second)
		d.want("dynamic-loading-done", "Loading complete")
	}},
	"D4 visibility": {"Dynamic", func(d *driver) {
		d.press("dynamic-toggle-visibility")
		d.want("dynamic-togglable", "Visible Element")
		d.press("dynamic-toggle-visibility")
		d.waitFor("dynamic-togglable", false, 3*time.Second)
	}},
	"D5 counter": {"Dynamic", func(d *driver) {
		d.press("dynamic-start-counter")
		d.want("dynamic-counter-value", "Count: 0")
		d.pass(2 * time.Second)
		d.want("dynamic-counter-value", "Count: 2")
		d.press("dynamic-stop-counter")
		d.pass(2 * time.Second)
		d.want("dynamic-counter-value", "Count: 2")
	}},
	"D6 reset": {"Dynamic", func(d *driver) {
		d.press("dynamic-toggle-visibility")
		d.press("dynamic-show-delayed")
		d.press("dynamic-reset")
		d.waitFor("dynamic-togglable", false, 3*time.Second)
		d.pass(3 * time.Second)
		if d.now("dynamic-delayed-label") != nil {
			d.t.Error("a reset left a delay running")
		}
	}},
	"N1 push": {"Navigation", func(d *driver) {
		d.tap("nav-push-button")
		d.want("nav-detail-label", "Detail Page")
		d.tapIn("TabBar", "Navigation")
		d.waitFor("nav-detail-label", false, time.Second)
		d.get("nav-push-button")
	}},
	"N2 sheet": {"Navigation", func(d *driver) {
		d.tap("nav-sheet-button")
		d.want("nav-sheet-content", "Sheet Content")
		d.tap("nav-sheet-dismiss")
		d.waitFor("nav-sheet-content", false, 3*time.Second)
		d.want("nav-status-label", "Sheet dismissed")
	}},
	"N3 alert": {"Navigation", func(d *driver) {
		d.tap("nav-alert-button")
		if box := d.get("Test Alert"); box.Type != "Alert" {
			d.t.Errorf("found a %s", box.Type)
		}
		d.tap("nav-push-button") // under the alert: nothing happens
		d.tap("nav-alert-ok")
		d.want("nav-status-label", "Alert confirmed")
	}},
	"N4 confirmation": {"Navigation", func(d *driver) {
		d.tap("nav-confirm-button")
		d.tap("nav-confirm-delete")
		d.want("nav-status-label", "Deleted")
		d.tap("nav-confirm-button")
		d.tap("nav-confirm-cancel")
		d.want("nav-status-label", "Cancelled")
	}},
	"T1 T2 typing": {"Text Input", func(d *driver) {
		for field, live := range map[string]string{"text-username-field": "text-username-value", "text-email-field": "text-email-value"} {
			d.tap(field)
			d.write("ada@example.com")
			d.swipe(world.Point{X: 200, Y: 500}, world.Point{X: 200, Y: 200})
			if !strings.HasSuffix(d.get(live).Label, ": ada@example.com") {
				d.t.Errorf("%s says %q", live, d.get(live).Label)
			}
			if d.now("Return") != nil {
				d.t.Error("scrolling did not dismiss the keyboard")
			}
			d.tab("Text Input")
		}
	}},
	"T3 submit": {"Text Input", func(d *driver) {
		d.tap("text-username-field")
		d.write("ada\n")
		d.tap("text-submit-button")
		d.want("text-submit-result", "Submitted: ada")
	}},
	"T4 clear": {"Text Input", func(d *driver) {
		d.tap("text-username-field")
		d.write("ada\n")
		d.want("text-username-value", "Username: ada")
		d.tap("text-clear-button")
		d.want("text-username-value", "Username: ")
	}},
	"T5 other fields": {"Text Input", func(d *driver) {
		d.tap("text-notes-editor")
		d.write("one\ntwo")
		if e := d.get("text-notes-editor"); e.Value != "one\ntwo" || e.Type != "TextView" || !e.Focused {
			d.t.Errorf("the editor is %+v", e)
		}
		d.tab("Text Input")
		d.tap("text-search-field")
		d.write("tea\n")
		d.want("text-search-result", "Searched: tea")
	}},
	"G swipe, hold, tap": {"Gestures", func(d *driver) {
		d.must(d.LongPress(d.t.Context(), d.udid, d.get("gesture-longpress-target").Frame.Centre(), 500*time.Millisecond))
		d.want("gesture-longpress-status", "Tap and hold")
		d.must(d.LongPress(d.t.Context(), d.udid, d.get("gesture-longpress-target").Frame.Centre(), 1200*time.Millisecond))
		d.want("gesture-longpress-status", "Long pressed!")
		for _, to := range []world.Point{{X: 60}, {X: -60}, {Y: 60}, {Y: -60}} {
			at := d.get("gesture-swipe-area").Frame.Centre()
			d.swipe(at, world.Point{X: at.X + to.X, Y: at.Y + to.Y})
			want := map[world.Point]string{{X: 60}: "right", {X: -60}: "left", {Y: 60}: "down", {Y: -60}: "up"}[to]
			d.want("gesture-swipe-status", "Swiped: "+want)
		}
		d.swipe(world.Point{X: 5, Y: 700}, world.Point{X: 5, Y: 200}) // beside everything: the screen scrolls
		frame := d.get("gesture-tap-area").Frame
		d.must(d.Tap(d.t.Context(), d.udid, world.Point{X: frame.X + 30, Y: frame.Y + 40}))
		d.want("gesture-tap-location", "Tapped at: 30, 40")
	}},
	"G list": {"Gestures", func(d *driver) {
		list := d.get("scroll-list").Frame
		if d.now("scroll-item-50") != nil || list.H != 300 {
			d.t.Errorf("the list is %v and has its last row already", list)
		}
		for range 20 {
			d.swipe(world.Point{X: 200, Y: list.Y + 280}, world.Point{X: 200, Y: list.Y + 20})
			d.settle()
		}
		if last := d.get("scroll-item-50").Frame; !d.get("scroll-list").Frame.Contains(last.Centre()) || d.now("scroll-item-1") != nil {
			d.t.Errorf("at its end the list shows the last row at %v", last)
		}
	}},
}

func TestConformance(t *testing.T) {
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) { s.run(conform(t, s.tab)) })
	}
}

// TestEqualRequestsHaveEqualResults plays a session twenty times and compares all that was seen.
func TestEqualRequestsHaveEqualResults(t *testing.T) {
	var first string
	for i := range 20 {
		var b strings.Builder
		d := conform(t, "Dynamic")
		for _, id := range []string{"dynamic-start-counter", "dynamic-start-loading", "dynamic-show-brief", "dynamic-show-delayed"} {
			d.press(id)
			d.swipe(world.Point{X: 200, Y: 600}, world.Point{X: 200, Y: 400})
			for range 8 {
				for e := range d.root().All() {
					fmt.Fprintln(&b, e.Type, e.Identifier, e.Label, e.Value, e.Frame)
				}
				d.pass(130 * time.Millisecond)
			}
			d.settle()
		}
		if i == 0 {
			first = b.String()
		}
		if b.String() != first {
			t.Fatalf("run %d differs", i)
		}
	}
}
