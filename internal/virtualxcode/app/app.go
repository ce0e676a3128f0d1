// Package app reads virtual apps: .app folders whose ui.yaml describes screens, elements and behaviour.
//
// The package only reads the language: package world decides where an element lies on a screen, which element covers which, and when
// things move. A ui.yaml looks like this:
//
//	start: first                 # the screen shown at launch
//	state:                       # variables with their initial values: string, number or bool
//	  name: ""
//	  visits: 0
//	screens:
//	  first:
//	    title: Hello
//	    scroll: true             # content taller than the screen scrolls
//	    elements:                # stacked from top to bottom
//	      - text: "Visits: {visits}"
//	        visible: {visits: notempty}
//	      - field: Name
//	        bind: name
//	      - row:                 # side by side; the first one takes the room that is left
//	          - text: Coffee
//	          - button: Add
//	            label: Add Coffee
//	            do: [{add: {visits: 1}}]
//	      - button: Next
//	        enabled: {name: notempty}
//	        do:
//	          - when: {name: root}
//	            do: [{set: {name: ""}}]
//	            else: [{go: second}]
//
// A condition is a map; all its entries must hold. An entry's value is the value that the variable must have, or one of
// the words "empty" and "notempty": empty is "", 0 and false. "{name}" in a text is replaced by the variable's
// value; "{{" is a brace. "{arg.NAME}" and "{env.NAME}" come from the launch of the app, "{device.NAME}" and
// "{permission.SERVICE}" from the device.
//
// The kinds of elements are text, field, secure, search, editor, button, link, toggle, slider, stepper, segmented,
// picker, image, spinner, progress, area and permissions, and the containers row, group, list and web; repeat makes
// many of one. The steps are set, add, flip, go, back, tab, sheet, dismiss, alert, confirm, ask, paste, request, after,
// every, stop, write, read, log, print, crash and when. At the top of the file there may also be tabs, launch (steps
// at launch), open (deep links) and server (answers that the app itself gives).
// The author's guide, docs/virtual-apps.md, shows each of them.
package app

import "time"

// App is the definition of an app's user interface.
type App struct {
	Start   string
	State   Vars // the variables and their initial values
	Tabs    Tabs
	Launch  []Step // run when the app starts
	Links   []Link
	Server  []Reply
	Screens map[string]*Screen

	// In the order of the file: a running app is stored with their numbers.
	Dialogs  []*Dialog
	Timers   []*Timer
	Asks     []*Ask
	Requests []*Request
}

// Tabs are the screens of the bar at the bottom; without items the app has no bar.
type Tabs struct {
	ID    string
	Items []Tab
}

// Tab is one of Tabs.
type Tab struct {
	Label  Text
	Screen string
	Icon   string
}

// Screen is one page of an app.
type Screen struct {
	Name      string
	Title     Text
	Scroll    bool
	Elements  []*Element
	Appear    []Step // runs when it appears, but not when a screen over it closes
	Dismissed []Step // runs after the screen was closed as a sheet
}

// Dialog is a question over everything else.
type Dialog struct {
	Number  int  // index in App.Dialogs
	Confirm bool // a sheet of choices at the bottom rather than an alert
	Title   Text
	Message Text
	Buttons []*Element
}

// Timer runs steps later, once or repeatedly.
type Timer struct {
	Number int // index in App.Timers
	Name   string
	Every  bool
	After  time.Duration
	Do     []Step
}

// Element is one element of a screen.
type Element struct {
	Key         string // unique on its screen and stable: the id, or the place in the file
	Kind        Kind
	ID          string
	Text        Text // the value of the kind's key: a text's content, a button's or a field's name
	Label       Text // the accessibility label if it differs from Text; empty means Text
	Style       string
	Placeholder Text
	Detail      Text   // the text at a cell's right end
	Icon        string // a glyph of the renderer
	Keyboard    string // the keyboard of a field
	Bind        string // the variable that it shows and edits
	Filter      string // the variable with the search text for a list's rows
	Options     []string
	Range       Range
	Width       float64 // points; zero takes the available width
	Height      float64 // points; zero is the kind's default
	Enabled     Cond
	Visible     Cond
	Do          []Step
	Submit      []Step // the action of a field's return key
	Double      []Step // the action of a double tap
	Hold        *Hold
	Swipe       *Swipe
	Pinch       *Pinch
	Point       *Spot
	Drag        Text // the value that a drag carries
	Drop        *Drop
	Reorder     bool       // the rows of a list have drag handles
	Hidden      bool       // accessibility does not see its content
	Inner       []*Element // the children of a container
}

// Range is the range of a control.
type Range struct{ Min, Max, Step float64 }

// Hold is the action of a long press.
type Hold struct {
	Seconds float64 // its minimum duration
	Do      []Step
}

// Swipe is the action of a swipe over an area.
type Swipe struct {
	Into string  // the variable that receives the direction
	Min  float64 // minimum distance in points
	Do   []Step
}

// Pinch is the action of a pinch on an area.
type Pinch struct {
	Into string // the number variable that receives the scale
	Do   []Step
}

// Drop is the action of a drop on an element.
type Drop struct {
	Into string // the string variable that receives the dragged value
	Do   []Step
}

// Spot names the number variables that receive the place of a tap, relative to the area's corner.
type Spot struct{ X, Y string }

// AccessibleLabel is e's label in accessibility.
func (e *Element) AccessibleLabel(vars Vars) string {
	if e.Label != "" {
		return e.Label.Expand(vars)
	}
	return e.Text.Expand(vars)
}
