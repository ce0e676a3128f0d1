package xcodebuild

import (
	"cmp"
	"fmt"
	"strconv"

	"ios-agent/internal/virtualxcode/xcresult"
)

// repetition says how often a test runs.
type repetition struct {
	most  int
	name  string                   // the name of one run in a result bundle
	again func(result string) bool // whether to continue after a run with that result
}

// repetition reads the command line: once, a number of times, until success or until failure.
func (s *session) repetition() repetition {
	n, _ := strconv.Atoi(s.iterations) // validated with the options
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

// text names a repeated run in a log.
func (i iteration) text() string {
	if i.of == 1 {
		return ""
	}
	return fmt.Sprintf(" (Iteration %d of %d)", i.number, i.of)
}

// runs are all runs of a test. Their results are known in advance here.
func (s *session) runs(t testCase, ui bool) (all []iteration) {
	r := s.repetition()
	for k := 1; k <= r.most; k++ {
		run := iteration{testCase: t, number: k, of: r.most}
		if t.Passes > 0 && k >= t.Passes {
			run.Fails, run.Crashes = nil, nil
		}
		all = append(all, run)
		if !t.declared() || !r.again(s.outcome(run.testCase, ui).Result) {
			break
		}
	}
	return all
}

// sum is the combined result of several runs: the last result for retries, otherwise a failure if any run failed.
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
