package xcodebuild

import (
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/xcresult"
)

// parallelTests runs a bundle like -parallel-testing-enabled: on clones, with one line per test that names its clone but not the reason
// of a failure. Like in the real tool, these lines come last.
func (s *session) parallelTests(p testProduct) (out []xcresult.Suite) {
	for _, swift := range []bool{false, true} {
		for _, tests := range suites(p.Tests, swift) {
			kept := xcresult.Suite{Name: tests[0].Suite, Display: tests[0].SuiteDisplay}
			if kept.Name != "" {
				s.later("Test suite '%s' started on '%s'", kept.Name, s.clone(p))
			}
			for _, t := range tests {
				kept.Cases = append(kept.Cases, s.parallelTest(p, t))
			}
			out = append(out, kept)
		}
	}
	return out
}

func (s *session) later(format string, a ...any) {
	s.afterwards = append(s.afterwards, fmt.Sprintf(format, a...))
}

// clone is the place of a test: a copy of the simulator, or the Mac.
func (s *session) clone(p testProduct) string {
	on := s.destination.device
	if s.destination.simulator() {
		on = "Clone 1 of " + on
	}
	return on + " - " + s.process(p)
}

func (s *session) parallelTest(p testProduct, t testCase) xcresult.Case {
	between := "."
	if t.Swift {
		between = "/"
	}
	var kept []xcresult.Case
	for _, i := range s.runs(t, p.UI) {
		c := s.outcome(i.testCase, p.UI)
		s.clock = s.clock.Add(i.took(p.UI))
		s.later("Test case '%s' %s on '%s' (%.3f seconds)", strings.TrimPrefix(t.Suite+between+t.Name, between), logWords[c.Result],
			s.clone(p), c.Duration)
		kept = append(kept, c)
		if i.crashed() {
			s.launches++
		}
	}
	return s.sum(kept)
}
