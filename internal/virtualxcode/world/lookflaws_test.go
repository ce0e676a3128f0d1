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

// fault arms a fault on the device under test; settings are given as name=value.
func (d *driver) fault(name string, settings ...string) {
	d.t.Helper()
	set := map[string]string{}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		set[key] = value
	}
	d.must(d.AddFault(flaw.Fault{Name: name, Device: d.udid, Set: set}))
}

// tree is one look, as accessibility tells it.
func (d *driver) tree() *world.Element {
	d.t.Helper()
	root, _, err := d.Snapshot(d.t.Context(), d.udid, "")
	d.must(err)
	return root
}

func count(root *world.Element, match func(*world.Element) bool) (n int) {
	for e := range root.All() {
		if match(e) {
			n++
		}
	}
	return n
}

func ofType(types ...string) func(*world.Element) bool {
	return func(e *world.Element) bool { return slices.Contains(types, e.Type) }
}

func depth(e *world.Element) (deepest int) {
	for _, c := range e.Children {
		deepest = max(deepest, depth(c))
	}
	return deepest + 1
}

// lab is an app with everything that can go wrong.
const lab = `
start: home
state: {count: 0, on: false, find: "", name: "", low: ""}
open: {"lab://count": [{add: {count: 1}}]}
tabs: {id: tabs, items: [{label: Home, screen: home}, {label: More, screen: next}]}
screens:
  home:
    title: Lab
    scroll: true
    elements:
      - {text: "Count: {count}", id: count}
      - {button: Add, id: add, do: [{add: {count: 1}}]}
      - {button: Next, id: next, do: [{go: next}]}
      - {button: Sheet, id: open, do: [{sheet: sheet}]}
      - {toggle: Wi-Fi, id: wifi, bind: on}
      - {search: Search, id: search, bind: find}
      - {field: Name, id: name, bind: name}
      - repeat: {count: 3, from: 1, each: {text: "Line {index}", id: "line-{index}"}}
      - {field: Low, id: low, bind: low}
      - repeat: {count: 40, from: 4, each: {text: "Line {index}", id: "line-{index}"}}
  next: {title: Next, elements: [{text: There, id: there}]}
  sheet: {title: A sheet, elements: [{text: Here, id: on-sheet}]}
`

// Each fault of a tree is seen once, on a screen where the same look without it says something else.
func TestTreeFaultSpoilsOneLook(t *testing.T) {
	still := func(d *driver) { d.settle() }
	tapped := func(d *driver) { d.tap("add"); d.settle() }
	sheet := func(d *driver) { d.tap("open"); d.settle() }
	scrolled := func(d *driver) {
		d.swipe(world.Point{X: 195, Y: 700}, world.Point{X: 195, Y: 640})
		d.settle()
	}
	number := func(match func(*world.Element) bool) func(*world.Element) any {
		return func(root *world.Element) any { return count(root, match) }
	}
	labelOf := func(id string) func(*world.Element) any {
		return func(root *world.Element) any {
			for e := range root.All() {
				if e.Identifier == id {
					return e.Label
				}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		on      func(*driver)
		measure func(*world.Element) any
		lie     func(true any) bool // what the measure is of the spoilt tree
		set     []string
	}{
		flaw.EmptyTree:          {still, number(func(*world.Element) bool { return true }), is(1), nil},
		flaw.StaleTree:          {tapped, labelOf("count"), is("Count: 0"), nil},
		flaw.RunnerTree:         {still, func(r *world.Element) any { return r.Label }, is("IosAgentUITests-Runner"), nil},
		flaw.CollapsedTabBar:    {still, number(ofType("TabBar")), is(0), nil},
		flaw.MissingSearchField: {still, number(ofType("SearchField")), is(0), nil},
		flaw.MissingSheet:       {sheet, labelOf("on-sheet"), is(nil), nil},
		flaw.WithoutLabels:      {still, number(func(e *world.Element) bool { return e.Label != "" }), is(1), nil},
		flaw.WithoutIdentifiers: {still, number(func(e *world.Element) bool { return e.Identifier != "" }), is(0), nil},
		flaw.ButtonsAreOther:    {still, number(ofType("Button")), is(0), nil},
		flaw.DuplicateLabels:    {still, func(r *world.Element) any { return len(labels(r, "Button")) }, is(1), nil},
		flaw.HiddenTwin: {still, number(func(e *world.Element) bool { return e.Type == "Button" && e.Frame.X > 390 }),
			atLeast(2), nil},
		flaw.DeepTree:       {still, func(r *world.Element) any { return depth(r) }, atLeast(120), []string{"depth=120"}},
		flaw.HugeTree:       {still, number(func(*world.Element) bool { return true }), atLeast(9000), []string{"nodes=9000"}},
		flaw.FramesInPixels: {still, func(r *world.Element) any { return r.Frame.W }, is(402.0 * 3), nil},
		flaw.StaleFrames:    {scrolled, func(r *world.Element) any { return tops(r) }, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := small(t, lab, world.LaunchOptions{})
			c.on(d)
			truth := c.measure(d.tree())
			d.fault(name, c.set...)
			lie := c.measure(d.tree())
			if lie == truth || c.lie != nil && !c.lie(lie) {
				t.Errorf("the truth is %v, the lie %v", truth, lie)
			}
			if again := c.measure(d.tree()); again != truth || len(d.Faults()) != 0 {
				t.Errorf("after it the tree says %v instead of %v; faults left: %v", again, truth, d.Faults())
			}
		})
	}
}

func is(want any) func(any) bool { return func(got any) bool { return got == want } }

func atLeast(n int) func(any) bool { return func(got any) bool { return got.(int) >= n } }

func labels(root *world.Element, kind string) map[string]bool {
	all := map[string]bool{}
	for e := range root.All() {
		if e.Type == kind {
			all[e.Label] = true
		}
	}
	return all
}

// tops is where things are, for comparison.
func tops(root *world.Element) string {
	var b strings.Builder
	for e := range root.All() {
		b.WriteString(time.Duration(e.Frame.Y).String())
	}
	return b.String()
}

func TestTreeFaultStaysArmedWithoutItsElement(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	for _, name := range []string{flaw.CollapsedTabBar, flaw.MissingSearchField, flaw.MissingSheet, flaw.StaleTree} {
		d.fault(name)
	}
	d.tree()
	if left := len(d.Faults()); left != 4 {
		t.Errorf("%d faults are left of 4: a screen without a tab bar is no occasion to collapse it", left)
	}
}

func TestSnapshotFaultFailsOneLook(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.fault(flaw.SnapshotFails)
	if _, _, err := d.Snapshot(t.Context(), d.udid, ""); !errors.Is(err, world.ErrFault) || !strings.Contains(err.Error(),
		"kAXErrorIllegalArgument") {
		t.Errorf("error is %v", err)
	}
	d.tree()
}

func TestScreenshotFaultsSpoilOnePicture(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	scene := func() world.Scene {
		s, err := d.Scene(t.Context(), d.udid)
		d.must(err)
		return s
	}
	if s := scene(); s.Root == nil || s.Device.Screen.Scale != 3 {
		t.Fatalf("the picture is %+v", s)
	}
	d.fault(flaw.BlackScreenshot)
	if s := scene(); s.Root != nil || s.Device.State != world.Booted {
		t.Error("the picture is not black")
	}
	d.fault(flaw.WrongScaleScreenshot, "scale=2")
	if s := scene(); s.Device.Screen.Scale != 2 {
		t.Errorf("the scale is %v", s.Device.Screen.Scale)
	}
	d.fault(flaw.ScreenshotFails)
	if _, err := d.Scene(t.Context(), d.udid); !errors.Is(err, world.ErrFault) {
		t.Errorf("error is %v", err)
	}
	if s := scene(); s.Root == nil || s.Device.Screen.Scale != 3 {
		t.Error("the next picture is wrong too")
	}
}

func TestClockJumpMovesWorldTime(t *testing.T) {
	d := drive(t, world.Options{})
	before := d.Now()
	d.tree()
	if d.Now() != before {
		t.Fatal("a look takes time")
	}
	for _, c := range []struct {
		seconds string
		want    time.Duration
	}{{"7200", 2 * time.Hour}, {"-3600", time.Hour}} {
		d.fault(flaw.ClockJump, "seconds="+c.seconds)
		d.tree()
		if leapt := d.Now().Sub(before); leapt != c.want {
			t.Errorf("%s seconds: the clock has leapt %s", c.seconds, leapt)
		}
	}
	d.launch(shop)
	d.settle()
}

func TestDeviceShutsDownDuringTap(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.fault(flaw.DeviceShutsDown)
	changed := d.Changed()
	if err := d.Tap(t.Context(), d.udid, world.Point{X: 1, Y: 1}); !errors.Is(err, world.ErrWrongState) {
		t.Errorf("tap: %v", err)
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if s := d.Devices()[0].State; s != world.ShuttingDown {
		t.Errorf("the device is %s", s)
	}
	d.must(d.Sleep(t.Context(), time.Second))
	d.must(d.Boot(t.Context(), d.udid))
	d.launch(shop)
}
