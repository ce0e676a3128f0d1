// Package deskapp drives the apps of a desktop: a process that shows windows is a device. What it shows and how it is touched is a
// desktop.Desktop's to know; here it becomes a screen, with waits by events and inputs that are meant for an element.
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

// The beginnings of ids that mean processes.
const (
	byPID  = "pid:" // pid:4711, or pid:4711:START, which is one process for good
	byName = "app:" // app:NAME, by the name of the program or the title of a window
)

// Driver opens processes. It lists none: there are too many, and few are meant.
type Driver struct {
	Programs Programs // tells how programs ended; nil: nobody knows
	// Clock is how looks wait for still windows.
	Clock   device.Clock
	desktop desktop.Desktop
}

// Programs knows the programs that were launched here.
type Programs interface {
	// Ended is how a program ended; false when it was not launched here.
	Ended(ctx context.Context, pid int) (programs.Status, bool)
}

// New makes a driver that waits by the time of day; without a desktop, one that says so.
func New(d desktop.Desktop) *Driver { return &Driver{Clock: device.TimeOfDay{}, desktop: d} }

// Name names the driver.
func (d *Driver) Name() string { return "deskapp" }

// Opens reports whether an id means a process.
func (d *Driver) Opens(id string) bool {
	low := strings.ToLower(id)
	return strings.HasPrefix(low, byPID) || strings.HasPrefix(low, byName)
}

// Find is the udid of the one process that an id means. env is the environment of who asks; nil is ours.
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

// identity is one process for good.
type identity struct {
	pid   int
	start string // as processes.StartTime tells it
	name  string // of its program
}

// udid names the process. The start is short: it only has to tell two processes apart that had the same pid.
func (i identity) udid() string {
	if i.pid == 0 {
		return ""
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(i.start)) // it never fails
	return fmt.Sprintf("%s%d:%08x", byPID, i.pid, h.Sum32())
}

func (i identity) info() device.Info {
	system := map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS]
	return device.Info{
		UDID: i.udid(), Name: i.name, State: device.Booted, OS: system, Type: device.TypeProcess, Available: true,
		Aliases: []string{byPID + strconv.Itoa(i.pid)},
	}
}

// owned is the process with an id, if it lives and is this user's.
func owned(id string) (identity, error) {
	digits, start, whole := strings.Cut(id[len(byPID):], ":")
	pid, err := strconv.Atoi(digits)
	if err != nil || pid <= 0 {
		return identity{}, fault.New(fault.InvalidInput, "%q is no process: it is pid: and a number", id).With("field", "udid")
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

// programName is what a process executes; of a script, the script.
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

// exited is the fault of a process that is not there any more.
func exited(pid int) *fault.Fault {
	return fault.New(fault.AppNotRunning, "Process not running (PID %d exited)", pid).With("pid", pid).
		WithHint("%s", startAgain).WithDispatch(fault.NotDispatched)
}

// startAgain is what is left to do when a process has ended.
var startAgain = "start the app again and name the new process with " + hint.Field("udid") + ": pid:N or app:NAME"

// answers is a fault when the process has ended or stands still. It is asked before any call by accessibility: a process that stands
// still would never answer one.
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

// explain says that the process has ended, where that is why something failed.
func (i identity) explain(err error) error {
	if err == nil || processes.Alive(i.pid, i.start) {
		return err
	}
	return exited(i.pid)
}
