package settings_test

import (
	"errors"
	"slices"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ops/settings"
	"ios-agent/test/fakedevice"
)

// room is the operations on settings over one simulator.
func room(t *testing.T) (*fakedevice.Room, *fakedevice.Phone) {
	t.Helper()
	ann := fakedevice.New(fakedevice.Simulator("A", "Ann", device.Booted))
	ann.Installed = []device.App{{Bundle: "com.example.shop", Name: "Shop"}}
	return fakedevice.Open(t, settings.New(fakedevice.Reach(t, ann)).Ops()), ann
}

func did(t *testing.T, what string, p *fakedevice.Phone, want ...string) {
	t.Helper()
	if got := p.Did(); !slices.Equal(got, want) {
		t.Errorf("%s: the device was told %q, want %q", what, got, want)
	}
}

func TestSettingsAreSentToDeviceAndReported(t *testing.T) {
	for _, c := range []struct {
		name, input, said string
		did               []string
	}{
		{"set_location", `{"latitude":37.5,"longitude":-122.25}`, "location 37.5, -122.25 on Ann", []string{"SetLocation 37.5 -122.25"}},
		{"set_location", `{"latitude":-90,"longitude":180}`, "location -90, 180 on Ann", []string{"SetLocation -90 180"}},
		{"set_location", `{"clear":true}`, "location cleared on Ann", []string{"ClearLocation"}},
		{"grant_permission", `{"bundle_id":"com.example.shop","permission":"photos"}`, "grant photos com.example.shop on Ann",
			[]string{"Permit grant photos com.example.shop"}},
		{"grant_permission", `{"bundle_id":"Shop","permission":"siri","action":"revoke"}`, "revoke siri com.example.shop on Ann",
			[]string{"Permit revoke siri com.example.shop"}},
		{"grant_permission", `{"bundle_id":"all","action":"reset"}`, "reset all on Ann", []string{"Permit reset all"}},
		{"grant_permission", `{"permission":"all","action":"reset"}`, "reset all on Ann", []string{"Permit reset all"}},
		{"set_status_bar", `{"time":"9:41","battery_level":0}`, "status bar overridden on Ann",
			[]string{"OverrideStatusBar map[batteryLevel:0 time:9:41]"}},
		{"set_status_bar", `{"data_network":"5g","wifi_bars":3,"cellular_bars":4,"operator":"O","battery_state":"charged"}`,
			"status bar overridden on Ann",
			[]string{"OverrideStatusBar map[batteryState:charged cellularBars:4 dataNetwork:5g operatorName:O wifiBars:3]"}},
		{"set_status_bar", `{"clear":true,"time":"9:41"}`, "status bar shows the real values on Ann", []string{"OverrideStatusBar map[]"}},
		{"push", `{"bundle_id":"Shop","title":"Sale","body":"Now","badge":0}`, "notification sent to com.example.shop on Ann",
			[]string{`Push com.example.shop {"aps":{"alert":{"body":"Now","title":"Sale"},"badge":0}}`}},
		{"push", `{"bundle_id":"com.a.b","body":"Now"}`, "notification sent to com.a.b on Ann",
			[]string{`Push com.a.b {"aps":{"alert":{"body":"Now"}}}`}},
		{"push", `{"bundle_id":"com.a.b","title":"T"}`, "notification sent to com.a.b on Ann",
			[]string{`Push com.a.b {"aps":{"alert":{"title":"T"}}}`}},
		{"push", `{"bundle_id":"com.a.b","payload":"{ \"aps\":{},\"x\":1 }"}`, "notification sent to com.a.b on Ann",
			[]string{`Push com.a.b { "aps":{},"x":1 }`}},
		{"pasteboard", `{}`, `pasteboard: "before\n"`, []string{"Paste"}},
		{"pasteboard", `{"text":"now"}`, `pasteboard: "now"`, []string{"Copy now", "Paste"}},
		{"pasteboard", `{"text":""}`, `pasteboard: ""`, []string{"Copy", "Paste"}},
		{"set_appearance", `{}`, "appearance light, text size large, increased contrast disabled on Ann",
			[]string{"Look appearance", "Look content_size", "Look increase_contrast"}},
		{"set_appearance", `{"mode":"dark","text_size":"small","increase_contrast":"enabled"}`,
			"appearance dark, text size small, increased contrast enabled on Ann",
			[]string{"SetLook appearance dark", "Look appearance", "SetLook content_size small", "Look content_size",
				"SetLook increase_contrast enabled", "Look increase_contrast"}},
		{"prepare_device", `{}`, "1 of 2 settings made on Ann", []string{"Prepare"}},
		{"prepare_device", `{"restore":true}`, "1 of 2 settings restored on Ann", []string{"Restore"}},
	} {
		run, ann := room(t)
		ann.Board = "before\n"
		ann.Set = map[string]string{"appearance": "light", "content_size": "large", "increase_contrast": "disabled"}
		ann.Adjusts = []device.Adjusted{{Setting: "one", Value: "1"}, {Setting: "two", Error: "no"}}
		run.Says(c.name, c.input, c.said)
		did(t, c.name+" "+c.input, ann, c.did...)
	}
}

func TestSettingsReturnAppliedValues(t *testing.T) {
	run, ann := room(t)
	ann.Set = map[string]string{"appearance": "light", "content_size": "large", "increase_contrast": "disabled"}
	ann.Adjusts = []device.Adjusted{{Setting: "one", Value: "1"}}
	for _, c := range []struct {
		name, input string
		want        map[string]any
	}{
		{"set_location", `{"latitude":1,"longitude":2}`, map[string]any{"status": "ok", "udid": "A", "latitude": 1.0, "longitude": 2.0}},
		{"set_location", `{"clear":true}`, map[string]any{"status": "ok", "latitude": nil, "longitude": nil}},
		{"grant_permission", `{"bundle_id":"Shop","permission":"photos"}`,
			map[string]any{"bundle_id": "com.example.shop", "permission": "photos", "action": "grant", "udid": "A"}},
		{"grant_permission", `{"bundle_id":"siri","action":"reset"}`, map[string]any{"bundle_id": "", "permission": "siri", "action": "reset"}},
		{"set_appearance", `{"mode":"dark"}`,
			map[string]any{"mode": "dark", "text_size": "large", "increase_contrast": "disabled", "status": "ok", "udid": "A"}},
		{"pasteboard", `{"text":"x"}`, map[string]any{"text": "x", "status": "ok"}},
	} {
		got := run.Result(c.name, c.input)
		for key, want := range c.want {
			if got[key] != want {
				t.Errorf("%s %s: got %s %v, want %v", c.name, c.input, key, got[key], want)
			}
		}
	}
	if got, _ := run.Result("prepare_device", `{}`)["settings"].([]any); len(got) != 1 {
		t.Errorf("prepare_device: got the settings %v, want one", got)
	}
}

func TestSettingsRefuseWrongInputs(t *testing.T) {
	for _, c := range []struct {
		name, input string
		words       []string
		field       string
	}{
		{"set_location", `{}`, []string{"latitude", "clear"}, ""},
		{"set_location", `{"latitude":1}`, []string{"a place is a latitude and a longitude"}, "longitude"},
		{"set_location", `{"latitude":90.5,"longitude":1}`, []string{"latitude"}, ""},
		{"set_location", `{"latitude":1,"longitude":180.5}`, []string{"longitude"}, ""},
		{"set_location", `{"latitude":1,"longitude":1,"clear":true}`, []string{"clear"}, ""},
		{"grant_permission", `{}`, []string{"permission is missing", "one of all, calendar"}, "permission"},
		{"grant_permission", `{"bundle_id":"com.a.b"}`, []string{"permission is missing"}, "permission"},
		{"grant_permission", `{"bundle_id":"com.a.b","permission":"photo"}`,
			[]string{`not "photo"`, "did you mean photos"}, "permission"},
		{"grant_permission", `{"bundle_id":"com.a.b","permission":"zzzzzzzz"}`,
			[]string{"zzzzzzzz", "permission must be one of all"}, "permission"},
		{"grant_permission", `{"permission":"photos"}`, []string{"grant needs bundle_id"}, "bundle_id"},
		{"grant_permission", `{"permission":"photos","action":"revoke"}`, []string{"revoke needs bundle_id"}, "bundle_id"},
		{"grant_permission", `{"bundle_id":"-x","permission":"photos"}`, []string{`"-x" is not the bundle id`}, "bundle_id"},
		{"set_appearance", `{"mode":"pink"}`, []string{"mode"}, ""},
		{"set_appearance", `{"text_size":"huge"}`, []string{"text_size"}, ""},
		{"set_status_bar", `{}`, []string{"clear", "time"}, ""},
		{"set_status_bar", `{"wifi_bars":4}`, []string{"wifi_bars"}, ""},
		{"set_status_bar", `{"battery_level":101}`, []string{"battery_level"}, ""},
		{"push", `{"bundle_id":"com.a.b"}`, []string{"title", "body", "payload"}, ""},
		{"push", `{"bundle_id":"com.a.b","badge":1,"payload":"{}"}`, []string{"badge"}, ""},
		{"push", `{"bundle_id":"com.a.b","payload":"[]"}`, []string{"payload is not a JSON object"}, "payload"},
		{"push", `{"bundle_id":"com.a.b","payload":"{}"}`, []string{"payload has no aps object"}, "payload"},
		{"push", `{"bundle_id":"com.a.b","payload":"{\"aps\":1}"}`, []string{"payload has no aps object"}, "payload"},
		{"push", `{"bundle_id":"a/b","body":"x"}`, []string{`"a/b" is not the bundle id`}, "bundle_id"},
	} {
		run, ann := room(t)
		f := run.Refused(c.name, c.input, fault.InvalidInput, c.words...)
		if field, _ := f.Details["field"].(string); c.field != "" && field != c.field {
			t.Errorf("%s %s: got the field %q, want %q", c.name, c.input, field, c.field)
		}
		did(t, c.name+" "+c.input, ann)
	}
}

func TestSettingsReportUnsupportedAbility(t *testing.T) {
	bare := fakedevice.Bare{Is: fakedevice.Simulator("A", "Ann", device.Booted), By: "xctest"}
	run := fakedevice.Open(t, settings.New(fakedevice.Reach(t, bare)).Ops())
	for name, c := range map[string][2]string{
		"set_location":     {`{"clear":true}`, "set the location"},
		"grant_permission": {`{"bundle_id":"all","action":"reset"}`, "change what apps may do"},
		"set_appearance":   {`{}`, "change the appearance"}, "set_status_bar": {`{"clear":true}`, "change the appearance and the status bar"},
		"push": {`{"bundle_id":"com.a.b","body":"x"}`, "send push notifications"}, "pasteboard": {`{}`, "read and write the pasteboard"},
		"prepare_device": {`{}`, "prepare the device for automation"},
	} {
		run.Refused(name, c[0], fault.Unsupported, "Ann (A)", "cannot "+c[1])
	}
}

func TestFaultOfTheDeviceReachesTheCaller(t *testing.T) {
	for _, c := range []struct{ method, name, input string }{
		{"SetLocation", "set_location", `{"latitude":1,"longitude":1}`}, {"ClearLocation", "set_location", `{"clear":true}`},
		{"Permit", "grant_permission", `{"bundle_id":"all","action":"reset"}`}, {"SetLook", "set_appearance", `{"mode":"dark"}`},
		{"Look", "set_appearance", `{}`}, {"OverrideStatusBar", "set_status_bar", `{"clear":true}`},
		{"Push", "push", `{"bundle_id":"com.a.b","body":"x"}`}, {"Copy", "pasteboard", `{"text":"x"}`}, {"Paste", "pasteboard", `{}`},
		{"Prepare", "prepare_device", `{}`}, {"Restore", "prepare_device", `{"restore":true}`},
		{"List", "push", `{"bundle_id":"Shop","body":"x"}`}, {"List", "grant_permission", `{"bundle_id":"Shop","permission":"photos"}`},
	} {
		run, ann := room(t)
		ann.Fails[c.method] = fault.New(fault.ToolFailed, "%s says no", c.method)
		run.Refused(c.name, c.input, fault.ToolFailed, c.method+" says no")
	}
	run, ann := room(t)
	ann.Fails["Copy"] = errors.New("no")
	run.As("a", "pasteboard", `{"text":"x"}`)
	did(t, "a copy that fails", ann, "Copy x")
	ann.Fails["Look"] = errors.New("no")
	run.As("a", "set_appearance", `{"text_size":"small"}`)
	did(t, "a look that fails", ann, "Look appearance")
}

func TestRestoreWithoutPrepareChangesNothing(t *testing.T) {
	run, ann := room(t)
	ann.Adjusts = nil
	run.Says("prepare_device", `{"restore":true}`, "nothing to restore on Ann: it was not prepared")
	run.Says("prepare_device", `{}`, "0 of 0 settings made on Ann")
}
