package world

import "time"

// Point is a place on a device's screen, in points.
type Point struct{ X, Y float64 }

// Rect is a frame on a device's screen, in points.
type Rect struct{ X, Y, W, H float64 }

// Centre is the point that a tap on r touches.
func (r Rect) Centre() Point { return Point{r.X + r.W/2, r.Y + r.H/2} }

// Contains reports whether p lies inside r.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

// Element is one node of an app's screen, as accessibility sees it. The content of a static text is its Label, as in XCUITest.
type Element struct {
	Type        string // short XCUIElement.ElementType name: "Button", "StaticText", "TextField", …
	Identifier  string
	Label       string
	Value       string
	Placeholder string
	Frame       Rect
	Disabled    bool
	Selected    bool
	Focused     bool
	Secure      bool
	Look        Look // its look; invisible to accessibility
	Children    []*Element
}

// Look tells the renderer what accessibility does not say about an element.
type Look struct {
	Style string   // a style of the renderer, such as "filled", "headline", "error"; empty is the type's default
	Text  string   // the drawn text if it differs from Label, such as "Add" on a button labelled "Add Coffee"
	Size  float64  // text size in points; the frame has room for it
	Icon  string   // a glyph of the renderer
	Rows  []string // the choices of a wheel
	Part  float64  // the filled share, from 0 to 1: of a slider, a progress bar
	// Unseen are children that are drawn and touchable, but invisible to accessibility.
	Unseen []*Element
}

// AppState is an app's XCUIApplication.state.
type AppState string

// The states of an app, in the words of the agent protocol.
const (
	NotRunning        AppState = "not_running"
	RunningBackground AppState = "running_background"
	RunningForeground AppState = "running_foreground"
)

// Wait says how long to look at a screen: until two looks that are Stable apart agree, at least Min and at most Max.
type Wait struct {
	Stable, Min, Max time.Duration
	OnlyFront        bool // skips the tree of an app that is not in front
}

// Observation is the result of a look at an app.
type Observation struct {
	Root    *Element // the application element; nil if the app does not run, or its tree was skipped
	System  *Element // SpringBoard's tree if it shows an alert over another app; its buttons then receive the touches
	State   AppState
	Bundle  string
	Settled bool // false: still moving after Max
	Waited  time.Duration
	Samples int // number of looks
	Levels  int // with ErrTooDeep: the number of levels of Root that one read allows
}
