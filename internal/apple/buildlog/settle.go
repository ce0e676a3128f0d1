package buildlog

import "strings"

// settle computes the fields that need the whole log.
func (r *Reader) settle() {
	r.log.LeftOff.LongLines = r.split.Cut
	for _, t := range r.log.TestCases {
		r.countTest(t)
	}
	r.listed()
	r.log.Result, r.log.Because = r.log.verdict()
}

// listed marks tests as failed that only the list at the end names: their own lines may be missing, or only say that the tests were
// started.
func (r *Reader) listed() {
	for _, name := range r.log.FailingTests {
		x := nameTest(name)
		found := false
		for i := range r.log.TestCases {
			t := &r.log.TestCases[i]
			if !same(t.Name, x.Name) || t.Suite != "" && x.Suite != "" && !strings.HasSuffix(x.Suite, t.Suite) &&
				!strings.HasSuffix(t.Suite, x.Suite) {
				continue
			}
			if t.Status == Passed && t.FailedRuns > 0 { // repeated, and never passed
				t.Status = Failed
				r.log.Tests.Passed--
				r.log.Tests.Failed++
			}
			found = found || t.Status == Failed || t.Status == Crashed
			if t.Status == Unfinished {
				t.Status, found = Failed, true
				r.log.Tests.Unfinished--
				r.log.Tests.Failed++
			}
		}
		if !found && len(r.log.TestCases) < r.most.tests && r.swiftUnnamed(x) {
			x.Status = Failed
			r.log.TestCases = append(r.log.TestCases, x)
			r.log.Tests.Failed++
		}
	}
}

// swiftUnnamed reports whether a listed test is surely missing from the tests in the log. A Swift Testing test is listed by its function
// but reported by its display name, so any failed test may be the listed one.
func (r *Reader) swiftUnnamed(Test) bool {
	for _, t := range r.log.TestCases {
		if t.Framework == SwiftTesting && t.Status == Failed && strings.HasPrefix(t.Name, `"`) {
			return false
		}
	}
	return true
}

// verdict says how the run ended, and on what grounds. The banner decides; without one, errors and failed tests do. The summary line of
// Swift Testing alone decides nothing: it covers one bundle of possibly many.
func (l *Log) verdict() (result, because string) {
	good := false
	for _, o := range l.Outcomes {
		switch o.Result {
		case "FAILED":
			return FailedRun, "** " + o.Action + " FAILED **"
		case "INTERRUPTED", "CANCELLED":
			return Interrupted, "** " + o.Action + " " + o.Result + " **"
		}
		good = true
	}
	switch {
	case l.Tests.Failed > 0:
		return FailedRun, "failed tests; no banner says so"
	case l.badErrors() > 0:
		return FailedRun, "errors; no banner says so"
	}
	for _, t := range l.Totals {
		if t.Framework == XCTest && t.Failed {
			return FailedRun, "the totals of XCTest; no banner says so"
		}
		if t.Failed {
			return Unknown, "Swift Testing reports issues, but no failed test was seen"
		}
		good = good || t.Tests > 0
	}
	if good {
		return Succeeded, succeededBecause(l)
	}
	return Unknown, ""
}

func succeededBecause(l *Log) string {
	if n := len(l.Outcomes); n > 0 {
		return "** " + l.Outcomes[n-1].Action + " " + l.Outcomes[n-1].Result + " **"
	}
	return "the totals of the tests; no banner says so"
}

// badErrors counts errors that are not the output of a tested program.
func (l *Log) badErrors() int {
	n := 0
	for _, d := range l.Diagnostics {
		if d.Severity.Bad() && (d.Category != Testing || d.Tool == "xcodebuild") {
			n++
		}
	}
	return n
}
