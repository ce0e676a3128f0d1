package buildlog

import (
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, s string) *Log {
	t.Helper()
	l, err := Read([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestDiagnosticFormatsAreParsed(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want Diagnostic
	}{
		"swift 6, notes in the margin": {
			in: "/p/A.swift:3:9: error: cannot find 'x' in scope\n1 | func f() {\n2 |   // a\n3 |   let y = x\n  |           `- " +
				"error: cannot find 'x' in scope\n" +
				"4 | }\n  | `- note: did you mean 'z'?\n",
			want: Diagnostic{Place: Place{File: "/p/A.swift", Line: 3, Column: 9}, Severity: Error, Category: Compile,
				Message: "cannot find 'x' in scope",
				Notes:   []Remark{{Place: Place{File: "/p/A.swift", Line: 4}, Message: "did you mean 'z'?"}}, Excerpt: make([]string, 6)},
		},
		"colours and CRLF": {
			in: "\x1b[1m/p/a.m:1:2: \x1b[0m\x1b[0;1;31merror: \x1b[0m\x1b[1mexpected ';'\x1b[0m\r\nint a\r\n     ^\r\n     ;\r\n",
			want: Diagnostic{Place: Place{File: "/p/a.m", Line: 1, Column: 2}, Severity: Error, Category: Compile, Message: "expected ';'",
				FixIts: []string{";"}, Excerpt: make([]string, 3)},
		},
		"relative path, no column": {
			in:   "Sources/App/main.swift:7: warning: old\n",
			want: Diagnostic{Place: Place{File: "Sources/App/main.swift", Line: 7}, Severity: Warning, Category: Compile, Message: "old"},
		},
		"asset catalogue": {
			in: "/p/Assets.xcassets:./AppIcon.appiconset: error: no applicable content (in target 'App' from project 'P')\n",
			want: Diagnostic{Place: Place{File: "/p/Assets.xcassets", Object: "./AppIcon.appiconset"}, Severity: Error, Category: Compile,
				Message: "no applicable content", Targets: []string{"App"}},
		},
		"storyboard": {
			in: "/p/Main.storyboard:abc-de-fgh: warning: Unsupported Configuration\n",
			want: Diagnostic{Place: Place{File: "/p/Main.storyboard", Object: "abc-de-fgh"}, Severity: Warning, Category: Compile,
				Message: "Unsupported Configuration"},
		},
		"signing": {
			in: "error: No profiles for 'com.a.b' were found: Xcode couldn't find any (in target 'A' from project 'B')\n",
			want: Diagnostic{Severity: Error, Category: Sign, Message: "No profiles for 'com.a.b' were found: Xcode couldn't find any",
				Targets: []string{"A"}},
		},
		"package": {
			in: "xcodebuild: error: Could not resolve package dependencies:\n  Failed to clone repository https://x/y.git:\n    fatal: no\n",
			want: Diagnostic{Severity: Error, Category: Package, Tool: "xcodebuild", Message: "Could not resolve package dependencies:",
				Details: []string{"Failed to clone repository https://x/y.git:", "fatal: no"}},
		},
		"script": {
			in: "PhaseScriptExecution Lint /p/s.sh (in target 'T' from project 'P')\n    cd /p\n    /bin/sh -c /p/s.sh\nlint: not found\n" +
				"Command PhaseScriptExecution failed with a nonzero exit code\n",
			want: Diagnostic{Severity: Error, Category: Script, Message: "Command PhaseScriptExecution failed with a nonzero exit code",
				Output: []string{"lint: not found"}, Targets: []string{"T"}},
		},
		"codesign": {
			in: "CodeSign /p/A.app (in target 'A' from project 'P')\n    cd /p\n/p/A.app: errSecInternalComponent\nCommand CodeSign " +
				"failed with a nonzero exit code\n",
			want: Diagnostic{Severity: Error, Category: Sign, Message: "Command CodeSign failed with a nonzero exit code",
				Output: []string{"/p/A.app: errSecInternalComponent"}, Targets: []string{"A"}},
		},
		"new linker": {
			in: "ld: Undefined symbols:\n  _foo, referenced from:\n      _main in main.o\nld: symbol(s) not found for architecture arm64\n",
			want: Diagnostic{Severity: Error, Category: Link, Tool: "ld", Message: "Undefined symbols",
				Symbols: []Symbol{{Name: "_foo", References: []string{"_main in main.o"}}}},
		},
		"xcpretty": {
			in: "❌  /p/A.swift:3:4: use of unresolved identifier 'x'\n",
			want: Diagnostic{Place: Place{File: "/p/A.swift", Line: 3, Column: 4}, Severity: Error, Category: Compile,
				Message: "use of unresolved identifier 'x'"},
		},
		"GitHub Actions": {
			in:   "2024-11-10T01:57:09.0660000Z /p/A.swift:3:4: error: no\n",
			want: Diagnostic{Place: Place{File: "/p/A.swift", Line: 3, Column: 4}, Severity: Error, Category: Compile, Message: "no"},
		},
		"macro expansion and includes": {
			in: "In file included from /p/a.m:1:\n/p/b.h:2:3: fatal error: 'c.h' file not found\n#import \"c.h\"\n        ^~~~~\n",
			want: Diagnostic{Place: Place{File: "/p/b.h", Line: 2, Column: 3}, Severity: Fatal, Category: Compile, Message: "'c.h' file not found",
				Includes: []string{"/p/a.m:1"}, Excerpt: make([]string, 2)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := read(t, c.in)
			if len(l.Diagnostics) == 0 {
				t.Fatal("nothing read")
			}
			g, w := l.Diagnostics[0], c.want
			if g.Place != w.Place || g.Severity != w.Severity || g.Category != w.Category || g.Message != w.Message || g.Tool != w.Tool ||
				len(g.Excerpt) != len(w.Excerpt) || !slices.Equal(g.FixIts, w.FixIts) || !slices.Equal(g.Details, w.Details) ||
				!slices.Equal(g.Output, w.Output) || !slices.Equal(g.Targets, w.Targets) || !slices.Equal(g.Includes, w.Includes) {
				t.Errorf("got  %+v\nwant %+v", g, w)
			}
			if len(g.Notes) != len(w.Notes) || len(w.Notes) > 0 &&
				(g.Notes[0].Place != w.Notes[0].Place || g.Notes[0].Message != w.Notes[0].Message) {
				t.Errorf("notes %+v", g.Notes)
			}
			if len(g.Symbols) != len(w.Symbols) || len(w.Symbols) > 0 && !slices.Equal(g.Symbols[0].References, w.Symbols[0].References) {
				t.Errorf("symbols %+v", g.Symbols)
			}
			for _, d := range l.Diagnostics[1:] {
				if !d.Consequence {
					t.Errorf("more: %+v", d)
				}
			}
		})
	}
}

func TestOrdinaryLinesGiveNoDiagnostics(t *testing.T) {
	for _, s := range []string{
		"    func handle(_ error: Error) {",
		"Create schema failed with error:  PSQLError(code: server)",
		"2023-11-02 00:32:59.458853+0100 App[36985:15008746] [client] No error handler for XPC error: Connection invalid",
		"let authError: Error? = nil",
		"Ldap connection closed",
	} {
		if l := read(t, s+"\n"); len(l.Diagnostics) > 0 {
			t.Errorf("%q: %+v", s, l.Diagnostics[0])
		}
	}
}

func TestErrorInSourceExcerptIsCountedOnce(t *testing.T) {
	l := read(t, "/p/A.swift:2:5: error: one\n1 | a\n2 | b\n  |     `- error: one\n3 | c\n  |   `- error: two\n\n"+
		"/p/A.swift:3:3: error: two\n3 | c\n  |   `- error: two\n")
	if l.Errors != 2 || len(l.Diagnostics) != 2 {
		t.Fatalf("%d errors: %+v", l.Errors, l.Diagnostics)
	}
	for _, d := range l.Diagnostics {
		if d.Message == "two" && d.Column != 3 {
			t.Errorf("the place was not filled in: %+v", d)
		}
	}
}

func TestSwiftTestingOutputIsParsed(t *testing.T) {
	l := read(t, `◇ Test run started.
↳ Testing Library Version: 6.2
◇ Suite "All" started.
◇ Test "Adds up" started.
◇ Test each(value:) started.
✘ Test "Adds up" (aka 'adds()') recorded an issue at Sums.swift:5:9: Expectation failed: 1 == 2
↳ one is not two
━ Test known() recorded a known issue at K.swift:1:2: Expectation failed: false
✘ Test each(value:) recorded an issue with 1 argument value → "a at b" at Each.swift:9:3: Expectation failed: (value → "a at b").isEmpty
⚠︎ Test warns() recorded a warning at W.swift:1:1: Issue recorded
✘ Test "Adds up" (aka 'adds()') failed after 0.001 seconds with 1 issue.
━ Test known() passed after 0.001 seconds with 1 known issue.
✘ Test each(value:) with 3 test cases failed after 0.002 seconds with 1 issue.
✔ Test warns() passed after 0.1 seconds with 1 warning.
➜ Test later() skipped: "not yet"
✘ Suite "All" failed after 0.003 seconds with 2 issues.
✘ Test run with 5 tests in 1 suite failed after 0.003 seconds with 3 issues (including 1 known issue).
`)
	if l.Tests != (TestCounts{Passed: 2, Failed: 2, Skipped: 1, Issues: 2, KnownIssues: 1}) {
		t.Errorf("counts %+v", l.Tests)
	}
	byName := map[string]Test{}
	for _, c := range l.TestCases {
		byName[c.Name] = c
	}
	sum, each := byName[`"Adds up"`], byName["each(value:)"]
	if len(sum.Failures) != 1 || sum.Failures[0].File != "Sums.swift" || sum.Failures[0].Column != 9 ||
		!slices.Equal(sum.Failures[0].Details, []string{"one is not two"}) {
		t.Errorf("%+v", sum)
	}
	if len(each.Failures) != 1 || each.Failures[0].Arguments != `value → "a at b"` || each.Failures[0].Line != 9 || each.Cases != 3 {
		t.Errorf("%+v", each)
	}
	if k := byName["known()"]; k.Status != Passed || k.KnownIssues != 1 || !k.Failures[0].Known {
		t.Errorf("%+v", k)
	}
	if s := byName["later()"]; s.Reason != "not yet" {
		t.Errorf("%+v", s)
	}
	if l.Result != FailedRun || len(l.Totals) != 1 || l.Totals[0].Issues != 3 || l.Totals[0].Suites != 1 {
		t.Errorf("%s %+v", l.Result, l.Totals)
	}
}

func TestSwiftTestingSummaryAloneGivesUnknownResult(t *testing.T) {
	if l := read(t, "✘ Test run with 5 tests failed after 0.003 seconds with 3 issues.\n"); l.Result != Unknown || l.Tests.Failed != 0 {
		t.Errorf("%s, %+v", l.Result, l.Tests)
	}
}

func TestXCTestOutputIsParsed(t *testing.T) {
	l := read(t, `Test Suite 'All tests' started at 2024-01-01 00:00:00.000.
Test Case '-[M.S testRetry]' started (Iteration 1 of 3).
/p/S.swift:4: error: -[M.S testRetry] : XCTAssertEqual failed: ("a
b") is not equal to ("c")
Test Case '-[M.S testRetry]' failed (0.100 seconds).
Test Case '-[M.S testRetry]' started (Iteration 2 of 3).
Test Case '-[M.S testRetry]' passed (0.100 seconds).
Test Case '-[M.S testCrash]' started.
M/File.swift:9: Fatal error: Index out of range

Restarting after unexpected exit, crash, or test timeout in S.testCrash(); summary will include totals from previous launches.

Test Suite 'Selected tests' started at 2024-01-01 00:00:01.000.
Test Case '-[M.S testSkip]' skipped (0.001 seconds).
Test Suite 'Selected tests' failed at 2024-01-01 00:00:02.000.
	 Executed 3 tests, with 1 test skipped and 2 failures (1 unexpected) in 0.200 (0.201) seconds

Failing tests:
	M:
		S.testCrash()

** TEST FAILED ** [1.5 sec]
`)
	if l.Tests != (TestCounts{Passed: 1, Failed: 1, Skipped: 1, Crashed: 1}) {
		t.Errorf("counts %+v", l.Tests)
	}
	retry, crash := l.TestCases[0], l.TestCases[1]
	if retry.Runs != 2 || retry.FailedRuns != 1 || retry.Status != Passed || len(retry.Failures) != 1 ||
		!slices.Equal(retry.Failures[0].Details, []string{`b") is not equal to ("c")`}) {
		t.Errorf("%+v", retry)
	}
	if crash.Status != Crashed || crash.Module != "M" || len(crash.Failures) != 1 || crash.Failures[0].Line != 9 {
		t.Errorf("%+v", crash)
	}
	if len(l.Totals) != 1 || l.Totals[0].Skipped != 1 || l.Totals[0].Failures != 2 || l.Outcomes[0].Seconds != 1.5 ||
		!slices.Equal(l.FailingTests, []string{"S.testCrash()"}) {
		t.Errorf("%+v %+v %q", l.Totals, l.Outcomes, l.FailingTests)
	}
}

func TestDestinationErrorListsDestinations(t *testing.T) {
	l := read(t, "xcodebuild: error: Unable to find a destination matching the provided destination specifier:\n\t\t{ "+
		"generic:1, platform:iOS }\n\n"+
		"\tThe device is gone.\n\n\tAvailable destinations for the \"A\" scheme:\n\t\t{ platform:macOS, arch:arm64, "+
		"variant:Designed for [iPad,iPhone], id:1-2, name:My Mac }\n\n"+
		"\tIneligible destinations for the \"A\" scheme:\n\t\t{ platform:iOS, name:Any iOS Device, error:iOS 26.5 is not "+
		"installed. Please, download: it }\nEXIT=70\n")
	d := l.Diagnostics[0]
	p := d.Places
	if d.Category != Destination || p.Scheme != "A" || len(p.Requested) != 1 || len(p.Available) != 1 || len(p.Ineligible) != 1 ||
		!slices.Equal(d.Details, []string{"The device is gone."}) {
		t.Fatalf("%+v", d)
	}
	if p.Available[0].Variant != "Designed for [iPad,iPhone]" || p.Available[0].ID != "1-2" ||
		p.Ineligible[0].Error != "iOS 26.5 is not installed. Please, download: it" {
		t.Errorf("%+v", p)
	}
}

func TestCompileErrorFitsIn400Tokens(t *testing.T) {
	l := read(t, strings.Repeat("SwiftCompile normal arm64 /p/A.swift (in target 'A' from project 'P')\n/p/A.swift:3:9: error: "+
		"cannot find 'x' in scope\n    let y = x\n            ^\n/p/B.swift:1:1: note: 'x' declared here\nvar x = 1\n^\n\n", 3)+
		"** BUILD FAILED **\n")
	text := l.Text(0)
	for _, want := range []string{"/p/A.swift:3:9: error: cannot find 'x' in scope (3 times)", "    let y = x\n",
		"/p/B.swift:1:1: note: 'x' declared here", "BUILD FAILED"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if len(text) > 1600 || l.Errors != 1 || l.Diagnostics[0].Targets[0] != "A" {
		t.Errorf("%d bytes, %d errors, %q", len(text), l.Errors, l.Diagnostics[0].Targets)
	}
}

func TestWatchReportsTestsWhileReading(t *testing.T) {
	var stages []Stage
	var tests []Test
	r := Reader{Watch: func(x Test) { tests = append(tests, x) }}
	for _, s := range []string{"Resolve Package Graph", "Ld /a normal", "SwiftCompile normal arm64 /a.swift",
		"/a.swift:1:1: error: x", "", "Test Case '-[A b]' started.", "Test Case '-[A b]' passed (0.1 seconds)."} {
		r.Line(s)
		stages = append(stages, r.Progress().Stage)
	}
	if stages = slices.Compact(stages); !slices.Equal(stages, []Stage{ResolvingPackages, Linking, RunningTests}) {
		t.Errorf("got the stages %v, want those of the packages, the linker and the tests", stages)
	}
	if len(tests) != 1 || tests[0].Status != Passed || len(r.log.Diagnostics) != 1 {
		t.Errorf("got the tests %+v and the diagnostics %+v, want one each", tests, r.log.Diagnostics)
	}
}

func TestSameTestOnTwoDevicesCountsTwice(t *testing.T) {
	l := read(t, `Test case 'S.a()' failed on 'Clone 1 of iPhone 17 - App (1)' (0.1 seconds)
Test case 'S.a()' passed on 'Clone 2 of iPhone 17 - App (2)' (0.1 seconds)
Test case 'S.a()' passed on 'iPad Air - App (3)' (0.1 seconds)
Test case 'S.b()' failed on 'iPhone 17 - App (4)' (0.1 seconds)
Test case 'S.b()' passed on 'iPad Air - App (5)' (0.1 seconds)

Failing tests:
	S.a()
	S.b()

** TEST FAILED **
`)
	if l.Tests != (TestCounts{Passed: 2, Failed: 2}) {
		t.Errorf("%+v %+v", l.Tests, l.TestCases)
	}
	for _, c := range l.TestCases {
		if deviceName(c.Device) == "iPhone 17" && c.Status != Failed {
			t.Errorf("%+v", c)
		}
	}
}
