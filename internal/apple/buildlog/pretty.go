package buildlog

import (
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// The results of tests as xcpretty and xcbeautify print them.
var (
	prettyResult = lazyregexp.New(`^\s*([✔✓✖✗⊘])\s+(?:\[(.+?)\] )?(\S+?)(?: on '(.*)')?(?: \(([\d.]+) seconds\))?$`)
	prettyReason = lazyregexp.New(`^\s*[✖✗]\s+(?:\[(.+?)\] )?(\S+), (.*)$`)
)

var prettyStatus = map[string]Status{"✔": Passed, "✓": Passed, "✖": Failed, "✗": Failed, "⊘": Skipped}

func (r *Reader) prettyTest(s string) bool {
	if !strings.ContainsAny(s, "✔✓✖✗⊘") {
		return false
	}
	if m := prettyReason.FindStringSubmatch(s); m != nil {
		r.closeCurrent()
		r.tests.finish(r, Test{Framework: XCTest, Suite: r.prettySuite(m[1]), Name: m[2], Status: Failed})
		if at, ok := r.tests.byName[key(Test{Suite: r.prettySuite(m[1]), Name: m[2]})]; ok {
			r.tests.addFailure(&r.log.TestCases[at], Failure{Message: m[3]})
		}
		return true
	}
	m := prettyResult.FindStringSubmatch(s)
	if m == nil || m[5] == "" && r.prettySuite(m[2]) == "" {
		return false
	}
	r.closeCurrent()
	r.advance(RunningTests)
	r.tests.finish(r, Test{Framework: XCTest, Suite: r.prettySuite(m[2]), Name: m[3], Device: m[4], Seconds: number(m[5]),
		Status: prettyStatus[m[1]]})
	return true
}

func (r *Reader) prettySuite(named string) string {
	if named != "" || len(r.tests.suites) == 0 {
		return named
	}
	return r.tests.suites[len(r.tests.suites)-1]
}
