package world_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func page(t *testing.T, button string) *driver {
	t.Helper()
	d := drive(t, world.Options{Preinstalled: everyApp(t), Root: t.TempDir()})
	d.launch(conformance)
	d.open(button)
	return d
}

func TestDragNeedsLongPressToDrop(t *testing.T) {
	d := page(t, "nav-moving-button")
	basket := d.get("drop-basket").Frame.Centre()
	drag := func(id string, rest time.Duration) {
		t.Helper()
		d.must(d.Drag(t.Context(), d.udid, world.Carry{From: d.get(id).Frame.Centre(), To: basket, Press: rest, Took: time.Second}))
	}
	drag("drag-lemon", 100*time.Millisecond)
	d.want("drop-count", "Dropped: 0")
	drag("drag-lemon", time.Second)
	drag("drag-orange", time.Second)
	d.want("drop-count", "Dropped: 2")
	d.must(d.Drag(t.Context(), d.udid, world.Carry{From: d.get("drag-lemon").Frame.Centre(), To: world.Point{X: 200, Y: 800},
		Press: time.Second, Took: time.Second}))
	d.want("drop-count", "Dropped: 2")
}

func TestRowsAreReordered(t *testing.T) {
	d := page(t, "nav-moving-button")
	order := func() (names string) {
		for e := range d.get("reorder-list").All() {
			if e.Type == "StaticText" {
				names += e.Label[:1]
			}
		}
		return names
	}
	move := func(name string, rows float64) {
		t.Helper()
		from := d.get("Reorder " + name).Frame.Centre()
		d.swipe(from, world.Point{X: from.X, Y: from.Y + rows*52})
	}
	move("Alpha", 2)
	if order() != "BGAD" {
		t.Errorf("the order is %s", order())
	}
	move("Delta", -9)
	if order() != "DBGA" {
		t.Errorf("the order is %s", order())
	}
	move("Beta", 0.2)
	d.want("reorder-count", "Moves: 2")
}

func TestDoubleTapAndPinchAreRecognized(t *testing.T) {
	d := page(t, "nav-moving-button")
	at := d.get("gesture-pinch-area").Frame.Centre()
	d.must(d.Tap(t.Context(), d.udid, at))
	d.pass(time.Second)
	d.must(d.Tap(t.Context(), d.udid, at))
	d.want("gesture-pinch-status", "Doubles: 0, pinches: 0, scale 1")
	d.pass(time.Second)
	d.must(d.DoubleTap(t.Context(), d.udid, at))
	d.must(d.Pinch(t.Context(), d.udid, at, 2.5, time.Second))
	d.want("gesture-pinch-status", "Doubles: 1, pinches: 1, scale 2.5")
}

func TestHiddenWebPageStillTakesTaps(t *testing.T) {
	d := page(t, "nav-web-button")
	if d.get("web-view").Type != "WebView" || d.get("web-link").Type != "Link" {
		t.Error("the page is not in the tree")
	}
	d.tap("web-link")
	d.want("web-status", "Web: read")
	hidden := d.get("web-view-hidden")
	if len(hidden.Children) != 0 || len(hidden.Look.Unseen) != 3 {
		t.Fatalf("the hidden page is %+v", hidden)
	}
	for _, e := range hidden.Look.Unseen {
		if e.Type == "Link" {
			d.must(d.Tap(t.Context(), d.udid, e.Frame.Centre()))
		}
	}
	d.want("web-status", "Web: found")
}

func TestControlsTakeValues(t *testing.T) {
	d := conform(t, "Controls")
	set := func(id, value string) error {
		return d.SetValue(t.Context(), d.udid, d.get(id).Frame.Centre(), value)
	}
	d.must(set("controls-slider-volume", "70%"))
	d.want("controls-slider-value", "Volume: 70")
	d.must(set("controls-slider-volume", "0.2"))
	d.want("controls-slider-value", "Volume: 20")
	d.must(set("controls-toggle-wifi", "1"))
	d.want("controls-wifi-status", "On")
	d.must(set("controls-picker-size", "Large"))
	d.want("controls-picker-value", "Large")
	d.must(set("controls-stepper-quantity", "7"))
	d.want("controls-stepper-value", "Quantity: 7")
	for id, value := range map[string]string{"controls-picker-size": "Huge", "controls-slider-volume": "loud", "controls-tap-count": "5"} {
		if err := set(id, value); !errors.Is(err, world.ErrNoValue) {
			t.Errorf("%s as %s gives %v", id, value, err)
		}
	}
	d.open("nav-extras-button")
	d.must(set("extras-wheel", "Blue"))
	d.want("extras-wheel-value", "Colour: Blue")
}

func TestNumberKeyboardsHaveNoReturnKey(t *testing.T) {
	d := page(t, "nav-keyboards-button")
	for id, c := range map[string]struct{ press, want string }{
		"keyboard-number": {"12", "12||||"}, "keyboard-decimal": {"1.5", "|1.5|||"}, "keyboard-phone": {"+4", "||+4||"},
	} {
		d.tap(id)
		for _, key := range c.press {
			d.tap(string(key))
		}
		if d.find("Return") != nil || d.find("space") != nil {
			t.Errorf("the keyboard of %s is like any other", id)
		}
		d.want("keyboard-values", c.want)
		for range c.press {
			d.tap("delete")
		}
	}
	d.tap("keyboard-url")
	d.tap("/")
	d.want("keyboard-values", "|||/|")
}

func TestEditorSavesAndLoadsLines(t *testing.T) {
	d := page(t, "nav-keyboards-button")
	d.tap("keyboard-lines")
	d.write("one")
	d.tap("Return")
	d.write("two")
	if !d.get("keyboard-lines").Focused {
		t.Error("return ended the editing")
	}
	d.swipe(world.Point{X: 4, Y: 450}, world.Point{X: 4, Y: 400}) // puts the keyboard away
	d.reach("keyboard-save")
	c, err := d.Containers(d.udid, conformance)
	d.must(err)
	data, err := os.ReadFile(filepath.Join(c.Data, "Documents/lines.txt"))
	if err != nil || string(data) != "one\ntwo" {
		t.Errorf("the file has %q, %v", data, err)
	}
	d.must(os.WriteFile(filepath.Join(c.Data, "Documents/lines.txt"), []byte("from outside"), 0o644))
	d.reach("keyboard-load")
	d.want("keyboard-loaded", "Loaded: from outside")
}

func TestAppSurvivesWriteOutsideDataFolder(t *testing.T) {
	d := small(t, `start: a
state: {name: "../../escaped", got: ""}
screens:
  a: {elements: [{button: Go, id: go, do: [{write: {file: "x{name}", text: a}}, {write: {file: "{name}", text: a}},
      {read: {file: "{name}", into: got}}]}]}
`, world.LaunchOptions{})
	d.tap("go")
	d.get("go")
}

func TestRotationChangesScreenAndLayout(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Preinstalled: everyApp(t), Store: store})
	d.launch(conformance)
	d.open("nav-keyboards-button")
	d.must(d.Rotate(t.Context(), d.udid, world.LandscapeLeft))
	info, err := d.Find(d.udid)
	d.must(err)
	if info.Screen.Width != 874 || info.Screen.Height != 402 || d.root().Frame != (world.Rect{W: 874, H: 402}) {
		t.Errorf("the screen is %+v, the app %+v", info.Screen, d.root().Frame)
	}
	field := d.get("keyboard-number").Frame
	if field.X != 78 || field.W != 874-2*78 {
		t.Errorf("the field is at %+v", field)
	}
	d.World = newWorld(t, world.Options{Preinstalled: everyApp(t), Store: store})
	d.tap("keyboard-search")
	board := d.get("Return").Frame
	if board.Y < 402-205 || board.Y+board.H > 402 || board.X+board.W > 874-62 {
		t.Errorf("the return key is at %+v", board)
	}
	d.write("x")
	d.tap("Cancel")
	for range 3 {
		d.swipe(world.Point{X: 400, Y: 300}, world.Point{X: 400, Y: 100})
	}
	if says := d.get("device-says").Label; !strings.Contains(says, "landscapeLeft") {
		t.Errorf("the app says %q", says)
	}
	d.must(d.Terminate(t.Context(), d.udid, conformance))
	if d.root().Frame.H != 874 {
		t.Error("the home screen lies sideways")
	}
	d.launch(conformance)
	if d.root().Frame.H != 402 {
		t.Error("an app that starts does not lie as the device does")
	}
	d.must(d.Rotate(t.Context(), d.udid, world.Portrait))
	if d.root().Frame.H != 874 {
		t.Error("it was not turned back")
	}
	if err := d.Rotate(t.Context(), d.udid, "askew"); !errors.Is(err, world.ErrInvalidModel) {
		t.Errorf("askew gives %v", err)
	}
}

// TestLookSavesDueActions restarts a world after a mere look, which had let a timer run.
func TestLookSavesDueActions(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Preinstalled: everyApp(t), Store: store})
	d.launch(conformance)
	d.settle()
	d.tapIn("TabBar", "Dynamic")
	d.tap("dynamic-show-delayed")
	d.pass(3 * time.Second)
	d.root()
	d.World = newWorld(t, world.Options{Preinstalled: everyApp(t), Store: store}) // at noon again: the timer would not be due
	d.get("dynamic-delayed-label")
}

func TestTimersBeginWithTheLaunch(t *testing.T) {
	d := small(t, `start: a
state: {up: false}
screens: {a: {appear: [{after: {seconds: 1, do: [{set: {up: true}}]}}], elements: [{text: here, id: here, visible: {up: true}}]}}
`, world.LaunchOptions{})
	d.pass(700 * time.Millisecond) // the launch took the rest
	d.get("here")
}

func TestLogsHaveSubsystemAndCategory(t *testing.T) {
	d := page(t, "nav-crashes-button")
	for _, id := range []string{"log-info", "log-default", "log-fault"} {
		d.tap(id)
	}
	var got []string
	for _, e := range d.log() {
		if e.Process == "Conformance" && strings.HasSuffix(e.Message, " line") {
			got = append(got, strings.Join([]string{string(e.Level), e.Subsystem, e.Category, e.Message}, " "))
		}
	}
	want := "Info com.iosagent.conformance ui an info line|Default com.iosagent.network http a default line|Fault " +
		"com.iosagent.conformance app a fault line"
	if strings.Join(got, "|") != want {
		t.Errorf("the log has %q", got)
	}
}
