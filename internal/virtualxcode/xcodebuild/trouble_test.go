package xcodebuild

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/xcresult"
)

// put adds a file's worth of comments to the sample.
func (b *bench) put(file, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, file)
	data, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, text...), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// says insists on texts in the order they are given.
func (b *bench) says(all ...string) {
	b.t.Helper()
	rest := b.out.String() + b.err.String()
	for _, want := range all {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			b.t.Fatalf("no %q after what came before in\n%s%s", want, b.out.String(), b.err.String())
		}
		rest = after
	}
}

func TestBuildProblemsPrintRealErrors(t *testing.T) {
	device := []string{"-destination", "generic/platform=iOS"}
	on := []string{"-destination", dest}
	for name, tc := range map[string]struct {
		comment string
		argv    []string
		exit    int
		says    []string
		errors  []string // in the result bundle
	}{
		"undefined": {"func report() {\n    print(1) // virtual: undefined: _OBJC_CLASS_$_Printer\n}\n", on, 65,
			[]string{"Ld ", "Undefined symbols for architecture arm64:\n  \"_OBJC_CLASS_$_Printer\", referenced from:\n      report() " +
				"in Counter.o\nld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1 " +
				"(use -v to see invocation)\n",
				"** BUILD FAILED **", "The following build commands failed:\n\tLd ", "(2 failures)"},
			[]string{"Undefined symbol: _OBJC_CLASS_$_Printer", "Linker command failed with exit code 1 (use -v to see invocation)"}},
		"link": {"// virtual: link: library 'ssl' not found\n", on, 65,
			[]string{"ld: library 'ssl' not found\nclang: error: linker command failed"},
			[]string{"library 'ssl' not found", "Linker command failed with exit code 1 (use -v to see invocation)"}},
		"script": {"// virtual: script: Swift Lint: 3 violations\n", on, 65,
			[]string{"PhaseScriptExecution Swift\\ Lint ", "    /bin/sh -c ", "3 violations\nCommand PhaseScriptExecution failed with " +
				"a nonzero exit code\n", "Result bundle written to path:\n\t", "** BUILD FAILED **",
				"\tPhaseScriptExecution Swift\\ Lint "},
			[]string{"Command PhaseScriptExecution failed with a nonzero exit code"}},
		"sign": {"// virtual: sign: Signing for \"Tally\" requires a development team. Select a development team in the Signing & " +
			"Capabilities editor.\n", device, 65,
			[]string{"Tally.xcodeproj: error: Signing for \"Tally\" requires a development team. Select a development team in the " +
				"Signing & Capabilities editor. (in target 'Tally' from project 'Tally')\n", "** BUILD FAILED **", "(1 failure)"},
			[]string{"Signing for \"Tally\" requires a development team. Select a development team in the Signing & Capabilities editor."}},
		"sign, but a simulator": {"// virtual: sign: no profile\n", on, 0, []string{"** BUILD SUCCEEDED **"}, nil},
		"sign, but it is off": {"// virtual: sign: no profile\n", append([]string{"CODE_SIGNING_ALLOWED=NO"}, device...), 0,
			[]string{"** BUILD SUCCEEDED **"}, nil},
		"warning and note": {"let a = 1 // virtual: warning: variable 'a' was never used\nlet b = 2 // virtual: note: 'b' " +
			"declared here\n", on, 0,
			[]string{"warning: variable 'a' was never used\n", "note: 'b' declared here\n", "** BUILD SUCCEEDED **"}, nil},
		"analyze, but only built": {"let a = 1 // virtual: analyze: dead store\n", on, 0, []string{"** BUILD SUCCEEDED **"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, project.SampleApp)
			b.put("Tally/Counter.swift", tc.comment)
			b.must(tc.exit, append([]string{"-scheme", "Tally", "-derivedDataPath", "DD", "-resultBundlePath", "R.xcresult", "build"},
				tc.argv...)...)
			b.says(tc.says...)
			b.golden("trouble-" + strings.NewReplacer(" ", "-", ",", "").Replace(name))
			r, err := xcresult.Read(filepath.Join(b.dir, "R.xcresult"))
			got := []string{}
			for _, e := range r.Build.Errors {
				got = append(got, e.Message)
			}
			if err != nil || !slices.Equal(got, append([]string{}, tc.errors...)) {
				t.Errorf("%v: %q", err, got)
			}
		})
	}
}

func TestAnalyzeReportsWarnings(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.put("Tally/Counter.swift", "let a = 1 // virtual: analyze: value stored to 'a' is never read\n")
	b.must(0, "-scheme", "Tally", "-destination", dest, "-resultBundlePath", "R.xcresult", "analyze")
	b.says("AnalyzeShallow ", "warning: value stored to 'a' is never read", "** ANALYZE SUCCEEDED **")
	if r, err := xcresult.Read(filepath.Join(b.dir, "R.xcresult")); err != nil || len(r.Build.Analyzer) != 1 || len(r.Build.Warnings) != 0 {
		t.Errorf("%v %+v", err, r.Build)
	}
}

func TestUnresolvedPackageFailsCommands(t *testing.T) {
	b := newBench(t, project.SampleWorkspace)
	b.put("CafeKit/Package.swift", "// virtual: package: Dependencies could not be resolved because no versions of 'tea' match the "+
		"requirement 9.0.0..<10.0.0.\n")
	for _, argv := range [][]string{{"-resolvePackageDependencies"}, {"-list"}, {"-scheme", "Cafe", "-destination", dest, "build"}} {
		b.must(74, append([]string{"-workspace", "Cafe.xcworkspace"}, argv...)...)
		b.says("Resolve Package Graph", "xcodebuild: error: Could not resolve package dependencies:\n  Dependencies could not be "+
			"resolved because no versions of 'tea' match")
		b.golden("trouble-package-" + strings.TrimLeft(argv[0], "-"))
	}
}

func TestPackageFolderIsListedAsWorkspace(t *testing.T) {
	b := newBench(t, project.SampleWorkspace)
	b.dir = filepath.Join(b.dir, "CafeKit")
	b.must(0, "-list")
	b.says("Information about workspace \"CafeKit\":", "Schemes:\n        CafeKit\n")
	b.must(0, "-scheme", "CafeKit", "-destination", dest, "test")
	b.says("** TEST SUCCEEDED **")
}

// crashing is a class with a test that crashes between two that do not.
const crashing = `
final class CrashTests: XCTestCase {
    func testBefore() {
        // virtual: passes
    }
    func testCrash() {
        fatalError() // virtual: crashes: Index out of range
    }
    func testAfter() {
        print("hello") // virtual: prints: hello
        // virtual: passes
    }
}
`

func TestCrashRestartsTestRun(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.put("TallyTests/CounterTests.swift", crashing)
	b.must(65, "-scheme", "Tally", "-destination", dest, "-only-testing:TallyTests/CrashTests", "-resultBundlePath", "R.xcresult", "test")
	b.says("testBefore]' passed", "testCrash]' started.\nTallyTests/CounterTests.swift:", ": Fatal error: Index out of range\n",
		" Tally[41001:",
		"\n\nRestarting after unexpected exit, crash, or test timeout in CrashTests.testCrash(); summary will include totals from "+
			"previous launches.\n\n",
		"Test Suite 'Selected tests' started", "Test Suite 'TallyTests.xctest' started", "Test Suite 'CrashTests' started",
		"testAfter]' started.\nhello\n", "Executed 3 tests, with 1 failure (0 unexpected)",
		"Failing tests:\n\tCrashTests.testCrash()\n", "** TEST FAILED **")
	b.golden("test-crash")
	r, err := xcresult.Read(filepath.Join(b.dir, "R.xcresult"))
	if err != nil || r.Tests[0].Suites[0].Cases[1].Failures[0].Message != "Crash: Fatal error: Index out of range" {
		t.Errorf("%v %+v", err, r.Tests)
	}
}

func TestRepetitionOptionsRepeatFlakyTest(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.put("TallyTests/CounterTests.swift", `
final class FlakyTests: XCTestCase {
    func testFlaky() {
        XCTFail() // virtual: fails: failed - not yet
        // virtual: passes: 2
    }
}
`)
	only := []string{"-scheme", "Tally", "-destination", dest, "-only-testing:TallyTests/FlakyTests", "test"}
	for _, tc := range []struct {
		argv []string
		exit int
		runs int
	}{
		{nil, 65, 1},
		{[]string{"-retry-tests-on-failure"}, 0, 2},
		{[]string{"-test-iterations", "4"}, 65, 4},
		{[]string{"-run-tests-until-failure"}, 65, 1},
		{[]string{"-test-iterations", "none"}, 64, 0},
	} {
		b.must(tc.exit, append(tc.argv, only...)...)
		if n := strings.Count(b.out.String(), "testFlaky]' started"); n != tc.runs {
			t.Errorf("%v: %d runs\n%s", tc.argv, n, b.out.String())
		}
	}
}

func TestMissingPlatformIsIneligibleDestination(t *testing.T) {
	b := newBench(t, project.SampleWatch)
	b.env = map[string]string{MissingVariable: "watchOS"}
	b.must(70, "-scheme", "Steps", "-destination", "platform=watchOS Simulator,name=Apple Watch Series 10 (46mm)", "build")
	b.says("Unable to find a device matching", "Ineligible destinations for the \"Steps\" scheme:\n\t\t{ platform:watchOS, "+
		"id:dvtdevice-DVTiOSDevicePlaceholder-watchos:placeholder, name:Any watchOS Device, error:watchOS 11.5 is not installed. To "+
		"use with Xcode, first download and install the platform }")
	b.golden("no-watch")
	b.env = nil
	b.must(0, "-scheme", "Steps", "-destination", "platform=watchOS Simulator,name=Apple Watch Series 10 (46mm)", "test")
}

func TestArchiveAndExportWriteIPA(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.must(0, "-scheme", "Tally", "-destination", "generic/platform=iOS", "-archivePath", "Out/Tally.xcarchive", "archive")
	b.says("Release-iphoneos", "** ARCHIVE SUCCEEDED **")
	if err := os.WriteFile(filepath.Join(b.dir, "options.plist"),
		[]byte(plistHead+"<dict><key>method</key><string>debugging</string></dict></plist>"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.must(0, "-exportArchive", "-archivePath", "Out/Tally.xcarchive", "-exportPath", "Export", "-exportOptionsPlist", "options.plist")
	b.says("Exported Tally.xcarchive to: Export\n** EXPORT SUCCEEDED **")
	b.golden("export")
	z, err := zip.OpenReader(filepath.Join(b.dir, "Export/Tally.ipa"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if _, err := z.Open("Payload/Tally.app/Info.plist"); err != nil {
		t.Error(err)
	}
	b.must(66, "-exportArchive", "-archivePath", "None.xcarchive", "-exportPath", "Export", "-exportOptionsPlist", "options.plist")
	b.must(64, "-exportArchive", "-archivePath", "Out/Tally.xcarchive", "-exportPath", "Export", "-exportOptionsPlist", "none.plist")
}

func TestMeasurementsArePrinted(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.put("TallyTests/CounterTests.swift", "\nfinal class SpeedTests: XCTestCase {\n    func testSpeed() {\n        measure { } // "+
		"virtual: measures: 0.1, 0.3\n        // virtual: passes\n    }\n}\n")
	b.must(0, "-scheme", "Tally", "-destination", dest, "-only-testing:TallyTests/SpeedTests", "test")
	b.says(": Test Case '-[TallyTests.SpeedTests testSpeed]' measured [Time, seconds] average: 0.200, relative standard deviation: " +
		"50.000%, values: [0.100000, 0.300000], performanceMetricID:com.apple.XCTPerformanceMetric_WallClockTime")
	b.golden("test-measure")
}

// TestScriptPhasesAreListedButNotRun: scripts are mentioned, in their order and as often as they would run, and never run.
func TestScriptPhasesAreListedButNotRun(t *testing.T) {
	l, err := project.SampleMac.Layout()
	if err != nil {
		t.Fatal(err)
	}
	p := l.Projects["."]
	p.Targets[0].Scripts = []project.Script{{Name: "Generate", Early: true, Outputs: true}, {Name: "Lint"}, {Name: "Stamp", Always: true}}
	l.Projects["."] = p
	b := newBench(t, "")
	if err := l.Write(b.dir); err != nil {
		t.Fatal(err)
	}
	argv := []string{"-scheme", "Notes", "-destination", "platform=macOS", "-derivedDataPath", "DD",
		"-IDEPackageSupportUseBuiltinSCM=YES", "build"}
	b.must(0, argv...)
	b.says("PhaseScriptExecution Generate ", "SwiftCompile", "warning: Run script build phase 'Lint' will be run during every build "+
		"because it does not specify any outputs.", "PhaseScriptExecution Lint ", "note: Run script build phase 'Stamp'",
		"** BUILD SUCCEEDED **")
	b.golden("build-scripts")
	b.must(0, argv...)
	b.says("PhaseScriptExecution Lint ")
	if out := b.out.String(); strings.Contains(out, "SwiftCompile") {
		t.Error(out)
	}
}

// TestUnknownConfigurationIsRefused: a build of a configuration that nobody defined does not succeed.
func TestUnknownConfigurationIsRefused(t *testing.T) {
	b := newBench(t, project.SampleApp)
	argv := []string{"build", "-project", "Tally.xcodeproj", "-scheme", "Tally", "-destination", "id=" + phone, "-configuration"}
	b.must(exitFailed, append(argv, "Nonesuch")...)
	if !strings.Contains(b.err.String(), `does not contain a configuration named "Nonesuch"`) {
		t.Error(b.err.String())
	}
	b.must(0, append(argv, "Release")...)
}
