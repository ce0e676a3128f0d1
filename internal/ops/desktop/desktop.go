// Package desktop drives programs with windows on this machine: launch or attach, look, act. It declares no operations of its own: the
// view strobe shows it under that system's names.
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
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
)

// Desktop is programs of this machine that show windows: they are launched or attached to, looked at and acted on. The process is a
// device: one session at a time drives it.
type Desktop struct{ d Deps }

// Deps are what desktop programs are driven with.
type Deps struct {
	Access    access.Access
	Processes *process.Sessions
	Desk      desktop.Desktop // nil: this system has none
	Pictures  Pictures
	Secrets   secrets.Folder
}

// New makes what drives desktop programs.
func New(d Deps) *Desktop { return &Desktop{d} }

// here is a fault where no windows can be seen.
func (d *Desktop) here() error {
	if d.d.Desk != nil {
		return nil
	}
	return fault.New(fault.Unsupported, "this build of ios-agent sees no windows of desktop programs").
		WithHint("use it on Linux with X11, or on macOS")
}

// DesktopLaunch says what to start.
type DesktopLaunch struct {
	Argv []string
	Dir  string
	Env  []string
}

// Launch starts a program on the client's desktop.
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

// over is an environment with pairs over it: the last one of a name wins.
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

// place is the desktop that a session's program is on: the one that it was launched on, else the client's.
func (d *Desktop) place(c *op.Call, s *process.Session) desktop.Environ {
	if len(s.Place) > 0 {
		return func(name string) string { return s.Place[name] }
	}
	return d.d.Access.Environ(c)
}

// DesktopAttach says which process is meant: by one of these.
type DesktopAttach struct {
	PID         int
	Name, Title string
}

// Attach makes a session of a process that runs.
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

// meant is the process. Of several with a name, those that show windows are meant: browsers have many.
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
	for _, w := range windows { // none, when they cannot be listed: the name is enough
		if strings.EqualFold(w.App, in.Name) {
			pids = append(pids, w.PID)
		}
	}
	if pid, err := process.One("", pids); err == nil {
		return pid, nil
	}
	return process.Named(in.Name)
}

// titled are the processes of windows with a title: those that have it exactly, else those that have it somewhere.
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

// Windows are the windows of a session's process and of those that it started, or all of the user's when no session is named.
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

// Sessions are those of the client.
func (d *Desktop) Sessions(c *op.Call) []process.Status {
	c.Outside = true
	return d.d.Processes.List(c.Session)
}

// Status is how the process of a session is, with a part of what it printed. All that is kept of it goes to a file, if one is named.
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

// Stop ends a launched program, lets an attached one go, and forgets the session.
func (d *Desktop) Stop(ctx context.Context, c *op.Call, id string) (process.Status, error) {
	c.Outside = true
	s, err := d.d.Processes.Get(c.Session, id)
	if err != nil {
		return process.Status{}, err
	}
	return d.d.Processes.Stop(ctx, s)
}

// PID is the process of a session that runs.
func (d *Desktop) PID(c *op.Call, id string) (int, error) {
	s, err := d.live(c, id, "debug it")
	if err != nil {
		return 0, err
	}
	return s.PID, nil
}

// live is a session whose process runs.
func (d *Desktop) live(c *op.Call, id, what string) (*process.Session, error) {
	s, err := d.d.Processes.Get(c.Session, id)
	if err == nil && !s.Running() {
		err = exited(s.PID, id, what)
	}
	return s, err
}

func exited(pid int, id, what string) error {
	return fault.New(fault.AppNotRunning, "Process not running (PID %d exited). Cannot %s.", pid, what).With("field", "sessionId").
		WithDispatch(fault.NotDispatched).WithHint("`ios-agent app session status %s` tells how it ended and what it printed last", id)
}

// awake is a fault for a process that a signal or a debugger stopped: it would answer nobody, and nobody waits for it.
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
	return fault.New(fault.AppPaused, "process %d does not answer: it is stopped, by a signal or by a debugger of somebody else", pid).
		WithDispatch(fault.NotDispatched).WithHint("have it go on, with that debugger or with `kill -CONT %d`", pid)
}

// deviceOf names the device that a process is.
func deviceOf(pid int) string { return target.ProcessID + strconv.Itoa(pid) }

// open finds the device that a session's process is.
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

// appearing is how long a program may take to show its first window after it was launched.
const appearing = 10 * time.Second

// showing is the process that shows the session's windows: its own, or one that it started. A program that was launched just now is
// waited for: nobody tells when its first window is there.
func (d *Desktop) showing(ctx context.Context, c *op.Call, s *process.Session, what string) (int, error) {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for !s.Attached {
		windows, err := d.d.Desk.Windows(ctx, d.place(c, s))
		of := func(w desktop.Window) bool { return w.PID == s.PID }
		if err != nil || slices.ContainsFunc(windows, of) {
			break // what is wrong with the desktop, the process's own tells better
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
