package xcodebuild

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"howett.net/plist"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/swiftcheck"
	"ios-agent/internal/virtualxcode/xcresult"
)

// replace writes a file of the sample.
func (b *bench) replace(file, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, file), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// TestSwiftThatCannotCompileFailsBuild: the error is in the log and in the result bundle; after the correction the build succeeds.
func TestSwiftThatCannotCompileFailsBuild(t *testing.T) {
	b := newBench(t, project.SampleApp)
	argv := []string{"-scheme", "Tally", "-derivedDataPath", "DD", "-destination", dest, "build"}
	b.must(0, argv...)
	b.replace("Tally/Counter.swift", "struct Counter {\n    func add() {\n        print(\"one)\n    }\n}\n")
	b.must(65, append([]string{"-resultBundlePath", "R.xcresult"}, argv...)...)
	b.says("Tally/Counter.swift:3:15: error: unterminated string literal\n        print(\"one)\n              ^\n",
		"note: virtual: form of 3 files (brackets, strings, comments, #if); syntax and types not checked: no swiftc on the PATH\n",
		"** BUILD FAILED **")
	r, err := xcresult.Read(filepath.Join(b.dir, "R.xcresult"))
	if err != nil || len(r.Build.Errors) != 1 || r.Build.Errors[0].Line != 3 || r.Build.Errors[0].Column != 15 {
		t.Errorf("got %v %+v, want the error", err, r.Build)
	}
	b.must(65, argv...) // still
	b.replace("Tally/Counter.swift", "struct Counter {\n    func add() {\n        print(\"one\")\n    }\n}\n")
	b.must(0, argv...)
	b.must(0, argv...)
	b.says("note: virtual: form of 3 files") // of the earlier build: nothing has changed
}

// TestMarkedErrorHidesFoundError: a comment gives the error of its line.
func TestMarkedErrorHidesFoundError(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.replace("Tally/Counter.swift", "struct Counter {\n    let name = \"one // virtual: error: the string has no end\n}\n")
	b.must(65, "-scheme", "Tally", "-destination", dest, "build")
	if out := b.out.String(); strings.Count(out, "Counter.swift:2:") != 1 || !strings.Contains(out, "error: the string has no end") {
		t.Errorf("got\n%s\nwant the error of the comment only", out)
	}
}

// TestTestWithoutDeclaredResultIsNotRun: whatever its code, it is skipped, and does not count as executed.
func TestTestWithoutDeclaredResultIsNotRun(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.replace("TallyTests/CounterTests.swift", "import XCTest\nfinal class CounterTests: XCTestCase {\n"+
		"    func testEqual() { XCTAssertEqual(1, 2) }\n    func testFail() { XCTFail(\"no\") }\n    func testCrash() { fatalError(\"no\") }\n"+
		"    func testShown() { } // virtual: passes\n}\n")
	for name, parallel := range map[string]string{"a": "NO", "b": "YES"} {
		b.must(0, "-scheme", "Tally", "-destination", dest, "-only-testing:TallyTests/CounterTests", "-parallel-testing-enabled", parallel,
			"-resultBundlePath", name+".xcresult", "test")
		r, err := xcresult.Read(filepath.Join(b.dir, name+".xcresult"))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range r.Tests[0].Suites[0].Cases {
			if i < 3 && (c.Result != xcresult.Skipped || c.Reason != notRun) || i == 3 && c.Result != xcresult.Passed {
				t.Errorf("%s: got %+v, want three tests not run and one passed", name, c)
			}
		}
		if parallel == "YES" {
			b.says("Test case 'CounterTests.testEqual()' skipped on '", "Test case 'CounterTests.testShown()' passed on '")
			continue
		}
		b.says("CounterTests.swift:3: -[TallyTests.CounterTests testEqual] : Test skipped - not run: Virtual Xcode cannot run this test\n",
			"testCrash]' skipped (0.000 seconds).\n", "testShown]' passed", "Executed 1 test, with 3 tests skipped and 0 failures")
	}
}

// TestTargetsOutsideSchemeAreNamed: a test target that tests what the scheme builds, and that the scheme leaves out.
func TestTargetsOutsideSchemeAreNamed(t *testing.T) {
	b := newBench(t, project.SampleWorkspace)
	argv := []string{"-workspace", "Cafe.xcworkspace", "-scheme", "Cafe", "-destination", dest, "test"}
	b.must(0, argv...)
	b.says("note: virtual: test targets outside the scheme Cafe: CafeKitTests\n")
	file := filepath.Join(b.dir, "App/Cafe.xcodeproj/xcshareddata/xcschemes/Cafe.xcscheme")
	scheme, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reference := "<TestableReference skipped = \"NO\"><BuildableReference BlueprintName = \"CafeKitTests\"></BuildableReference>" +
		"</TestableReference>"
	b.replace("App/Cafe.xcodeproj/xcshareddata/xcschemes/Cafe.xcscheme", strings.Replace(string(scheme), "</Testables>",
		reference+"</Testables>", 1))
	b.must(0, argv...)
	if out := b.out.String(); strings.Contains(out, "outside the scheme") || !strings.Contains(out, "'CafeKitTests.xctest' started") {
		t.Errorf("got\n%s\nwant the tests of the package in the scheme", out)
	}
}

// TestPlatformOfTestRunIsInItsContent: the name of an .xctestrun can be any, and format 2 has the targets in configurations.
func TestPlatformOfTestRunIsInItsContent(t *testing.T) {
	for _, tc := range []struct {
		sample       project.Sample
		scheme, dest string
		file         string
	}{
		{project.SampleApp, "Tally", dest, "Tally_iphonesimulator18.5-arm64"},
		{project.SampleMac, "Notes", "platform=macOS", "Notes_macosx15.5-arm64"},
	} {
		b := newBench(t, tc.sample)
		b.must(0, "-scheme", tc.scheme, "-derivedDataPath", "DD", "-destination", tc.dest, "build-for-testing")
		run, err := readPlist(filepath.Join(b.dir, "DD/Build/Products", tc.file+".xctestrun"))
		if err != nil {
			t.Fatal(err)
		}
		second := map[string]any{"__xctestrun_metadata__": map[string]any{"FormatVersion": 2}}
		var targets []any
		for _, entry := range targetsOf(run) {
			if entry["TestBundlePath"] != nil {
				targets = append(targets, entry)
			}
		}
		second["TestConfigurations"] = []any{map[string]any{"Name": "Test Scheme Action", "TestTargets": targets}}
		for name, content := range map[string]map[string]any{"runner.env.session-1": run, "runner": second} {
			data, err := plist.Marshal(content, plist.XMLFormat)
			if err != nil {
				t.Fatal(err)
			}
			b.replace(filepath.Join("DD/Build/Products", name+".xctestrun"), string(data))
			b.must(0, "-xctestrun", "DD/Build/Products/"+name+".xctestrun", "-destination", tc.dest, "test-without-building")
			b.says("Test skipped - not run: ", "Executed 0 tests, with ", "** TEST EXECUTE SUCCEEDED **")
		}
	}
}

// toolchain puts scripts at the names of the programs of Swift.
func (b *bench) toolchain(swiftc, swift string) {
	b.t.Helper()
	h, err := host.New(host.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { h.Close() })
	bin := b.t.TempDir()
	for name, text := range map[string]string{"swiftc": swiftc, "swift": swift} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			b.t.Fatal(err)
		}
	}
	b.swift = swiftcheck.Checker{Run: h, Swift: swiftcheck.Find(bin)}
}

// TestPackageTestsHaveResultsOfSwiftTest: a real result replaces what comments say, and a test without one is not run.
func TestPackageTestsHaveResultsOfSwiftTest(t *testing.T) {
	b := newBench(t, project.SampleWorkspace)
	b.toolchain("exit 0", `echo "◇ Test standardMenuHasEspresso() started."
echo "✔ Test standardMenuHasEspresso() passed after 0.002 seconds."
echo "◇ Test wrong() started."
echo "✘ Test wrong() recorded an issue at MoreTests.swift:3:5: Expectation failed: false"
echo "✘ Test wrong() failed after 0.001 seconds with 1 issue."
echo "◇ Test silent() started."
echo "✘ Test silent() failed after 0.001 seconds with 1 issue."
exit 1`)
	b.replace("CafeKit/Tests/CafeKitTests/MoreTests.swift", "import Testing\n@Test func wrong() {\n    #expect(false) // virtual: passes\n}\n"+
		"@Test func silent() {\n}\n@Test func unheard() {\n}\n")
	argv := []string{"-workspace", "Cafe.xcworkspace", "-scheme", "CafeKit", "-destination", dest, "test", "-resultBundlePath"}
	b.must(65, append(argv, "R.xcresult")...)
	b.says("note: virtual: syntax of 3 files, types of 1; types not checked (Testing): MenuTests.swift, MoreTests.swift\n",
		"note: virtual: run by swift test: CafeKitTests\n",
		"recorded an issue at MoreTests.swift:3:5: Expectation failed: false", "Failing tests:\n\twrong()\n\tsilent()\n")
	r, err := xcresult.Read(filepath.Join(b.dir, "R.xcresult"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, suite := range r.Tests[0].Suites {
		for _, c := range suite.Cases {
			got[c.Name] = c.Result
		}
	}
	want := map[string]string{"standardMenuHasEspresso()": xcresult.Passed, "wrong()": xcresult.Failed, "silent()": xcresult.Failed,
		"unheard()": xcresult.Skipped}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestPackageThatCannotBeBuiltHereIsNotRun: a package with a framework, or with packages from elsewhere, or without results.
func TestPackageThatCannotBeBuiltHereIsNotRun(t *testing.T) {
	const manifest = "// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: \"CafeKit\", dependencies: [" +
		".package(url: \"https://example.com/tea\", from: \"1.0.0\")])\n"
	for why, file := range map[string][2]string{
		"the package needs SwiftUI":                 {"CafeKit/Sources/CafeKit/More.swift", "import SwiftUI\n"},
		"the package needs packages from elsewhere": {"CafeKit/Package.swift", manifest},
		"error: no such module":                     {"CafeKit/Sources/CafeKit/More.swift", "let a = 1\n"},
	} {
		b := newBench(t, project.SampleWorkspace)
		b.toolchain("exit 0", "echo 'error: no such module' >&2\nexit 1")
		b.replace(file[0], file[1])
		b.must(0, "-workspace", "Cafe.xcworkspace", "-scheme", "CafeKit", "-destination", dest, "test")
		b.says("note: virtual: tests of CafeKitTests not run: ", why, "skipped: \"not run: ")
		if strings.Contains(b.out.String(), "run by swift test") {
			t.Errorf("got\n%s\nwant no tests run", b.out.String())
		}
	}
}
