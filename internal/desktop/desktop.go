// Package desktop models desktop apps on any system and drives them through the interfaces Desktop and App. An App gives the tree of a
// process, whose elements keep their ids, and a Performer acts on it: through accessibility first, through input events second. The package
// must not use a bus or a framework: driver/atspi implements Desktop on Linux, driver/macax on macOS.
package desktop

import (
	"context"
	"image"
	"time"

	"ios-agent/internal/ui"
)

// Desktop is where processes of this user show windows.
type Desktop interface {
	// Methods say how actions are done here.
	Methods() Methods
	// Prepare makes the desktop of an environment ready for a new program, and returns the extra variables with which the program reports
	// its windows.
	Prepare(ctx context.Context, env Environ) (more []string, err error)
	// Open connects to a process, on the display that the process itself uses. Its fault names the missing part: a display, the
	// accessibility bus, a permission, or a living process of the user.
	Open(ctx context.Context, pid int) (App, error)
	// Windows are all windows that can be seen or are minimized, of all processes of the user, on the desktop that an environment names.
	Windows(ctx context.Context, env Environ) ([]Window, error)
}

// Environ returns a variable of the client's environment; empty when it is not set.
type Environ func(name string) string

// Env lists the variables that say on which desktop a client works: its programs are started there.
func Env() []string {
	return []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"}
}

// Methods are the words for how an action was done.
type Methods struct {
	Accessibility string // ax, atspi
	Input         string // cgevent, xtest
	Pointer       string // pointer: input that moves the user's pointer where Input does not; empty where Input does
}

// Window is a window of a process.
type Window struct {
	ID      string  `json:"id"` // of the window system
	PID     int     `json:"pid"`
	App     string  `json:"app"` // the process's name
	Title   string  `json:"title"`
	Bounds  ui.Rect `json:"bounds"`
	Focused bool    `json:"focused"`
	Hidden  bool    `json:"minimized,omitempty"`
}

// App is a process that shows windows. One goroutine at a time calls its methods; only Events, Next and Close may be called beside.
type App interface {
	Eyes
	Hands
	Pointer
	Keys
	Close() error
}

// Eyes look.
type Eyes interface {
	// Look reads the trees of all windows, back to front. A window without any element is a node without children.
	Look(ctx context.Context, l Limits) (*Tree, error)
	// Capture is a picture of the window that lies on top (on macOS the largest, as strobe has it), or of the one with that node's key, and
	// where on the screen it is, in points.
	Capture(ctx context.Context, key string) (image.Image, ui.Rect, error)
	// Events counts the process's reports about its windows since it was opened; Next waits until it exceeds a count, or ctx ends.
	Events() uint64
	Next(ctx context.Context, after uint64) error
}

// Limits bound a look.
type Limits struct {
	Depth int // 0: MaxDepth
	Nodes int // 0: MaxNodes
}

// The limits of a look; the answer says when one cut something off.
const (
	MaxDepth = 50
	MaxNodes = 10_000
)

// Tree is one look at a process.
type Tree struct {
	Windows []*Node
	Toolkit string // "gtk 3.24.38", "AppKit"; empty: nobody said
	// Left are elements that the limits cut off: how many at least, and by which.
	Left    int
	LeftWhy string // "deeper than 50 levels", "more than 10000 elements"
	Bare    bool   // the content of the windows is unknown
	Took    time.Duration
}

// Hands act on an element by accessibility, by its key. An element that is gone is a *GoneError; what it cannot do, a
// *UnsupportedError. Any other error is the system's; when the action may have been done all the same, it is a fault that says so.
type Hands interface {
	Perform(ctx context.Context, key, action string) error
	SetNumber(ctx context.Context, key string, value float64) error
	SetText(ctx context.Context, key, text string) error
	Focus(ctx context.Context, key string) error
}

// Pointer is the mouse. Points are screen points, like bounds.
type Pointer interface {
	// Click presses and lets go at a point: button is 1 for the left, 3 for the right one; times is 1 or 2.
	Click(ctx context.Context, at ui.Point, button, times int) error
	// Hold presses at a point for a time.
	Hold(ctx context.Context, at ui.Point, long time.Duration) error
	// Drag moves the mouse with its button pressed. A desktop whose drags need the user's pointer refuses a move without Pointer; others
	// ignore the field.
	Drag(ctx context.Context, m Move) error
	// Scroll turns the wheel over a point by a number of lines: dy < 0 scrolls down, dx < 0 scrolls right.
	Scroll(ctx context.Context, at ui.Point, dx, dy int) error
}

// Move is a way of the mouse with its button pressed.
type Move struct {
	From    ui.Point      // where the button is pressed
	Path    []ui.Point    // the button is released at the last point
	Step    time.Duration // before each point of Path
	Hold    time.Duration // before the release
	Pointer bool          // the user's own pointer may move
}

// Keys is the keyboard. Typed text goes to the process's element with the focus; an app that must be active for keys becomes active.
type Keys interface {
	Press(ctx context.Context, c Chord, times int) error
	Type(ctx context.Context, text string) error
}

// Node is an element of a window.
type Node struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`            // the name of AX on every system: AXButton; atspi:<role> where AX has none
	Title    string   `json:"title,omitempty"` // what it is called; else its description
	Value    *string  `json:"value,omitempty"`
	Enabled  bool     `json:"enabled"`
	Focused  bool     `json:"focused"`
	Selected bool     `json:"selected,omitempty"` // or checked, or pressed
	Bounds   *ui.Rect `json:"bounds,omitempty"`   // on the screen, in points
	Actions  []string `json:"actions,omitempty"`  // by AX's names: AXPress
	Source   string   `json:"source"`             // who told: ax, atspi
	Children []*Node  `json:"children,omitempty"`

	// Key says which element it is: the same on every look for as long as the element lives, and never another's after.
	Key         string `json:"-"`
	Identifier  string `json:"-"` // the developer's name for it
	Placeholder string `json:"-"`
	Subrole     string `json:"-"` // AXSecureTextField, AXSwitch, …
	Hidden      bool   `json:"-"` // the source says that it does not show
	// Shift is its place among its siblings as the source has them, less its place here: elements without a role are left out, and still
	// count in ids.
	Shift int  `json:"-"`
	Modal bool `json:"-"` // a window that keeps input from the others of its process
	// Min and Max are the range of a value that is a number; nil: the source does not say.
	Min, Max *float64 `json:"-"`
}

// Walk visits the node and all below it, parents first, until visit returns false.
func (n *Node) Walk(visit func(*Node) bool) bool {
	if !visit(n) {
		return false
	}
	for _, c := range n.Children {
		if !c.Walk(visit) {
			return false
		}
	}
	return true
}

// Walk visits all nodes of all windows, parents first, until visit returns false.
func (t *Tree) Walk(visit func(*Node) bool) {
	for _, w := range t.Windows {
		if !w.Walk(visit) {
			return
		}
	}
}

// ByKey is the node of an element; nil when the look did not see it.
func (t *Tree) ByKey(key string) (found *Node) {
	t.Walk(func(n *Node) bool {
		if n.Key == key {
			found = n
		}
		return found == nil
	})
	return found
}

// Process is a device that is a process with windows, for operations that know them.
type Process interface {
	// Seen is the tree of the last look, with ids; nil before the first.
	Seen() *Tree
	// Node is the element with an id in the last look; nil when it was not there.
	Node(id string) *Node
	// Performer does actions on the process.
	Performer() Performer
	// Do has one done, and looks at what comes of it for as long as the caller's guard says.
	Do(ctx context.Context, one func(Performer) (method string, err error)) (method string, err error)
}

// GoneError says that an element does not exist any more.
type GoneError struct{ Key string }

func (e *GoneError) Error() string { return "the element is gone" }

// UnsupportedError says that an element cannot do something.
type UnsupportedError struct{ What string }

func (e *UnsupportedError) Error() string { return "the element cannot " + e.What }
