// Package device is the domain model of devices: Device, its Info, and its abilities, which are small interfaces that drivers implement. A
// Composite is one device of several drivers; a Lane keeps two callers from driving a device at once. The pool opens devices through a
// Driver, and callers ask for abilities with As and Has. The package does no I/O; drivers do.
package device

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// Info describes a device. UDID is the hardware's id, even if a tool has another id for the device. Leases use it, and drivers
// recognize the same device by it.
type Info struct {
	UDID      string `json:"udid"`
	Name      string `json:"name"`
	State     string `json:"state"` // booted, shutdown, booting, …
	OS        string `json:"os_version"`
	Type      string `json:"device_type"` // simulator or device
	Model     string `json:"model,omitempty"`
	Runtime   string `json:"runtime,omitempty"`
	Family    string `json:"device_family,omitempty"` // iPhone, iPad, Apple Watch, …
	Available bool   `json:"is_available"`
	// Aliases are other ids that tools have for the device: CoreDevice's identifier, its serial number.
	Aliases []string `json:"-"`
	// BootedAt is the time of a simulator's last boot as simctl prints it; only for comparison.
	BootedAt string `json:"-"`
	// Hardware is set for physical devices only.
	Hardware *Hardware `json:"hardware,omitempty"`
}

// Is reports whether an id is the device's UDID or an alias, in upper or lower case.
func (i Info) Is(id string) bool {
	same := func(own string) bool { return strings.EqualFold(own, id) }
	return id != "" && (same(i.UDID) || slices.ContainsFunc(i.Aliases, same))
}

// Booted is the state of a device that can be driven.
const Booted = "booted"

// Platform is the platform of a system: iOS for "iOS 18.2".
func Platform(os string) string {
	platform, _, _ := strings.Cut(os, " ")
	return platform
}

// CompareOS compares systems by their version numbers: "iOS 18.5" is less than "iOS 26.0".
func CompareOS(a, b string) int {
	numbers := func(os string) (n []int) {
		for part := range strings.FieldsFuncSeq(os, func(r rune) bool { return r < '0' || r > '9' }) {
			v, _ := strconv.Atoi(part) // out of range: the largest there is
			n = append(n, v)
		}
		return n
	}
	return slices.Compare(numbers(a), numbers(b))
}

// Driver finds devices and opens them. List may be slow, honours ctx, and never runs on the path of an action; it leaves out a device
// without a known hardware UDID. Open does no I/O: a device connects at its first use.
type Driver interface {
	Name() string
	List(ctx context.Context) ([]Info, error)
	Open(info Info) Device
}

// Device is one opened device. Callers ask for its abilities with As or Has: abilities are small interfaces, and the parts of a device
// may have different ones. Only the goroutine that holds the device's lane calls its methods. Close ends everything that the device
// started; it may be called at any time.
type Device interface {
	Info() Info
	Driver() string
	Close() error
}

// Wait limits a look: until the screen has been the same for Stable, for at least Min and at most Max.
type Wait struct {
	Stable, Min, Max time.Duration
	// Unlike is the digest of an earlier look. A still screen with this digest does not end the look until Patience is over.
	Unlike   string
	Patience time.Duration
	// Depth is the maximum depth of the tree; 0 is the driver's default.
	Depth int
}

// Eyes look at the app in front, whichever it is. Observe changes nothing and may be repeated.
type Eyes interface {
	Observe(ctx context.Context, w Wait) (*ui.Screen, error)
}

// Running lists the running apps by bundle id, with their pids.
type Running interface {
	Running(ctx context.Context) (map[string]int, error)
}

// Touch sends touches. An error whose fault has the dispatch state "unknown" means that the touch may have arrived; the driver never
// sends a touch twice. The same holds for all inputs below.
type Touch interface {
	Tap(ctx context.Context, at ui.Point) error
	DoubleTap(ctx context.Context, at ui.Point) error
	LongPress(ctx context.Context, at ui.Point, long time.Duration) error
	// Swipe moves a finger for the time took (0 is the platform's default) and lifts it while it moves.
	Swipe(ctx context.Context, from, to ui.Point, took time.Duration) error
}

// Drag is a move of an element from one place to another.
type Drag struct {
	From, To ui.Point
	Press    time.Duration // before the finger moves
	Hold     time.Duration // before the finger lifts
	Velocity float64       // points per second; 0 is the platform's default
	Pointer  bool          // the user's mouse pointer may move; devices without one ignore it
}

// Dragging drags from one point to another.
type Dragging interface {
	Drag(ctx context.Context, d Drag) error
}

// Pinching spreads two fingers or pinches them together.
type Pinching interface {
	Pinch(ctx context.Context, at ui.Point, scale float64) error
}

// Gestures are the drag and the two-finger gestures.
type Gestures interface {
	Dragging
	Pinching
}

// Adjust moves the control at a point, such as a slider or a picker wheel, to a value.
type Adjust interface {
	SetValue(ctx context.Context, at ui.Point, value string) error
}

// Keyboard types into the focused element; without a focus it returns NO_FOCUS.
type Keyboard interface {
	Type(ctx context.Context, text string) error
	Clear(ctx context.Context) error
	Key(ctx context.Context, name string, modifiers []string, times int) error
}

// Alert is a question from the system or the app.
type Alert struct {
	Title   string   `json:"title"`
	Text    string   `json:"text"`
	Buttons []string `json:"buttons"`
	Source  string   `json:"source"` // bundle id of its program
}

// Alerts reads the alert in front and answers it with accept, dismiss, or the label of a button; an empty answer only reads. Without an
// alert, Alert returns nil.
type Alerts interface {
	Alert(ctx context.Context, answer string) (*Alert, error)
}

// Rotation turns the device.
type Rotation interface {
	Rotate(ctx context.Context, to string) error
}

// Camera takes a picture of the whole screen as PNG.
type Camera interface {
	Screenshot(ctx context.Context) ([]byte, error)
}

// Power boots and shuts down; both do nothing if the device is already in that state. Boot returns once apps can run.
type Power interface {
	Boot(ctx context.Context) error
	Shutdown(ctx context.Context) error
}

// Launch configures the launch of an app.
type Launch struct {
	Args    []string
	Env     map[string]string
	Restart bool // end a running instance first
	Halted  bool // the app waits at its start for a debugger
	// Stdout and Stderr are files for the app's output; empty: the output is lost.
	Stdout, Stderr string
}

// Unhalted is the fault of a driver that cannot make an app wait for a debugger; nil if the launch does not need it.
func (l Launch) Unhalted(who string) error {
	if !l.Halted {
		return nil
	}
	return fault.New(fault.Unsupported, "%s cannot have an app wait at its start for a debugger", who).WithDispatch(fault.NotDispatched).
		WithHint("launch it on a simulator with the default driver: %s", hint.Do("session_clear_defaults", "keys", []string{"driver"}))
}

// Apps installs and runs apps. Launch brings the app to the front.
type Apps interface {
	Install(ctx context.Context, path string) (bundleID string, err error)
	Launch(ctx context.Context, bundleID string, how Launch) (pid int, err error)
	Terminate(ctx context.Context, bundleID string) error
}
