package apps_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// room is the operations on apps over one simulator.
type room struct {
	*fakedevice.Room
	*apps.Apps
	ann   *fakedevice.Phone
	reach access.Access
}

func shop(t *testing.T, state string) room {
	t.Helper()
	ann := fakedevice.New(fakedevice.Simulator("A", "Ann", state))
	ann.Installed = []device.App{
		{Bundle: "com.example.shop", Name: "Shop", Type: "User"}, {Bundle: "com.example.mail", Name: "Mail", Type: "User", PID: 5},
		{Bundle: "com.apple.Preferences", Name: "Settings", Type: "System"},
	}
	ann.PID, ann.Screen = 42, screen("com.example.shop")
	return over(t, ann, ann)
}

func over(t *testing.T, ann *fakedevice.Phone, on device.Device) room {
	t.Helper()
	reach := fakedevice.Reach(t, on)
	all := apps.New(reach)
	return room{fakedevice.Open(t, all.Ops()), all, ann, reach}
}

func screen(app string) *ui.Screen {
	root := &ui.Node{Type: "Application", Label: "Shop", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
		{Type: "Button", Label: "Buy", Frame: ui.Rect{Y: 50, W: 100, H: 40}},
	}}
	return ui.NewScreen(app, "running_foreground", root)
}

// did checks what the device was told, besides to be looked at.
func (r room) did(what string, want ...string) {
	r.T.Helper()
	got := slices.DeleteFunc(r.ann.Did(), func(said string) bool { return said == "Observe" })
	if !slices.Equal(got, want) {
		r.T.Errorf("%s: the device was told %q, want %q", what, got, want)
	}
}

func (r room) chosen() session.Choice { return r.reach.Sessions.Get("a").Choice() }

func TestInstallBootsOnlyNamedDevice(t *testing.T) {
	for _, c := range []struct {
		state, input, said string
		did                []string
		chosen             bool
	}{
		{device.Booted, `{"app_path":"/x/Shop.app"}`, "installed com.installed.Shop on Ann", []string{"Install /x/Shop.app"}, false},
		{device.Booted, `{"app_path":"/x/Shop.app","udid":"A"}`, "installed com.installed.Shop on Ann",
			[]string{"Boot", "Install /x/Shop.app"}, true},
		{"shutdown", `{"app_path":"/x/Shop.app","sim":"Ann"}`, "installed com.installed.Shop on Ann, which was booted for it",
			[]string{"Boot", "Install /x/Shop.app"}, true},
	} {
		r := shop(t, c.state)
		r.Says("install_app", c.input, c.said)
		r.did(c.input, c.did...)
		if got := r.chosen() == (session.Choice{UDID: "A", Name: "Ann"}); got != c.chosen {
			t.Errorf("%s: got the choice %+v, want Ann: %v", c.input, r.chosen(), c.chosen)
		}
	}
	r := shop(t, device.Booted)
	out := r.Result("install_app", `{"app_path":"/x/Shop.app"}`)
	if out["app_path"] != "/x/Shop.app" || out["udid"] != "A" || out["bundle_id"] != "com.installed.Shop" {
		t.Errorf("got %v, want the path, the device and the bundle id", out)
	}
}

func TestLaunchStartsAnAppAndShowsIt(t *testing.T) {
	for _, c := range []struct {
		what, state, input, said string
		did                      []string
		chosen                   bool
	}{
		{"by name", device.Booted, `{"bundle_id":"shop"}`, "launched com.example.shop on Ann (pid 42)",
			[]string{"Launch com.example.shop [] [] false"}, false},
		{"by id", device.Booted, `{"bundle_id":"com.example.shop"}`, "launched com.example.shop on Ann (pid 42)",
			[]string{"Launch com.example.shop [] [] false"}, false},
		{"a device that is off", "shutdown", `{"bundle_id":"Shop","udid":"A"}`,
			"launched com.example.shop on Ann, which was booted for it (pid 42)", []string{"Boot", "Launch com.example.shop [] [] false"}, true},
		{"a device that is named", device.Booted, `{"bundle_id":"Shop","sim":"Ann"}`, "launched com.example.shop on Ann (pid 42)",
			[]string{"Boot", "Launch com.example.shop [] [] false"}, true},
		{"arguments", device.Booted, `{"bundle_id":"Shop","args":["-x","y"],"env":["B=2","A=1"]}`, "launched com.example.shop on Ann (pid 42)",
			[]string{"Launch com.example.shop [-x y] [A=1 B=2] false"}, false},
		{"arguments for one that runs", device.Booted, `{"bundle_id":"Mail","args":["-x"]}`,
			"relaunched com.example.mail on Ann, for its new arguments or environment (pid 42)",
			[]string{"Launch com.example.mail [-x] [] true"}, false},
		{"an environment for one that runs", device.Booted, `{"bundle_id":"Mail","env":["A=1"]}`,
			"relaunched com.example.mail on Ann, for its new arguments or environment (pid 42)",
			[]string{"Launch com.example.mail [] [A=1] true"}, false},
		{"one that runs", device.Booted, `{"bundle_id":"Mail"}`, "launched com.example.mail on Ann (pid 42)",
			[]string{"Launch com.example.mail [] [] false"}, false},
		{"a restart", device.Booted, `{"bundle_id":"Mail","args":["-x"],"restart":true}`, "launched com.example.mail on Ann (pid 42)",
			[]string{"Launch com.example.mail [-x] [] true"}, false},
	} {
		r := shop(t, c.state)
		e := r.As("a", "launch_app", c.input)
		if e.Error != nil {
			t.Errorf("%s: got %s: %s, want success", c.what, e.Error.Code, e.Error.Message)
			continue
		}
		line, rest, _ := strings.Cut(e.Stdout, "\n")
		if line != c.said || !strings.Contains(rest, `button "Buy" [ref=e1]`) {
			t.Errorf("%s: got %q and the screen %q, want %q and its button", c.what, line, rest, c.said)
		}
		r.did(c.what, c.did...)
		if got := r.chosen().UDID == "A"; got != c.chosen {
			t.Errorf("%s: got the choice %+v, want Ann: %v", c.what, r.chosen(), c.chosen)
		}
	}
}

// The process is the same: a launch said nothing of whether the app started anew or had only been in the background.
func TestLaunchReportsAppAlreadyRunning(t *testing.T) {
	r := shop(t, device.Booted)
	for _, want := range []string{
		"launched com.example.shop on Ann (pid 42)", "brought com.example.shop to the front on Ann, where it was running (pid 42)",
	} {
		if got, _, _ := strings.Cut(r.As("a", "launch_app", `{"bundle_id":"shop"}`).Stdout, "\n"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLaunchPassesClientSimctlVariables(t *testing.T) {
	r := shop(t, device.Booted)
	call := op.Call{Session: "a", Env: map[string]string{"SIMCTL_CHILD_A": "1", "HOME": "/x"}}
	if e := r.By(call, "launch_app", `{"bundle_id":"Mail"}`); e.Error != nil {
		t.Fatal(e.Error)
	}
	r.did("the client's variables alone restart nothing", "Launch com.example.mail [] [A=1] false")
}

func TestLaunchRefusesInvalidInputBeforeDeviceCall(t *testing.T) {
	r := shop(t, device.Booted)
	r.Refused("launch_app", `{"bundle_id":"-x"}`, fault.InvalidInput, `"-x" is not the bundle id`)
	r.Refused("launch_app", `{"bundle_id":"Shop","env":["DYLD_X=1"]}`, fault.Forbidden, "DYLD_X makes an app run other code")
	r.Refused("launch_app", `{"bundle_id":"Shop","env":["x"]}`, fault.InvalidInput, "NAME=VALUE")
	r.Refused("launch_app", `{"bundle_id":"Shap"}`, fault.AppNotFound, `"Shap"`, "did you mean Shop")
	r.Refused("launch_app", `{"bundle_id":"com.example.shap","args":["x"]}`, fault.AppNotFound, "is not installed on Ann", "com.example.shop")
	r.Refused("launch_app", `{"bundle_id":"Shop","udid":"X"}`, fault.DeviceNotFound, `"X"`)
	r.did("refused")
	r.ann.Fails["Launch"] = fault.New(fault.AppNotFound, "the tool says no")
	r.Refused("launch_app", `{"bundle_id":"com.example.shap"}`, fault.AppNotFound, "com.example.shap is not installed on Ann",
		"com.example.shop")
	r.Refused("launch_app", `{"bundle_id":"Shop","udid":"A"}`, fault.AppNotFound, "the tool says no")
	r.ann.Fails["Boot"] = fault.New(fault.ToolFailed, "no power")
	r.Refused("launch_app", `{"bundle_id":"Shop","udid":"A"}`, fault.ToolFailed, "no power")
	r.Refused("install_app", `{"app_path":"/x/Shop.app","udid":"A"}`, fault.ToolFailed, "no power")
	if got := r.chosen(); got != (session.Choice{}) {
		t.Errorf("got the choice %+v, want none", got)
	}
}

func TestLaunchSucceedsWithoutAppOnScreen(t *testing.T) {
	for _, c := range []struct {
		what   string
		screen *ui.Screen
		err    error
		note   string
	}{
		{"another app in front", screen("com.apple.springboard"), nil, "com.example.shop is not in front"},
		{"a screen of no app", screen(""), nil, ""},
		{"a dark screen", nil, errors.New("dark"), "cannot read the screen: dark"},
		{"no agent", nil, fault.New(fault.AgentNotRunning, "none"), ""},
	} {
		r := shop(t, device.Booted)
		r.ann.Screen = c.screen
		if c.err != nil {
			r.ann.Fails["Observe"] = c.err
		}
		out := r.Result("launch_app", `{"bundle_id":"Shop"}`)
		note, _ := out["note"].(string)
		if _, outlined := out["outline"]; note != c.note || outlined != (c.err == nil) {
			t.Errorf("%s: got the note %q and an outline %v, want %q and %v", c.what, note, outlined, c.note, c.err == nil)
		}
	}
}

// blind is a phone that nobody can look at.
type blind struct {
	fakedevice.Bare
	device.Apps
}

func TestLaunchWorksWithoutScreenReading(t *testing.T) {
	ann := fakedevice.New(fakedevice.Simulator("A", "Ann", device.Booted))
	ann.PID = 7
	r := over(t, ann, blind{fakedevice.Bare{Is: ann.Info(), By: "devicectl"}, ann})
	r.Says("launch_app", `{"bundle_id":"com.a.b","udid":"A","args":["x"]}`, "launched com.a.b on Ann (pid 7)")
	r.did("blind", "Launch com.a.b [x] [] false")
	r.Says("terminate_app", `{"bundle_id":"com.a.b"}`, "terminated com.a.b on Ann")
	r.did("a device without a list", "Terminate com.a.b")
	r.Refused("uninstall_app", `{"bundle_id":"com.a.b"}`, fault.Unsupported, "cannot list and remove apps")
	r.Refused("list_apps", `{}`, fault.Unsupported, "cannot list and remove apps")
	r.Refused("open", `{"url":"https://a.b"}`, fault.Unsupported, "cannot open URLs")
}

func TestTerminateSkipsAppThatIsNotRunning(t *testing.T) {
	r := shop(t, device.Booted)
	r.Says("terminate_app", `{"bundle_id":"Mail"}`, "terminated com.example.mail on Ann")
	r.did("one that runs", "Terminate com.example.mail")
	r.Says("terminate_app", `{"bundle_id":"com.example.shop"}`, "com.example.shop was not running on Ann")
	r.did("one that does not")
	r.Refused("terminate_app", `{"bundle_id":"com.example.shap"}`, fault.AppNotFound, "is not installed on Ann", "com.example.shop")
	r.Refused("terminate_app", `{"bundle_id":"Shap"}`, fault.AppNotFound, `"Shap"`)
	r.Refused("terminate_app", `{"bundle_id":"a/b"}`, fault.InvalidInput, `"a/b"`)
	r.ann.Fails["Terminate"] = fault.New(fault.ToolFailed, "stuck")
	r.Refused("terminate_app", `{"bundle_id":"Mail"}`, fault.ToolFailed, "stuck")
}

func TestUninstallRemovesAnApp(t *testing.T) {
	r := shop(t, device.Booted)
	r.Says("uninstall_app", `{"bundle_id":"Shop"}`, "uninstalled com.example.shop on Ann")
	r.did("uninstall", "Uninstall com.example.shop")
	r.Refused("uninstall_app", `{"bundle_id":"-x"}`, fault.InvalidInput, `"-x"`)
	r.Refused("uninstall_app", `{"bundle_id":"Shap"}`, fault.AppNotFound, `"Shap"`)
	r.did("refused")
	r.ann.Fails["Uninstall"] = fault.New(fault.AppNotFound, "the tool says no")
	r.Refused("uninstall_app", `{"bundle_id":"com.example.shap"}`, fault.AppNotFound, "is not installed on Ann", "com.example.shop")
}

func TestListAppsHidesSystemAppsInItsText(t *testing.T) {
	r := shop(t, device.Booted)
	r.Says("list_apps", `{}`,
		"3 apps on Ann\ncom.example.shop  \"Shop\"\ncom.example.mail  \"Mail\"  running (pid 5)\nand 1 system apps: "+
			hint.Do("list_apps", "all", true))
	r.Says("list_apps", `{"all":true}`,
		"3 apps on Ann\ncom.example.shop  \"Shop\"\ncom.example.mail  \"Mail\"  running (pid 5)\ncom.apple.Preferences  \"Settings\"")
	out := r.Result("list_apps", `{}`)
	if all, _ := out["apps"].([]any); len(all) != 3 || out["udid"] != "A" {
		t.Errorf("got %v, want all three apps of A", out)
	}
	if e, err := r.reach.Pool.Entry(t.Context(), "A"); err != nil || e.ClaimedBy != "" {
		t.Errorf("got the holder %q and %v, want none: it only looks", e.ClaimedBy, err)
	}
	r.ann.Fails["List"] = fault.New(fault.ToolFailed, "unplugged")
	r.Refused("list_apps", `{}`, fault.ToolFailed, "unplugged")
}

func TestOpenTakesAURLOrAnApp(t *testing.T) {
	r := shop(t, device.Booted)
	for _, c := range []struct{ what, said, did string }{
		{"https://a.b/c?d", "opened https://a.b/c?d on Ann", "OpenURL https://a.b/c?d"},
		{"shop://item/7", "opened shop://item/7 on Ann", "OpenURL shop://item/7"},
		{"Shop", "opened com.example.shop on Ann (pid 42)", "Launch com.example.shop [] [] false"},
		{"com.example.mail", "opened com.example.mail on Ann (pid 42)", "Launch com.example.mail [] [] false"},
	} {
		r.Says("open", `{"url":"`+c.what+`"}`, c.said)
		r.did(c.what, c.did)
	}
	r.Refused("open", `{"url":"Shap"}`, fault.AppNotFound, `"Shap"`, "did you mean Shop")
	r.ann.Fails["OpenURL"] = fault.New(fault.ToolFailed, "no handler")
	r.Refused("open", `{"url":"x://y"}`, fault.ToolFailed, "no handler")
	r.ann.Fails["Launch"] = fault.New(fault.AppNotFound, "the tool says no")
	r.Refused("open", `{"url":"com.example.shap"}`, fault.AppNotFound, "is not installed on Ann")
}

func TestInstallAndLaunchStopsAtFirstFailure(t *testing.T) {
	r := shop(t, "shutdown")
	booted := false
	in := apps.InstallAndLaunchIn{
		Target: target.Target{UDID: "A"}, Path: "/x/Shop.app", How: device.Launch{Args: []string{"-x"}},
		Booted: func() { booted = r.ann.Info().State == device.Booted },
	}
	out, err := r.InstallAndLaunch(t.Context(), &op.Call{Session: "a"}, in)
	if err != nil || out.Status != "launched" || out.Bundle != "com.installed.Shop" || out.PID != 42 || out.UDID != "A" {
		t.Errorf("got %+v and %v, want the app launched on A", out, err)
	}
	r.did("install and launch", "Boot", "Install /x/Shop.app", "Launch com.installed.Shop [-x] [] false")
	if !booted || r.chosen().UDID != "A" {
		t.Errorf("got told of the boot %v and the choice %+v, want both", booted, r.chosen())
	}
	for method, want := range map[string]int{"Boot": 1, "Install": 2, "Launch": 3} {
		r := shop(t, "shutdown")
		r.ann.Fails[method] = fault.New(fault.ToolFailed, "%s says no", method)
		in.Booted = nil
		_, err := r.InstallAndLaunch(t.Context(), &op.Call{Session: "a"}, in)
		fakedevice.WantFault(t, method, fault.From(err), fault.ToolFailed, method+" says no")
		if got := len(r.ann.Did()); got != want || r.chosen() != (session.Choice{}) {
			t.Errorf("%s: got %d steps and the choice %+v, want %d and none", method, got, r.chosen(), want)
		}
	}
}

func TestEndProcessPassesPIDToDevice(t *testing.T) {
	r := shop(t, device.Booted)
	out, err := r.EndProcess(t.Context(), &op.Call{Session: "a"}, target.Target{}, 9)
	if err != nil || out.UDID != "A" {
		t.Errorf("got %+v and %v, want success on A", out, err)
	}
	r.did("end", "EndProcess 9")
}

func TestAppsAreUnsupportedWithoutAnAppDriver(t *testing.T) {
	r := over(t, nil, fakedevice.Bare{Is: fakedevice.Simulator("A", "Ann", device.Booted), By: "x"})
	for name, input := range map[string]string{
		"install_app": `{"app_path":"/x"}`, "launch_app": `{"bundle_id":"a.b"}`, "terminate_app": `{"bundle_id":"a.b"}`, "open": `{"url":"a"}`,
	} {
		r.Refused(name, input, fault.Unsupported, "cannot install, launch and end apps")
	}
}

func TestMacAppRefusesInvalidVariable(t *testing.T) {
	_, err := apps.NewMacApps(nil).Open(t.Context(), &op.Call{}, "/x.app", target.LaunchHow{Env: []string{"x"}}, false)
	fakedevice.WantFault(t, "no value", fault.From(err), fault.InvalidInput, `env "x" is not NAME=VALUE`)
}
