// Package debug offers the operations of the debugger: launch and attach, breakpoints, stepping, stacks, variables and lldb commands. Debug
// is its main type; package xcode/debugger talks to lldb.
package debug

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/xcode/debugger"
)

// Debug attaches debuggers to processes. A debugger belongs to the session that attached it, and to the lease of its device.
type Debug struct{ access access.Access }

// New makes the operations of the debugger.
func New(access access.Access) *Debug { return &Debug{access} }

// Ops lists the operations of the debugger. Attaching counts as running code, since a debugger can read and change everything in a process
// of the user. So does setting a breakpoint: its condition is an expression that the program evaluates, and it may call any function.
func (d *Debug) Ops() []op.Op {
	spec := func(verb, summary string, hints op.Hints, limit time.Duration, more ...string) op.Spec {
		return op.Spec{
			Name: "debug_" + verb, Verb: "debug " + verb, Groups: []string{"debug"}, Route: "POST /api/v1/debug/" + verb,
			Summary: summary, Hints: hints, Timeout: limit, Examples: more,
		}
	}
	reads := op.ReadOnly | op.Idempotent
	attach := spec("attach", "Attach a debugger to a process, or to an app of a simulator", op.Executes, 3*time.Minute,
		"debug attach --pid 4711", "debug attach --pid 4711 --stop", "debug attach com.iosagent.shop --wait-for")
	attach.Exclude, attach.Require = [][]string{{"pid", "bundle_id"}, {"pid", "wait_for"}}, [][]string{{"pid", "bundle_id"}}
	launch := spec("launch", "Launch a program or a simulator app under a debugger, paused",
		op.Executes, 3*time.Minute, "debug launch ./calc 17 4", "debug launch --bundle-id com.iosagent.shop")
	launch.Exclude = [][]string{{"command", "bundle_id"}, {"command", "udid"}, {"command", "sim"}}
	launch.Help = "Then set breakpoints, " + hint.Do("debug_break", "at", "main.c:12") + ", and let it run: " + hint.Do("debug_continue") +
		".\n" +
		"Its output: " + hint.Do("debug_session", "sessionId", "SESSION") + ". The program ends with the daemon, or with " +
		hint.Do("debug_session", "action", "stop", "sessionId", "SESSION") + "."
	set := spec("break", "Set a breakpoint at a line or at a function", op.Executes|op.Idempotent, time.Minute,
		"debug break main.c:12", "debug break ContentView.body", `debug break main.c:12 --condition "n == 100"`,
		"debug break main.c:12 --ignore-count 9", `debug break main.c:12 --log "n is {n}"`)
	list := spec("sessions", "List the attached debuggers and their breakpoints", reads, time.Minute, "debug sessions")
	list.Route = "GET /api/v1/debug/sessions"
	return []op.Op{
		op.New(launch, d.Launch),
		op.New(attach, d.Attach),
		op.New(set, d.Break),
		op.New(spec("unbreak", "Remove a breakpoint", 0, time.Minute, "debug unbreak 2"), d.Unbreak),
		op.New(spec("continue", "Let the debugged program continue", op.Idempotent, time.Minute, "debug continue"), d.Continue),
		op.New(spec("pause", "Pause the debugged program", op.Idempotent, time.Minute, "debug pause"), d.Pause),
		op.New(spec("step", "Run to the next line, into a function or out of it", 0, 6*time.Minute, "debug step", "debug step into"), d.Step),
		op.New(spec("wait", "Wait until the program is paused or has ended", reads, 11*time.Minute, "debug wait --timeout-ms 60000"), d.Wait),
		op.New(spec("stack", "Show the stack of a thread of the paused program", reads, time.Minute, "debug stack", "debug stack --thread 2"),
			d.Stack),
		op.New(spec("vars", "Show the variables of a frame of the paused program", reads, time.Minute, "debug vars", "debug vars 1"),
			d.Variables),
		op.New(spec("eval", "Evaluate an expression without side effects in the paused program", reads, time.Minute, "debug eval cart.total",
			`debug eval "n * 2 > limit" --frame 1`), d.Eval),
		op.New(spec("set", "Set a variable of the paused program", op.Executes, time.Minute, "debug set n 5", "debug set cart.total 0"), d.Set),
		op.New(spec("watch", "Set a watchpoint: stop when a variable changes or is read", 0, time.Minute, "debug watch total",
			"debug watch cart.total --on access"), d.Watch),
		op.New(spec("unwatch", "Remove a watchpoint", 0, time.Minute, "debug unwatch 1"), d.Unwatch),
		op.New(spec("log", "Show the lines that logpoints recorded", reads, time.Minute, "debug log"), d.Log),
		op.New(spec("lldb", "Run an lldb command and show its output", op.Executes|op.Destructive, 6*time.Minute,
			`debug lldb "expression total"`), d.Command),
		op.New(spec("detach", "Detach a debugger; the program continues", 0, time.Minute, "debug detach"), d.Detach),
		op.New(list, d.Sessions),
	}
}

// DebuggerIn names a debugger.
type DebuggerIn struct {
	Debugger string `json:"debugger,omitempty" doc:"such as d4711; default: the last one attached"`
}

// DebugAttachIn names the process to debug.
type DebugAttachIn struct {
	target.Target
	Bundle string `json:"bundle_id,omitempty" doc:"an app on a simulator" cli:"arg"`
	PID    int    `json:"pid,omitempty" doc:"a process of yours on this machine; with a device: of an app on it" min:"2"`
	Wait   bool   `json:"wait_for,omitempty" doc:"wait up to 1 minute until the app is launched"`
	Stop   bool   `json:"stop,omitempty" doc:"leave the program paused"`
	Keep   bool   `json:"keep_current,omitempty" doc:"do not make it the default debugger"`
}

// DebugAttachOut is a debugger that was attached.
type DebugAttachOut struct{ debugger.Status }

// Text is the state, and the backend of the debugger if it is not the usual one.
func (o DebugAttachOut) Text() string { return withWay(o.Status) }

func withWay(s debugger.Status) string {
	if way := s.Way(); way != "" {
		return s.Text() + "; " + way
	}
	return s.Text()
}

// Attach attaches a debugger.
func (d *Debug) Attach(ctx context.Context, c *op.Call, in DebugAttachIn) (DebugAttachOut, error) {
	s, err := d.attach(ctx, c, in)
	c.Outside = err == nil || in.Bundle == "" && in.Target == (target.Target{}) // a process is real even with Virtual Xcode
	return DebugAttachOut{s}, err
}

// way is the session's setting for the debugger.
func (d *Debug) way(c *op.Call) (how debugger.Attach) {
	how.Through = d.access.Sessions.Get(c.Session).Defaults(c.Dir, c.Env).Setting(config.DebuggerBackend())
	how.Owner.Session = c.Session
	return how
}

func (d *Debug) attach(ctx context.Context, c *op.Call, in DebugAttachIn) (debugger.Status, error) {
	how := d.way(c)
	how.PID, how.Stop, how.Keep = in.PID, in.Stop, in.Keep
	if in.Bundle == "" && in.Target == (target.Target{}) {
		return d.access.Debuggers.Attach(ctx, how)
	}
	if in.Bundle != "" {
		if err := appref.CheckApp(in.Bundle); err != nil {
			return debugger.Status{}, err
		}
	}
	h, _, err := d.access.Resolve(ctx, c, pool.Criteria{UDID: in.UDID, Name: in.Sim})
	if err != nil {
		return debugger.Status{}, err
	}
	how.Owner.UDID = h.Info().UDID
	var state debugger.Status
	err = d.access.Do(ctx, h, func() (err error) {
		if in.Bundle != "" {
			if how.PID, err = d.process(ctx, h, in.Bundle, in.Wait); err != nil {
				return err
			}
		}
		state, err = d.access.Debuggers.Attach(ctx, how)
		return err
	})
	return state, err
}

// launchWait is how long an app may take to be launched.
const launchWait = time.Minute

// process is the pid of an app on a simulator.
func (d *Debug) process(ctx context.Context, h *pool.Handle, bundle string, wait bool) (int, error) {
	if err := simulated(h); err != nil {
		return 0, err
	}
	limit, cancel := context.WithTimeout(ctx, launchWait)
	defer cancel()
	poll := time.NewTicker(250 * time.Millisecond) // no event reports that an app was launched
	defer poll.Stop()
	for {
		app, _, err := appref.Installed(limit, h, bundle)
		switch {
		case err != nil:
			return 0, err
		case d.access.Debuggers.Virtual():
			return 0, d.compiled(bundle)
		case app.PID > 0:
			return app.PID, nil
		case !wait:
			return 0, fault.New(fault.AppNotRunning, "%s does not run on %s", bundle, h.Info().Name)
		}
		select {
		case <-poll.C:
		case <-limit.Done():
			return 0, fault.New(fault.Timeout, "%s was not launched within %v", bundle, launchWait).
				WithHint("launch it: %s", hint.Do("launch_app", "bundle_id", "BUNDLE_ID"))
		}
	}
}

// drive runs fn with a debugger of the session. If its program is an app of a device, the call needs the device's lease and renews it,
// except for operations that only read.
func (d *Debug) drive(ctx context.Context, c *op.Call, in DebuggerIn, fn func(*debugger.Debugger) error) error {
	one, err := d.access.Debuggers.Get(c.Session, in.Debugger)
	if err != nil {
		return err
	}
	c.Outside = true // Virtual Xcode has no debugger, so the debugged program is real
	if one.UDID() == "" || c.Hints.Has(op.ReadOnly) {
		return fn(one)
	}
	h, _, err := d.access.Resolve(ctx, c, pool.Criteria{UDID: one.UDID()})
	if err != nil {
		return err
	}
	return d.access.Pool.Beside(ctx, h, func() error { return fn(one) })
}

// Continue lets the program continue.
func (d *Debug) Continue(ctx context.Context, c *op.Call, in DebuggerIn) (s debugger.Status, err error) {
	err = d.drive(ctx, c, in, func(one *debugger.Debugger) error { s, err = one.Continue(ctx); return err })
	return s, err
}

// Pause pauses the program.
func (d *Debug) Pause(ctx context.Context, c *op.Call, in DebuggerIn) (s debugger.Status, err error) {
	err = d.drive(ctx, c, in, func(one *debugger.Debugger) error { s, err = one.Pause(ctx); return err })
	return s, err
}

// StepIn says how far to step.
type StepIn struct {
	DebuggerIn
	How     string `json:"how,omitempty" doc:"over a call, into it, or out of the function" enum:"over,into,out" default:"over" cli:"arg"`
	Timeout int    `json:"timeout_ms,omitempty" doc:"longest wait for the next stop" min:"1" max:"300000" default:"30000" unit:"ms"`
}

// Step makes one step.
func (d *Debug) Step(ctx context.Context, c *op.Call, in StepIn) (s debugger.Status, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		s, err = one.Step(ctx, in.How, op.Milliseconds(in.Timeout))
		return err
	})
	return s, err
}

// DebugWaitIn says how long to wait.
type DebugWaitIn struct {
	DebuggerIn
	Timeout int `json:"timeout_ms,omitempty" doc:"longest wait" min:"1" max:"600000" default:"30000" unit:"ms"`
}

// Wait waits until the program is paused or has ended.
func (d *Debug) Wait(ctx context.Context, c *op.Call, in DebugWaitIn) (s debugger.Status, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		defer c.Waits(fmt.Sprintf("%s (process %d) to be paused or to end", one.Program, one.PID), op.Milliseconds(in.Timeout))()
		s, err = one.Wait(ctx, op.Milliseconds(in.Timeout))
		if children := d.access.Debuggers.Children(one.PID); fault.Is(err, fault.Timeout) && len(children) > 0 {
			return fault.New(fault.Timeout, "%w", err).WithHint("%s", children[0].Text())
		}
		return err
	})
	return s, err
}

// CommandIn is an lldb command.
type CommandIn struct {
	DebuggerIn
	Command op.Code `json:"command" doc:"an lldb command line" cli:"arg"`
	Timeout int     `json:"timeout_ms,omitempty" doc:"time limit" min:"1" max:"300000" default:"30000" unit:"ms"`
}

// CommandOut is the output of the command.
type CommandOut struct {
	debugger.Status
	Output string `json:"printed" lines:"behind a margin"`
	Left   int    `json:"bytes_left_out,omitempty"`
}

// Text is the output behind a margin: the values of a program may be any text.
func (o CommandOut) Text() string {
	text := oneline.Under(o.Output)
	if o.Left > 0 {
		text += fmt.Sprintf("\n… %d more bytes left out", o.Left)
	}
	return text
}

// Command runs an lldb command.
func (d *Debug) Command(ctx context.Context, c *op.Call, in CommandIn) (out CommandOut, err error) {
	err = d.drive(ctx, c, in.DebuggerIn, func(one *debugger.Debugger) error {
		out.Output, out.Left, err = one.Command(ctx, string(in.Command), op.Milliseconds(in.Timeout))
		out.Status = one.State()
		return err
	})
	return out, err
}

// Detach detaches a debugger. It needs no lease, because it only gives the program back.
func (d *Debug) Detach(ctx context.Context, c *op.Call, in DebuggerIn) (debugger.Detached, error) {
	one, err := d.access.Debuggers.Get(c.Session, in.Debugger)
	if err != nil {
		return debugger.Detached{}, err
	}
	c.Outside = true
	return d.access.Debuggers.Detach(ctx, one), nil
}

// SessionsOut are the debuggers of all sessions.
type SessionsOut struct {
	Debuggers []SessionOut `json:"debuggers"`
}

// SessionOut is a debugger. Only the calling session's debuggers show their breakpoints.
type SessionOut struct {
	debugger.Status
	Breakpoints []debugger.Breakpoint `json:"set,omitempty"`
	Watchpoints []debugger.Watchpoint `json:"watched,omitempty"`
	Children    []debugger.Child      `json:"forked,omitempty"`
}

// Text has a line for each debugger, breakpoint, watchpoint and child process.
func (o SessionsOut) Text() string {
	if len(o.Debuggers) == 0 {
		return "no debugger is attached"
	}
	var lines []string
	for _, s := range o.Debuggers {
		lines = append(lines, withWay(s.Status))
		for _, b := range s.Breakpoints {
			lines = append(lines, "  "+BreakpointOut{Breakpoint: b}.Text())
		}
		for _, w := range s.Watchpoints {
			lines = append(lines, "  "+WatchOut{Watchpoint: w}.Text())
		}
		for _, child := range s.Children {
			lines = append(lines, "  "+child.Text())
		}
	}
	return strings.Join(lines, "\n")
}

// Own lists the debuggers of a session and gives the id of its default debugger.
func (d *Debug) Own(session string) (all []debugger.Status, current string) {
	for _, s := range d.access.Debuggers.List() {
		if s.Session == session {
			all = append(all, s)
		}
	}
	if one, err := d.access.Debuggers.Get(session, ""); err == nil {
		current = one.ID
	}
	return all, current
}

// Sessions lists the debuggers.
func (d *Debug) Sessions(_ context.Context, c *op.Call, _ op.Nothing) (SessionsOut, error) {
	out := SessionsOut{Debuggers: []SessionOut{}}
	for _, s := range d.access.Debuggers.List() {
		one := SessionOut{Status: s}
		if own, err := d.access.Debuggers.Get(c.Session, s.ID); err == nil {
			one.Breakpoints, one.Watchpoints = own.Breakpoints(), own.Watchpoints()
			one.Children = d.access.Debuggers.Children(s.PID)
		}
		out.Debuggers = append(out.Debuggers, one)
	}
	c.Outside = len(out.Debuggers) > 0
	return out, nil
}
