// Package deskapp drives the apps of a desktop: a process with windows is a device. Driver finds and opens processes; the package turns
// the trees of a desktop.Desktop into screens, waits for events, and checks that an input meets its element. It must not use
// accessibility, X11 or AppKit itself: atspi and macax do.
package deskapp

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"ios-agent/internal/desktop"
	programs "ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
)

// The prefixes of ids of processes.
const (
	byPID  = "pid:" // pid:4711, or pid:4711:START, which stays the same process
	byName = "app:" // app:NAME, the name of the program or the title of a window
)

// Driver opens processes. It does not list them: there are too many.
type Driver struct {
	Programs Programs // knows how programs ended; nil: unknown
	// Clock makes looks wait for still windows.
	Clock   device.Clock
	desktop desktop.Desktop
}

// Programs knows the programs that this daemon launched.
type Programs interface {
	// Ended is how a program ended; false if this daemon did not launch it.
	Ended(ctx context.Context, pid int) (programs.Status, bool)
}

// New makes a driver with the system's clock. Without a desktop, the driver refuses every process.
func New(d desktop.Desktop) *Driver { return &Driver{Clock: device.TimeOfDay{}, desktop: d} }

// Name is the driver's name.
func (d *Driver) Name() string { return "deskapp" }

// Opens reports whether an id means a process.
func (d *Driver) Opens(id string) bool {
	low := strings.ToLower(id)
	return strings.HasPrefix(low, byPID) || strings.HasPrefix(low, byName)
}

// Find returns the udid of the process that an id means. env is the caller's environment; nil is the daemon's.
func (d *Driver) Find(ctx context.Context, id string, env func(string) string) (udid string, err error) {
	if d.desktop == nil {
		return "", fault.New(fault.Unsupported, "ios-agent cannot drive desktop apps on this machine").
			WithHint("use a simulator instead; %s lists the simulators", hint.Do("list_devices"))
	}
	if name := id[len(byName):]; strings.EqualFold(id[:len(byName)], byName) {
		pid, err := d.named(ctx, name, env)
		if err != nil {
			return "", err
		}
		id = byPID + strconv.Itoa(pid)
	}
	who, err := owned(id)
	return who.udid(), err
}

// Open opens the process that an id means.
func (d *Driver) Open(ctx context.Context, id string) (device.Device, error) {
	udid, err := d.Find(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	who, err := owned(udid)
	if err != nil {
		return nil, err
	}
	if err := who.answers(); err != nil {
		return nil, err
	}
	app, err := d.desktop.Open(ctx, who.pid)
	if err != nil {
		return nil, who.explain(err)
	}
	return newProcess(d, who, app), nil
}

// identity is one process, distinct from later processes with the same pid.
type identity struct {
	pid   int
	start string // from processes.StartTime
	name  string // of its program
}

// udid names the process. The start is short: it only has to distinguish two processes with the same pid.
func (i identity) udid() string {
	if i.pid == 0 {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(i.start)) // never fails
	return fmt.Sprintf("%s%d:%08x", byPID, i.pid, h.Sum32())
}

func (i identity) info() device.Info {
	system := map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS]
	return device.Info{
		UDID: i.udid(), Name: i.name, State: device.Booted, OS: system, Type: device.TypeProcess, Available: true,
		Aliases: []string{byPID + strconv.Itoa(i.pid)},
	}
}

// owned is the process of an id, if it lives and belongs to this user.
func owned(id string) (identity, error) {
	digits, start, whole := strings.Cut(id[len(byPID):], ":")
	pid, err := strconv.Atoi(digits)
	if err != nil || pid <= 0 {
		return identity{}, fault.New(fault.InvalidInput, "invalid process id %q: it must be pid: and a number", id).With("field", "udid")
	}
	known, err := processes.Known(pid)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !processes.Alive(pid, known.Start) {
		return identity{}, exited(pid)
	}
	if err != nil {
		return identity{}, fault.New(fault.AppNotRunning, "cannot inspect process %d: %w", pid, err)
	}
	if known.UID != os.Getuid() {
		return identity{}, fault.New(fault.Forbidden, "process %d belongs to another user", pid).
			WithHint("start the app as the user who runs ios-agent")
	}
	who := identity{pid: pid, start: known.Start, name: programName(pid, known)}
	if whole && !strings.EqualFold(who.udid(), byPID+digits+":"+start) {
		return identity{}, exited(pid) // another process has its pid now
	}
	return who, nil
}

// programName is the executable of a process, or its script.
func programName(pid int, known processes.Ancestor) string {
	path := known.Path
	if seen, err := processes.Inspect(pid); err == nil && seen.Path != "" {
		path = seen.Path
	}
	switch {
	case path != "":
		return filepath.Base(path)
	case len(known.Args) > 0:
		return filepath.Base(known.Args[0])
	}
	return "process " + strconv.Itoa(pid)
}

// exited is the fault of a process that has ended.
func exited(pid int) *fault.Fault {
	return fault.New(fault.AppNotRunning, "Process not running (PID %d exited)", pid).With("pid", pid).
		WithHint("%s", startAgain).WithDispatch(fault.NotDispatched)
}

// startAgain is the hint for a process that has ended.
var startAgain = "start the app again and name the new process with " + hint.Field("udid") + ": pid:N or app:NAME"

// answers returns a fault if the process has ended or is stopped. It runs before every accessibility call, because a stopped process
// would never answer.
func (i identity) answers() error {
	switch {
	case !processes.Alive(i.pid, i.start):
		return exited(i.pid)
	case processes.Stopped(i.pid):
		return fault.New(fault.AppPaused, "%s does not answer: process %d is stopped, by a debugger or a signal", i.name, i.pid).
			With("pid", i.pid).WithHint("let the debugger continue it: %s; or send it SIGCONT", hint.Do("debug_continue")).
			WithDispatch(fault.NotDispatched)
	}
	return nil
}

// explain replaces err if it is due to the end of the process.
func (i identity) explain(err error) error {
	if err == nil || processes.Alive(i.pid, i.start) {
		return err
	}
	return exited(i.pid)
}
