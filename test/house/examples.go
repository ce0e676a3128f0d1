package house

import (
	"path/filepath"

	"ios-agent/internal/op"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/drivertest"
)

// Physical is a device that is not a simulator; every world has it.
const Physical = "00008140-000A61C23E04801C"

// Files are what operations want to find on a disk: a built app and a project.
type Files struct {
	App     string // Shop.app
	Project string // App.xcodeproj, with a scheme App
	Scheme  string
}

// Files writes an app and a project below the home.
func (h *House) Files() Files {
	h.t.Helper()
	dir := filepath.Join(h.Home.String(), "files")
	h.must(virtualxcode.WriteApps(dir))
	h.must(virtualxcode.WriteSample(filepath.Join(dir, "project"), "app"))
	found, err := filepath.Glob(filepath.Join(dir, "project", "*.xcodeproj"))
	h.must(err)
	if len(found) != 1 {
		h.t.Fatalf("the sample has the projects %q", found)
	}
	name := filepath.Base(found[0])
	return Files{App: filepath.Join(dir, "Shop.app"), Project: found[0], Scheme: name[:len(name)-len(filepath.Ext(name))]}
}

// Example is an input that an operation accepts: what it requires, filled in by the declaration (a default, the first of
// the values there are, the least number) or, where that is not enough, by the field's name; then the operation's own row.
func (f Files) Example(o op.Op, id string) map[string]any {
	fields := map[string]op.Field{}
	in := map[string]any{}
	for _, field := range o.Fields() {
		fields[field.Name] = field
		if field.Required {
			in[field.Name] = f.Value(field)
		}
	}
	for _, group := range o.Require {
		if !containsAny(in, group) {
			in[group[0]] = f.Value(fields[group[0]])
		}
	}
	row, own := f.rows()[id]
	if !own {
		row = f.rows()[o.Name] // of another family, under the same name
	}
	for name, v := range row {
		if _, known := fields[name]; known {
			in[name] = v
		}
	}
	return in
}

func containsAny(in map[string]any, names []string) bool {
	for _, name := range names {
		if _, ok := in[name]; ok {
			return true
		}
	}
	return false
}

// Value is a value that a field accepts.
func (f Files) Value(field op.Field) any {
	if v, ok := f.names()[field.Name]; ok {
		return v
	}
	if len(field.Enum) > 0 {
		return field.Enum[0]
	}
	switch field.Kind {
	case op.Bool:
		return true
	case op.Int, op.Float:
		if field.Min != nil {
			return *field.Min + 1
		}
		return 100
	case op.Strings:
		return []string{"x"}
	case op.Nested:
		return map[string]any{}
	}
	return "x"
}

// names are values by the name of a field, the same in every operation.
func (f Files) names() map[string]any {
	return map[string]any{
		"bundle_id": drivertest.Conformance, "bundleId": drivertest.Conformance, "app_path": f.App, "appPath": f.App,
		"projectPath": f.Project, "scheme": f.Scheme, "url": "https://example.com", "identifier": tapped, "ref": "@e2", "elementRef": "e2",
		"key": "return", "keys": []string{"return"}, "keyCode": 40, "keyCodes": []int{40}, "latitude": 1, "longitude": 2,
		"out": filepath.Join(filepath.Dir(f.App), "out"), "step": "s1", "steps": []string{"tap --identifier " + tapped}, "button": "home",
		"scale": 2, "onto": "@e3", "processId": 1, "count": 1,
	}
}

// tapped is a button of the Conformance app.
const tapped = "controls-tap-button"

// rows are what single operations want besides what they require.
func (f Files) rows() map[string]map[string]any {
	app := map[string]any{"bundleId": drivertest.Conformance}
	built := map[string]any{"projectPath": f.Project, "scheme": f.Scheme}
	out := filepath.Join(filepath.Dir(f.App), "film.mp4")
	archive := filepath.Join(filepath.Dir(f.App), "flows.har")
	return map[string]map[string]any{
		"alert":                {"accept": true},
		"audit":                {"steps": []string{"tap --identifier " + tapped}},
		"build_device":         built,
		"build_run_device":     built,
		"build_run_sim":        built,
		"build_sim":            built,
		"clear":                {"identifier": tapped},
		"debug_attach_sim":     app,
		"debug_launch":         {"bundle_id": drivertest.Conformance},
		"drag":                 {"identifier": tapped},
		"erase_sims":           {"shutdownFirst": true},
		"export_flows":         {"out": archive, "force": true},
		"export_logs":          {"out": archive, "force": true, "all": true},
		"fill":                 {"identifier": tapped},
		"grant_permission":     {"bundle_id": drivertest.Conformance, "permission": "photos"},
		"launch_app_device":    app,
		"launch_app_logs_sim":  app,
		"launch_app_sim":       app,
		"logs_start":           {"app": drivertest.Conformance},
		"pasteboard":           {"text": "x"},
		"proxy_run":            built,
		"pull_crashes":         {"udid": Physical},
		"quern_press_button":   {"button": "HOME"},
		"record_sim_video":     {"start": true},
		"record_video":         {"out": out},
		"run":                  built,
		"set_appearance":       {"mode": "dark"},
		"set_crash_hook":       {"argv": []string{"sh"}},
		"show_build":           {"id": "latest"},
		"set_location":         {"latitude": 1, "longitude": 2},
		"set_value":            {"identifier": tapped, "to": "on"},
		"start_device_log_cap": app,
		"start_sim_log_cap":    {"bundleId": drivertest.Conformance, "captureConsole": true},
		"stop_app_sim":         app,
		"test":                 built,
		"test_device":          built,
		"test_sim":             built,
		"use_device":           {"device": Device},
		"uninstall_app":        {"bundle_id": "com.iosagent.shop"}, // the others need the usual one
		"wait_flow":            {"timeout_ms": 0, "soft": true},
		"wait_for_flow":        {"timeout": 0.1},
		"xcode_batch":          {"steps": []map[string]any{{"action": "tap", "elementRef": "e2"}}},
		"xcode_long_press":     {"x": 100, "y": 100},
		"xcode_swipe":          {"x1": 100, "y1": 500, "x2": 100, "y2": 100},
		"xcode_tap":            {"x": 100, "y": 100},
		"xcode_touch":          {"x": 100, "y": 100, "down": true, "up": true},
	}
}
