package debugger

import (
	"context"
	"slices"

	"github.com/google/go-dap"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/processes"
)

// Detached is what became of a debugger that was ended.
type Detached struct {
	Status
	Killed bool   `json:"killed,omitempty"` // lldb-dap did not leave, and was killed
	Note   string `json:"note,omitempty"`
}

// Text says what became of the program.
func (d Detached) Text() string {
	if d.Note != "" {
		return d.ID + ": " + d.Note
	}
	return d.Status.Text()
}

// detach disconnects without ending the program, then closes lldb-dap's input. One that ignores both is killed, at last.
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
		res, _ := d.adapter.process.Result() // after a farewell lldb-dap may end as it likes
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

// uncondition takes watchpoints and the breakpoints with conditions away before the farewell. LLDB leaves a watchpoint in the processor,
// and the program ends where it is met. While a condition that does not hold is met again and again, lldb cannot halt the program, to
// leave it or for anything else, and whoever ends lldb then ends the program: so the program is stopped by the system's signal, which
// lldb sees as a stop like any other. What it returns makes that good at the end.
func (d *Debugger) uncondition(ctx context.Context) (after func()) {
	after = func() {}
	ctx, cancel := context.WithTimeout(ctx, 2*d.farewell)
	defer cancel()
	conditional := (*Breakpoint).sifted
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	default:
		return after // another request has the turn, and what it waits for may not come
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
			_ = d.send(ctx, *p) // the farewell tells what is wrong
		}
	}
	return after
}
