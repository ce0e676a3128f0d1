package wda_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

const runner = "com.facebook.WebDriverAgentRunner.xctrunner"

// starting is a driver that starts WebDriverAgent on the rig's phone.
func starting(t *testing.T, r *rig.Rig, how wda.Start) device.Device {
	t.Helper()
	how.UDIDs, how.Dir = []string{r.Info.UDID}, t.TempDir()
	d := wda.New(wda.Options{Start: &how, Host: r.Driver.Host, Tools: r.Driver.Tools, Clock: r.World})
	infos, err := d.List(t.Context())
	if err != nil || len(infos) != 1 || infos[0].UDID != r.Info.UDID {
		t.Fatal(infos, err)
	}
	phone := d.Open(r.Info)
	t.Cleanup(func() { r.Must(phone.Close()) })
	return phone
}

func looks(t *testing.T, phone device.Device) {
	t.Helper()
	if _, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{}); err != nil {
		t.Error(err)
	}
}

// state is how the phone's WebDriverAgent is.
func state(phone device.Device) device.AgentState { return phone.(device.Agent).AgentState() }

// TestInstalledRunnerStartsAndRestarts: simctl launches the runner, which ends with the device and starts again after it has exited.
func TestInstalledRunnerStartsAndRestarts(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	phone := starting(t, r, wda.Start{})
	_, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	f := want(t, err, fault.AppNotFound, fault.NotDispatched)
	if !strings.Contains(f.Message, runner) || !strings.Contains(f.Hint, "IOS_AGENT_WDA_PRODUCTS") {
		t.Errorf("%s (%s)", f.Message, f.Hint)
	}
	r.Install(runner, "start: main\nscreens:\n  main:\n    elements:\n      - text: Automation Running\n")
	looks(t, phone)
	if s := state(phone); s.State != device.AgentConnected || s.Port == 0 || s.PID == 0 || s.Build != "10.2.1" {
		t.Errorf("%+v", s)
	}
	if screen, _ := phone.(device.Eyes).Observe(t.Context(), device.Wait{}); screen != nil && screen.App == runner {
		t.Error("the runner is in front")
	}
	first := state(phone).PID
	r.Fault(virtualxcode.Fault{Name: flaw.WDAPortGone, Set: map[string]string{"when": "before"}})
	looks(t, phone) // it is started again
	if s := state(phone); s.State != device.AgentConnected || s.PID == first {
		t.Errorf("%+v, was process %d", s, first)
	}
	r.Must(phone.(device.Agent).StopAgent(t.Context()))
	running, err := r.Phone.(device.Running).Running(t.Context())
	if err != nil || running[runner] != 0 || state(phone).State != device.AgentAbsent {
		t.Errorf("it still runs: %v, %v", running, err)
	}
	r.Must(r.Phone.(device.Power).Shutdown(t.Context()))
	_, err = phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	want(t, err, fault.DeviceNotBooted, fault.NotDispatched)
}

// built writes what a build-for-testing of WebDriverAgent leaves for an SDK.
func built(dir, sdk string) error {
	return os.WriteFile(filepath.Join(dir, "WebDriverAgentRunner_"+sdk+"18.2-arm64.xctestrun"), []byte(
		`<plist version="1.0"><dict><key>WebDriverAgentRunner</key><dict><key>TestHostBundleIdentifier</key><string>`+runner+
			`</string></dict></dict></plist>`), 0o600)
}

// TestPrebuiltRunnerRunsWithXcodebuild: xcodebuild runs it and ends with the device.
func TestPrebuiltRunnerRunsWithXcodebuild(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	dir := t.TempDir()
	phone := starting(t, r, wda.Start{Products: dir})
	_, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	want(t, err, fault.PathError, fault.NotDispatched)
	r.Must(built(dir, "iphonesimulator"))
	looks(t, phone)
	s := state(phone)
	if s.State != device.AgentConnected || s.Log == "" {
		t.Errorf("%+v", s)
	}
	if words, err := os.ReadFile(s.Log); err != nil || !strings.Contains(string(words), "ServerURLHere->http://127.0.0.1:") {
		t.Errorf("%s, %v", words, err)
	}
	r.Must(phone.(device.Agent).StopAgent(t.Context()))
	if running, err := r.Phone.(device.Running).Running(t.Context()); err != nil || running[runner] != 0 {
		t.Errorf("it still runs: %v, %v", running, err)
	}
}

// TestSilentRunnerFaultNamesLog: the driver gives up after its limit and names the file with the output.
func TestSilentRunnerFaultNamesLog(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "WebDriverAgentRunner_x.xctestrun")
	r.Must(os.WriteFile(file, []byte("no property list"), 0o600))
	phone := starting(t, r, wda.Start{Products: file, Wait: time.Minute})
	_, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	f := want(t, err, fault.AgentFailed, fault.NotDispatched)
	if !strings.Contains(f.Message, r.Info.Name) || !strings.Contains(f.Hint, "log") {
		t.Errorf("%s (%s)", f.Message, f.Hint)
	}
}
