package wda_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// pointer is a finger that does steps.
func pointer(steps ...any) dict {
	return dict{"type": "pointer", "id": "f", "parameters": dict{"pointerType": "touch"}, "actions": steps}
}

func moveTo(x, y, took float64) dict {
	return dict{"type": "pointerMove", "x": x, "y": y, "duration": took, "origin": "viewport"}
}

func wait(ms float64) dict { return dict{"type": "pause", "duration": ms} }

var down, up = dict{"type": "pointerDown", "button": 0}, dict{"type": "pointerUp", "button": 0}

// TestTouchActionsReachWorld: what fingers do reaches the world as what a phone makes of it.
func TestTouchActionsReachWorld(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.start("Controls")
	x, y := p.centre("controls-tap-button")
	perform := func(sources ...any) answer { t.Helper(); return p.ask("POST", "~/actions", dict{"actions": sources}) }
	reached := func(since int, kinds ...world.InputKind) {
		t.Helper()
		var got []world.InputKind
		later, _ := p.world.Inputs(p.udid, since)
		for _, in := range later {
			got = append(got, in.Kind)
		}
		if !slices.Equal(got, kinds) {
			t.Errorf("%v, want %v", got, kinds)
		}
	}
	for name, c := range map[string]struct {
		sources []any
		kinds   []world.InputKind
	}{
		"tap":       {[]any{pointer(moveTo(x, y, 0), down, wait(50), up)}, []world.InputKind{world.InputTap}},
		"move down": {[]any{pointer(moveTo(x, y, 0), up)}, []world.InputKind{world.InputTap}},
		"double tap": {[]any{pointer(moveTo(x, y, 0), down, wait(50), up, wait(100), down, wait(50), up)},
			[]world.InputKind{world.InputTap, world.InputTap}},
		"two taps": {[]any{pointer(moveTo(x, y, 0), down, wait(50), up, wait(900), moveTo(x, y, 0), down, up)},
			[]world.InputKind{world.InputTap, world.InputTap}},
		"press": {[]any{pointer(moveTo(x, y, 0), down, wait(1500), up)}, []world.InputKind{world.InputHold}},
		"swipe": {[]any{pointer(moveTo(x, y, 0), down, moveTo(x, y-100, 300), up)}, []world.InputKind{world.InputSwipe}},
		"drag":  {[]any{pointer(moveTo(x, y, 0), down, wait(800), moveTo(x, y-100, 300), wait(100), up)}, []world.InputKind{world.InputDrag}},
		"pinch": {[]any{pointer(moveTo(x-20, y, 0), down, moveTo(x-60, y, 400), up), pointer(moveTo(x+20, y, 0), down, moveTo(x+60, y, 400), up)},
			[]world.InputKind{world.InputPinch}},
		"from an element": {[]any{pointer(dict{"type": "pointerMove", "x": 1, "y": 1,
			"origin": dict{"element-6066-11e4-a52e-4f735466cecf": p.find("accessibility id", "controls-tap-button")}}, down, up)},
			[]world.InputKind{world.InputTap}},
		"from the last place": {[]any{pointer(moveTo(x-5, y, 0), dict{"type": "pointerMove", "x": 5, "y": 0, "origin": "pointer"}, down, up)},
			nil},
	} {
		_, count := p.world.Inputs(p.udid, 0)
		if a := perform(c.sources...); a.status != 200 {
			t.Errorf("%s: %s", name, a.Value)
		} else if c.kinds != nil {
			reached(count, c.kinds...)
		}
		p.settle()
	}
	_, count := p.world.Inputs(p.udid, 0)
	for name, source := range map[string]any{
		"mouse":   dict{"type": "pointer", "id": "m", "parameters": dict{"pointerType": "mouse"}, "actions": []any{moveTo(x, y, 0), down, up}},
		"nothing": pointer(),
		"up":      pointer(up),
		"down":    pointer(down, up),
		"half":    pointer(dict{"type": "pointerMove", "x": 1}, down, up),
		"back":    pointer(moveTo(x, y, -5), down, up),
		"wheel":   dict{"type": "wheel", "id": "w", "actions": []any{dict{"type": "scroll"}}},
		"keys":    dict{"type": "key", "id": "k", "actions": []any{dict{"type": "keyDown", "value": "a"}}},
	} {
		if a := perform(source); a.status != 400 || a.no() != "invalid argument" {
			t.Errorf("%s: %d %s", name, a.status, a.Value)
		}
	}
	reached(count)
}

// TestAlertCommandsReadAndAnswerAlerts: the alert of the app, and one of the system over it, which the tree of the app has not.
func TestAlertCommandsReadAndAnswerAlerts(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.start("Navigation")
	p.refused(p.ask("GET", "~/alert/text", nil), 404, "no such alert")
	p.refused(p.ask("POST", "~/alert/accept", dict{}), 404, "no such alert")
	p.post("~/element/"+p.find("accessibility id", "nav-alert-button")+"/click", nil)
	p.settle()
	if text := p.get("~/alert/text").text(); text == "" {
		t.Error("the alert has no text")
	}
	if text := string(p.get("~/wda/alert/buttons").Value); !strings.Contains(text, `"OK"`) {
		t.Error(text)
	}
	p.refused(p.ask("POST", "~/alert/accept", dict{"name": "Perhaps"}), 400, "invalid element state")
	p.post("~/alert/accept", dict{"name": "OK"})
	p.shows("Alert confirmed")

	if err := p.world.AddFault(flaw.Fault{Name: flaw.SystemAlert, Device: p.udid}); err != nil {
		t.Fatal(err)
	}
	p.post("~/wda/tap", dict{"x": 5, "y": 5})
	p.settle()
	if text := p.get("~/alert/text").text(); text == "" {
		t.Error("the system's alert has no text")
	}
	if text := p.get("~/source").text(); strings.Contains(text, "XCUIElementTypeAlert") {
		t.Error("the app's tree has the system's alert")
	}
	p.post("~/appium/settings", dict{"settings": dict{"defaultActiveApplication": world.SpringBoard}})
	if text := p.get("~/source").text(); !strings.Contains(text, "XCUIElementTypeAlert") {
		t.Error("SpringBoard's tree has no alert")
	}
	p.post("~/appium/settings", dict{"settings": dict{"defaultActiveApplication": "auto"}})
	p.post("~/alert/dismiss", dict{})
	p.settle()
	p.refused(p.ask("GET", "~/alert/text", nil), 404, "no such alert")
}

// TestDeviceCommandsControlAppsAndDevice: apps, orientation, pictures and buttons.
func TestDeviceCommandsControlAppsAndDevice(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.open()
	state := func(bundle string) string {
		t.Helper()
		return p.post("~/wda/apps/state", dict{"bundleId": bundle}).text()
	}
	if state(conformance) != "1" || state("com.no.such") != "0" {
		t.Error("an app that does not run")
	}
	p.refused(p.ask("POST", "~/wda/apps/launch", dict{"bundleId": "com.no.such"}), 500, "unknown error")
	p.post("~/wda/apps/launch", dict{"bundleId": conformance, "arguments": []string{"-a"}, "environment": dict{"A": "b"}})
	var info struct {
		PID      int
		BundleID string
	}
	if json.Unmarshal(p.get("~/wda/activeAppInfo").Value, &info); info.BundleID != conformance || info.PID == 0 || state(conformance) != "4" {
		t.Errorf("%+v", info)
	}
	if text := string(p.get("~/wda/apps/list").Value); !strings.Contains(text, conformance) {
		t.Error(text)
	}
	p.post("~/wda/pressButton", dict{"name": "home"})
	if state(conformance) != "3" {
		t.Error("it is not in the background")
	}
	p.post("~/wda/apps/activate", dict{"bundleId": conformance})
	p.post("~/orientation", dict{"orientation": "LANDSCAPE"})
	if p.get("~/orientation").text() != "LANDSCAPE" || !strings.Contains(string(p.get("~/window/size").Value), `"width":852`) {
		t.Errorf("%s", p.get("~/window/size").Value)
	}
	if yes, no := p.post("~/wda/apps/terminate", dict{"bundleId": conformance}).text(), p.post("~/wda/apps/terminate",
		dict{"bundleId": conformance}).text(); yes != "true" || no != "false" {
		t.Errorf("%s, then %s", yes, no)
	}
	p.refused(p.ask("POST", "~/orientation", dict{"orientation": "SIDEWAYS"}), 500, "unknown error")
	if png, err := base64.StdEncoding.DecodeString(p.get("/screenshot").text()); err != nil || len(png) < 1000 {
		t.Errorf("%d bytes, %v", len(png), err)
	}
	if p.get("/wda/locked").text() != "false" {
		t.Error("it is locked")
	}
	p.refused(p.ask("POST", "~/wda/pressButton", dict{"name": "siri"}), 500, "unknown error")
}

// TestLaunchOnLockedDeviceFails refuses launches, and says that it is locked.
func TestLaunchOnLockedDeviceFails(t *testing.T) {
	t.Parallel()
	w := newPhone(t).world
	real := w.Physicals()[0]
	p := serve(t, w, real.UDID)
	p.open()
	if err := w.SetLocked(real.UDID, true); err != nil {
		t.Fatal(err)
	}
	p.refused(p.ask("POST", "~/wda/apps/launch", dict{"bundleId": conformance}), 500, "unknown error")
	if p.get("/wda/locked").text() != "true" {
		t.Error("it is not locked")
	}
}

// TestArmedFaultsHappenOnce: each goes wrong once, as its row says.
func TestArmedFaultsHappenOnce(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	arm := func(name string, set map[string]string) {
		t.Helper()
		if err := p.world.AddFault(flaw.Fault{Name: name, Device: p.udid, Set: set}); err != nil {
			t.Fatal(err)
		}
	}
	p.start("Controls")
	button := p.find("accessibility id", "controls-tap-button")
	arm(flaw.WDAStaleElement, nil)
	p.refused(p.ask("POST", "~/element/"+button+"/click", nil), 404, "stale element reference")
	p.post("~/element/"+button+"/click", nil)
	arm(flaw.WDASlowSource, map[string]string{"seconds": "7"})
	before := p.world.Now()
	if p.get("~/source"); p.world.Now().Sub(before) < 7*time.Second {
		t.Error("the source was quick")
	}
	arm(flaw.WDASessionLost, nil)
	p.refused(p.ask("GET", "~/source", nil), 404, "invalid session id")
	p.refused(p.ask("GET", "~/source", nil), 404, "invalid session id")
	p.open()
	_, count := p.world.Inputs(p.udid, 0)
	arm(flaw.WDAPortGone, map[string]string{"when": "after"})
	for range 2 { // it is gone for good
		resp, err := http.Post(p.url+"/session/"+p.session+"/wda/tap", "application/json", strings.NewReader(`{"x":5,"y":5}`))
		if err == nil {
			resp.Body.Close()
			t.Errorf("it answered %d", resp.StatusCode)
		}
	}
	if later, _ := p.world.Inputs(p.udid, count); len(later) != 1 {
		t.Errorf("%d inputs", len(later))
	}
}
