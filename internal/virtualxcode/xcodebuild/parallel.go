package xcodebuild

import (
	"fmt"
	"strings"

	"ios-agent/internal/virtualxcode/xcresult"
)

// parallelTests runs a bundle as -parallel-testing-enabled does: on clones, with a line for each test that says where it
// ran, but not why it failed. The lines come after everything else, as in the real tool.
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

// clone is where a test ran: on a copy of the simulator, or on the Mac itself.
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
