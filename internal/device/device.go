// Package device is the domain: what a device is, what it may be able to do, and the lane that keeps two callers from
// driving it at once. It does no I/O; drivers do.
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

// Info describes a device. UDID is the hardware's, whatever a tool calls the device: it is what a lease is on, and by which
// two drivers know that they mean the same device.
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
	// BootedAt is when a simulator booted last, as simctl tells it: only to be compared.
	BootedAt string `json:"-"`
	// Hardware is set for physical devices only.
	Hardware *Hardware `json:"hardware,omitempty"`
}

// Is reports whether an id is the device's: its UDID or an alias, in capitals or not.
func (i Info) Is(id string) bool {
	same := func(own string) bool { return strings.EqualFold(own, id) }
	return id != "" && (same(i.UDID) || slices.ContainsFunc(i.Aliases, same))
}

// Booted is the state of a device that can be driven.
const Booted = "booted"

// Platform is the platform of a system: iOS of "iOS 18.2".
func Platform(os string) string {
	platform, _, _ := strings.Cut(os, " ")
	return platform
}

// CompareOS compares systems by their numbers: "iOS 18.5" is less than "iOS 26.0".
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

// Driver finds devices and opens them. List may be slow, honours ctx, and is never called on the path of an action; it
// leaves out a device whose hardware UDID it does not know. Open does no I/O: a device connects when it is first used.
type Driver interface {
	Name() string
	List(ctx context.Context) ([]Info, error)
	Open(info Info) Device
}

// Device is one opened device. What it can do is asked with As or Has: abilities are small interfaces, and a device may be
// composed of parts, each with abilities of its own. Methods of a device are called by one goroutine at a time, the one
// that holds its lane. Close ends what the device started; it may be called at any time.
type Device interface {
	Info() Info
	Driver() string
	Close() error
}

// Wait says how long to look: until the screen has been the same for Stable, at least Min, at most Max.
type Wait struct {
	Stable, Min, Max time.Duration
	// Unlike is the digest of an earlier look. A screen that is still and has it is looked at on, until Patience is over.
	Unlike   string
	Patience time.Duration
	// Depth is how deep the tree is read; 0 is the driver's own.
	Depth int
}

// Eyes look at what is in front, whichever app that is. Observe may be repeated freely: it changes nothing.
type Eyes interface {
	Observe(ctx context.Context, w Wait) (*ui.Screen, error)
}

// Running tells which apps run, by bundle id.
type Running interface {
	Running(ctx context.Context) (map[string]int, error)
}

// Touch sends touches. An error whose fault says Dispatched "unknown" means that the touch may have arrived; the
// driver never sends a touch twice. That holds for all inputs below.
type Touch interface {
	Tap(ctx context.Context, at ui.Point) error
	DoubleTap(ctx context.Context, at ui.Point) error
	LongPress(ctx context.Context, at ui.Point, long time.Duration) error
	// Swipe moves a finger in so much time (0 is the platform's own) and lets go while it moves.
	Swipe(ctx context.Context, from, to ui.Point, took time.Duration) error
}

// Drag says how something is carried from one place to another.
type Drag struct {
	From, To ui.Point
	Press    time.Duration // before it moves
	Hold     time.Duration // before it is let go
	Velocity float64       // points a second; 0 is the platform's own
}

// Dragging carries something from one place to another.
type Dragging interface {
	Drag(ctx context.Context, d Drag) error
}

// Pinching spreads two fingers or pinches them together.
type Pinching interface {
	Pinch(ctx context.Context, at ui.Point, scale float64) error
}

// Gestures are what two fingers, or one that holds, can do.
type Gestures interface {
	Dragging
	Pinching
}

// Adjust moves the control at a point to a value: a slider, a picker wheel.
type Adjust interface {
	SetValue(ctx context.Context, at ui.Point, value string) error
}

// Keyboard types into whatever has the focus; NO_FOCUS when nothing has.
type Keyboard interface {
	Type(ctx context.Context, text string) error
	Clear(ctx context.Context) error
	Key(ctx context.Context, name string, modifiers []string, times int) error
}

// Alert is a question the system or the app asks.
type Alert struct {
	Title   string   `json:"title"`
	Text    string   `json:"text"`
	Buttons []string `json:"buttons"`
	Source  string   `json:"source"` // bundle id of whose it is
}

// Alerts reads the alert in front and answers it: accept, dismiss, or the label of a button; empty only reads. Nil when
// there is none.
type Alerts interface {
	Alert(ctx context.Context, answer string) (*Alert, error)
}

// Rotation turns the device.
type Rotation interface {
	Rotate(ctx context.Context, to string) error
}

// Camera takes a picture of the whole screen, as PNG.
type Camera interface {
	Screenshot(ctx context.Context) ([]byte, error)
}

// Power boots and shuts down; both are no-ops where the state is right already. Boot returns when apps can run.
type Power interface {
	Boot(ctx context.Context) error
	Shutdown(ctx context.Context) error
}

// Launch says how an app is to be started.
type Launch struct {
	Args    []string
	Env     map[string]string
	Restart bool // end a running instance first
	Halted  bool // it waits at its start for a debugger
	// Stdout and Stderr are files that get what the app prints; empty: nobody does.
	Stdout, Stderr string
}

// Unhalted is a fault of a driver that cannot have an app wait for a debugger, when that is asked for.
func (l Launch) Unhalted(who string) error {
	if !l.Halted {
		return nil
	}
	return fault.New(fault.Unsupported, "%s cannot have an app wait at its start for a debugger", who).WithDispatch(fault.NotDispatched).
		WithHint("launch it on a simulator with the default driver: %s", hint.Do("session_clear_defaults", "keys", []string{"driver"}))
}

// Apps installs and runs apps. A launched app is in front.
type Apps interface {
	Install(ctx context.Context, path string) (bundleID string, err error)
	Launch(ctx context.Context, bundleID string, how Launch) (pid int, err error)
	Terminate(ctx context.Context, bundleID string) error
}
