package house_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/house"
)

// TestBootAndUseAcceptNameFlagAndUDID: by its name as an argument and as a flag, and by its udid.
func TestBootAndUseAcceptNameFlagAndUDID(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for _, line := range [][]string{
		{"boot", house.Device}, {"boot", "--sim", house.Device}, {"use", house.Device}, {"use", "--sim", house.Device}, {"boot", "--udid", ""},
		{"boot", ""}, {"use", ""},
	} {
		for i, word := range line {
			if word == "" {
				line[i] = current(h, "ada")
			}
		}
		if r := h.CLI("ada", line...); r.Exit != 0 || !strings.Contains(r.Stdout, house.Device) {
			t.Errorf("%q: got %d %s%s, want %s", line, r.Exit, r.Stdout, r.Stderr, house.Device)
		}
	}
}

// TestUseSuggestsWhatCanFollow: a device that is off must be booted first.
func TestUseSuggestsWhatCanFollow(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	next := func(want string, not string, line ...string) {
		t.Helper()
		r := h.CLI("ada", line...)
		_, said, _ := strings.Cut(r.Stdout, "next: ")
		if r.Exit != 0 || !strings.Contains(said, want) || not != "" && strings.Contains(said, not) {
			t.Errorf("%q: got %q, want %q and not %q in it", line, said, want, not)
		}
	}
	next("`ios-agent boot`", "launch", "use", house.Device)
	next("`ios-agent install APP_PATH --sim '"+house.Device+"'`", "", "boot", "--sim", house.Device)
	next("`ios-agent launch BUNDLE_ID`", "boot", "use", house.Device)
	next("`ios-agent launch com.iosagent.shop`", "", "install", h.Files().App)
}

// TestNoDeviceHintIsShort: names that can be passed on, and no ids of runtimes.
func TestNoDeviceHintIsShort(t *testing.T) {
	t.Parallel()
	e := house.New(t).Call("ada", "snapshot", nil)
	if e.Error == nil || e.Error.Code != fault.NoDevice || len(e.Error.Hint) > 300 || strings.Contains(e.Error.Hint, "SimRuntime") ||
		!strings.Contains(e.Error.Hint, house.Device) {
		t.Errorf("got %+v\nwant NO_DEVICE with a hint of at most 300 bytes that names %s", e.Error, house.Device)
	}
}

// TestFailedSimctlIsToolFailedFault: simctl answers with garbage, and the status says that the server's side failed.
func TestFailedSimctlIsToolFailedFault(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	f := virtualxcode.Fault{Name: flaw.SimctlGarbage, Times: virtualxcode.Forever}
	if err := h.Virtual.AddFault(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]any{"none named": nil, "a name": map[string]string{"sim": house.Device}} {
		w := h.REST("ada", http.MethodPost, "/api/v1/device/boot", body)
		var out struct{ Error fault.Fault }
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
		if w.Code < http.StatusInternalServerError || out.Error.Code != fault.ToolFailed || !strings.Contains(out.Error.Message, "simctl list") {
			t.Errorf("%s: got %d %s, want 5xx and TOOL_FAILED that names simctl list", name, w.Code, w.Body)
		}
	}
}

// TestDoctorFailsForUnusableDevice.
func TestDoctorFailsForUnusableDevice(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	r := h.CLI("ada", "doctor", "--device", "Nobody’s iPhone")
	if r.Exit != fault.ExitFailed || !strings.Contains(r.Stdout, "fail  cable") {
		t.Errorf("got %d %s, want %d and a failed check", r.Exit, r.Stdout, fault.ExitFailed)
	}
}

// TestBootedIsTrueOnlyForBootingCall, not what an earlier one did.
func TestBootedIsTrueOnlyForBootingCall(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	shop := h.Files().App
	type out struct{ Booted bool }
	install := map[string]string{"app_path": shop, "sim": house.Device}
	for i, want := range []bool{true, false} {
		e := h.Must("ada", "install_app", install)
		if got := house.Result[out](h, e).Booted; got != want {
			t.Errorf("call %d: got booted %v, want %v", i+1, got, want)
		}
		install = map[string]string{"app_path": shop, "udid": e.Meta.Device.UDID} // which is found without a listing
	}
}
