package debugger_test

import (
	"fmt"
	"regexp"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/xcode/debugger"
)

// atLine8 is a debugger whose program is in add.
func atLine8(t *testing.T, through string) *debugger.Debugger {
	t.Helper()
	p := start(t)
	s, _ := service(t, debugger.Options{})
	d := attach(t, s, by(mine(p), through))
	b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8})
	if err != nil {
		t.Fatal(err)
	}
	paused(t, d, "count.c:8 in add")
	if _, err := d.Unbreak(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEvaluateReadsAndChangesNothing(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		d := atLine8(t, through)
		n := local(t, d, "n")
		for _, one := range []struct {
			frame       int
			text, value string
		}{
			{0, "n", fmt.Sprint(n)}, {0, "n * 2 + 1", fmt.Sprint(2*n + 1)}, {0, "p->y", "2"}, {0, "p->y == 2", "true"},
			{1, "p.y", "2"}, {1, "i", fmt.Sprint(n)}, {0, "doubled", fmt.Sprint(2 * n)},
		} {
			v, err := d.Evaluate(t.Context(), one.frame, one.text)
			if err != nil || v.Value != one.value || v.Name != one.text || v.Type == "" {
				t.Errorf("%s: got %+v, %v, want %s", one.text, v, err, one.value)
			}
		}
		_, err := d.Evaluate(t.Context(), 0, "nothing")
		mustBe(t, err, fault.InvalidInput, "nothing")
		_, err = d.Evaluate(t.Context(), 0, "(add)(n, p)")
		mustBe(t, err, fault.InvalidInput, "debug_lldb")
		_, err = d.Evaluate(t.Context(), 0, "n = 3")
		mustBe(t, err, fault.Forbidden, "debug_set")
		if got := local(t, d, "n"); got != n {
			t.Errorf("got n = %d, want %d as before", got, n)
		}
	})
}

func TestAssignChangesAVariable(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		d := atLine8(t, through)
		v, err := d.Assign(t.Context(), 0, "p->y", "n - n + 40")
		if err != nil || v.Value != "40" || v.Name != "p->y" {
			t.Errorf("got %+v, %v, want 40", v, err)
		}
		if v, err := d.Evaluate(t.Context(), 1, "p.y"); err != nil || v.Value != "40" {
			t.Errorf("got %+v, %v, want 40 in the caller too", v, err)
		}
		_, err = d.Assign(t.Context(), 0, "n + 1", "2")
		mustBe(t, err, fault.InvalidInput, "must be a variable")
		_, err = d.Assign(t.Context(), 0, "n", "add(1, p)")
		mustBe(t, err, fault.Forbidden, "a call")
	})
}

func TestWatchpointStopsAtAChange(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		d := atLine8(t, through)
		w, err := d.Watch(t.Context(), 0, "total", debugger.OnChange)
		if err != nil || w.ID == 0 {
			t.Fatalf("got %+v, %v, want a watchpoint", w, err)
		}
		resume(t, d)
		state, err := d.Wait(t.Context(), waitLimit)
		want := regexp.MustCompile(fmt.Sprintf(`^watchpoint %d: total was \d+ and is \d+$`, w.ID))
		if err != nil || state.Where != "count.c:10 in add" || !want.MatchString(state.Reason) {
			t.Errorf("got %s, %v, want a stop behind line 9 that says %s", state.Text(), err, want)
		}
		if all := d.Watchpoints(); len(all) != 1 || all[0] != w {
			t.Errorf("got %+v, want %+v", all, w)
		}
		if _, err := d.Unwatch(t.Context(), w.ID); err != nil || len(d.Watchpoints()) != 0 {
			t.Errorf("got %+v, %v, want none", d.Watchpoints(), err)
		}
		_, err = d.Unwatch(t.Context(), w.ID)
		mustBe(t, err, fault.InvalidInput, "unknown watchpoint")
		_, err = d.Watch(t.Context(), 0, "nothing", debugger.OnChange)
		mustBe(t, err, fault.InvalidInput, "nothing")
	})
}

func TestProgramSurvivesDetachBesideAWatchpoint(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		b, err := d.Break(t.Context(), debugger.Breakpoint{Function: "add"})
		if err != nil {
			t.Fatal(err)
		}
		paused(t, d, "count.c:7 in add")
		if _, err := d.Unbreak(t.Context(), b.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Watch(t.Context(), 0, "total", debugger.OnAccess); err != nil {
			t.Fatal(err)
		}
		resume(t, d)
		if state, err := d.Wait(t.Context(), waitLimit); err != nil || state.State != debugger.Paused {
			t.Fatalf("got %s, %v, want a stop at the watchpoint", state.Text(), err)
		}
		if out := s.Detach(t.Context(), d); out.Killed || out.State != debugger.Left {
			t.Errorf("got %+v, want a program that runs on", out)
		}
		p.MustCount()
	})
}
