package xcodebuild

import (
	"cmp"
	"fmt"
	"strconv"

	"ios-agent/internal/virtualxcode/xcresult"
)

// repetition is how often a test is run.
type repetition struct {
	most  int
	name  string                   // of one run in a result bundle
	again func(result string) bool // whether to go on after a run with that result
}

// repetition is what the command line asks for: once, a number of times, until it passes or until it fails.
func (s *session) repetition() repetition {
	n, _ := strconv.Atoi(s.iterations) // checked with the options
	failed := func(result string) bool { return result == xcresult.Failed }
	switch {
	case s.asked["-retry-tests-on-failure"]:
		return repetition{most: cmp.Or(n, 3), name: "Retry", again: failed}
	case s.asked["-run-tests-until-failure"]:
		return repetition{most: cmp.Or(n, 100), name: "Repetition", again: func(result string) bool { return !failed(result) }}
	}
	return repetition{most: cmp.Or(n, 1), name: "Repetition", again: func(string) bool { return true }}
}

// iteration is the k-th run of a test.
type iteration struct {
	testCase
	number, of int
}

// text is how a log mentions a run that is not the only one.
func (i iteration) text() string {
	if i.of == 1 {
		return ""
	}
	return fmt.Sprintf(" (Iteration %d of %d)", i.number, i.of)
}

// runs are the runs of a test, as many as there will be. What they come to is known beforehand here.
func (s *session) runs(t testCase, ui bool) (all []iteration) {
	r := s.repetition()
	for k := 1; k <= r.most; k++ {
		run := iteration{testCase: t, number: k, of: r.most}
		if t.Passes > 0 && k >= t.Passes {
			run.Fails, run.Crashes = nil, nil
		}
		all = append(all, run)
		if !r.again(s.outcome(run.testCase, ui).Result) {
			break
		}
	}
	return all
}

// sum is what several runs of a test come to: the last decides when it was retried, a failure otherwise.
func (s *session) sum(runs []xcresult.Case) xcresult.Case {
	last := runs[len(runs)-1]
	if s.repetition().most == 1 {
		return last
	}
	whole := runs[0]
	whole.Result, whole.Failures, whole.Reason = last.Result, last.Failures, last.Reason
	whole.Duration = 0
	for i, r := range runs {
		whole.Duration += r.Duration
		if r.Result == xcresult.Failed && !s.asked["-retry-tests-on-failure"] {
			whole.Result, whole.Failures = xcresult.Failed, r.Failures
		}
		runs[i].Repetition = fmt.Sprintf("%s %d", s.repetition().name, i+1)
	}
	whole.Runs = runs
	return whole
}
