// Package desktop drives desktop programs on this machine: launch or attach, look, act. Desktop is its main type. It defines no operations:
// the view strobe offers its methods under strobe's names.
package desktop

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
)

// Desktop launches desktop programs or attaches to them, looks at their windows and acts on them. A process counts as a device: one session
// at a time drives it.
type Desktop struct{ d Deps }

// Deps are the services that drive desktop programs.
type Deps struct {
	Access    access.Access
	Processes *process.Sessions
	Desk      desktop.Desktop // nil: no desktop support on this system
	Pictures  Pictures
	Secrets   secrets.Folder
}

// New makes Desktop.
func New(d Deps) *Desktop { return &Desktop{d} }

// here returns a fault if this build cannot drive desktop apps.
func (d *Desktop) here() error {
	if d.d.Desk != nil {
		return nil
	}
	return fault.New(fault.Unsupported, "this build of ios-agent cannot drive desktop apps").
		WithHint("use it on Linux with X11, or on macOS")
}

// DesktopLaunch is a program to launch.
type DesktopLaunch struct {
	Argv []string
	Dir  string
	Env  []string
}

// Launch launches a program on the client's desktop.
func (d *Desktop) Launch(ctx context.Context, c *op.Call, in DesktopLaunch) (*process.Session, error) {
	if err := d.here(); err != nil {
		return nil, err
	}
	c.Outside = true
	env := over(in.Env, d.d.Access.Environ(c))
	more, err := d.d.Desk.Prepare(ctx, env)
	if err != nil {
		return nil, err
	}
	place := map[string]string{}
	var all []string
	for _, name := range desktop.Env() {
		if value := env(name); value != "" {
			place[name], all = value, append(all, name+"="+value)
		}
	}
	if in.Dir == "" {
		in.Dir = c.Dir
	}
	return d.d.Processes.Launch(ctx, process.Launch{
		Owner: c.Session, Argv: in.Argv, Dir: in.Dir, Env: slices.Concat(all, more, in.Env), Place: place,
	})
}

// over is an environment with NAME=VALUE pairs added; the last value of a name wins.
func over(pairs []string, below desktop.Environ) desktop.Environ {
	return func(name string) string {
		for _, pair := range slices.Backward(pairs) {
			if value, is := strings.CutPrefix(pair, name+"="); is {
				return value
			}
		}
		return below(name)
	}
}

// place is the desktop of a session's program: the one where it was launched, else the client's.
func (d *Desktop) place(c *op.Call, s *process.Session) desktop.Environ {
	if len(s.Place) > 0 {
		return func(name string) string { return s.Place[name] }
	}
	return d.d.Access.Environ(c)
}

// DesktopAttach names a process by one of its fields.
type DesktopAttach struct {
	PID         int
	Name, Title string
}

// Attach makes a session for a running process.
func (d *Desktop) Attach(ctx context.Context, c *op.Call, in DesktopAttach) (*process.Session, error) {
	if err := d.here(); err != nil {
		return nil, err
	}
	c.Outside = true
	pid, err := d.meant(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return d.d.Processes.Attach(c.Session, pid)
}

// meant finds the process. Of several processes with the name, it prefers one with windows: browsers have many without.
func (d *Desktop) meant(ctx context.Context, c *op.Call, in DesktopAttach) (int, error) {
	if in.PID != 0 {
		return in.PID, nil
	}
	windows, err := d.d.Desk.Windows(ctx, d.d.Access.Environ(c))
	if in.Title != "" {
		if err != nil {
			return 0, err
		}
		return process.One(fmt.Sprintf("the one of a window with the title %.80q", in.Title), titled(windows, in.Title))
	}
	var pids []int
	for _, w := range windows { // empty if the windows cannot be listed: the name is enough
		if strings.EqualFold(w.App, in.Name) {
			pids = append(pids, w.PID)
		}
	}
	if pid, err := process.One("", pids); err == nil {
		return pid, nil
	}
	return process.Named(in.Name)
}

// titled finds the processes of windows with exactly this title, else of windows whose title contains it.
func titled(windows []desktop.Window, title string) (pids []int) {
	lower := strings.ToLower(title)
	for _, fits := range []func(string) bool{
		func(own string) bool { return own == title },
		func(own string) bool { return strings.Contains(strings.ToLower(own), lower) },
	} {
		for _, w := range windows {
			if fits(w.Title) {
				pids = append(pids, w.PID)
			}
		}
		if pids != nil {
			break
		}
	}
	return pids
}

// Windows lists the windows of a session's process and its child processes, or all windows of the user if id is empty.
func (d *Desktop) Windows(ctx context.Context, c *op.Call, id string) ([]desktop.Window, error) {
	if err := d.here(); err != nil {
		return nil, err
	}
	c.Outside = true
	of, env := func(desktop.Window) bool { return true }, d.d.Access.Environ(c)
	if id != "" {
		s, err := d.live(c, id, "list its windows")
		if err == nil {
			_, err = d.showing(ctx, c, s, "list its windows")
		}
		if err != nil {
			return nil, err
		}
		of, env = func(w desktop.Window) bool { return w.PID == s.PID || s.Started(w.PID) }, d.place(c, s)
	}
	all, err := d.d.Desk.Windows(ctx, env)
	return slices.DeleteFunc(slices.Clone(all), func(w desktop.Window) bool { return !of(w) }), err
}

// Sessions lists the sessions of the client.
func (d *Desktop) Sessions(c *op.Call) []process.Status {
	c.Outside = true
	return d.d.Processes.List(c.Session)
}

// Status is the state of a session's process with a part of its output. It writes the whole stored output to a file, if to names one.
func (d *Desktop) Status(c *op.Call, id string, r process.Reading, to outfile.File) (process.Status, error) {
	c.Outside = true
	s, err := d.d.Processes.Get(c.Session, id)
	if err != nil {
		return process.Status{}, err
	}
	if to.Path != "" {
		if err := to.Write(s.All()); err != nil {
			return process.Status{}, err
		}
	}
	return s.Read(r)
}

// Stop ends the session: it terminates a launched program and detaches from an attached one.
func (d *Desktop) Stop(ctx context.Context, c *op.Call, id string) (process.Status, error) {
	c.Outside = true
	s, err := d.d.Processes.Get(c.Session, id)
	if err != nil {
		return process.Status{}, err
	}
	return d.d.Processes.Stop(ctx, s)
}

// PID is the pid of a session whose process runs.
func (d *Desktop) PID(c *op.Call, id string) (int, error) {
	s, err := d.live(c, id, "debug it")
	if err != nil {
		return 0, err
	}
	return s.PID, nil
}

// live finds a session whose process runs, else a fault.
func (d *Desktop) live(c *op.Call, id, what string) (*process.Session, error) {
	s, err := d.d.Processes.Get(c.Session, id)
	if err == nil && !s.Running() {
		err = exited(s.PID, id, what)
	}
	return s, err
}

// printed is the call that shows a session's state and output.
func printed(id string) string { return hint.Do("debug_session", "action", "status", "sessionId", id) }

func exited(pid int, id, what string) error {
	return fault.New(fault.AppNotRunning, "Process not running (PID %d exited). Cannot %s.", pid, what).With("field", "sessionId").
		WithDispatch(fault.NotDispatched).WithHint("%s shows its exit and its last output", printed(id))
}

// awake returns a fault for a process that a signal or a debugger stopped: it would not answer, and the call would wait in vain.
func (d *Desktop) awake(s *process.Session, pid int) error {
	if !process.Stopped(pid) {
		return nil
	}
	if held, is := d.d.Access.Debuggers.Paused(deviceOf(pid)); is {
		f := fault.New(fault.AppPaused, "the app does not answer: it is paused, %s", held.Held()).With("debugger", held.ID).
			WithDispatch(fault.NotDispatched)
		if held.Session != s.Owner {
			return f.WithHint("the session %q debugs it: wait until it is done", held.Session)
		}
		return f
	}
	return fault.New(fault.AppPaused, "process %d does not answer: a signal or another debugger has stopped it", pid).
		WithDispatch(fault.NotDispatched).WithHint("let it continue in that debugger, or run `kill -CONT %d`", pid)
}

// deviceOf is the udid of a process.
func deviceOf(pid int) string { return target.ProcessID + strconv.Itoa(pid) }

// open finds the device of a session's process.
func (d *Desktop) open(ctx context.Context, c *op.Call, id, what string) (*pool.Handle, *session.Session, error) {
	if err := d.here(); err != nil {
		return nil, nil, err
	}
	c.Outside = true
	s, err := d.live(c, id, what)
	if err != nil {
		return nil, nil, err
	}
	pid, err := d.showing(ctx, c, s, what)
	if err != nil {
		return nil, nil, err
	}
	if err := d.awake(s, pid); err != nil {
		return nil, nil, err
	}
	return d.d.Access.Device(ctx, c, target.Target{UDID: deviceOf(pid)})
}

// appearing is the longest time from a program's launch to its first window.
const appearing = 10 * time.Second

// showing is the process that shows the session's windows: the session's own process, or a child of it. For a program that was just
// launched, it polls until the first window appears, since no event reports that.
func (d *Desktop) showing(ctx context.Context, c *op.Call, s *process.Session, what string) (int, error) {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for !s.Attached {
		windows, err := d.d.Desk.Windows(ctx, d.place(c, s))
		of := func(w desktop.Window) bool { return w.PID == s.PID }
		if err != nil || slices.ContainsFunc(windows, of) {
			break // a look at the process reports a desktop error better
		}
		if i := slices.IndexFunc(windows, func(w desktop.Window) bool { return s.Started(w.PID) }); i >= 0 {
			return windows[i].PID, nil
		}
		if !s.Running() {
			return 0, exited(s.PID, s.ID, what)
		}
		if time.Since(s.Launched) > appearing {
			break
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return s.PID, nil
}
