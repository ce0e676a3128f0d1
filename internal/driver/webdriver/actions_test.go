package webdriver_test

import (
	"encoding/json"
	"testing"
	"time"

	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/ui"
)

func written(t *testing.T, inputs ...webdriver.Input) string {
	t.Helper()
	out, err := json.Marshal(webdriver.Perform(inputs...))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestTouchActionsMatchW3CJSON checks the JSON of touches against W3C's.
func TestTouchActionsMatchW3CJSON(t *testing.T) {
	t.Parallel()
	const head = `{"actions":[{"type":"pointer","id":"finger1","parameters":{"pointerType":"touch"},"actions":[`
	const downUp = `{"type":"pointerDown","button":0},{"type":"pause","duration":50},{"type":"pointerUp","button":0}`
	from, to := ui.Point{X: 10.4, Y: 20.5}, ui.Point{X: 110, Y: 20}
	for name, c := range map[string]struct {
		in   webdriver.Input
		want string
	}{
		"tap": {webdriver.Tap(from), head + `{"type":"pointerMove","duration":0,"x":10,"y":21,"origin":"viewport"},` + downUp + `]}]}`},
		"double tap": {webdriver.DoubleTap(from), head + `{"type":"pointerMove","duration":0,"x":10,"y":21,"origin":"viewport"},` + downUp +
			`,{"type":"pause","duration":100},` + downUp + `]}]}`},
		"press": {webdriver.LongPress(to, 1500*time.Millisecond), head +
			`{"type":"pointerMove","duration":0,"x":110,"y":20,"origin":"viewport"},` +
			`{"type":"pointerDown","button":0},{"type":"pause","duration":1500},{"type":"pointerUp","button":0}]}]}`},
		"swipe": {webdriver.Swipe(from, to, 0), head + `{"type":"pointerMove","duration":0,"x":10,"y":21,"origin":"viewport"},` +
			`{"type":"pointerDown","button":0},{"type":"pointerMove","duration":300,"x":110,"y":20,"origin":"viewport"},` +
			`{"type":"pointerUp","button":0}]}]}`},
		"drag": {webdriver.Drag(ui.Point{X: 10, Y: 20}, to, time.Second, 200*time.Millisecond, 1000), head +
			`{"type":"pointerMove","duration":0,"x":10,"y":20,"origin":"viewport"},{"type":"pointerDown","button":0},` +
			`{"type":"pause","duration":1000},{"type":"pointerMove","duration":0,"x":10,"y":20,"origin":"viewport"},` +
			`{"type":"pointerMove","duration":100,"x":110,"y":20,"origin":"viewport"},` +
			`{"type":"pause","duration":200},{"type":"pointerUp","button":0}]}]}`},
		"keys": {webdriver.Keys("a", "\ue003"), `{"actions":[{"type":"key","id":"keyboard","actions":[{"type":"keyDown","value":"a"},` +
			`{"type":"keyUp","value":"a"},{"type":"keyDown","value":"` + "\ue003" + `"},{"type":"keyUp","value":"` + "\ue003" + `"}]}]}`},
	} {
		if got := written(t, c.in); got != c.want {
			t.Errorf("%s:\n%s\n%s", name, got, c.want)
		}
	}
}

// TestPinchStaysOnScreen: two fingers move apart or together around the point, and stay on the screen.
func TestPinchStaysOnScreen(t *testing.T) {
	t.Parallel()
	screen := ui.Rect{W: 400, H: 800}
	for _, c := range []struct {
		at       ui.Point
		scale    float64
		from, to float64 // of the right finger
	}{
		{at: ui.Point{X: 200, Y: 300}, scale: 2, from: 240, to: 280},
		{at: ui.Point{X: 200, Y: 300}, scale: 0.5, from: 280, to: 240},
		{at: ui.Point{X: 200, Y: 300}, scale: 100, from: 206, to: 280},
		{at: ui.Point{X: 30, Y: 300}, scale: 2, from: 45, to: 59},
		{at: ui.Point{X: 370, Y: 300}, scale: 2, from: 385, to: 399},
	} {
		in := webdriver.Pinch(c.at, c.scale, screen)
		if len(in) != 2 {
			t.Fatalf("%d fingers", len(in))
		}
		left, right := in[0].Steps, in[1].Steps
		moved := 0
		for i := range right {
			if right[i].X == nil {
				continue
			}
			want := c.from
			if moved == 1 {
				want = c.to
			}
			moved++
			if d := *right[i].X - want; d < -1 || d > 1 || *right[i].X >= 400 || *left[i].X < 0 {
				t.Errorf("%+v: the right finger is at %g, want %g; the left at %g", c, *right[i].X, want, *left[i].X)
			}
		}
		if moved != 2 {
			t.Errorf("%d moves", moved)
		}
	}
}

func TestKeyRefusesUnknownName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"delete": "\ue003", "return": "\n", "é": "é"} {
		if got, ok := webdriver.Key(name); !ok || got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if _, ok := webdriver.Key("no-such-key"); ok {
		t.Error("a key without a meaning")
	}
}
