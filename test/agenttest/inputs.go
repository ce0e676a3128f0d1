package agenttest

import (
	"errors"
	"math"
	"slices"

	"ios-agent/internal/driver/agentwire"
)

// open goes from the Navigation tab to one of its screens.
func (d *driver) open(button string) {
	d.Helper()
	d.tab("Navigation")
	d.tap(button)
}

func doubleTap(b *bench) {
	d := b.driver()
	d.open("nav-moving-button")
	d.reads("gesture-pinch-status", "Doubles: 0, pinches: 0, scale 1")
	x, y := d.rests("gesture-pinch-area")
	d.ok(&agentwire.DoubleTap{X: x, Y: y})
	d.reads("gesture-pinch-status", "Doubles: 1, pinches: 0, scale 1")
	d.ok(&agentwire.DoubleTap{X: -10, Y: -10}) // outside the screen: no element, and no error
	d.reads("gesture-pinch-status", "Doubles: 1, pinches: 0, scale 1")
}

// rests is the middle of an element that has come to rest.
func (d *driver) rests(identifier string) (x, y int32) {
	d.Helper()
	ask[*agentwire.Sight](d, &agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000}})
	return d.centre(identifier)
}

// drag moves the element under a resting finger; without the rest it moves no element.
func drag(b *bench) {
	d := b.driver()
	d.open("nav-moving-button")
	x, y := d.rests("drag-lemon")
	toX, toY := d.centre("drop-basket")
	carry := agentwire.Drag{StartX: x, StartY: y, EndX: toX, EndY: toY}
	d.ok(&carry)
	d.reads("drop-count", "Dropped: 0")
	carry.PressSeconds, carry.HoldSeconds = 0.7, 0.1
	d.ok(&carry)
	d.reads("drop-count", "Dropped: 1")
	carry.Velocity = 400
	d.ok(&carry)
	d.reads("drop-count", "Dropped: 2")
	d.ok(&agentwire.Drag{StartX: x, StartY: y, EndX: x, EndY: y, PressSeconds: 0.7}) // goes nowhere
	d.reads("drop-count", "Dropped: 2")
	for _, seconds := range []float64{-1, math.NaN(), math.Inf(1), 3601} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Drag{EndX: 50, PressSeconds: seconds})
		d.fault(agentwire.CodeBadRequest, &agentwire.Drag{EndX: 50, HoldSeconds: seconds})
	}
	for _, velocity := range []float64{-1, math.NaN(), 1e-9} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Drag{EndX: 50, Velocity: velocity})
	}
	d.reads("drop-count", "Dropped: 2")
}

func pinch(b *bench) {
	d := b.driver()
	d.open("nav-moving-button")
	x, y := d.rests("gesture-pinch-area")
	d.ok(&agentwire.Pinch{X: x, Y: y, Scale: 2})
	d.reads("gesture-pinch-status", "Doubles: 0, pinches: 1, scale 2")
	d.ok(&agentwire.Pinch{X: x, Y: y, Scale: 0.5, Velocity: 2})
	d.reads("gesture-pinch-status", "Doubles: 0, pinches: 2, scale 0.5")
	for _, scale := range []float64{0, -1, 1, math.NaN(), math.Inf(1)} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Pinch{X: x, Y: y, Scale: scale})
	}
	for _, velocity := range []float64{-1, math.NaN(), math.Inf(1)} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Pinch{X: x, Y: y, Scale: 2, Velocity: velocity})
	}
	d.reads("gesture-pinch-status", "Doubles: 0, pinches: 2, scale 0.5")
}

func setValue(b *bench) {
	d := b.driver()
	set := func(identifier, value string) *agentwire.SetValue {
		b.Helper()
		x, y := d.centre(identifier)
		return &agentwire.SetValue{X: x, Y: y, Value: value}
	}
	for _, c := range []struct{ value, shows string }{{"0.25", "Volume: 25"}, {"70%", "Volume: 70"}, {"0", "Volume: 0"},
		{"1", "Volume: 100"}} {
		d.ok(set("controls-slider-volume", c.value))
		d.reads("controls-slider-value", c.shows)
	}
	for _, value := range []string{"1.5", "-1", "101%", "loud", ""} {
		d.fault(agentwire.CodeUnsupported, set("controls-slider-volume", value))
	}
	d.reads("controls-slider-value", "Volume: 100")

	for _, c := range []struct{ value, shows string }{{"1", "On"}, {"1", "On"}, {"0", "Off"}} {
		d.ok(set("controls-toggle-wifi", c.value))
		d.reads("controls-wifi-status", c.shows)
	}
	d.fault(agentwire.CodeUnsupported, set("controls-toggle-wifi", "on"))
	d.fault(agentwire.CodeUnsupported, set("controls-tap-count", "1"))
	d.fault(agentwire.CodeUnsupported, set("controls-tap-button", "1"))

	d.open("nav-extras-button")
	d.rests("extras-wheel")
	d.ok(set("extras-wheel", "Violet"))
	d.reads("extras-wheel-value", "Colour: Violet")
	// An agent that finds out by turning the wheel has acted, and must not refuse.
	_, err := d.Do(d.ctx, set("extras-wheel", "Mauve"))
	if e, is := errors.AsType[*agentwire.AgentError](err); !is || e.Code != agentwire.CodeNotFound && e.Code != agentwire.CodeException {
		b.Errorf("a row that the wheel has not: %v", err)
	}
	d.reads("extras-wheel-value", "Colour: Violet")

	d.ok(&agentwire.SetTarget{Bundle: "com.example.gone"})
	d.fault(agentwire.CodeAppNotRunning, &agentwire.SetValue{X: 100, Y: 100, Value: "1"})
}

// clearField: clear empties the focused field, and succeeds on an empty one.
func clearField(b *bench) {
	d := b.driver()
	d.tab("Text Input")
	d.fault(agentwire.CodeNoFocus, &agentwire.Clear{})
	d.tap("text-username-field")
	d.ok(&agentwire.Clear{})
	d.ok(&agentwire.TypeText{Text: "Ada Lovelace é🙂"})
	d.ok(&agentwire.Clear{})
	d.reads("text-username-value", "Username: ")
	d.ok(&agentwire.TypeText{Text: "Grace"})
	d.reads("text-username-value", "Username: Grace")
}

func pressKeys(b *bench) {
	d := b.driver()
	d.tab("Text Input")
	d.fault(agentwire.CodeNoFocus, &agentwire.Key{Name: "a"})
	if !b.subject.FocusUnknown { // without a known focus, keys other than text are still sent
		d.fault(agentwire.CodeNoFocus, &agentwire.Key{Name: "up"})
	}
	d.tap("text-username-field")
	for _, c := range []struct {
		key   agentwire.Key
		shows string
	}{
		{agentwire.Key{Name: "x"}, "x"},
		{agentwire.Key{Name: "é", Count: 3}, "xééé"},
		{agentwire.Key{Name: "delete", Count: 2}, "xé"},
		{agentwire.Key{Name: "b", Modifiers: agentwire.Shift}, "xéB"},
		{agentwire.Key{Name: "space"}, "xéB "},
		{agentwire.Key{Name: "y", Count: 1}, "xéB y"},
		{agentwire.Key{Name: "a", Modifiers: agentwire.Command}, "xéB y"},
		{agentwire.Key{Name: "z"}, "z"}, // the key replaces the selection
	} {
		d.ok(&c.key)
		d.reads("text-username-value", "Username: "+c.shows)
	}
	for _, name := range agentwire.Keys() {
		if !slices.Contains([]string{"return", "delete", "tab", "space"}, name) {
			d.ok(&agentwire.Key{Name: name})
		}
	}
	d.reads("text-username-value", "Username: z")
	for _, name := range []string{"", "ab", "Return", "no such key"} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Key{Name: name})
	}
	d.fault(agentwire.CodeBadRequest, &agentwire.Key{Name: "a", Count: 1001})
	d.ok(&agentwire.Key{Name: "return"}) // which takes the keyboard away
	d.fault(agentwire.CodeNoFocus, &agentwire.Key{Name: "a"})
	d.fault(agentwire.CodeBadRequest, &agentwire.Key{Name: "no such key"})
	d.reads("text-username-value", "Username: z")
}

// buttons: home leaves the app running behind the home screen. A simulator has no other.
func buttons(b *bench) {
	d := b.driver()
	for _, name := range []string{"lock", "volume-up", "volume-down", "camera", "siri"} {
		d.fault(agentwire.CodeUnsupported, &agentwire.Button{Name: name})
	}
	d.fault(agentwire.CodeBadRequest, &agentwire.Button{Name: "Home"})
	d.fault(agentwire.CodeUnsupported, &agentwire.Button{Name: "home", Seconds: 2})
	for _, seconds := range []float64{-1, math.NaN(), 3601} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Button{Name: "home", Seconds: seconds})
	}
	if state := d.state(); state != "running_foreground" {
		b.Errorf("before: %s", state)
	}
	d.ok(&agentwire.Button{Name: "home"})
	if state := d.state(); state == "running_foreground" || state == "not_running" {
		b.Errorf("after the home button the app is %s", state)
	}
	d.fault(agentwire.CodeNotHittable, &agentwire.TapElement{Selector: "controls-tap-button"})
	d.ok(&agentwire.SetTarget{Bundle: springboard})
	d.ok(&agentwire.TapByLabel{Label: "Conformance", TimeoutMS: soon()})
	d.ok(&agentwire.SetTarget{Bundle: App})
	d.tap("controls-tap-button")
	d.reads("controls-tap-count", "Tapped: 1")
}

func (d *driver) state() string {
	d.Helper()
	info, err := ask[*agentwire.TargetInfo](d, &agentwire.GetTargetInfo{}).Info()
	if err != nil {
		d.Fatal(err)
	}
	return info.State
}

func rotation(b *bench) {
	d := b.driver()
	wide := func() bool {
		b.Helper()
		roots := d.roots(&agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 5000}})
		return roots[0].Frame.Width > roots[0].Frame.Height
	}
	for _, c := range []struct {
		to   string
		wide bool
	}{{"landscape-left", true}, {"portrait", false}, {"landscape-right", true}, {"portrait-upside-down", false}} {
		d.ok(&agentwire.Rotate{To: c.to})
		if wide() != c.wide {
			b.Errorf("held in %s, the screen is wide: %v", c.to, !c.wide)
		}
	}
	for _, to := range []string{"", "landscapeLeft", "face-up"} {
		d.fault(agentwire.CodeBadRequest, &agentwire.Rotate{To: to})
	}
}

// roots are the trees that a look sees.
func (d *driver) roots(o *agentwire.Look) []agentwire.Element {
	d.Helper()
	roots, err := ask[*agentwire.Sight](d, o).Elements()
	if err != nil || len(roots) == 0 {
		d.Fatalf("%d roots, %v", len(roots), err)
	}
	return roots
}
