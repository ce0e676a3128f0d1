package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// slowest is the number of parts of a lane in the report.
const slowest = 10

// part is something that took time: a step of the lane, or a test of a step.
type part struct {
	name string
	took time.Duration
	step bool
}

// report is what a lane took.
type report struct {
	lane   lane
	took   time.Duration
	failed string // the step
	parts  []part
}

// print tells the steps in their order, and of the tests the slowest.
func (r *report) print(out io.Writer) {
	fmt.Fprintf(out, "\n== %s\n", r.line())
	var tests []part
	for _, p := range r.parts {
		if p.step {
			fmt.Fprintf(out, "   %8s  %s\n", clock(p.took), p.name)
		} else {
			tests = append(tests, p)
		}
	}
	slices.SortStableFunc(tests, func(a, b part) int { return cmp.Compare(b.took, a.took) })
	if len(tests) > 0 {
		fmt.Fprintf(out, "   the slowest of %d tests and packages:\n", len(tests))
	}
	for _, p := range tests[:min(slowest, len(tests))] {
		fmt.Fprintf(out, "   %8s  %s\n", clock(p.took), p.name)
	}
}

// line is the lane in one line; over its budget in capital letters.
func (r *report) line() string {
	text := fmt.Sprintf("%-6s %s of %s", r.lane.name, clock(r.took), clock(r.lane.budget))
	if r.took > r.lane.budget {
		text += "  OVER BUDGET by " + clock(r.took-r.lane.budget)
	}
	if r.failed != "" {
		text += "  FAILED: " + r.failed
	}
	return text
}

func clock(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d:%02d min", int(d.Minutes()), int(d.Seconds())%60)
}
