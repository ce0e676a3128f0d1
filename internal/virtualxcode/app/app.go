// Package app reads virtual apps: .app folders whose ui.yaml describes screens, elements and behaviour.
//
// It knows the language only: where an element lies on a screen, what covers what, and when things move is decided by
// package world. A ui.yaml looks like this:
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
// A condition is a map; all its entries must hold. An entry's value is what the variable must equal, or one of
// the words "empty" and "notempty": empty is "", 0 and false. "{name}" in a text is replaced by the variable's
// value; "{{" is a brace. "{arg.NAME}" and "{env.NAME}" are what the app was launched with, "{device.NAME}" and
// "{permission.SERVICE}" what the device says.
//
// The kinds of elements are text, field, secure, search, editor, button, link, toggle, slider, stepper, segmented,
// picker, image, spinner, progress, area and permissions, and the containers row, group, list and web; repeat makes
// many of one. The steps are set, add, flip, go, back, tab, sheet, dismiss, alert, confirm, ask, paste, request, after,
// every, stop, write, read, log, print, crash and when. At the top of the file there may also be tabs, launch (steps
// at launch), open (deep links) and server (what the app answers itself).
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

	// In the order of the file: a running app is kept with their numbers.
	Dialogs  []*Dialog
	Timers   []*Timer
	Asks     []*Ask
	Requests []*Request
}

// Tabs are the screens a bar at the bottom leads to; without items there is no bar.
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
	Appear    []Step // run when it is shown, but not when a screen over it is closed
	Dismissed []Step // run when the screen was a sheet and has been closed
}

// Dialog is a question over everything else.
type Dialog struct {
	Number  int  // its place in App.Dialogs
	Confirm bool // a sheet of choices at the bottom rather than an alert
	Title   Text
	Message Text
	Buttons []*Element
}

// Timer is steps to run later, once or again and again.
type Timer struct {
	Number int // its place in App.Timers
	Name   string
	Every  bool
	After  time.Duration
	Do     []Step
}

// Element is one thing on a screen.
type Element struct {
	Key         string // unique on its screen and stable: the id, or the place in the file
	Kind        Kind
	ID          string
	Text        Text // what the key of the kind says: a text's content, a button's or a field's name
	Label       Text // what accessibility says instead of Text; empty means Text
	Style       string
	Placeholder Text
	Detail      Text   // what a cell says at its right end
	Icon        string // a glyph the renderer knows
	Keyboard    string // which keyboard a field brings up
	Bind        string // the variable it shows and edits
	Filter      string // the variable whose value the texts of a list's rows must contain
	Options     []string
	Range       Range
	Width       float64 // points; zero is all there is
	Height      float64 // points; zero is the kind's own
	Enabled     Cond
	Visible     Cond
	Do          []Step
	Submit      []Step // what the return key of a field does
	Double      []Step // what two taps in a row do
	Hold        *Hold
	Swipe       *Swipe
	Pinch       *Pinch
	Point       *Spot
	Drag        Text // what is carried away when it is dragged
	Drop        *Drop
	Reorder     bool       // the rows of a list have handles to move them with
	Hidden      bool       // accessibility does not see what is in it
	Inner       []*Element // what a container holds
}

// Range is what numbers a control can have.
type Range struct{ Min, Max, Step float64 }

// Hold is what a long press does.
type Hold struct {
	Seconds float64 // how long it takes at least
	Do      []Step
}

// Swipe is what a swipe over an area does.
type Swipe struct {
	Into string  // the variable that takes the direction
	Min  float64 // points the finger must move at least
	Do   []Step
}

// Pinch is what two fingers on an area do.
type Pinch struct {
	Into string // the number variable that takes how many times larger it became
	Do   []Step
}

// Drop is what happens when something is dropped on an element.
type Drop struct {
	Into string // the string variable that takes what was dragged there
	Do   []Step
}

// Spot names the number variables that take where an area was tapped, from its own corner.
type Spot struct{ X, Y string }

// AccessibleLabel is what accessibility calls e.
func (e *Element) AccessibleLabel(vars Vars) string {
	if e.Label != "" {
		return e.Label.Expand(vars)
	}
	return e.Text.Expand(vars)
}
