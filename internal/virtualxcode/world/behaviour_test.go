package world_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/world"
)

const settings = "com.apple.Preferences"

// small makes an app of a ui.yaml and launches it.
func small(t *testing.T, ui string, o world.LaunchOptions) *driver {
	t.Helper()
	b, err := app.Load("Small.app", []byte(`{CFBundleIdentifier = "com.example.small"; CFBundleName = Small;}`), []byte(ui))
	if err != nil {
		t.Fatal(err)
	}
	d := drive(t, world.Options{Preinstalled: []*app.Bundle{b}})
	_, err = d.Launch(t.Context(), d.udid, b.ID, o)
	d.must(err)
	return d
}

func TestCrashStepEndsApp(t *testing.T) {
	for _, c := range []struct {
		id   string
		wait time.Duration
	}{{"extras-crash", 0}, {"extras-crash-soon", 1500 * time.Millisecond}} {
		d := conform(t, "Navigation")
		d.tap("nav-extras-button")
		for range 3 {
			d.swipe(world.Point{X: 5, Y: 700}, world.Point{X: 5, Y: 200})
		}
		d.tap(c.id)
		d.pass(c.wait)
		root, state, err := d.Snapshot(t.Context(), d.udid, conformance)
		d.must(err)
		front, err := d.Foreground(d.udid)
		d.must(err)
		if root != nil || state != world.NotRunning || front != world.SpringBoard {
			t.Errorf("after %s the app is %s, in front is %s", c.id, state, front)
		}
		d.launch(conformance)
		d.want("controls-tap-count", "Tapped: 0")
		if !slices.ContainsFunc(d.log(), func(e world.Entry) bool {
			return strings.HasPrefix(e.Message, "Fatal error: Conformance was asked")
		}) {
			t.Errorf("the log says nothing of %s", c.id)
		}
	}
}

func (d *driver) log() []world.Entry {
	d.t.Helper()
	entries, _, _, err := d.Logs(d.udid, 0)
	d.must(err)
	return entries
}

func TestAppStepsWriteLog(t *testing.T) {
	d := small(t, `start: a
launch: [{log: {level: info, message: "up with {arg.mode} and {env.HOST}"}}]
screens:
  a:
    appear: [{log: {level: error, message: shown}}]
    elements: [{text: "{arg.mode} {env.HOST}", id: said}]
`, world.LaunchOptions{Args: []string{"-mode", "fast"}, Env: map[string]string{"HOST": "here"}})
	d.want("said", "fast here")
	var said []string
	for _, e := range d.log() {
		if e.Process == "Small" && e.Subsystem == "com.example.small" {
			said = append(said, string(e.Level)+" "+e.Message)
		}
	}
	if got := strings.Join(said, ", "); got != "Info up with fast and here, Error shown" {
		t.Errorf("the log says %q", got)
	}
}

func TestDueTimersRunInOrderAtALateLook(t *testing.T) {
	ui := `start: a
state: {said: "", n: 0}
screens:
  a:
    elements:
      - {text: "{said}", id: said}
      - button: Go
        id: go
        do:
          - after: {seconds: 2, do: [{set: {said: "{said}b"}}, {after: {seconds: 2, do: [{set: {said: "{said}d"}}, {stop: tick}]}}]}
          - after: {seconds: 1, do: [{set: {said: "{said}a"}}]}
          - every: {name: tick, seconds: 1.5, do: [{set: {said: "{said}."}}]}
          - after: {seconds: 3.5, do: [{set: {said: "{said}c"}}]}
`
	for _, step := range []time.Duration{10 * time.Second, time.Second, 100 * time.Millisecond} {
		d := small(t, ui, world.LaunchOptions{})
		d.tap("go")
		for passed := time.Duration(0); passed < 10*time.Second; passed += step {
			d.pass(step)
			d.root()
		}
		d.want("said", "a.b.cd")
	}
}

func TestScreenThatOpensItselfDoesNotHang(t *testing.T) {
	d := small(t, "start: a\nscreens: {a: {appear: [{go: a}, {sheet: a}], elements: [{text: x, id: x}]}}", world.LaunchOptions{})
	d.get("x")
}

func TestSheetIsDismissedByTapDragOrButton(t *testing.T) {
	for name, leave := range map[string]func(*driver){
		"by a tap beside it":   func(d *driver) { d.must(d.Tap(d.t.Context(), d.udid, world.Point{X: 200, Y: 30})) },
		"by drawing it down":   func(d *driver) { d.swipe(world.Point{X: 200, Y: 400}, world.Point{X: 200, Y: 800}) },
		"by what is inside it": func(d *driver) { d.tap("nav-sheet-dismiss") },
	} {
		t.Run(name, func(t *testing.T) {
			d := conform(t, "Navigation")
			d.tap("nav-sheet-button")
			under := d.get("nav-push-button").Frame.Centre()
			d.must(d.Tap(t.Context(), d.udid, world.Point{X: 5, Y: under.Y}))
			d.get("nav-sheet-content")
			leave(d)
			if moving := d.now("nav-sheet-content"); moving == nil {
				t.Error("the sheet was gone at once")
			}
			d.waitFor("nav-sheet-content", false, time.Second)
			d.want("nav-status-label", "Sheet dismissed")
		})
	}
}

func TestTouchStopsScrollDeceleration(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	d.launch(settings)
	d.settle()
	d.swipe(world.Point{X: 200, Y: 700}, world.Point{X: 200, Y: 400})
	before := d.root()
	d.must(d.Tap(t.Context(), d.udid, world.Point{X: 200, Y: 400}))
	stopped := d.settle()
	if stopped.Samples > 4 || d.find("BackButton") != nil {
		t.Errorf("the glide went on for %s, or the tap arrived", stopped.Waited)
	}
	if before == stopped.Root {
		t.Error("a moving screen was shown twice")
	}
}

func TestKeyboardCoversTabBar(t *testing.T) {
	d := conform(t, "Text Input")
	d.tap("text-email-field")
	if d.get("@") == nil || d.get(".") == nil {
		t.Error("the keyboard for e-mail is like any other")
	}
	d.tapIn("TabBar", "Controls")
	if d.find("text-email-field") == nil {
		t.Error("a tap went through the keyboard to the tab bar")
	}
}

func TestPickerWheelTurnsBySwipeAndTap(t *testing.T) {
	d := conform(t, "Navigation")
	d.tap("nav-extras-button")
	at := d.get("extras-wheel").Frame.Centre()
	d.swipe(at, world.Point{X: at.X, Y: at.Y - 64})
	d.want("extras-wheel-value", "Colour: Violet")
	d.must(d.Tap(t.Context(), d.udid, world.Point{X: at.X, Y: at.Y - 32}))
	d.want("extras-wheel-value", "Colour: Blue")
}
