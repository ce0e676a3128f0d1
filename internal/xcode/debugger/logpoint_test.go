package debugger_test

import (
	"regexp"
	"testing"

	"ios-agent/internal/xcode/debugger"
)

func TestIgnoredHitsDoNotStop(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		how := by(mine(p), through)
		how.Stop = true
		d := attach(t, s, how)
		for range 2 { // the second time the number of ignored hits is changed
			if _, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8, Condition: "n % 2 == 0"}); err != nil {
				t.Fatal(err)
			}
			resume(t, d)
			paused(t, d, "count.c:8 in add")
			first := local(t, d, "n")
			if _, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8, Condition: "n % 2 == 0", Skip: 4}); err != nil {
				t.Fatal(err)
			}
			resume(t, d)
			paused(t, d, "count.c:8 in add")
			if got := local(t, d, "n"); got != first+10 {
				t.Errorf("got a stop at n = %d, want %d: four even numbers are ignored", got, first+10)
			}
		}
		if all := d.Breakpoints(); len(all) != 1 || all[0].Hits != 4 {
			t.Errorf("got %+v, want one breakpoint with 4 hits", all)
		}
	})
}

func TestLogpointRecordsAndDoesNotStop(t *testing.T) {
	ways(t, func(t *testing.T, through string) {
		p := start(t)
		s, _ := service(t, debugger.Options{})
		d := attach(t, s, by(mine(p), through))
		told := stops(t, d)
		b, err := d.Break(t.Context(), debugger.Breakpoint{File: "count.c", Line: 8, Log: "n={n} y={p->y} {nothing}"})
		if err != nil {
			t.Fatal(err)
		}
		p.Await(10)
		lines, older := d.Records(5)
		want := regexp.MustCompile(`^n=\d+ y=2 <use of undeclared identifier 'nothing'>$`)
		if len(lines) != 5 || older == 0 || lines[0].Breakpoint != b.ID || !want.MatchString(lines[0].Text) {
			t.Errorf("got %+v and %d older ones, want 5 lines such as %s", lines, older, want)
		}
		if all := told(); len(all) > 0 {
			t.Errorf("got the stops %q, want none", all)
		}
		s.Detach(t.Context(), d)
		p.MustCount()
	})
}
