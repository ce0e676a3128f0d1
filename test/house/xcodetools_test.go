package house_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/driver/drivertest"
	"ios-agent/internal/ui/uiread"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/house"
)

// What is scaffolded, and every sample that compiles, is built, runs and shows a screen with its name.
func TestSamplesAndScaffoldsRun(t *testing.T) {
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
	made := h.Must("a", "scaffold_ios_project", in{"projectName": "Weather", "outputPath": filepath.Join(dir, "w"), "displayName": "My Weather"})
	workspace := house.Result[struct{ WorkspacePath string }](h, made).WorkspacePath
	e := h.Must("a", "build_run_sim", in{"workspacePath": workspace, "scheme": "Weather", "simulatorName": house.Device})
	if !strings.Contains(e.Stdout, `text "My Weather"`) {
		t.Errorf("the scaffold's first screen does not show its name:\n%s", e.Stdout)
	}
}

// A client of XcodeBuildMCP's tools names no simulator when its session works with one already: core's launch chose it.
func TestXcodeToolsUseTheSessionsDevice(t *testing.T) {
	h := house.New(t)
	says(h, t, "stop_app_sim", in{"bundleId": drivertest.Conformance}, "Provide simulatorId or simulatorName")
	udid := h.Boot("a", drivertest.Conformance)
	for _, name := range []string{"describe_ui", "snapshot_ui"} {
		e := h.Must("a", name, nil)
		if want := "device: " + house.Device + " (" + udid + "), the session's"; !strings.Contains(e.Text(), want) {
			t.Errorf("%s does not say which device it took:\n%.200s", name, e.Text())
		}
	}
	says(h, t, "launch_app_device", in{"bundleId": drivertest.Conformance}, "deviceId is required")
	if e := h.Must("a", "snapshot_ui", in{"simulatorId": udid}); strings.Contains(e.Text(), "the session's") {
		t.Errorf("a device that the call named is told:\n%.200s", e.Text())
	}
}

// describe_ui has every key that AXe has, on every element, and a reader of AXe's output reads it.
func TestDescribeUIAnswersInAXesKeys(t *testing.T) {
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
	_, fenced, _ := strings.Cut(e.Stdout, "```json\n")
	tree, _, closed := strings.Cut(fenced, "\n```")
	read, err := uiread.Read([]byte(tree))
	if err != nil || !closed || read.Nodes() != count {
		t.Errorf("what reads AXe's trees does not read this one: %v", err)
	}
}
