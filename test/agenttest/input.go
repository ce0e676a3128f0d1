package agenttest

import (
	"fmt"
	"math"

	"ios-agent/internal/driver/agentwire"
)

// taps: each way to tap lands on the element.
func taps(b *bench) {
	d := b.driver()
	x, y := d.centre("controls-tap-button")
	for i, req := range []agentwire.Request{
		&agentwire.TapCoord{X: x, Y: y},
		&agentwire.TapElement{Selector: "controls-tap-button"},
		&agentwire.TapElement{Selector: "controls-tap-button", TimeoutMS: new(uint64(0))},
		&agentwire.TapElement{Selector: "controls-tap-button", TimeoutMS: soon()},
		&agentwire.TapElement{Selector: "controls-tap-button", TimeoutMS: new(uint64(math.MaxUint64))},
		&agentwire.TapByLabel{Label: "Tap Me"},
		&agentwire.TapByLabel{Label: "Tap Me", TimeoutMS: soon()},
		&agentwire.TapWithType{Selector: "Tap Me", ByLabel: true, Type: "Button"},
		&agentwire.TapWithType{Selector: "controls-tap-button", Type: "Any", TimeoutMS: soon()},
	} {
		d.ok(req)
		d.reads("controls-tap-count", fmt.Sprintf("Tapped: %d", i+1))
	}
	d.tap("controls-toggle-wifi")
	d.reads("controls-wifi-status", "On")
	d.reads("controls-toggle-wifi", "1")
}

// selectors: exact, and by index in document order.
func selectors(b *bench) {
	d := b.driver()
	for _, selector := range []string{
		"Controls-tap-button", "controls-tap-button[1]", "controls-tap-button[99999999999999999999]", "controls-tap-button[]",
		"controls-tap-button[-1]", "controls-tap-button[0", "controls-tap-button[٣]", "controls-*",
	} {
		d.fault(agentwire.CodeNotFound, &agentwire.TapElement{Selector: selector})
	}
	d.ok(&agentwire.TapElement{Selector: "controls-tap-button[0]"})
	d.reads("controls-tap-count[0]", "Tapped: 1")
	d.tab("Navigation")
	d.tap("nav-extras-button")
	d.reads("extras-duplicate-value", "Chosen: ")
	d.ok(&agentwire.TapWithType{Selector: "Duplicate[1]", ByLabel: true, Type: "Button", TimeoutMS: soon()})
	d.reads("extras-duplicate-value", "Chosen: second")
	d.ok(&agentwire.TapWithType{Selector: "Duplicate", ByLabel: true, Type: "Button", TimeoutMS: soon()})
	d.reads("extras-duplicate-value", "Chosen: first")
}

// waiting: a request waits for a missing element, and reports it after the time limit.
func waiting(b *bench) {
	d := b.driver()
	d.tab("Dynamic")
	d.tap("dynamic-show-delayed")
	d.fault(agentwire.CodeNotFound, &agentwire.GetValue{Selector: "dynamic-delayed-label"})
	d.reads("dynamic-delayed-label", "I appeared!")
	d.fault(agentwire.CodeNotFound, &agentwire.TapElement{Selector: "nothing", TimeoutMS: new(uint64(200))})
}

// covered: an element under an alert exists, but cannot be tapped.
func covered(b *bench) {
	d := b.driver()
	d.tab("Navigation")
	d.tap("nav-alert-button")
	d.reads("nav-alert-ok", "OK")
	if el := d.element("nav-sheet-button"); el.Hittable == nil || *el.Hittable {
		b.Errorf("under the alert: %+v", el)
	}
	d.fault(agentwire.CodeNotHittable, &agentwire.TapElement{Selector: "nav-sheet-button"})
	d.fault(agentwire.CodeNotHittable, &agentwire.TapElement{Selector: "nav-sheet-button", TimeoutMS: new(uint64(200))})
	d.tap("nav-alert-ok")
	d.reads("nav-status-label", "Alert confirmed")
}

// sliding: a sheet that slides in is tapped where it comes to rest.
func sliding(b *bench) {
	d := b.driver()
	d.tab("Navigation")
	d.tap("nav-sheet-button")
	d.tap("nav-sheet-dismiss")
	d.reads("nav-status-label", "Sheet dismissed")
}

// spinner: something that never rests keeps nothing else from being tapped.
func spinner(b *bench) {
	d := b.driver()
	d.tab("Dynamic")
	d.tap("dynamic-start-loading")
	if el := d.element("dynamic-loading-spinner"); el.Type != "ActivityIndicator" {
		b.Errorf("the spinner is %+v", el)
	}
	d.tap("dynamic-toggle-visibility")
	d.reads("dynamic-togglable", "Visible Element")
	d.reads("dynamic-loading-done", "Loading complete")
}

// typing goes to what has the focus, and nowhere else.
func typing(b *bench) {
	d := b.driver()
	d.tab("Text Input")
	d.fault(agentwire.CodeNoFocus, &agentwire.TypeText{Text: "lost"})
	d.tap("text-username-field")
	d.ok(&agentwire.TypeText{Text: "Ada "})
	d.ok(&agentwire.TypeText{Text: "Lovelace é🙂"})
	d.reads("text-username-value", "Username: Ada Lovelace é🙂")
	d.reads("text-username-field", "Ada Lovelace é🙂")
	if el := d.element("text-username-field"); el.Type != "TextField" || el.Focused == b.subject.FocusUnknown || el.Placeholder != "Username" {
		b.Errorf("the field is %+v", el)
	}
}

func gestures(b *bench) {
	d := b.driver()
	d.tab("Gestures")
	d.reads("gesture-longpress-status", "Tap and hold")
	x, y := d.centre("gesture-longpress-target")
	d.ok(&agentwire.LongPress{X: x, Y: y, Seconds: 1.2})
	d.reads("gesture-longpress-status", "Long pressed!")
	x, y = d.centre("gesture-swipe-area")
	d.ok(&agentwire.Swipe{StartX: x + 40, StartY: y, EndX: x - 40, EndY: y})
	d.reads("gesture-swipe-status", "Swiped: left")
	d.ok(&agentwire.Swipe{StartX: x, StartY: y - 30, EndX: x, EndY: y + 30, Seconds: new(0.5)})
	d.reads("gesture-swipe-status", "Swiped: down")
	before := d.element("scroll-item-3").Frame.Y
	x, y = d.centre("scroll-list")
	d.ok(&agentwire.Swipe{StartX: x, StartY: y + 60, EndX: x, EndY: y - 60, Seconds: new(0.6)})
	ask[*agentwire.Sight](d, &agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000}})
	if after := d.element("scroll-item-3").Frame.Y; after >= before {
		b.Errorf("the list went from %v to %v", before, after)
	}
	// A list may have rows that were never shown, or not; a finger reaches none of them.
	el, err := ask[*agentwire.Found](d, &agentwire.FindElement{Selector: "scroll-item-50"}).Element()
	if err != nil || el != nil && (el.Hittable == nil || *el.Hittable) {
		b.Errorf("scrolled out: %+v, %v", el, err)
	}
}

func badRequests(b *bench) {
	d := b.driver()
	d.fault(agentwire.CodeBadRequest, &agentwire.TapWithType{Selector: "controls-tap-button", Type: "button"})
	for _, seconds := range []float64{0, -1, math.NaN(), math.Inf(1), 3601} {
		d.fault(agentwire.CodeBadRequest, &agentwire.LongPress{X: 1, Y: 1, Seconds: seconds})
		d.fault(agentwire.CodeBadRequest, &agentwire.Swipe{EndX: 50, Seconds: &seconds})
	}
	d.reads("controls-tap-count", "Tapped: 0")
}

// stops when gone: a wait does not outlive the client that asked for it, or the next one would wait too.
func stopsWhenGone(b *bench) {
	s := b.open(Options{})
	first := agentwire.NewConn(b.raw(s))
	greet(b, first)
	if err := first.WriteRequest(1, &agentwire.TapElement{Selector: "nothing", TimeoutMS: new(uint64(3_600_000))}); err != nil {
		b.Fatal(err)
	}
	if reply, err := first.ReadResponse(); err != nil || !reply.Heartbeat {
		b.Fatalf("a long wait begins with %+v, %v", reply, err)
	}
	second := &driver{b, b.dial(s)}
	second.ok(&agentwire.Heartbeat{})
}

// state of the tabs: what is chosen says so.
func stateOfTheTabs(b *bench) {
	d := b.driver()
	chosen := func() (labels []string) {
		roots, err := ask[*agentwire.Tree](d, &agentwire.DumpTree{}).Elements()
		if err != nil {
			b.Fatal(err)
		}
		walk(roots, func(bar *agentwire.Element, _ int) {
			for _, e := range bar.Children {
				if bar.Type == "TabBar" && e.Selected {
					labels = append(labels, e.Label)
				}
			}
		})
		return labels
	}
	if got := chosen(); len(got) != 1 || got[0] != "Controls" {
		b.Errorf("selected at first: %q", got)
	}
	d.tab("Gestures")
	d.reads("gesture-longpress-status", "Tap and hold")
	if got := chosen(); len(got) != 1 || got[0] != "Gestures" {
		b.Errorf("selected then: %q", got)
	}
}
