package debugger

import (
	"context"
	"slices"

	"github.com/google/go-dap"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
)

// Detached is the result of detaching a debugger.
type Detached struct {
	Status
	Killed bool   `json:"killed,omitempty"` // lldb-dap did not exit, and was killed
	Note   string `json:"note,omitempty"`
}

// Text is the state of the program.
func (d Detached) Text() string {
	if d.Note != "" {
		return d.ID + ": " + d.Note
	}
	return d.Status.Text()
}

// detach disconnects without ending the program, then closes lldb-dap's input. It kills an lldb-dap that ignores both.
func (d *Debugger) detach(ctx context.Context) Detached {
	d.once.Do(func() {
		d.mu.Lock()
		d.leaving = true
		d.mu.Unlock()
		after := d.uncondition(context.WithoutCancel(ctx))
		defer after()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.farewell)
		defer cancel()
		kind := dap.DisconnectArguments{TerminateDebuggee: false}
		farewell := d.adapter.ask(limited, "disconnect", kind, nil)
		stuck := d.adapter.process.Stop(context.Background())
		<-d.gone
		res, _ := d.adapter.process.Result() // after a disconnect the exit code of lldb-dap means nothing
		out := Detached{Status: d.State()}
		if out.Killed = res.Signal == "SIGKILL" || res.ExitCode == exitKilled || stuck != nil; out.Killed && farewell != nil {
			out.Note = d.adapter.name + " did not answer and was killed; the program probably ended with it"
		}
		d.mu.Lock()
		d.left = out
		d.mu.Unlock()
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left
}

// uncondition removes watchpoints and conditional breakpoints before the disconnect. LLDB leaves a watchpoint in the processor, and the
// program would die at its next use. While the program keeps meeting a false condition, lldb cannot halt it, not even to disconnect, and
// ending lldb then ends the program: so SIGSTOP stops the program, which lldb sees as any other stop. The caller calls after at the end,
// which resumes the program.
func (d *Debugger) uncondition(ctx context.Context) (after func()) {
	after = func() {}
	ctx, cancel := context.WithTimeout(ctx, 2*d.farewell)
	defer cancel()
	conditional := (*Breakpoint).sifted
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	default:
		return after // another request has the turn, and may wait forever
	}
	watching := d.watching.Load()
	if d.lives() != nil || !watching && !slices.ContainsFunc(d.points, conditional) {
		return after
	}
	if _, stops, err := d.paused(); fault.Is(err, fault.NotPaused) {
		if _, standing := d.wantsPause(); !standing && processes.Suspend(d.PID) == nil {
			after = func() { _ = processes.Resume(d.PID) }
		}
		_, _ = d.wait(ctx, d.farewell, stops)
	}
	if watching {
		_, _ = d.printed(ctx, 0, unwatchAll)
	}
	before := d.points
	d.points = slices.DeleteFunc(slices.Clone(before), conditional)
	for _, p := range before {
		if conditional(p) {
			_ = d.send(ctx, *p) // an error shows again at the disconnect
		}
	}
	return after
}
