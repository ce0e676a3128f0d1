package swiftcheck

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// recorded is the output of swift test 6.0.3 on Linux; the last test was ended by a fatal error.
const recorded = `Test Suite 'KitTests' started at 2026-11-20 00:31:28.889
Test Case 'KitTests.testOne' started at 2026-11-20 00:31:28.889
Test Case 'KitTests.testOne' passed (0.006 seconds)
Test Case 'KitTests.testSkip' started at 2026-11-20 00:31:28.895
/project/Tests/KitTests/a.swift:7: KitTests.testSkip : Test skipped - later
Test Case 'KitTests.testSkip' skipped (0.0 seconds)
Test Case 'KitTests.testThrows' started at 2026-11-20 00:31:28.895
<EXPR>:0: error: KitTests.testThrows : threw error "Error Domain=NSCocoaErrorDomain Code=4 "The file doesn’t exist.""
Test Case 'KitTests.testThrows' failed (0.0 seconds)
Test Case 'KitTests.testTwo' started at 2026-11-20 00:31:28.896
/project/Tests/KitTests/a.swift:6: error: KitTests.testTwo : XCTAssertEqual failed: ("1") is not equal to ("2") - why
Test Case 'KitTests.testTwo' failed (0.0 seconds)
Test Suite 'KitTests' failed at 2026-11-20 00:31:28.896
	 Executed 4 tests, with 1 test skipped and 2 failures (1 unexpected) in 0.007 (0.007) seconds
◇ Test run started.
↳ Testing Library Version: 6.0.3
◇ Suite "Kit suite" started.
◇ Test args(n:) started.
◇ Passing 1 argument n → 1 to args(n:)
✘ Test args(n:) recorded an issue with 1 argument n → 2 at a.swift:14:50: Expectation failed: (n → 2) == 1
✘ Test args(n:) failed after 0.001 seconds with 1 issue.
✘ Test off() skipped: "why not"
◇ Test "A bad one" started.
✘ Test "A bad one" recorded an issue at a.swift:12:37: Expectation failed: (one() → 1) == 2
✘ Test "A bad one" failed after 0.001 seconds with 1 issue.
◇ Test good() started.
✔ Test good() passed after 0.001 seconds.
◇ Test same() started.
◇ Test same() started.
✔ Test same() passed after 0.001 seconds.
✘ Suite "Kit suite" failed after 0.002 seconds with 2 issues.
✘ Test run with 4 tests failed after 0.002 seconds with 2 issues.
◇ Test crash() started.
`

func TestResultsAreReadFromSwiftTest(t *testing.T) {
	want := map[string]TestResult{
		"KitTests.testOne":  {Passed: true, Seconds: 0.006, ended: true},
		"KitTests.testSkip": {Skipped: true, Reason: "later", ended: true},
		"KitTests.testThrows": {Failures: []Issue{{File: "<EXPR>", Column: 1,
			Message: `threw error "Error Domain=NSCocoaErrorDomain Code=4 "The file doesn’t exist.""`}}, ended: true},
		"KitTests.testTwo": {Failures: []Issue{{File: "a.swift", Line: 6, Column: 1,
			Message: `XCTAssertEqual failed: ("1") is not equal to ("2") - why`}}, ended: true},
		"args(n:)": {Seconds: 0.001, Failures: []Issue{{File: "a.swift", Line: 14, Column: 50, Message: "Expectation failed: (n → 2) == 1"}},
			ended: true},
		"off()": {Skipped: true, Reason: "why not", ended: true},
		`"A bad one"`: {Seconds: 0.001, Failures: []Issue{{File: "a.swift", Line: 12, Column: 37,
			Message: "Expectation failed: (one() → 1) == 2"}}, ended: true},
		"good()":  {Passed: true, Seconds: 0.001, ended: true},
		"crash()": {Failures: []Issue{{Message: "the test process ended in this test"}}},
	}
	got := testsIn(recorded)
	for name := range got {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: got %+v, want %+v", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d tests, want %d: two tests of one name are not told apart", len(got), len(want))
	}
}

func TestModuleOfFrameworkIsMissing(t *testing.T) {
	dir := t.TempDir()
	m := write(t, dir, "M", map[string]string{"a.swift": "import Testing\nimport Kit\n@testable import M\n", "b.swift": "import SwiftUI\n"})
	if got := MissingModule(m.Files, []string{"M", "Kit"}); got != "SwiftUI" {
		t.Errorf("got %q, want SwiftUI", got)
	}
	if got := MissingModule(m.Files[:1], []string{"M", "Kit"}); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	if err := os.Remove(m.Files[0]); err != nil {
		t.Fatal(err)
	}
	if got := MissingModule(m.Files, nil); got != filepath.Base(m.Files[0]) {
		t.Errorf("got %q, want the file that is gone", got)
	}
}

func FuzzTestsIn(f *testing.F) {
	f.Add(recorded)
	f.Fuzz(func(t *testing.T, output string) { testsIn(output) })
}
