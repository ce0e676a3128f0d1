package world

import "time"

// Point is a place on a device's screen, in points.
type Point struct{ X, Y float64 }

// Rect is a frame on a device's screen, in points.
type Rect struct{ X, Y, W, H float64 }

// Centre is where a finger would land on r.
func (r Rect) Centre() Point { return Point{r.X + r.W/2, r.Y + r.H/2} }

// Contains reports whether p lies inside r.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.Y >= r.Y && p.X < r.X+r.W && p.Y < r.Y+r.H
}

// Element is one node of what an app shows, as accessibility sees it. A static text's content is its Label,
// as in XCUITest.
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
	Look        Look // how it is drawn; invisible to accessibility
	Children    []*Element
}

// Look tells the renderer what accessibility does not say about an element.
type Look struct {
	Style string   // a name the renderer knows, such as "filled", "headline", "error"; empty is the type's default
	Text  string   // what is drawn where that is not the Label, such as "Add" on a button labelled "Add Coffee"
	Size  float64  // size of the text in points; the frame was made for it
	Icon  string   // a glyph the renderer knows
	Rows  []string // what a wheel offers
	Part  float64  // how much of it is filled, from 0 to 1: of a slider, a progress bar
	// Unseen is what is drawn in it, and can be touched, although accessibility does not see it.
	Unseen []*Element
}

// AppState is what XCUIApplication.state says of an app.
type AppState string

// The states of an app, in the words of the agent protocol.
const (
	NotRunning        AppState = "not_running"
	RunningBackground AppState = "running_background"
	RunningForeground AppState = "running_foreground"
)

// Wait says how long to look at a screen: until two looks Stable apart agree, but at least Min and at most Max.
type Wait struct {
	Stable, Min, Max time.Duration
	OnlyFront        bool // the tree of an app that is not in front is not read
}

// Observation is what a look at an app saw.
type Observation struct {
	Root    *Element // the application element; nil when the app is not running, or its tree was not to be read
	System  *Element // SpringBoard's, when it shows an alert over another app; its buttons take the touches then
	State   AppState
	Bundle  string
	Settled bool // false: still moving when Max was reached
	Waited  time.Duration
	Samples int // how many looks it took
	Levels  int // with ErrTooDeep: how many levels of Root can be read at once
}
