package script

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/xcode/scaffold"
)

// swiftOnPath puts a real Swift toolchain at the names swift and swiftc, through scripts/swift-linux, and gives a folder whose
// packages it sees. Where that runs in a root of its own, the project is at another path in there.
func swiftOnPath(t *testing.T) (path, folder string) {
	t.Helper()
	if os.Getenv("IOS_AGENT_SWIFT_PACKAGES") == "" {
		t.Skip("the real compiler takes minutes: make test-agent runs it")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(root, "scripts", "swift-linux")
	where, err := exec.Command(script, "pwd").Output()
	if err != nil {
		t.Skipf("there is no Swift toolchain: %v", err)
	}
	folder, err = os.MkdirTemp(root, ".swift-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	bin := t.TempDir()
	// The script looks for swift on the PATH first, and must not find this one.
	within := strings.TrimSpace(string(where))
	call := func(name string) string {
		return fmt.Sprintf("PATH='%s' '%s' %s \"${@/#'%s'/%s}\"", os.Getenv("PATH"), script, name, root, within)
	}
	for name, line := range map[string]string{ // messages of swiftc name files
		"swift":  "exec env " + call("swift"),
		"swiftc": "{ " + call("swiftc") + " 2>&1 >&3 | sed 's#" + within + "/#" + root + "/#g' >&2; } 3>&1\nexit ${PIPESTATUS[0]}",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/usr/bin/env bash\n"+line+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin, folder
}

const manifest = `// swift-tools-version:6.0
import PackageDescription
let package = Package(name: "Greeter", targets: [
    .target(name: "Greeting"),
    .executableTarget(name: "greet", dependencies: ["Greeting"]),
    .testTarget(name: "GreetingTests", dependencies: ["Greeting"]),
])
`

func writePackage(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type swiftAnswer struct {
	Status string
	Result struct {
		Status, Output string
		Errors         []string
		TestFailures   []string
		Counts         struct{ Passed, Failed int }
		ExitCode       *int
	}
	Error struct{ Code string }
}

// TestSwiftPackages builds, tests, runs, breaks and cleans a package with the real package manager.
func TestSwiftPackages(t *testing.T) {
	bin, folder := swiftOnPath(t)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("IOS_AGENT_JOB_AFTER", "30m")
	r := newRig(t)
	pkg := filepath.Join(folder, "a package")
	writePackage(t, pkg, map[string]string{
		"Package.swift":                   manifest,
		"Sources/Greeting/Greeting.swift": "public func greeting(for name: String) -> String { \"Hello, \\(name)!\" }\n",
		"Sources/greet/main.swift":        "import Greeting\nprint(greeting(for: CommandLine.arguments.last!))\n",
		"Tests/GreetingTests/GreetingTests.swift": "import XCTest\n@testable import Greeting\nfinal class GreetingTests: XCTestCase {\n" +
			"  func testName() { XCTAssertEqual(greeting(for: \"Ada\"), \"Hello, Ada!\") }\n}\n",
	})
	do := func(verb string, args ...string) (a swiftAnswer) {
		t.Helper()
		out, _ := r.run(append([]string{verb, pkg, "--json"}, args...)...)
		if err := json.Unmarshal(out, &a); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return a
	}
	if a := do("swift-package-build"); a.Result.Status != "SUCCEEDED" {
		t.Fatalf("build: %+v", a)
	}
	if a := do("swift-package-run", "--arguments=$(id) \"x\"", "--timeout", "300"); !strings.Contains(a.Result.Output, "Hello, $(id) \"x\"!") {
		t.Errorf("run: %+v", a)
	}
	if a := do("swift-package-test"); a.Result.Status != "SUCCEEDED" || a.Result.Counts.Passed != 1 {
		t.Errorf("test: %+v", a)
	}
	writePackage(t, pkg, map[string]string{
		"Sources/Greeting/Greeting.swift": "public func greeting(for name: String) -> String { \"Bye\" }\n",
	})
	if a := do("swift-package-test"); a.Error.Code != "TESTS_FAILED" || a.Result.Counts.Failed != 1 || len(a.Result.TestFailures) != 1 {
		t.Errorf("a failing test: %+v", a)
	}
	writePackage(t, pkg, map[string]string{"Sources/Greeting/Greeting.swift": "public func greeting(for name: String) -> String { 7 }\n"})
	broken := do("swift-package-build")
	if said := strings.Join(broken.Result.Errors, "\n"); broken.Error.Code != "BUILD_FAILED" || !strings.Contains(said, "Greeting.swift:1") {
		t.Errorf("broken: %+v", broken)
	}
	if a := do("swift-package-clean"); a.Result.Status != "SUCCEEDED" {
		t.Errorf("clean: %+v", a)
	}
	if _, err := os.Stat(filepath.Join(pkg, ".build", "debug")); err == nil {
		t.Error("clean left the products")
	}
}

// TestVirtualXcodeChecksSwift builds projects that do not compile, with the real compiler on the PATH of Virtual Xcode.
func TestVirtualXcodeChecksSwift(t *testing.T) {
	bin, folder := swiftOnPath(t)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("IOS_AGENT_JOB_AFTER", "30m")
	r := newRig(t)
	for _, sample := range []string{"app", "workspace"} {
		if out, code := r.run("virtual", "project", sample, filepath.Join(folder, sample)); code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
	}
	menu := filepath.Join(folder, "workspace/CafeKit/Sources/CafeKit/Menu.swift")
	valid, err := os.ReadFile(menu)
	if err != nil {
		t.Fatal(err)
	}
	do := func(verb, sample, container, scheme string) string {
		t.Helper()
		out, _ := r.run(verb, container, filepath.Join(folder, sample), "--scheme", scheme, "--simulator-name", "iPhone 16",
			"--derived-data-path", filepath.Join(folder, "dd-"+sample))
		return string(out)
	}
	cafe := func(verb string) string { return do(verb, "workspace/Cafe.xcworkspace", "--workspace-path", "Cafe") }
	tally := func(verb string) string { return do(verb, "app/Tally.xcodeproj", "--project-path", "Tally") }
	says := func(got string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("got\n%s\nwant %q", got, want)
			}
		}
	}
	says(cafe("run"), "build succeeded", "note: virtual: syntax of 2 files, types of 1; types not checked (SwiftUI): CafeApp.swift")
	writePackage(t, filepath.Dir(menu), map[string]string{"Menu.swift": string(valid) + "\nlet first: Int = \"one\"\n"})
	says(cafe("run"), "build failed", "error: cannot convert value of type 'String' to specified type 'Int'")
	says(cafe("test"), "build for testing failed", "Menu.swift:")
	writePackage(t, filepath.Dir(menu), map[string]string{"Menu.swift": string(valid)})
	says(cafe("test"), "tests not run", "note: virtual: syntax of 3 files",
		"note: virtual: test targets outside the scheme Cafe: CafeKitTests")
	if bundled := do("test", "workspace/Cafe.xcworkspace", "--workspace-path", "CafeKit"); !strings.Contains(bundled, "tests passed") {
		t.Errorf("got\n%s\nwant the tests of the package run", bundled)
	}
	tests := filepath.Join(folder, "workspace/CafeKit/Tests/CafeKitTests")
	writePackage(t, tests, map[string]string{"MoreTests.swift": "import Testing\n@testable import CafeKit\n@Test func wrong() {\n" +
		"    #expect(Menu.standard.drinks.isEmpty)\n}\n"})
	says(do("test", "workspace/Cafe.xcworkspace", "--workspace-path", "CafeKit"), "tests failed", "✘ CafeKitTests/wrong()",
		"MoreTests.swift:4: Expectation failed")
	writePackage(t, filepath.Join(folder, "app"), map[string]string{"Tally/Counter.swift": "struct Counter {\n    let total = = 1\n}\n"})
	says(tally("run"), "build failed", "Counter.swift:2:", "expected initial value after '='")
	says(tally("test"), "build for testing failed", "expected initial value after '='")
}

// TestScaffoldedPackage lets the real package manager read the manifests that our templates make.
func TestScaffoldedPackage(t *testing.T) {
	bin, folder := swiftOnPath(t)
	for _, on := range []scaffold.Platform{scaffold.IOS, scaffold.MacOS} {
		w, err := scaffold.Write(filepath.Join(folder, string(on)), on, scaffold.Options{Name: "Weather"})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(filepath.Join(bin, "swift"), "package", "--package-path", w.Package, "describe", "--type", "json").Output()
		if err != nil || !strings.Contains(string(out), `"name" : "WeatherFeature"`) || !strings.Contains(string(out), `"WeatherFeatureTests"`) {
			t.Errorf("%s: %v\n%s", on, err, out)
		}
	}
}
