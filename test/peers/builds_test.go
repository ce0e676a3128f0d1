package peers

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answer is what a tool said, and whether it called that an error.
type answer struct {
	text  string
	fails bool
}

func ask(ctx context.Context, t *testing.T, s *mcp.ClientSession, name string, args map[string]any) answer {
	t.Helper()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var text strings.Builder
	for _, c := range res.Content {
		if part, ok := c.(*mcp.TextContent); ok {
			text.WriteString(part.Text + "\n")
		}
	}
	structured, _ := json.Marshal(res.StructuredContent)
	text.Write(structured)
	t.Logf("%s: %s", name, text.String())
	return answer{text.String(), res.IsError}
}

// expect insists on how it ended and on everything it should mention.
func (a answer) expect(t *testing.T, fails bool, mentions ...string) {
	t.Helper()
	if a.fails != fails {
		t.Errorf("error is %t:\n%s", a.fails, a.text)
	}
	for _, want := range mentions {
		if !strings.Contains(a.text, want) {
			t.Errorf("it does not mention %q:\n%s", want, a.text)
		}
	}
}

// speak lets the app print and log when its first button is tapped.
func speak(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const step = "          - add: {count: 1}\n"
	more := "          - print: added one\n          - log: {level: default, message: counted}\n"
	spoken := strings.Replace(string(data), step, step+more, 1)
	if spoken == string(data) {
		t.Fatalf("the sample has changed:\n%s", data)
	}
	if err := os.WriteFile(file, []byte(spoken), 0o644); err != nil {
		t.Fatal(err)
	}
}

// logged waits until a file that the answer names holds a text: another program writes it.
func (a answer) logged(ctx context.Context, t *testing.T, key, want string) {
	t.Helper()
	m := regexp.MustCompile(`"` + key + `":"([^"]+)"`).FindStringSubmatch(a.text)
	if m == nil {
		t.Fatalf("no %s in %s", key, a.text)
	}
	for {
		data, err := os.ReadFile(m[1])
		if strings.Contains(string(data), want) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%v: no %q in %s:\n%s", err, want, m[1], data)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestXcodeBuildMCPBuildsOnVirtualXcode lets it find, build, run and test projects, and looks at what it says.
func TestXcodeBuildMCPBuildsOnVirtualXcode(t *testing.T) {
	modules := modules(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	w := newWorld(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range []string{"app", "broken", "failing"} {
		w.run("virtual", "project", sample, filepath.Join(root, sample))
	}
	speak(t, filepath.Join(root, "app/Tally/ui.yaml"))
	s := w.connect(ctx, modules)
	on := func(folder, name string) {
		call(ctx, t, s, "session_set_defaults", map[string]any{"projectPath": filepath.Join(root, folder, name+".xcodeproj"), "scheme": name,
			"simulatorId": device, "derivedDataPath": filepath.Join(root, "dd-"+folder)})
	}
	ask(ctx, t, s, "discover_projs", map[string]any{"workspaceRoot": root}).
		expect(t, false, "app/Tally.xcodeproj", "broken/Broken.xcodeproj", "failing/Failing.xcodeproj")
	ask(ctx, t, s, "list_sims", map[string]any{}).expect(t, false, device)

	on("app", "Tally")
	ask(ctx, t, s, "list_schemes", map[string]any{"projectPath": filepath.Join(root, "app", "Tally.xcodeproj")}).expect(t, false, "Tally")
	ask(ctx, t, s, "show_build_settings", map[string]any{}).expect(t, false, "PRODUCT_BUNDLE_IDENTIFIER", "com.example.tally")
	ask(ctx, t, s, "build_sim", map[string]any{}).expect(t, false, "SUCCEEDED")
	app := filepath.Join(root, "dd-app/Build/Products/Debug-iphonesimulator/Tally.app")
	ask(ctx, t, s, "get_sim_app_path", map[string]any{"platform": "iOS Simulator"}).expect(t, false, app)
	if _, err := os.Stat(filepath.Join(app, "Info.plist")); err != nil {
		t.Error(err)
	}
	ask(ctx, t, s, "get_app_bundle_id", map[string]any{"appPath": app}).expect(t, false, "com.example.tally")
	ask(ctx, t, s, "boot_sim", map[string]any{}).expect(t, false)
	ask(ctx, t, s, "install_app_sim", map[string]any{"appPath": app}).expect(t, false)
	call(ctx, t, s, "session_set_defaults", map[string]any{"bundleId": "com.example.tally"})
	ask(ctx, t, s, "launch_app_sim", map[string]any{}).expect(t, false)
	ask(ctx, t, s, "stop_app_sim", map[string]any{}).expect(t, false)

	ran := ask(ctx, t, s, "build_run_sim", map[string]any{})
	ran.expect(t, false, "com.example.tally")
	seen := call(ctx, t, s, "snapshot_ui", map[string]any{})
	call(ctx, t, s, "tap", map[string]any{"elementRef": refOf(t, seen, "add-button")})
	ran.logged(ctx, t, "runtimeLogPath", "added one")
	ran.logged(ctx, t, "osLogPath", "counted")
	ask(ctx, t, s, "stop_app_sim", map[string]any{}).expect(t, false)

	ask(ctx, t, s, "test_sim", map[string]any{}).expect(t, false, `"passed":0`, `"failed":0`, `"skipped":7`)
	results := filepath.Join(root, "Covered.xcresult")
	ask(ctx, t, s, "test_sim", map[string]any{"extraArgs": []string{"-enableCodeCoverage", "YES", "-resultBundlePath", results}}).
		expect(t, false)
	ask(ctx, t, s, "get_coverage_report", map[string]any{"xcresultPath": results, "showFiles": true}).
		expect(t, false, "Tally.app", "Counter.swift")
	ask(ctx, t, s, "get_file_coverage", map[string]any{"xcresultPath": results, "file": "Counter.swift", "showLines": true}).
		expect(t, false, "formatted")
	ask(ctx, t, s, "clean", map[string]any{"platform": "iOS Simulator"}).expect(t, false)

	wrong := filepath.Join(root, "app/TallyTests/CounterTests.swift")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(wrong, "import XCTest\nfinal class CounterTests: XCTestCase {\n    func testEqual() { XCTAssertEqual(1, 2) }\n"+
		"    func testFail() { XCTFail(\"no\") }\n    func testCrash() { fatalError(\"no\") }\n}\n")
	ask(ctx, t, s, "test_sim", map[string]any{"extraArgs": []string{"-only-testing:TallyTests/CounterTests"}}).
		expect(t, false, `"passed":0`, `"skipped":3`)
	for text, message := range map[string]string{
		"struct Counter {\n": "expected '}'", "let name = \"Counter\n": "unterminated string literal", "#if DEBUG\n": "expected #else or #endif",
	} {
		write(filepath.Join(root, "app/Tally/Counter.swift"), text)
		ask(ctx, t, s, "build_sim", map[string]any{}).expect(t, true, message, "Counter.swift")
	}

	on("broken", "Broken")
	ask(ctx, t, s, "build_sim", map[string]any{}).expect(t, true, "cannot find 'pricee' in scope", "Basket.swift")
	on("failing", "Failing")
	ask(ctx, t, s, "test_sim", map[string]any{}).expect(t, true, "testAddition", `XCTAssertEqual failed: ("1") is not equal to ("2")`)
}
