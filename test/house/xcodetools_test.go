package house_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/ui/uiread"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// What is scaffolded, and every sample that compiles, is built, runs and shows a screen with its name.
func TestSamplesAndScaffoldsRun(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	dir := t.TempDir()
	for _, sample := range []struct{ name, app, on string }{
		{"app", "Tally", "iPhone 16"}, {"failing", "Failing", "iPhone 16"}, {"watchos", "Steps", "Apple Watch Series 10 (46mm)"},
		{"tvos", "Cinema", "Apple TV 4K (3rd generation)"}, {"visionos", "Orbit", "Apple Vision Pro"},
	} {
		t.Run(sample.name, func(t *testing.T) {
			project := filepath.Join(dir, sample.name)
			if err := virtualxcode.WriteSample(project, sample.name); err != nil {
				t.Fatal(err)
			}
			e := h.Must("a", "build_run_sim", in{
				"projectPath": filepath.Join(project, sample.app+".xcodeproj"), "scheme": sample.app, "simulatorName": sample.on,
			})
			if !strings.Contains(e.Stdout, `title:"`+sample.app+`"`) {
				t.Errorf("its first screen does not show its name:\n%s", e.Stdout)
			}
		})
	}
	made := h.Must("a", "scaffold_ios_project", in{
		"projectName": "Weather", "outputPath": filepath.Join(dir, "w"), "displayName": "My Weather",
	})
	workspace := house.Result[struct{ WorkspacePath string }](h, made).WorkspacePath
	e := h.Must("a", "build_run_sim", in{"workspacePath": workspace, "scheme": "Weather", "simulatorName": house.Device})
	if !strings.Contains(e.Stdout, `text "My Weather"`) {
		t.Errorf("the scaffold's first screen does not show its name:\n%s", e.Stdout)
	}
}

// A client of XcodeBuildMCP's tools names no simulator when its session works with one already: core's launch chose it.
func TestXcodeToolsUseTheSessionsDevice(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	says(h, t, "stop_app_sim", in{"bundleId": drivertest.Conformance}, "Provide simulatorId or simulatorName")
	udid := h.Boot("a", drivertest.Conformance)
	for _, name := range []string{"describe_ui", "snapshot_ui"} {
		e := h.Must("a", name, nil)
		if e.Meta.Device == nil || e.Meta.Device.UDID != udid || strings.Contains(e.Text(), udid) {
			t.Errorf("%s: got device %+v, want the session's %s, which the text need not repeat:\n%.200s", name, e.Meta.Device, udid, e.Text())
		}
	}
	says(h, t, "launch_app_device", in{"bundleId": drivertest.Conformance}, "deviceId is required")
}

// describe_ui has every key that AXe has, on every element, and a reader of AXe's output reads it.
func TestDescribeUIHasKeysOfAXe(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	e := h.Must("a", "describe_ui", nil)
	type element = map[string]any
	out := house.Result[struct{ Elements []element }](h, e)
	var check func(element)
	count := 0
	check = func(el element) {
		count++
		for _, key := range []string{
			"AXFrame", "AXLabel", "AXUniqueId", "AXValue", "children", "content_required", "custom_actions", "enabled", "frame", "help", "role",
			"role_description", "subrole", "title", "type",
		} {
			if _, has := el[key]; !has {
				t.Fatalf("no %s in %v", key, el)
			}
		}
		frame, _ := el["frame"].(element)
		if frame["width"] == nil || frame["height"] == nil || !strings.HasPrefix(el["role"].(string), "AX") {
			t.Errorf("frame %v, role %v", frame, el["role"])
		}
		for _, child := range el["children"].([]any) {
			check(child.(element))
		}
	}
	for _, el := range out.Elements {
		check(el)
	}
	if count < 5 || out.Elements[0]["role"] != "AXApplication" {
		t.Errorf("%d elements, the first is %v", count, out.Elements[0]["role"])
	}
	text := textOf(t, h.MCP("a", product.Serving{Tools: "xcode"}), "describe_ui", nil) // beside the core set it is cut
	_, fenced, _ := strings.Cut(text, "```json\n")
	tree, _, closed := strings.Cut(fenced, "\n```")
	read, err := uiread.Read([]byte(tree))
	if err != nil || !closed || read.Nodes() != count {
		t.Errorf("what reads AXe's trees does not read this one: %v", err)
	}
}

// The keyboards of a simulator are switched as Simulator's menu does it.
func TestKeyboardsAreToggled(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", shop)
	keyboard := func(what string, want bool) {
		t.Helper()
		tree := h.Must("a", "describe_ui", nil).Stdout
		if got := strings.Contains(tree, `"AXKeyboardKey"`); got != want {
			t.Errorf("%s: the software keyboard is there: %v, want %v", what, got, want)
		}
	}
	h.Must("a", "xcode_tap", in{"id": "email-field"})
	keyboard("after the tap", true)
	says(h, t, "toggle_software_keyboard", nil, "toggled the software keyboard of "+house.Device, udid)
	keyboard("hidden", false)
	h.Must("a", "toggle_software_keyboard", nil)
	keyboard("shown again", true)
	h.Must("a", "toggle_connect_hardware_keyboard", nil)
	keyboard("with a hardware keyboard", false)
	h.Must("a", "xcode_tap", in{"id": "password-field"})
	keyboard("with a hardware keyboard, in another field", false)
	h.Must("a", "toggle_connect_hardware_keyboard", nil)
	keyboard("without it", true)
	h.Must("a", "shutdown_device", in{"udid": udid})
	says(h, t, "toggle_software_keyboard", in{"simulatorId": udid}, "DEVICE_NOT_BOOTED")
}

// A finger goes down in one call and is lifted in a later one: where it was is a press, elsewhere a drag.
func TestTouchDownAndUpAreTwoCalls(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	says(h, t, "xcode_touch", in{"x": 100, "y": 100, "up": true}, "no finger is down")
	says(h, t, "xcode_touch", in{"x": 100, "y": 100}, "give down, or up")
	e := h.Must("a", "snapshot_ui", nil)
	ref := regexp.MustCompile(`button "Controls".*?\[ref=(e\d+)`).FindStringSubmatch(e.Stdout)
	if ref == nil {
		t.Fatal(e.Stdout)
	}
	says(h, t, "xcode_touch", in{"elementRef": ref[1], "down": true}, "the finger is down", "lifted")
	if up := h.Must("a", "xcode_touch", in{"elementRef": ref[1], "up": true}); !strings.Contains(up.Stdout, "changed") {
		t.Errorf("lifting it pressed nothing:\n%s", up.Stdout)
	}
	says(h, t, "xcode_touch", in{"x": 100, "y": 100, "up": true}, "no finger is down")
	h.Must("a", "xcode_touch", in{"x": 200, "y": 600, "down": true})
	if up := h.Must("a", "xcode_touch", in{"x": 200, "y": 200, "up": true}); !strings.Contains(up.Stdout, "changed") {
		t.Errorf("a finger that was lifted elsewhere dragged nothing:\n%s", up.Stdout)
	}
}

// What a simulator has no button for is refused by the name it was asked for, with what can be pressed.
func TestUnsupportedButtonNamesAlternatives(t *testing.T) {
	t.Parallel()
	h := house.New(t, withoutIDB)
	h.Boot("a", drivertest.Conformance)
	for _, name := range []string{"lock", "side-button", "siri", "apple-pay"} {
		says(h, t, "button", in{"buttonType": name}, "UNSUPPORTED", name, "home", "the driver idb can")
	}
	h.Must("a", "button", in{"buttonType": "home"})
}

// An answer tells what was done besides what was asked for, and advises what was not done yet.
func TestXcodeAnswersReportSideEffects(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	app := filepath.Join(t.TempDir(), "apps")
	if err := virtualxcode.WriteApps(app); err != nil {
		t.Fatal(err)
	}
	install := in{"simulatorName": house.Device, "appPath": filepath.Join(app, "Shop.app")}
	says(h, t, "install_app_sim", install, "installed "+shop+" on "+house.Device+", which was booted for it")
	if e := h.Must("a", "install_app_sim", install); strings.Contains(e.Stdout, "booted") {
		t.Errorf("it was booted already: %s", e.Stdout)
	}
	e := h.Call("a", "install_app", in{"app_path": filepath.Join(app, "gone.app")})
	if e.Error == nil || len(e.Meta.Next) > 0 {
		t.Errorf("a failed install suggests %v", e.Meta.Next)
	}
	e = h.Must("a", "start_sim_log_cap", in{"bundleId": shop, "captureConsole": true, "subsystemFilter": []string{"all"}})
	id := house.Result[struct{ LogSessionID string }](h, e).LogSessionID
	e = h.Must("a", "stop_sim_log_cap", in{"logSessionId": id})
	if strings.Contains(e.Stdout, "captureConsole") || strings.Contains(e.Stdout, "subsystemFilter") {
		t.Errorf("it advises what was done:\n%s", e.Stdout)
	}
	e = h.Must("a", "start_sim_log_cap", in{"bundleId": shop})
	id = house.Result[struct{ LogSessionID string }](h, e).LogSessionID
	says(h, t, "stop_sim_log_cap", in{"logSessionId": id}, "captureConsole: true", "subsystemFilter")
}

// A client of XcodeBuildMCP's builds, runs and drives an app, and follows what each answer says comes next.
func TestXcodeBuildMCPClientBuildsAndRunsApp(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	dir := t.TempDir()
	if err := virtualxcode.WriteSample(dir, "app"); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "Tally.xcodeproj")
	says(h, t, "discover_projs", in{"workspaceRoot": dir}, project)
	says(h, t, "list_schemes", in{"projectPath": project}, "Tally")
	whole := in{
		"projectPath": project, "scheme": "Tally", "simulatorName": house.Device, "platform": "iOS Simulator", "configuration": "Release",
	}
	next := func(line string) string { return "\n  `ios-agent xcode " + line + "`" }
	built := " --project-path " + project + " --scheme Tally --configuration Release"
	says(h, t, "build_sim", whole, next("build-run-sim"+built+" --simulator-name 'iPhone 16' --platform 'iOS Simulator'"),
		next("get-sim-app-path"+built+" --platform 'iOS Simulator' --simulator-name 'iPhone 16'"))
	says(h, t, "build_sim", in{"projectPath": project, "scheme": "Tally", "simulatorName": house.Device, "configuration": "Nonesuch"},
		`does not contain a configuration named "Nonesuch"`)

	h.Must("a", "session_set_defaults", in{"projectPath": project, "scheme": "Tally", "simulatorName": house.Device})
	says(h, t, "build_run_sim", nil, "button \"Add one\"",
		"\n  `ios-agent xcode stop-app-sim --simulator-id ", " --bundle-id com.example.tally`")
	says(h, t, "build_sim", nil, next("build-run-sim")) // the defaults give the rest
	h.Must("a", "xcode_tap", in{"label": "Add one"})
	says(h, t, "describe_ui", nil, `"AXLabel": "Count: 1"`)
	says(h, t, "test_sim", nil, "TESTS_NOT_RUN", "0 of 7 tests")
	says(h, t, "show_build_settings", in{"projectPath": project, "scheme": "Tally"}, next("list-schemes --project-path "+project))

	phone := "00008140-000A61C23E04801C"
	device := in{"projectPath": project, "scheme": "Tally", "deviceId": phone, "platform": "iOS"}
	built = " --project-path " + project + " --scheme Tally --platform iOS"
	says(h, t, "build_device", device, next("build-run-device"+built+" --device-id "+phone), next("get-device-app-path"+built))
	says(h, t, "build_run_device", device, "\n  `ios-agent xcode stop-app-device --device-id "+phone+" --process-id ")
	says(h, t, "launch_app_device", in{"deviceId": phone, "bundleId": "com.no.such"}, "APP_NOT_FOUND", "com.no.such is not installed on",
		"install the app first: `ios-agent xcode install-app-device --device-id "+phone+" --app-path PATH_TO_YOUR_APP`")
	says(h, t, "launch_mac_app", in{"appPath": filepath.Join(dir, "gone.app"), "launchArgs": []string{"--fast"}},
		"PATH_ERROR", "gone.app does not exist")
}
