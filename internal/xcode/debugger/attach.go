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
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// check refuses what nobody may or can debug, and gives the program's name.
func check(pid int) (program string, err error) {
	field := func(f *fault.Fault) error { return f.With("field", "pid") }
	if pid == os.Getpid() {
		return "", field(fault.New(fault.Forbidden, "process %d is this daemon: it would stop answering", pid).
			WithHint("name another process"))
	}
	d, err := processes.Inspect(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", field(fault.New(fault.AppNotRunning, "there is no process %d", pid).
			WithHint("start the program and name its process; apps of Virtual Xcode have no process, debug a real one"))
	case err != nil:
		return "", field(fault.New(fault.AppNotRunning, "%w", err))
	case d.User != os.Geteuid():
		return "", field(fault.New(fault.Forbidden, "process %d belongs to the user %d, and only processes of user %d are debugged", pid, d.User,
			os.Geteuid()).WithHint("name a process of your own"))
	case d.Traced:
		by := "another debugger"
		if d.Tracer != 0 {
			by = fmt.Sprintf("process %d", d.Tracer)
		}
		return "", field(refusal("traced", "a debugger is attached to process %d already: %s", pid, by).
			WithHint("let that one detach first: Xcode, an lldb or a gdb; to kill it may end the program too; " +
				"`ios-agent debug sessions` lists ours"))
	}
	return filepath.Base(d.Path), nil
}

// attach starts a debugger and attaches it: through lldb-dap or, where there is none that starts, through lldb's prompt, unless one of
// them was asked for. When that fails, the debugger has ended.
func (s *Service) attach(ctx context.Context, how Attach, program string) (*Debugger, error) {
	ways, err := waysOf(how.Through)
	if err != nil {
		return nil, err
	}
	var before error // why the last way was none
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
			return nil, before // it is there and does not start: that is to be mended, and the other way did not help
		case i == len(ways)-1:
			return nil, err
		}
		before = err
	}
	return nil, before
}

// attachBy attaches by one way. Started reports whether the debugger was there to answer.
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
	return fault.New(fault.ToolFailed, "%s does not start: %w", w.name, err).WithHint("run `ios-agent doctor`")
}

// attachArguments are lldb-dap's own. The program is always stopped: who wants it to go on has it continue.
type attachArguments struct {
	PID         int  `json:"pid"`
	StopOnEntry bool `json:"stopOnEntry"`
}

// begin makes the conversation's beginning, and reports whether there was an answer at all.
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

// AtStart is why a program is paused that was launched to be debugged.
const AtStart = "at its start"

// atStart says so of the program, and lifts the stop that it was started with: else it would stop once more when it is to run.
func (d *Debugger) atStart() error {
	if err := processes.Resume(d.PID); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reason, d.where = AtStart, ""
	return nil
}

// until waits for an event that has to come.
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

// whyRefused finds out what lldb does not tell: it says "lost connection" or "attach failed" of everything.
func (s *Service) whyRefused(ctx context.Context, pid int, said *refusedError) error {
	if _, err := check(pid); err != nil {
		return err // it ended, or somebody else attached, meanwhile
	}
	if scope := processes.PtraceScope(); scope > 0 && os.Geteuid() != 0 {
		return yama(pid, scope)
	}
	switch s.developerMode(ctx) {
	case modeOff:
		return refusal("developer_mode", "macOS lets nobody debug: its developer mode is off").
			WithHint("switch it on, once: `sudo DevToolsSecurity -enable`")
	case modeOn:
		return refusal("hardened", "macOS does not let process %d be debugged: %s", pid, said.message).
			WithHint("a program with the hardened runtime needs the entitlement com.apple.security.get-task-allow: build it for debugging, " +
				"not for release; programs of Apple are never debugged")
	}
	return refusal("system", "the system does not let process %d be debugged: %s", pid, said.message).
		WithHint("in a container ptrace needs the capability SYS_PTRACE; a setuid program is never debugged")
}

// yama is the refusal of Linux' module of that name.
func yama(pid, scope int) error {
	return refusal("ptrace_scope", "kernel.yama.ptrace_scope is %d: process %d is no child of the debugger, and is not debugged", scope, pid).
		WithHint("allow it until the next boot: `sudo sysctl kernel.yama.ptrace_scope=0`")
}

// Whether a Mac lets developers debug; unknown elsewhere.
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
