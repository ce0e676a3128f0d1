package debugger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// check refuses a process that this user cannot debug, and gives the program's name.
func check(pid int) (program string, err error) {
	field := func(f *fault.Fault) error { return f.With("field", "pid") }
	if pid == os.Getpid() {
		return "", field(fault.New(fault.Forbidden, "process %d is this daemon, which would stop answering", pid).
			WithHint("name another process"))
	}
	d, err := processes.Inspect(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", field(fault.New(fault.AppNotRunning, "unknown process %d", pid).
			WithHint("name a running process; apps of Virtual Xcode have none"))
	case err != nil:
		return "", field(fault.New(fault.AppNotRunning, "%w", err))
	case d.User != os.Geteuid():
		return "", field(fault.New(fault.Forbidden, "process %d belongs to user %d; only processes of user %d can be debugged", pid, d.User,
			os.Geteuid()).WithHint("name your own process"))
	case d.Traced:
		by := "another debugger"
		if d.Tracer != 0 {
			by = fmt.Sprintf("process %d", d.Tracer)
		}
		return "", field(refusal("traced", "a debugger is attached to process %d already: %s", pid, by).
			WithHint("detach the other debugger first (Xcode, lldb or gdb): killing it may end the program too; "+
				"%s lists the debuggers of ios-agent", sessions()))
	}
	return filepath.Base(d.Path), nil
}

// attach starts a debugger and attaches it: through lldb-dap or, if lldb-dap does not start, through lldb's prompt, unless the caller chose
// one of them. If attach fails, it has ended the debugger.
func (s *Service) attach(ctx context.Context, how Attach, program string) (*Debugger, error) {
	ways, err := waysOf(how.Through)
	if err != nil {
		return nil, err
	}
	var before error // why the last way failed
	for i, w := range ways {
		d, started, err := s.attachBy(ctx, how, program, w)
		switch {
		case err == nil:
			d.through = w.name
			if before != nil {
				d.through += ": " + before.Error()
			}
			return d, nil
		case started || ctx.Err() != nil:
			return nil, err
		case i > 0 && !isMissing(before):
			return nil, before // an installed lldb-dap that does not start is the fault to repair
		case i == len(ways)-1:
			return nil, err
		}
		before = err
	}
	return nil, before
}

// attachBy attaches by one way. Started reports whether the debugger answered at all.
func (s *Service) attachBy(ctx context.Context, how Attach, program string, w way) (d *Debugger, started bool, err error) {
	d = newDebugger(how.Owner, how.PID, program)
	a, err := s.startAdapter(ctx, w, how.PID, d.heard)
	if err != nil {
		return nil, false, startFault(w, err)
	}
	d.adapter, d.farewell = a, s.o.Farewell
	go d.watch()
	started, err = d.begin(ctx, how)
	if err == nil {
		return d, true, nil
	}
	left := d.detach(context.WithoutCancel(ctx))
	if left.Killed {
		return nil, true, fault.New(fault.Timeout, "%w; %s", err, left.Note)
	}
	var refused *refusedError
	if errors.As(err, &refused) && started {
		return nil, true, s.whyRefused(ctx, how.PID, refused)
	}
	var gone *goneError
	return nil, started || !errors.As(err, &gone), err
}

func isMissing(err error) bool {
	var missing noLLDB
	return errors.As(err, &missing)
}

func startFault(w way, err error) error {
	if isMissing(err) {
		return err
	}
	return fault.New(fault.ToolFailed, "cannot start %s: %w", w.name, err).WithHint("%s checks the tools", hint.Do("doctor"))
}

// attachArguments are lldb-dap's arguments of attach. The program always stops; begin continues it on request.
type attachArguments struct {
	PID         int  `json:"pid"`
	StopOnEntry bool `json:"stopOnEntry"`
}

// begin initializes the debugger and attaches, and reports whether the debugger answered at all.
func (d *Debugger) begin(ctx context.Context, how Attach) (answered bool, err error) {
	hello := dap.InitializeRequestArguments{
		ClientID: "ios-agent", ClientName: "ios-agent", AdapterID: "lldb-dap", LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path",
	}
	if err := d.adapter.ask(ctx, "initialize", hello, nil); err != nil {
		return false, err
	}
	return true, d.beginAttached(ctx, how)
}

// beginAttached attaches. Later versions of lldb-dap answer attach only after configurationDone.
func (d *Debugger) beginAttached(ctx context.Context, how Attach) error {
	a := d.adapter
	attached, seq, err := a.send("attach", attachArguments{how.PID, true})
	if err != nil {
		return err
	}
	defer a.forget(seq)
	answered := make(chan error, 1)
	go func() { answered <- a.await(ctx, a.patience, "attach", attached, nil) }()
	select {
	case <-d.ready:
	case err := <-answered:
		if err != nil {
			return err
		}
		answered <- nil
		if err := d.until(ctx, d.ready, "initialized"); err != nil {
			return err
		}
	}
	if err := a.ask(ctx, "configurationDone", nil, nil); err != nil {
		return err
	}
	if err := <-answered; err != nil {
		return err
	}
	if _, err := d.Wait(ctx, a.patience); err != nil {
		return err
	}
	switch {
	case how.AtStart:
		return d.atStart()
	case how.Stop:
		return nil
	}
	_, err = d.Continue(ctx)
	return err
}

// AtStart is the reason of the pause of a program that was launched under the debugger.
const AtStart = "at its start"

// atStart sets the reason AtStart, and ends the signal stop that the program was started with: else it would stop again when it continues.
func (d *Debugger) atStart() error {
	if err := processes.Resume(d.PID); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reason, d.where = AtStart, ""
	return nil
}

// until waits for an event, no longer than the patience.
func (d *Debugger) until(ctx context.Context, event <-chan struct{}, name string) error {
	late := time.NewTimer(d.adapter.patience)
	defer late.Stop()
	select {
	case <-event:
		return nil
	case <-late.C:
		return &silentError{d.adapter.name, name, d.adapter.patience}
	case <-d.adapter.over:
		return d.adapter.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// whyRefused finds the reason of a refused attach: lldb says "lost connection" or "attach failed" for every reason.
func (s *Service) whyRefused(ctx context.Context, pid int, said *refusedError) error {
	if _, err := check(pid); err != nil {
		return err // the program ended meanwhile, or another debugger attached
	}
	if scope := processes.PtraceScope(); scope > 0 && os.Geteuid() != 0 {
		return yama(pid, scope)
	}
	switch s.developerMode(ctx) {
	case modeOff:
		return refusal("developer_mode", "macOS forbids debugging: its developer mode is off").
			WithHint("enable developer mode once: `sudo DevToolsSecurity -enable`")
	case modeOn:
		return refusal("hardened", "macOS forbids debugging process %d: %s", pid, said.message).
			WithHint("build the program for debugging, not for release: with the hardened runtime it needs the entitlement " +
				"com.apple.security.get-task-allow; Apple's own programs cannot be debugged")
	}
	return refusal("system", "the system forbids debugging process %d: %s", pid, said.message).
		WithHint("in a container, add the capability SYS_PTRACE; a setuid program cannot be debugged")
}

// yama is the refusal of Linux's security module Yama.
func yama(pid, scope int) error {
	return refusal("ptrace_scope", "kernel.yama.ptrace_scope is %d: process %d must be a child of the debugger", scope, pid).
		WithHint("allow debugging until the next boot: `sudo sysctl kernel.yama.ptrace_scope=0`")
}

// The developer mode of a Mac; unknown on other systems.
const (
	modeUnknown = iota
	modeOff
	modeOn
)

func (s *Service) developerMode(ctx context.Context) int {
	res, err := s.o.Run.Run(ctx, host.Cmd{Name: "DevToolsSecurity", Args: []string{"-status"}, Timeout: 5 * time.Second})
	switch said := string(res.Stdout) + string(res.Stderr); {
	case err != nil && said == "":
		return modeUnknown
	case strings.Contains(said, "disabled"):
		return modeOff
	case strings.Contains(said, "enabled"):
		return modeOn
	}
	return modeUnknown
}
