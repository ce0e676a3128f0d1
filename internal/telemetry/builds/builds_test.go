package builds_test

import (
	"fmt"
	"testing"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/telemetry/builds"
)

// TestBuildLogGivesErrorsAndTests: errors with and without a place, tests of both frameworks, and how it ended, as the log alone can tell.
func TestBuildLogGivesErrorsAndTests(t *testing.T) {
	for name, c := range map[string]struct {
		log              string
		succeeded        bool
		errors, warnings []string // place and message
		tests            string   // passed/failed/total
		failure          string
	}{
		"a compiler": {
			log: "/p/Cart.swift:3:7: warning: variable 'x' was never used\n/p/Cart.swift:9:5: error: cannot find 'total' in scope\n" +
				"** BUILD FAILED **\n",
			errors: []string{"/p/Cart.swift:9:5 cannot find 'total' in scope"}, warnings: []string{"/p/Cart.swift:3:7 variable 'x' was never used"},
		},
		"a linker, whose error has no place": {
			log: "Undefined symbols for architecture arm64:\n  \"_pay\", referenced from:\n      _main in main.o\n" +
				"ld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1 (use -v to see invocation)\n" +
				"** BUILD FAILED **\n",
			errors: []string{" Undefined symbols for architecture arm64"},
		},
		"XCTest": {
			log: "Test Case '-[ShopTests.CartTests testTotal]' started.\n" +
				"/p/CartTests.swift:12: error: -[ShopTests.CartTests testTotal] : XCTAssertEqual failed: (\"1\") is not equal to (\"2\")\n" +
				"Test Case '-[ShopTests.CartTests testTotal]' failed (0.012 seconds).\n" +
				"Test Case '-[ShopTests.CartTests testEmpty]' started.\nTest Case '-[ShopTests.CartTests testEmpty]' passed (0.001 seconds).\n" +
				"** TEST FAILED **\n",
			tests: "1/1/2", failure: `CartTests testTotal XCTAssertEqual failed: ("1") is not equal to ("2")`,
		},
		"Swift Testing": {
			log: "◇ Test run started.\n◇ Test total() started.\n" +
				"✘ Test total() recorded an issue at CartTests.swift:7:3: Expectation failed: 1 == 2\n" +
				"✘ Test total() failed after 0.001 seconds with 1 issue.\n◇ Test empty() started.\n✔ Test empty() passed after 0.001 seconds.\n" +
				"✘ Test run with 2 tests failed after 0.002 seconds with 1 issue.\n",
			tests: "1/1/2", failure: " total() Expectation failed: 1 == 2",
		},
		"one that succeeded": {log: "** BUILD SUCCEEDED **\n", succeeded: true},
		"one without a banner": {
			log: "/p/Cart.swift:3:7: warning: variable 'x' was never used\n", succeeded: true,
			warnings: []string{"/p/Cart.swift:3:7 variable 'x' was never used"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := buildlog.Read([]byte(c.log))
			if err != nil {
				t.Fatal(err)
			}
			r := builds.Of(l)
			if r.Succeeded != c.succeeded {
				t.Errorf("succeeded: %v", r.Succeeded)
			}
			same(t, "errors", r.Errors, c.errors)
			same(t, "warnings", r.Warnings, c.warnings)
			if c.tests == "" {
				if r.Tests != nil {
					t.Errorf("tests: %+v", r.Tests)
				}
				return
			}
			if r.Tests == nil || counts(r.Tests) != c.tests || len(r.Tests.Failures) != 1 || failure(r.Tests.Failures[0]) != c.failure {
				t.Errorf("tests: %+v", r.Tests)
			}
		})
	}
}

// TestSuccessfulBuildHasNoErrors: a step that was repeated prints some.
func TestSuccessfulBuildHasNoErrors(t *testing.T) {
	l, err := buildlog.Read([]byte("/p/A.swift:1:1: error: once\n/p/A.swift:2:1: warning: still\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := builds.Of(l)
	r.Decide(true)
	if !r.Succeeded || len(r.Errors) != 0 || r.ErrorCount != 0 || r.WarningCount != 1 {
		t.Errorf("%+v", r)
	}
}

func same(t *testing.T, what string, got []builds.Diagnostic, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %+v", what, got)
	}
	for i, d := range got {
		if d.At()+" "+d.Message != want[i] {
			t.Errorf("%s: %q, want %q", what, d.At()+" "+d.Message, want[i])
		}
	}
}

func counts(x *builds.Tests) string { return fmt.Sprintf("%d/%d/%d", x.Passed, x.Failed, x.Total) }

func failure(f builds.Failure) string { return f.Class + " " + f.Method + " " + f.Message }
