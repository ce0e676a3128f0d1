package webdriver

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"ios-agent/internal/ui"
)

// Input is the actions of one finger or one keyboard. Several inputs of one Perform run at the same time.
type Input struct {
	Type       string      `json:"type"` // pointer or key
	ID         string      `json:"id"`
	Parameters *parameters `json:"parameters,omitempty"`
	Steps      []Step      `json:"actions"`
}

type parameters struct {
	PointerType string `json:"pointerType"`
}

// Step is one step of an input.
type Step struct {
	Type     string   `json:"type"`
	Duration *int64   `json:"duration,omitempty"` // milliseconds
	X        *float64 `json:"x,omitempty"`
	Y        *float64 `json:"y,omitempty"`
	Origin   string   `json:"origin,omitempty"`
	Button   *int     `json:"button,omitempty"`
	Value    string   `json:"value,omitempty"`
}

// Perform is the body of POST /session/…/actions.
func Perform(inputs ...Input) map[string]any { return map[string]any{"actions": inputs} }

const (
	touchTime = 50 * time.Millisecond  // of a finger that taps
	twiceGap  = 100 * time.Millisecond // between the taps of a double tap
	swipeTime = 300 * time.Millisecond // default duration of a swipe
	pinchTime = 500 * time.Millisecond
	dragSpeed = 500.0 // points per second
	reach     = 80.0  // from the middle of a pinch to its farther end, in points
	nearest   = 6.0   // from its middle to its nearer end
)

// finger is one finger that performs the steps.
func finger(n int, steps ...Step) Input {
	return Input{Type: "pointer", ID: "finger" + strconv.Itoa(n), Parameters: &parameters{PointerType: "touch"}, Steps: steps}
}

func move(to ui.Point, took time.Duration) Step {
	x, y := math.Round(to.X), math.Round(to.Y) // W3C requires whole numbers
	return Step{Type: "pointerMove", Duration: millis(took), X: &x, Y: &y, Origin: "viewport"}
}

func down() Step { return Step{Type: "pointerDown", Button: new(0)} }

func up() Step { return Step{Type: "pointerUp", Button: new(0)} }

func rest(d time.Duration) Step { return Step{Type: "pause", Duration: millis(d)} }

func millis(d time.Duration) *int64 { return new(d.Milliseconds()) }

// Tap touches a point.
func Tap(at ui.Point) Input { return LongPress(at, touchTime) }

// LongPress holds a finger on a point.
func LongPress(at ui.Point, long time.Duration) Input {
	return finger(1, move(at, 0), down(), rest(long), up())
}

// DoubleTap touches a point twice.
func DoubleTap(at ui.Point) Input {
	return finger(1, move(at, 0), down(), rest(touchTime), up(), rest(twiceGap), down(), rest(touchTime), up())
}

// Swipe moves a finger and lifts it during the move; 0 is a default duration.
func Swipe(from, to ui.Point, took time.Duration) Input {
	if took <= 0 {
		took = swipeTime
	}
	return finger(1, move(from, 0), down(), move(to, took), up())
}

// Drag presses a point, moves to another point, and holds there before it lifts the finger. Speed is in points per second; 0 is a
// default.
func Drag(from, to ui.Point, press, hold time.Duration, speed float64) Input {
	if speed <= 0 {
		speed = dragSpeed
	}
	took := time.Duration(math.Hypot(to.X-from.X, to.Y-from.Y) / speed * float64(time.Second))
	// The second move gives the place of the finger at the start: without it WebDriverAgent may spread the way over the press.
	return finger(1, move(from, 0), down(), rest(press), move(from, 0), move(to, took), rest(hold), up())
}

// Pinch spreads two fingers around a point (a scale above 1), or brings them together. Both stay on the screen; a width of 0 means that
// the screen's size is unknown.
func Pinch(at ui.Point, scale float64, screen ui.Rect) []Input {
	far := reach
	if screen.W > 0 { // room on the narrower side, one point from the edge
		far = max(nearest, min(far, at.X-screen.X-1, screen.X+screen.W-1-at.X))
	}
	near := max(min(nearest, far/2), min(far, far/max(scale, 1/scale)))
	from, to := near, far
	if scale < 1 {
		from, to = far, near
	}
	one := func(n int, side float64) Input {
		return finger(n, move(ui.Point{X: at.X + side*from, Y: at.Y}, 0), down(), rest(touchTime),
			move(ui.Point{X: at.X + side*to, Y: at.Y}, pinchTime), rest(touchTime), up())
	}
	return []Input{one(1, -1), one(2, 1)}
}

// Keys presses keys one after the other, each down and up: characters, or W3C's code points for other keys.
func Keys(values ...string) Input {
	in := Input{Type: "key", ID: "keyboard"}
	for _, v := range values {
		in.Steps = append(in.Steps, Step{Type: "keyDown", Value: v}, Step{Type: "keyUp", Value: v})
	}
	return in
}

// keyPoints are W3C's code points of keys, by the driver's names.
var keyPoints = map[string]string{
	"return": "\n", "enter": "\ue007", "tab": "\ue004", "space": " ", "delete": "\ue003", "forward-delete": "\ue017", "escape": "\ue00c",
	"up": "\ue013", "down": "\ue015", "left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010", "page-up": "\ue00e",
	"page-down": "\ue00f",
}

// KeyNames are the keys that have a name.
func KeyNames() []string { return slices.Sorted(maps.Keys(keyPoints)) }

// Key returns the character itself, or W3C's code point for a name.
func Key(name string) (string, bool) {
	if len([]rune(name)) == 1 {
		return name, true
	}
	v, ok := keyPoints[name]
	return v, ok
}
