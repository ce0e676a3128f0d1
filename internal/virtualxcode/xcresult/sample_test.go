package xcresult_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/xcresult"
)

var update = flag.Bool("update", false, "rewrite testdata")

// run is a bundle with one of everything.
func run() xcresult.Bundle {
	file := "/Users/dev/Shop/ShopTests/CartTests.swift"
	return xcresult.Bundle{
		Title: "Testing project Shop with scheme Shop", Scheme: "Shop", Project: "Shop", Start: 1772625601.5, End: 1772625611.75,
		Tested: true, HasCoverage: true,
		Device: xcresult.Device{ID: "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92", Name: "iPhone 16 Pro", Model: "iPhone 16 Pro",
			Architecture: "arm64", OS: "18.5", OSBuild: "22F77", Platform: "iOS Simulator"},
		Build: xcresult.Build{Status: "succeeded",
			Errors: []xcresult.Issue{{Type: "Swift Compiler Error", Message: "cannot find 'x' in scope",
				File: "/Users/dev/My Shop/A.swift", Target: "Shop", Line: 3, Column: 5}},
			Warnings: []xcresult.Issue{{Type: "Swift Compiler Warning", Message: "unused", File: "/Users/dev/Shop/B.swift", Target: "Shop",
				Line: 1, Column: 1}},
			Analyzer: []xcresult.Issue{{Type: "Analyzer Warning", Message: "dead store", File: "/Users/dev/Shop/B.swift", Target: "Shop",
				Line: 2, Column: 1}}},
		Tests: []xcresult.TestBundle{
			{Name: "ShopTests", Suites: []xcresult.Suite{
				{Name: "CartTests", Cases: []xcresult.Case{
					{Name: "testAdd()", Result: xcresult.Passed, Duration: 0.0015, Start: 1772625602},
					{Name: "testTotal()", Result: xcresult.Failed, Duration: 0.0048, Start: 1772625603,
						Failures: []xcresult.Failure{{File: file, Line: 38,
							Message: `XCTAssertEqual failed: ("1") is not equal to ("2")`}}},
					{Name: "testDevice()", Result: xcresult.Skipped, Duration: 0.001, Start: 1772625604, Reason: "Needs a device."},
					{Name: "testKnown()", Result: xcresult.ExpectedFailure, Duration: 0.18, Start: 1772625605, Reason: "Known."},
				}},
				{Name: "PriceTests", Display: "Prices", Cases: []xcresult.Case{
					{Name: "rounds(value:)", Display: "Rounds up", Swift: true, Result: xcresult.Passed, Duration: 1.2, Start: 1772625606,
						Arguments: []string{"1", "2"}},
				}},
				{Name: "RepeatedTests", Cases: []xcresult.Case{
					{Name: "testFlaky()", Result: xcresult.Failed, Duration: 0.02, Start: 1772625606.5,
						Failures: []xcresult.Failure{{File: file, Line: 60, Message: "failed - not yet"}}, Runs: []xcresult.Case{
							{Name: "testFlaky()", Repetition: "Retry 1", Result: xcresult.Failed, Duration: 0.01,
								Failures: []xcresult.Failure{{File: file, Line: 60, Message: "failed - not yet"}}},
							{Name: "testFlaky()", Repetition: "Retry 2", Result: xcresult.Failed, Duration: 0.01,
								Failures: []xcresult.Failure{{Message: "Crash: Fatal error: gone"}}}}},
					{Name: "each(value:)", Swift: true, Tags: []string{"fast", "network"}, Result: xcresult.Failed, Duration: 0.02,
						Start: 1772625606.6, Arguments: []string{"1", "2"}, Runs: []xcresult.Case{
							{Name: "each(value:)", Repetition: "Retry 1", Result: xcresult.Failed, Duration: 0.01},
							{Name: "each(value:)", Repetition: "Retry 2", Result: xcresult.Failed, Duration: 0.01}}},
				}},
				{Name: "QuickTests", Cases: quick()},
				{Name: "SpeedTests", Cases: []xcresult.Case{{Name: "testSpeed()", Result: xcresult.Passed, Duration: 0.5,
					Start: 1772625606.7, Measures: []float64{0.1, 0.2},
					Warnings: []string{"Publishing changes from background threads is not allowed"}}}},
				{Cases: []xcresult.Case{{Name: "free()", Swift: true, Result: xcresult.Passed, Duration: 0.003, Start: 1772625607}}},
			}},
			{Name: "ShopUITests", UI: true, Suites: []xcresult.Suite{{Name: "LaunchTests", Cases: []xcresult.Case{
				{Name: "testLaunch()", Result: xcresult.Passed, Duration: 74.3, Start: 1772625608, Arguments: []string{"Light Appearance"},
					Attachments: []string{"Launch Screen.png"},
					Activities: []xcresult.Activity{{Title: "Set Up", Start: 1772625608.1,
						Children: []xcresult.Activity{{Title: "Open com.example.shop", Start: 1772625608.2}}}}},
			}}}},
		},
		Coverage: []xcresult.CoverageTarget{{Name: "Shop.app", Product: "/Users/dev/Shop.app/Shop",
			Files: []xcresult.CoverageFile{{Path: "/Users/dev/Shop/Cart.swift", Lines: 6, Functions: []xcresult.Function{
				{Name: "Cart.add(_:)", Line: 2, Executable: []int{2, 3}, Count: 4}, {Name: "Cart.clear()", Line: 5, Executable: []int{5}},
			}}}}},
	}
}

// ask writes the bundle and asks the tool of that name.
func ask(t *testing.T, exit int, name string, argv ...string) (stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	if err := xcresult.Write(filepath.Join(dir, "R.xcresult"), run()); err != nil {
		t.Fatal(err)
	}
	var out, errout strings.Builder
	call := tool.Call{Args: argv, Dir: dir, Stdout: &out, Stderr: &errout}
	status := 0
	if name == "xccov" {
		status = xcresult.Xccov{Call: call}.Run()
	} else {
		status = xcresult.Tool{Call: call}.Run()
	}
	if status != exit {
		t.Fatalf("%v: exit %d, want %d\n%s", argv, status, exit, errout.String())
	}
	return out.String(), errout.String()
}

// samples are the recordings of the real tool that fit the pattern.
func samples(t *testing.T, names ...string) (all []any) {
	t.Helper()
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "fixtures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no samples of the real tools: set IOS_AGENT_SAMPLES or put them at %s", dir)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, "xcresult", name))
		if err != nil {
			t.Skip(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// quick are enough quick tests for a slow one to stand out.
func quick() (all []xcresult.Case) {
	for i := range 8 {
		all = append(all, xcresult.Case{Name: fmt.Sprintf("test%d()", i), Result: xcresult.Passed, Duration: 0.01, Start: 1772625606.65})
	}
	return all
}
