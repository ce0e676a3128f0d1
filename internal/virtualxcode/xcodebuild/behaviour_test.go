package xcodebuild

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/project"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/xcresult"
)

const dest = "platform=iOS Simulator,id=" + phone

func TestSecondBuildCompilesChangedFilesOnly(t *testing.T) {
	b := newBench(t, project.SampleApp)
	argv := []string{"-scheme", "Tally", "-derivedDataPath", "DD", "-destination", dest, "build"}
	b.must(0, argv...)
	first := b.out.String()
	b.must(0, argv...)
	if second := b.out.String(); strings.Contains(second, "SwiftCompile") || len(second) >= len(first) {
		t.Errorf("the second build compiled again:\n%s", second)
	}
	touched := filepath.Join(b.dir, "Tally/Counter.swift")
	if err := os.WriteFile(touched, []byte("struct Counter {} // virtual: warning: 'Counter' is empty\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.must(0, argv...)
	if out := b.out.String(); strings.Count(out, `Compiling\ `) != 1 ||
		!strings.Contains(out, "Counter.swift:1:8: warning: 'Counter' is empty") {
		t.Errorf("one file has changed:\n%s", out)
	}
	b.must(0, append(argv[:len(argv)-1:len(argv)-1], "clean")...)
	b.must(0, argv...)
	if !strings.Contains(b.out.String(), "TallyApp.swift") {
		t.Error("nothing was compiled after clean")
	}
}

func TestOnlyAndSkipTestingSelectTests(t *testing.T) {
	b := newBench(t, project.SampleFailing)
	on := []string{"-scheme", "Failing", "-destination", dest, "test"}
	for _, tc := range []struct {
		argv []string
		exit int
		runs []string
		not  []string
	}{
		{[]string{"-only-testing:FailingTests/CalculatorTests/testDouble"}, 0, []string{"testDouble]' passed", "'Selected tests'"},
			[]string{"testAddition", "◇"}},
		{[]string{"-only-testing", "FailingTests/CalculatorSwiftTests/double()"}, 0,
			[]string{"Executed 0 tests", "✔ Test run with 1 test passed"}, []string{"✘"}},
		{[]string{"-skip-testing:FailingTests/CalculatorTests/testAddition", "-skip-testing:FailingTests/CalculatorSwiftTests/addition"}, 0,
			[]string{"** TEST SUCCEEDED **"}, []string{"testAddition]"}},
		{nil, 65, []string{"testAddition]' failed"}, []string{"** TEST SUCCEEDED **"}},
	} {
		b.must(tc.exit, append(tc.argv, on...)...)
		for _, want := range tc.runs {
			if !strings.Contains(b.out.String(), want) {
				t.Errorf("%v: no %q in\n%s", tc.argv, want, b.out.String())
			}
		}
		for _, not := range tc.not {
			if strings.Contains(b.out.String(), not) {
				t.Errorf("%v: %q in the output", tc.argv, not)
			}
		}
	}
}

// TestBuiltTestsRunWithoutBuilding: tests that were built run later, from the project, from the .xctestrun and from moved products.
func TestBuiltTestsRunWithoutBuilding(t *testing.T) {
	b := newBench(t, project.SampleApp)
	b.must(65, "-scheme", "Tally", "-derivedDataPath", "DD", "-destination", dest, "test-without-building")
	b.must(0, "-scheme", "Tally", "-derivedDataPath", "DD", "-testProductsPath", "Out.xctestproducts", "-destination", dest,
		"build-for-testing")
	if !strings.Contains(b.out.String(), "** TEST BUILD SUCCEEDED **") {
		t.Error(b.out.String())
	}
	for i, source := range [][]string{{"-scheme", "Tally", "-derivedDataPath", "DD"},
		{"-xctestrun", "DD/Build/Products/Tally_iphonesimulator18.5-arm64.xctestrun"}, {"-testProductsPath", "Out.xctestproducts"}} {
		result := filepath.Join(b.dir, string(rune('a'+i))+".xcresult")
		b.must(0, append(source, "-destination", dest, "-resultBundlePath", result, "-enableCodeCoverage", "YES",
			"test-without-building")...)
		bundle, err := xcresult.Read(result)
		if err != nil || len(bundle.Tests) != 2 || !bundle.HasCoverage || bundle.Outcome() != xcresult.Skipped || bundle.Scheme != "Tally" {
			t.Errorf("%v: %v %+v", source, err, bundle)
		}
	}
	b.golden("test-without-building")
	b.must(64, "-scheme", "Tally", "-destination", dest, "-resultBundlePath", "a.xcresult", "build")
}

func TestAmbiguousOrBrokenProjectIsRefused(t *testing.T) {
	b := newBench(t, project.SampleApp)
	if err := os.Mkdir(filepath.Join(b.dir, "Other.xcodeproj"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.must(78, "-list")
	if !strings.Contains(b.err.String(), "contains 2 projects, including multiple projects with the current extension (.xcodeproj). "+
		"Specify the project to use with the -project option.") {
		t.Error(b.err.String())
	}
	b.must(66, "-list", "-project", "Nope.xcodeproj")
	b.must(0, "-list", "-project", "Tally.xcodeproj")
	b.must(64, "-list", "-project", "Tally.xcodeproj", "-workspace", "X.xcworkspace")
	for _, damaged := range []string{"", "{ objects = (", "\x00"} {
		if err := os.WriteFile(filepath.Join(b.dir, "Other.xcodeproj/project.pbxproj"), []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		b.must(74, "-list", "-project", "Other.xcodeproj")
	}
}

func TestJSONOptionPrintsValidJSON(t *testing.T) {
	b := newBench(t, project.SampleApp)
	for _, argv := range [][]string{{"-list", "-json"}, {"-showsdks", "-json"}, {"-showBuildSettings", "-json", "-scheme", "Tally",
		"-destination", dest}, {"-version", "-sdk", "macosx", "-json"}} {
		b.must(0, argv...)
		if !json.Valid([]byte(b.out.String())) {
			t.Errorf("%v: %s", argv, b.out.String())
		}
	}
}

// TestPythonReadsBuiltPlists reads what we write with Python's plistlib.
func TestPythonReadsBuiltPlists(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("no python3 to read plists with")
	}
	b := newBench(t, project.SampleApp)
	b.must(0, "-scheme", "Tally", "-derivedDataPath", "DD", "-destination", dest, "build-for-testing")
	products := filepath.Join(b.dir, "DD/Build/Products")
	script := `
import plistlib, sys
info = plistlib.load(open(sys.argv[1] + "/Debug-iphonesimulator/Tally.app/Info.plist", "rb"))
assert info["CFBundleIdentifier"] == "com.example.tally", info
assert info["CFBundleExecutable"] == "Tally" and info["UIDeviceFamily"] == [1, 2], info
run = plistlib.load(open(sys.argv[1] + "/Tally_iphonesimulator18.5-arm64.xctestrun", "rb"))
assert run["__xctestrun_metadata__"]["FormatVersion"] == 1, run
ui = run["TallyUITests"]
assert ui["IsUITestBundle"] is True and ui["UITargetAppPath"] == "__TESTROOT__/Debug-iphonesimulator/Tally.app", run
assert run["TallyTests"]["TestHostPath"] == "__TESTROOT__/Debug-iphonesimulator/Tally.app", run
`
	if out, err := exec.Command(python, "-c", script, products).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, file := range []string{"Debug-iphonesimulator/Tally.app/ui.yaml", "Debug-iphonesimulator/Tally.app/Tally",
		"Debug-iphonesimulator/TallyUITests-Runner.app/PlugIns/TallyUITests.xctest/Info.plist"} {
		if _, err := os.Stat(filepath.Join(products, file)); err != nil {
			t.Error(err)
		}
	}
}

// TestBuildSettingsPointToBuiltApp: peers join the first two of these to find what was built.
func TestBuildSettingsPointToBuiltApp(t *testing.T) {
	for _, tc := range []struct {
		sample            project.Sample
		scheme, dest, app string
	}{
		{project.SampleApp, "Tally", dest, "Debug-iphonesimulator/Tally.app"},
		{project.SampleMac, "Notes", "platform=macOS", "Debug/Notes.app"},
	} {
		b := newBench(t, tc.sample)
		b.must(0, "-scheme", tc.scheme, "-destination", tc.dest, "build")
		b.must(0, "-showBuildSettings", "-json", "-scheme", tc.scheme, "-destination", tc.dest)
		var entries []struct{ BuildSettings map[string]string }
		if err := json.Unmarshal([]byte(b.out.String()), &entries); err != nil {
			t.Fatal(err)
		}
		v := entries[0].BuildSettings
		app := filepath.Join(v["BUILT_PRODUCTS_DIR"], v["FULL_PRODUCT_NAME"])
		if _, err := os.Stat(app); err != nil || !strings.HasSuffix(app, tc.app) {
			t.Errorf("%s: %v", app, err)
		}
		for key, value := range v {
			if strings.Contains(value, "$(") {
				t.Errorf("%s = %s", key, value)
			}
		}
	}
}

// TestBuiltAppCanBeOpened: what is built with a ui.yaml can be installed on a virtual simulator.
func TestBuiltAppCanBeOpened(t *testing.T) {
	b := newBench(t, project.SampleWorkspace)
	b.must(0, "-workspace", "Cafe.xcworkspace", "-scheme", "Cafe", "-derivedDataPath", "DD", "-destination", dest, "build")
	bundle, err := app.Open(filepath.Join(b.dir, "DD/Build/Products/Debug-iphonesimulator/Cafe.app"))
	if err != nil || bundle.ID != "com.example.cafe" {
		t.Errorf("%v %+v", err, bundle)
	}
}

func TestInterruptedBuildExitsWithError(t *testing.T) {
	b := newBench(t, project.SampleApp)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	args := []string{"-scheme", "Tally", "-derivedDataPath", "DD", "build"}
	exit := Tool{Call: tool.Call{Args: args, Dir: b.dir, Stdout: &b.out, Stderr: &b.err}}.Run(ctx)
	if exit != exitInterrupted || !strings.Contains(b.err.String(), "INTERRUPTED") {
		t.Errorf("exit %d\n%s", exit, b.err.String())
	}
}

func TestPathHashHas28LowercaseLetters(t *testing.T) {
	if got := pathHash("/Users/dev/App.xcodeproj"); len(got) != 28 || strings.Trim(got, "abcdefghijklmnopqrstuvwxyz") != "" {
		t.Error(got)
	}
}

func TestCircularBuildSettingsDoNotHang(t *testing.T) {
	got := expandAll(map[string]string{"A": "$(B)$(B)", "B": "$(A)x", "C": "$(A:lower)"})
	if got["A"] != "xx" {
		t.Errorf("%q", got["A"])
	}
}

func FuzzScan(f *testing.F) {
	f.Add("struct A { func b() { } } // virtual: error: 'b'\n@Test(\"x\") func y() {")
	f.Add("func a() {\n// virtual: undefined: _x\n// virtual: script: a: b\n}\n@Test(.tags(.a, .b)) func c() { // virtual: crashes: " +
		"x\n// virtual: measures: 1, x\n// virtual: passes: z\n}")
	f.Fuzz(func(t *testing.T, text string) { scan("x.swift", text) })
}

func FuzzOptions(f *testing.F) {
	f.Add("-scheme\nX\nKEY=v\n-only-testing:A/b\nbuild")
	f.Fuzz(func(t *testing.T, text string) { parseOptions(strings.Split(text, "\n")) })
}
