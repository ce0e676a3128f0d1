package debugger_test

import (
	"testing"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
)

// TestProgramIsDebuggedFromItsStart: nothing of it has run, a breakpoint in its first line is met, and once detached it runs on.
func TestProgramIsDebuggedFromItsStart(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		s, h := service(t, debugger.Options{})
		p, err := h.Start(t.Context(), host.Cmd{Name: debuggee.Compiled(t), Args: []string{"300"}, Halted: true})
		if err != nil {
			t.Fatal(err)
		}
		d := attach(t, s, by(debugger.Attach{Owner: mine(&debuggee.Program{}).Owner, PID: p.PID, AtStart: true}, through))
		if got := d.State(); got.State != debugger.Paused || got.Reason != debugger.AtStart || got.Program != "count" {
			t.Fatalf("got %+v, want count paused at its start", got)
		}
		if b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 15}); err != nil || !b.Verified {
			t.Fatalf("got %+v, %v; want a breakpoint in the program", b, err)
		}
		resume(t, d)
		paused(t, d, "count.c:15 in main")
		if got, err := d.Evaluate(t.Context(), 0, "i * 10 + argc"); err != nil || got.Value != "2" {
			t.Errorf("got %+v, %v; want the first time in main, with an argument", got, err)
		}
		if printed := p.Tail(host.Stdout); len(printed) > 0 {
			t.Errorf("it printed %q before", printed)
		}
		if left := s.Detach(t.Context(), d); left.Killed || !p.Alive() {
			t.Errorf("got %+v, want the program to run on", left)
		}
	})
}
