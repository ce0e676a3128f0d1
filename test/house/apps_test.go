package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ops/apps"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// says fails unless a call is answered with all texts, or refused with them.
func says(h *house.House, t *testing.T, name string, input any, texts ...string) {
	t.Helper()
	e := h.Call("a", name, input)
	answer := e.Stdout
	if e.Error != nil {
		answer = string(e.Error.Code) + ": " + e.Error.Message + " " + e.Error.Hint
	}
	for _, text := range texts {
		if !strings.Contains(answer, text) {
			t.Errorf("%s %v: %s\nwant %q", name, input, answer, text)
		}
	}
}

type in = map[string]any

// Ending an app that does not run is fine and told; one that is not installed is not found.
func TestTerminateReportsWhetherAppRan(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	app := in{"bundle_id": drivertest.Conformance}
	if out := house.Result[apps.AppOut](h, h.Must("a", "terminate_app", app)); out.Status != "terminated" {
		t.Errorf("the first time: %+v", out)
	}
	if out := house.Result[apps.AppOut](h, h.Must("a", "terminate_app", app)); out.Status != "not running" {
		t.Errorf("the second time: %+v", out)
	}
	says(h, t, "terminate_app", app, drivertest.Conformance+" was not running on iPhone")
	says(h, t, "stop_app_sim", in{"simulatorId": udid, "bundleId": drivertest.Conformance},
		drivertest.Conformance+" was not running on iPhone")
	says(h, t, "terminate_app", in{"bundle_id": "com.example.none"}, "APP_NOT_FOUND", "com.example.none")
	for _, name := range []string{"launch_app", "terminate_app", "uninstall_app"} { // simctl would take it for an option
		says(h, t, name, in{"bundle_id": "-x"}, "INVALID_INPUT", "not the bundle id or the name of an app")
	}
	says(h, t, "stop_app_sim", in{"simulatorId": udid, "bundleId": "com.example.none"}, "APP_NOT_FOUND", "com.example.none")
}

// Arguments and environment reach only an app that is started: one that runs is started anew, and that is told.
func TestLaunchWithArgumentsRestarts(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	first := house.Result[apps.AppOut](h, h.Must("a", "launch_app", in{"bundle_id": drivertest.Conformance}))
	again := house.Result[apps.AppOut](h, h.Must("a", "launch_app",
		in{"bundle_id": drivertest.Conformance, "args": []string{"-mode", "x"}}))
	if again.PID == first.PID || again.Status != "relaunched" {
		t.Errorf("with arguments: %+v after %+v", again, first)
	}
	says(h, t, "launch_app", in{"bundle_id": drivertest.Conformance, "env": []string{"GREETING=hi"}}, "relaunched "+drivertest.Conformance)
	says(h, t, "launch_app_sim", in{"simulatorId": udid, "bundleId": drivertest.Conformance, "args": []string{"-y"}},
		"relaunched "+drivertest.Conformance)
	says(h, t, "launch_app", in{"bundle_id": drivertest.Conformance}, "brought "+drivertest.Conformance+" to the front")
	h.Must("a", "terminate_app", in{"bundle_id": drivertest.Conformance})
	says(h, t, "launch_app", in{"bundle_id": drivertest.Conformance, "args": []string{"-y"}}, "launched "+drivertest.Conformance)
}

// An empty value can be waited for, and a sequence of keys is told whole.
func TestWaitMatchesEmptyValue(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	h.Must("a", "tap_element", in{"label": "Text Input"})
	field := in{"identifier": "text-username-field", "condition": "value_equals", "expected": "", "timeout": 0}
	says(h, t, "wait", field, "matched after")
	h.Must("a", "type_text", in{"identifier": "text-username-field", "text": "x"})
	says(h, t, "wait", field, "did not match")
	flags := []string{"wait", "--identifier", "text-username-field", "--condition", "value_equals", "--expected", "", "--timeout", "0"}
	if r := h.CLI("a", flags...); r.Exit != fault.ExitTimeout {
		t.Errorf("by the command line: %+v", r)
	}
	if r := h.CLI("a", append(flags, "--soft")...); r.Exit != 0 {
		t.Errorf("by the command line: %+v", r)
	}
	says(h, t, "wait", in{"identifier": "text-username-field", "condition": "value_equals"}, "INVALID_INPUT", "needs expected")
	says(h, t, "core_key_sequence", in{"keys": []string{"a", "b", "c"}}, "press a b c")
	says(h, t, "xcode_key_sequence", in{"simulatorId": udid, "keyCodes": []int{4, 5, 6}, "delay": 0.01}, "press a b c")
}

// TestAppNameSelectsAppInAnyCase: whoever types a name means the app of that name, whatever its case. Of two with one name nobody is
// chosen.
func TestAppNameSelectsAppInAnyCase(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	shop := h.Files().App
	h.Must("a", "install_app", in{"app_path": shop})
	for _, c := range []struct {
		op    string
		input in
	}{
		{"launch_app", in{"bundle_id": "shop"}},
		{"grant_permission", in{"bundle_id": "Shop", "permission": "photos"}},
		{"terminate_app", in{"bundle_id": "SHOP"}},
	} {
		says(h, t, c.op, c.input, "com.iosagent.shop")
	}
	says(h, t, "launch_app", in{"bundle_id": "Shpo"}, "APP_NOT_FOUND", "Shop")

	info := filepath.Join(shop, "Info.plist")
	text, err := os.ReadFile(info)
	if err == nil {
		err = os.WriteFile(info, []byte(strings.ReplaceAll(string(text), "com.iosagent.shop", "com.example.shop")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.Must("a", "install_app", in{"app_path": shop})
	for _, name := range []string{"launch_app", "terminate_app", "uninstall_app"} {
		says(h, t, name, in{"bundle_id": "Shop"}, "APP_AMBIGUOUS", "com.iosagent.shop", "com.example.shop")
	}
	says(h, t, "launch_app", in{"bundle_id": "com.example.shop", "udid": udid}, "com.example.shop")
}
