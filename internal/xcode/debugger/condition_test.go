package debugger_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/fault"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/test/debuggee"
)

// TestFalseConditionReportsNoStop sets conditions a hundred times in a program that runs, slowly and in a hot loop. LLDB sets the place
// before the condition.
func TestFalseConditionReportsNoStop(t *testing.T) {
	for name, rest := range map[string]time.Duration{"at 10 Hz": 100 * time.Millisecond, "in a hot loop": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := debuggee.StartEvery(t, rest)
			s, _ := service(t, debugger.Options{})
			d := attach(t, s, mine(p))
			told := stops(t, d)
			for range 100 {
				b, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add", Condition: "n == -1"})
				if err != nil || !b.Verified {
					t.Fatalf("got %+v, %v, want a breakpoint", b, err)
				}
				p.Await(1)
				if _, err := d.Unbreak(t.Context(), b.ID); err != nil {
					t.Fatal(err)
				}
			}
			if all := told(); len(all) > 0 {
				t.Errorf("got %d stops, the first %q, want none: the condition is never true", len(all), all[0])
			}
			s.Detach(t.Context(), d)
			p.MustCount()
		})
	}
}

// stops collects the stops that are told until the function is called, and has the program run on after each.
func stops(t *testing.T, d *debugger.Debugger) func() []string {
	var all []string
	var over sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	over.Go(func() {
		for {
			state, err := d.Wait(ctx, time.Hour)
			if err != nil || state.State != debugger.Paused {
				return
			}
			all = append(all, state.Text())
			if _, err := d.Continue(ctx); err != nil {
				return
			}
		}
	})
	return func() []string { cancel(); over.Wait(); return all }
}

func TestTrueConditionReportsStopAtBreakpoint(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		for _, condition := range []string{"n % 10 == 3", "p->x > 0", "n"} {
			b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8, Condition: condition})
			if err != nil {
				t.Fatal(err)
			}
			paused(t, d, "count.c:8 in add")
			if state := d.State(); len(state.Hit) != 1 || state.Hit[0] != b.ID {
				t.Errorf("%s: got %+v, want a stop at the breakpoint %d", condition, state, b.ID)
			}
			if _, err := d.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestInvalidConditionIsRefused(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		for condition, why := range map[string]string{
			"n = = 1": "expected expression", "m == 1": "undeclared identifier 'm'", "p == ": "expected expression",
		} {
			_, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add", Condition: condition})
			mustBe(t, err, fault.InvalidInput, why)
		}
		if state := d.State(); state.State != debugger.Running {
			t.Errorf("got %s, want a program that runs as before", state.Text())
		}
		p.MustCount()
	})
}

func TestSignalStopReportsSignal(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		if err := unix.Kill(p.PID, unix.SIGSEGV); err != nil {
			t.Fatal(err)
		}
		state, err := d.Wait(t.Context(), 20*time.Second)
		if err != nil || !strings.HasPrefix(state.Reason, "signal SIGSEGV") {
			t.Fatalf("got %s, %v, want a stop by SIGSEGV", state.Text(), err)
		}
		if _, err := d.Continue(t.Context()); err != nil {
			t.Fatal(err)
		}
		state, err = d.Wait(t.Context(), 20*time.Second)
		if err != nil || state.State != debugger.Ended || !strings.HasPrefix(state.Reason, "signal SIGSEGV") {
			t.Errorf("got %s, %v, want an end by SIGSEGV", state.Text(), err)
		}
	})
}

func TestFrameBeyondStackReportsFrameCount(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		how := by(mine(p), through)
		how.Stop = true
		d := attach(t, s, how)
		stack, err := d.Stack(t.Context(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = d.Variables(t.Context(), 99, false)
		mustBe(t, err, fault.InvalidInput, "the stack has "+strconv.Itoa(len(stack.Frames)))
	})
}

func TestMistypedCommandReturnsLLDBError(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		out, _, err := d.Command(t.Context(), "breakpont list", 20*time.Second)
		if err != nil || !strings.Contains(out, "'breakpont' is not a valid command") {
			t.Errorf("got %q, %v, want what is wrong with the command", out, err)
		}
	})
}
