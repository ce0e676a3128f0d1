package buildlog

import (
	"slices"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// tests remembers the tests of a log.
type tests struct {
	byName map[string]int // into Log.TestCases
	plain  map[string]int // the same by suite and name alone
	open   []string       // keys of running tests, the last started last
	suites []string
	trap   *Failure // the message of a process that ended itself

	ended      string // the last suite that ended
	endedBadly bool
	issue      *issueRef // the issue whose further lines may follow
	symbolRuns int
}

type issueRef struct{ test, failure int }

func (t *tests) init() { t.byName, t.plain = map[string]int{}, map[string]int{} }

func (t *tests) running() bool { return len(t.open) > 0 }

// key names an XCTest test. A test that runs on two devices is two tests; the clones of one device are one.
func key(x Test) string {
	return x.Module + "|" + x.Suite + "|" + strings.TrimSuffix(x.Name, "()") + "|" + deviceName(x.Device)
}

var clone = lazyregexp.New(`^(?:Clone \d+ of )?(.*?)(?: - .* \(\d+\))?$`)

// deviceName is "iPhone 17 Pro" of "Clone 1 of iPhone 17 Pro - App (96789)".
func deviceName(s string) string {
	if s == "" {
		return ""
	}
	return clone.FindStringSubmatch(s)[1]
}

// find returns the test with a name in either printed form.
func (t *tests) find(r *Reader, x Test) (int, bool) {
	if at, ok := t.byName[key(x)]; ok {
		return at, true
	}
	if x.Device != "" || x.Module != "" {
		at, ok := t.byName[key(Test{Suite: x.Suite, Name: x.Name})]
		return at, ok && r.log.TestCases[at].Framework == x.Framework && r.log.TestCases[at].Device == ""
	}
	at, ok := t.plain[x.Suite+"|"+strings.TrimSuffix(x.Name, "()")] // printed without its device: the last of that name
	return at, ok
}

func (t *tests) start(r *Reader, x Test) {
	k := key(x)
	if !slices.Contains(t.open, k) {
		if len(t.open) >= maxList {
			t.open = t.open[1:]
		}
		t.open = append(t.open, k)
	}
	t.trap = nil
	if _, ok := t.find(r, x); !ok {
		x.Status = Unfinished
		t.note(r, x)
	}
}

// note adds a new test; it returns -1 when there are too many.
func (t *tests) note(r *Reader, x Test) int {
	if len(r.log.TestCases) >= r.most.tests {
		return -1
	}
	r.log.TestCases = append(r.log.TestCases, x)
	at := len(r.log.TestCases) - 1
	t.byName[key(x)] = at
	if x.Module == "" {
		t.plain[x.Suite+"|"+strings.TrimSuffix(x.Name, "()")] = at
	}
	return at
}

// finish records how a test ended. A test that ran before ran again: the last run decides.
func (t *tests) finish(r *Reader, x Test) {
	t.stop(key(x))
	at, ok := t.find(r, x)
	if !ok {
		if at = t.note(r, x); at < 0 {
			r.log.LeftOff.Tests++
			r.countTest(x)
			return
		}
	}
	known := &r.log.TestCases[at]
	if ok && known.Status != Unfinished {
		known.Runs = max(known.Runs, 1)
		if known.Runs == 1 && (known.Status == Failed || known.Status == Crashed) {
			known.FailedRuns = 1
		}
		known.Runs++
		if x.Status == Failed {
			known.FailedRuns++
		}
	}
	known.Status, known.Seconds = x.Status, x.Seconds
	if x.Device != "" {
		known.Device = x.Device
	}
	if x.Status == Failed && t.trap != nil {
		known.Failures = append(known.Failures, *t.trap)
		t.trap = nil
	}
	r.tellTest(*known)
}

func (t *tests) stop(k string) {
	if i := slices.Index(t.open, k); i >= 0 {
		t.open = slices.Delete(t.open, i, i+1)
	}
}

// crash records that the process ended in a test.
func (t *tests) crash(r *Reader, name string) {
	t.suites = t.suites[:0]
	r.add(&r.log.Restarts, name)
	at := t.crashed(r, name)
	t.open = t.open[:0]
	if at < 0 {
		return
	}
	known := &r.log.TestCases[at]
	known.Status, known.Reason = Crashed, "the test process ended unexpectedly"
	if t.trap != nil {
		known.Failures = append(known.Failures, *t.trap)
		known.Reason = t.trap.Message
		t.trap = nil
	}
	r.tellTest(*known)
}

// crashed finds the test: a running test with the name, else any test with the name, else a new one.
func (t *tests) crashed(r *Reader, name string) int {
	if name == "" {
		if len(t.open) == 0 {
			return -1
		}
		return t.byName[t.open[len(t.open)-1]]
	}
	suite, test := name, ""
	if i := strings.LastIndexAny(strings.TrimSuffix(name, "()"), "./"); i >= 0 {
		suite, test = name[:i], name[i+1:]
	}
	x := nameTest(name)
	if !strings.HasPrefix(name, "-[") {
		x.Suite, x.Name, x.Framework = suite, test, XCTest
	}
	for i := len(t.open) - 1; i >= 0; i-- {
		at := t.byName[t.open[i]]
		if o := r.log.TestCases[at]; same(o.Name, x.Name) && (o.Suite == x.Suite || o.Module == x.Suite || strings.HasSuffix(x.Suite, o.Suite)) {
			return at
		}
	}
	if at, ok := t.find(r, x); ok {
		return at
	}
	return t.note(r, x)
}

func same(a, b string) bool { return strings.TrimSuffix(a, "()") == strings.TrimSuffix(b, "()") }

// fail adds a failed expectation, read as a diagnostic, to its test.
func (t *tests) fail(r *Reader, d Diagnostic) {
	x := nameTest(d.Test)
	if !strings.HasPrefix(d.Test, "-[") {
		x.Framework = XCTest
	}
	at, ok := t.find(r, x)
	if !ok {
		x.Status = Unfinished
		if at = t.note(r, x); at < 0 {
			return
		}
	}
	t.addFailure(&r.log.TestCases[at], Failure{Place: d.Place, Message: d.Message, Details: d.Details})
}

// failRunning adds a failure to the test that was started last.
func (t *tests) failRunning(r *Reader, f Failure) {
	if len(t.open) == 0 {
		return
	}
	if at, ok := t.byName[t.open[len(t.open)-1]]; ok {
		t.addFailure(&r.log.TestCases[at], f)
	}
}

// addFailure skips a failure that an activity log and the runner both report: one of them names the file without its folder.
func (t *tests) addFailure(x *Test, f Failure) {
	for i, old := range x.Failures {
		if old.Message == f.Message && old.Line == f.Line && (strings.HasSuffix(f.File, old.File) || strings.HasSuffix(old.File, f.File)) {
			if len(f.File) > len(old.File) {
				x.Failures[i].Place = f.Place
			}
			return
		}
	}
	if len(x.Failures) < maxNotes {
		x.Failures = append(x.Failures, f)
	}
}

// suite follows the nesting of suites.
func (t *tests) suite(name, what string) {
	if what == "started" {
		if len(t.suites) < maxList {
			t.suites = append(t.suites, name)
		}
		return
	}
	t.ended, t.endedBadly = name, what == "failed"
	if i := slices.Index(t.suites, name); i >= 0 {
		t.suites = t.suites[:i]
	}
}

func (r *Reader) tellTest(x Test) {
	if r.Watch != nil {
		r.Watch(x)
	}
}

func (r *Reader) countTest(x Test) {
	c := &r.log.Tests
	switch x.Status {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Crashed:
		c.Failed++
		c.Crashed++
	case Skipped:
		c.Skipped++
	case Unfinished:
		c.Unfinished++
	}
}
