package house_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/house"
)

// TestBuildReportsAppPathAndBundleID: what was built, by path and bundle id, and the log; in the text and in the JSON.
func TestBuildReportsAppPathAndBundleID(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	f := h.Files()
	e := h.Must("a", "build_sim", map[string]any{"projectPath": f.Project, "scheme": f.Scheme, "simulatorName": house.Device})
	out := house.Result[struct {
		Artifacts struct{ AppPath, BundleID, BuildLogPath string }
	}](h, e).Artifacts
	if filepath.Ext(out.AppPath) != ".app" || out.BundleID != "com.example.tally" || out.BuildLogPath == "" {
		t.Errorf("%+v", out)
	}
	for _, want := range []string{"app: ", "bundle id: com.example.tally", "log: "} {
		if !strings.Contains(e.Text(), "\n"+want) {
			t.Errorf("%q is missing:\n%s", want, e.Text())
		}
	}
}

// TestRunSuggestsNextStepOnSameSimulator: what usually follows names the simulator that the call named, once.
func TestRunSuggestsNextStepOnSameSimulator(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	f := h.Files()
	said := h.CLI("a", "run", "--project-path", f.Project, "--scheme", f.Scheme, "--simulator-name", house.Device).Stdout
	if !strings.Contains(said, "\nnext: `ios-agent snapshot --sim 'iPhone 16'`") || strings.Contains(said, "next steps:") {
		t.Errorf("the simulator is lost:\n%s", said)
	}
}

// TestRunWithProxySetsUpCapture: one command builds, sets up all that the app's requests need to be seen, and launches; the check finds
// nothing in the way but what the app answers itself.
func TestRunWithProxySetsUpCapture(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	f := h.Files()
	h.Boot("a", "") // before the Mac's proxy is set
	ran := h.CLI("a", "run", "--proxy", "--project-path", f.Project, "--scheme", f.Scheme, "--simulator-name", house.Device)
	if !strings.Contains(ran.Stdout, "the proxy on 127.0.0.1:") || !strings.Contains(ran.Stdout, "com.example.tally") ||
		!strings.Contains(ran.Stdout, `button "`) {
		t.Fatalf("got %s%s, want the app running behind the proxy", ran.Stdout, ran.Stderr)
	}
	check := house.Result[struct{ Obstacles []struct{ Kind string } }](h, h.Must("a", "proxy_check", map[string]any{"sim": house.Device}))
	if len(check.Obstacles) > 0 {
		t.Errorf("got %+v in the way, want nothing", check.Obstacles)
	}
	if said := h.Must("a", "proxy_stop", nil).Text(); !strings.Contains(said, "restored") {
		t.Errorf("got %s, want the Mac's proxy restored", said)
	}
}

// TestAFailedBuildShowsItsWarning: beside the error, in the shape of core; there is no app to name.
func TestAFailedBuildShowsItsWarning(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	dir := filepath.Join(h.Home.String(), "broken")
	if err := virtualxcode.WriteSample(dir, "broken"); err != nil {
		t.Fatal(err)
	}
	e := h.Call("a", "run", map[string]any{"projectPath": filepath.Join(dir, "Broken.xcodeproj"), "scheme": "Broken"})
	var out struct {
		Diagnostics []struct{ Severity, Message string }
	}
	if err := json.Unmarshal(e.Result, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Diagnostics) != 2 || out.Diagnostics[1].Severity != "warning" || !strings.Contains(e.Text(), out.Diagnostics[1].Message) {
		t.Errorf("%+v\n%s", out, e.Text())
	}
	if strings.Contains(e.Text(), "\napp: ") {
		t.Errorf("a failed build names an app:\n%s", e.Text())
	}
}

// TestAllBuildSettingsCanBePaged: from the answer that shows a few there is a way to all, on each surface in its words.
func TestAllBuildSettingsCanBePaged(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	f := h.Files()
	args := []string{"show-build-settings", "--project-path", f.Project, "--scheme", f.Scheme}
	said := h.CLI("a", args...).Stdout
	if !strings.Contains(said, "… all settings: `ios-agent xcode show-build-settings --project-path ") ||
		!strings.Contains(said, " --page 1`") {
		t.Errorf("no way to the rest:\n%s", said)
	}
	all := h.CLI("a", append(args, "--page", "1")...).Stdout
	if !strings.Contains(all, "  WRAPPER_NAME = ") || strings.Contains(all, "… page") {
		t.Errorf("not all on a page:\n%s", all)
	}
	if got := h.CLI("a", append(args, "--page", "99")...); got.Exit == 0 || !strings.Contains(got.Stderr, "unknown page 99") {
		t.Errorf("%+v", got)
	}
	got := h.CLI("a", append(args, "--filter", "*_NAME")...).Stdout
	if !strings.Contains(got, "PRODUCT_NAME = ") || strings.Contains(got, "SDKROOT") {
		t.Errorf("the filter gives\n%s", got)
	}
	res, err := h.Tool("a", "show_build_settings", map[string]any{"projectPath": f.Project, "scheme": f.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	text := res.Content[0].(*sdk.TextContent).Text
	if !strings.Contains(text, `… all settings: show_build_settings {"page":1,`) || strings.Contains(text, "--") {
		t.Errorf("a model is told of\n%s", text)
	}
}

// simulating is the environment of a client that asks for simulated tests.
var simulating = map[string]string{"IOS_AGENT_VIRTUAL_TESTS": "simulate"}

// TestTestNeedsNoInputInProjectFolder: in the folder of a project `test` needs no input; project, scheme and simulator are found and told,
// and the tests are counted by name in the shape of core.
func TestTestNeedsNoInputInProjectFolder(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	dir := filepath.Dir(h.Files().Project)
	e := h.Product.Catalogue.Run(t.Context(), "test", op.Call{Session: "a", Dir: dir, Env: simulating}, []byte("{}"))
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	out := house.Result[builds.Built](h, e)
	if out.Status != "not_run" || out.Tests == nil || out.Tests.Total == 0 || len(out.Tests.Cases) != out.Tests.Total || out.UDID == "" {
		t.Errorf("%+v", out)
	}
	if said := strings.Join(out.Choices, "\n"); !strings.Contains(said, "project: ") || !strings.Contains(said, "scheme: ") ||
		!strings.Contains(said, "simulator: ") {
		t.Errorf("what was chosen, and why:\n%s", said)
	}
}

// wrongTests are tests that fail or crash wherever Swift is executed.
const wrongTests = `import XCTest
final class CounterTests: XCTestCase {
    func testEqual() { XCTAssertEqual(1, 2) }
    func testFail() { XCTFail("no") }
    func testCrash() { fatalError("no") }
}
`

// withWrongTests is a house with a project whose unit tests can only fail.
func withWrongTests(t *testing.T) (*house.House, house.Files) {
	t.Helper()
	h := house.New(t)
	f := h.Files()
	file := filepath.Join(filepath.Dir(f.Project), "TallyTests", "CounterTests.swift")
	if err := os.WriteFile(file, []byte(wrongTests), 0o600); err != nil {
		t.Fatal(err)
	}
	return h, f
}

// TestTestsOnVirtualXcodeAreNotRun: Virtual Xcode executes no Swift, so that no test of it has passed, whoever asks and whoever looks
// at it later.
func TestTestsOnVirtualXcodeAreNotRun(t *testing.T) {
	t.Parallel()
	h, f := withWrongTests(t)
	r := h.CLI("a", "test", "--project-path", f.Project, "--scheme", f.Scheme, "--simulator-name", house.Device)
	if r.Exit != fault.ExitPrecondition || !strings.Contains(r.Stderr, "TESTS_NOT_RUN") || !strings.Contains(r.Stderr, "ran 0 of 7 tests") {
		t.Errorf("got exit %d and %q, want exit %d and TESTS_NOT_RUN of 7 tests", r.Exit, r.Stderr, fault.ExitPrecondition)
	}
	on := map[string]in{
		"test": {"simulatorName": house.Device}, "test_sim": {"simulatorName": house.Device}, "test_device": {"deviceId": house.Physical},
	}
	texts := map[string]string{"the command": r.Stdout + r.Stderr}
	for name, input := range on {
		input["projectPath"], input["scheme"] = f.Project, f.Scheme
		e := h.Call("a", name, input)
		if e.Error == nil || e.Error.Code != fault.TestsNotRun {
			t.Errorf("%s: got %v, want %s", name, e.Error, fault.TestsNotRun)
		}
		texts[name], texts[name+" as JSON"] = e.Text(), string(e.Result)
	}
	for name, input := range map[string]in{"list_builds": nil, "show_build": {"id": "latest"}, "get_build_result": nil} {
		e := h.Must("a", name, input)
		texts[name], texts[name+" as JSON"] = e.Text(), string(e.Result)
	}
	none := strings.NewReplacer(`"passed":0`, "", `"succeeded":false`, "")
	for name, text := range texts {
		if at := regexp.MustCompile("(?i)✔|passed|succeeded").FindString(none.Replace(text)); at != "" {
			t.Errorf("%s says %q:\n%s", name, at, text)
		}
	}
	if all := house.Result[builds.BuildsOut](h, h.Must("a", "list_builds", in{"failed": true})); all.Total != 0 {
		t.Errorf("a run without a verdict is listed as failed: %+v", all)
	}
}

// TestSimulatedTestsAreReportedAsNotRun: who wants what the sources declare gets it without a fault, and still no test has passed.
func TestSimulatedTestsAreReportedAsNotRun(t *testing.T) {
	t.Parallel()
	h, f := withWrongTests(t)
	input := fmt.Sprintf(`{"projectPath":%q,"scheme":%q,"simulatorName":%q}`, f.Project, f.Scheme, house.Device)
	e := h.Product.Catalogue.Run(t.Context(), "test", op.Call{Session: "a", Env: simulating}, []byte(input))
	if e.Error != nil {
		t.Fatal(e.Text())
	}
	out := house.Result[builds.Built](h, e)
	if out.Status != "not_run" || out.Tests.Passed != 0 || out.Tests.NotRun != 7 || out.Tests.Cases[0].Status != "not run" {
		t.Errorf("got %+v, want 7 tests that were not run", out)
	}
	if text := e.Text(); !strings.Contains(text, "7 tests simulated, none run: 0 failed, 0 skipped") || strings.Contains(text, "passed") {
		t.Errorf("want simulated tests, none of them passed:\n%s", text)
	}
}

// TestChosenVirtualToolchainAcceptsTestsNotRun: the toolchain of a caller's environment says as much as the variable for tests.
func TestChosenVirtualToolchainAcceptsTestsNotRun(t *testing.T) {
	t.Parallel()
	h, f := withWrongTests(t)
	input := fmt.Sprintf(`{"projectPath":%q,"scheme":%q,"simulatorName":%q}`, f.Project, f.Scheme, house.Device)
	chosen := map[string]string{"IOS_AGENT_TOOLCHAIN": "virtual"}
	e := h.Product.Catalogue.Run(t.Context(), "test", op.Call{Session: "a", Env: chosen}, []byte(input))
	if out := house.Result[builds.Built](h, e); e.Error != nil || out.Status != "not_run" || out.Tests.NotRun != 7 || out.Tests.Passed != 0 {
		t.Errorf("got %+v, %+v, want 7 tests not run and no fault", e.Error, out.Tests)
	}
}

// TestSwiftThatCannotCompileFailsBuild: each wrong file fails run and test, with its place, and the answers say what was checked.
func TestSwiftThatCannotCompileFailsBuild(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, text, want string }{
		"a brace": {"Tally/Counter.swift", "struct Counter {\n    var total = 1\n", "error: expected '}'"},
		"a string": {"Tally/Counter.swift", "struct Counter {\n    let name = \"Counter\n}\n",
			"Counter.swift:2:16: error: unterminated string literal"},
		"a merge": {"Tally/ContentView.swift", "import SwiftUI\n<<<<<<< HEAD\n=======\n>>>>>>> other\n",
			"ContentView.swift:2:2: error: source control conflict marker in source file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := house.New(t)
			f := h.Files()
			if err := os.WriteFile(filepath.Join(filepath.Dir(f.Project), tc.file), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, op := range []string{"run", "test"} {
				e := h.Call("a", op, in{"projectPath": f.Project, "scheme": f.Scheme, "simulatorName": house.Device})
				if e.Error == nil || e.Error.Code != fault.BuildFailed || !strings.Contains(e.Text(), tc.want) ||
					!strings.Contains(e.Text(), "\nnote: virtual: ") {
					t.Errorf("%s: got %v\n%s\nwant %s, %q and what was checked", op, e.Error, e.Text(), fault.BuildFailed, tc.want)
				}
			}
		})
	}
}

// TestBuildsAreListedWithResultAndLog: how each ended, what to mend, its failed tests and its log; and each error and warning is a line of
// the log.
func TestBuildsAreListedWithResultAndLog(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	if e := h.Call("a", "show_build", in{"id": "latest"}); e.Error == nil || e.Error.Code != fault.BuildNotFound {
		t.Errorf("nothing was built: %s", e.Text())
	}
	if text := h.Must("a", "list_builds", nil).Text(); !strings.Contains(text, "ios-agent run") {
		t.Error(text)
	}
	f, dir := h.Files(), filepath.Join(h.Home.String(), "broken")
	if err := virtualxcode.WriteSample(dir, "broken"); err != nil {
		t.Fatal(err)
	}
	h.Must("a", "build_sim", in{"projectPath": f.Project, "scheme": f.Scheme, "simulatorName": house.Device})
	h.Call("a", "run", in{"projectPath": filepath.Join(dir, "Broken.xcodeproj"), "scheme": "Broken"})
	all := house.Result[builds.BuildsOut](h, h.Must("a", "list_builds", nil))
	if all.Total != 2 || len(all.Builds) != 2 {
		t.Fatalf("%+v", all)
	}
	failed, fine := all.Builds[0], all.Builds[1]
	if fine.Status != "succeeded" || fine.Scheme != f.Scheme || fine.Action != "build" || fine.Log == "" || fine.UDID == "" {
		t.Errorf("%+v", fine)
	}
	if failed.Status != "failed" || failed.ErrorCount != 1 || failed.WarningCount != 1 || failed.Diagnostics != nil {
		t.Errorf("%+v", failed)
	}
	one := house.Result[builds.KeptBuild](h, h.Must("a", "show_build", in{"id": "latest"}))
	if one.ID != failed.ID || len(one.Diagnostics) != 2 || one.Diagnostics[0].Severity != "error" || one.Diagnostics[0].Line == 0 {
		t.Errorf("%+v", one)
	}
	if r := h.CLI("a", "builds", "show", fine.ID); r.Exit != 0 || !strings.Contains(r.Stdout, fine.Log) {
		t.Errorf("%+v", r)
	}
	only := house.Result[builds.BuildsOut](h, h.Must("a", "list_builds", in{"failed": true}))
	if only.Total != 1 || only.Builds[0].ID != failed.ID {
		t.Errorf("%+v", only)
	}
	lines := house.Result[page](h, h.Must("a", "read_logs", in{"source": "build", "level": "error"}))
	if len(lines.Lines) != 1 || !strings.Contains(lines.messages(), one.Diagnostics[0].Message) {
		t.Errorf("%+v", lines)
	}
}

// TestSwiftPackageBuildsAreListed: what came of a Swift package is in the list of builds, its errors are lines, and nothing is offered to
// be shown where there is nothing.
func TestSwiftPackageBuildsAreListed(t *testing.T) {
	t.Parallel()
	broken := true
	h := house.New(t, house.Options{Programs: func(name string, tool host.Main) host.Main {
		if filepath.Base(name) != "swift" {
			return tool
		}
		return func(_ context.Context, in host.Invocation) int {
			switch {
			case slices.Contains(in.Args, "test"):
				fmt.Fprintln(in.Stdout, "Test Case 'CartTests.testTotal' started.\n/p/Tests/CartTests.swift:7: error: CartTests.testTotal : "+
					"XCTAssertEqual failed\nTest Case 'CartTests.testTotal' failed (0.1 seconds)")
				return 1
			case broken:
				fmt.Fprintln(in.Stderr, "/p/Sources/Cart.swift:3:5: error: cannot find 'totl' in scope")
				return 1
			}
			fmt.Fprintln(in.Stdout, "Build complete! (0.10s)")
			return 0
		}
	}})
	if r := h.CLI("a", "builds"); strings.Contains(r.Stdout, "builds show") || r.Exit != 0 {
		t.Errorf("there is nothing to show:\n%s", r.Stdout)
	}
	if r := h.CLI("a", "crashes"); strings.Contains(r.Stdout, "crashes show") || r.Exit != 0 {
		t.Errorf("there is nothing to show:\n%s", r.Stdout)
	}
	dir := filepath.Join(h.Home.String(), "Cart")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Package.swift"), []byte("// swift-tools-version:6.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Call("a", "swift_package_build", map[string]any{"packagePath": dir})
	broken = false
	h.Must("a", "swift_package_build", map[string]any{"packagePath": dir, "configuration": "release"})
	h.Call("a", "swift_package_test", map[string]any{"packagePath": dir})
	all := house.Result[builds.BuildsOut](h, h.Must("a", "list_builds", nil)).Builds
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	test, fine, bad := all[0], all[1], all[2]
	if bad.Status != "failed" || bad.Action != "build" || bad.Project != dir || bad.ErrorCount != 1 || bad.Log == "" || bad.Session != "a" ||
		fine.Status != "succeeded" || fine.Config != "release" || fine.ErrorCount != 0 || test.Action != "test" || test.Tests.Failed != 1 {
		t.Errorf("%+v", all)
	}
	if r := h.CLI("a", "builds", "show", bad.ID); !strings.Contains(r.Stdout, "build Cart failed") || !strings.Contains(r.Stdout, "totl") {
		t.Error(r.Stdout)
	}
	r := h.CLI("a", "logs", "--all", "--source", "build")
	if !strings.Contains(r.Stdout, " E swift") || strings.Contains(r.Stdout, "xcodebuild") {
		t.Error(r.Stdout)
	}
}
