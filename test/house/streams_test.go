package house_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// sources are what is followed, as an answer tells it.
type sources struct {
	Feeds []struct {
		ID, Type, Source, UDID, App, Session, Status, Problem string
		Captured, Lost                                        int64
	}
}

// follows waits until a source is as it should be; it has no event.
func follows(h *house.House, t *testing.T, id, status string, captured int64) string {
	t.Helper()
	again, late := time.NewTicker(5*time.Millisecond), time.NewTimer(time.Minute)
	defer again.Stop()
	defer late.Stop()
	for {
		got := house.Result[sources](h, h.Must("a", "log_sources", nil))
		for _, s := range got.Feeds {
			if strings.HasPrefix(s.ID, id) && s.Status == status && s.Captured >= captured {
				return s.Problem
			}
		}
		select {
		case <-again.C:
		case <-late.C:
			t.Fatalf("no %s that is %s: %+v", id, status, got)
		}
	}
}

// TestLaunchStartsLogAndConsoleStreams: what the app logs and prints is followed from its launch on, by nobody's request, until the app is
// ended or another session gets the device.
func TestLaunchStartsLogAndConsoleStreams(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	follows(h, t, "log-"+udid[:8]+"-"+drivertest.Conformance, "streaming", 0)
	follows(h, t, "console-"+udid[:8], "streaming", 1)
	files, err := filepath.Glob(filepath.Join(h.Home.String(), "consoles", "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
	}
	h.Must("a", "logs_start", map[string]any{"app": drivertest.Conformance, "level": "debug"})
	h.Must("a", "launch_app", map[string]any{"bundle_id": drivertest.Conformance, "restart": true})
	follows(h, t, "log-"+udid[:8]+"-"+drivertest.Conformance+"-debug", "streaming", 1)
	h.Must("a", "terminate_app", map[string]any{"bundle_id": drivertest.Conformance})
	if files, _ := filepath.Glob(filepath.Join(h.Home.String(), "consoles", "*")); len(files) != 0 {
		t.Errorf("%q stays after the app", files)
	}
	h.Must("b", "take_over_device", map[string]any{"udid": udid, "reason": "a left"})
	h.Must("b", "launch_app", map[string]any{"udid": udid, "bundle_id": drivertest.Conformance})
	follows(h, t, "log-"+udid[:8]+"-"+drivertest.Conformance+"-debug", "stopped", 0)
	stopped := house.Result[struct{ Status string }](h, h.Must("b", "logs_stop", nil))
	if stopped.Status != "stopped" {
		t.Errorf("%+v", stopped)
	}
}

// TestLogStreamResumesAfterReboot: a device that is shut down and booted again is heard again, and the gap is told.
func TestLogStreamResumesAfterReboot(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("a", drivertest.Conformance)
	log := "log-" + udid[:8] + "-" + drivertest.Conformance
	follows(h, t, log, "streaming", 0)
	h.Must("a", "shutdown_device", map[string]any{"udid": udid})
	if why := follows(h, t, log, "stopped", 0); !strings.Contains(why, "off") {
		t.Error(why)
	}
	h.Must("a", "boot_device", map[string]any{"udid": udid})
	follows(h, t, log, "streaming", 0)
}

// TestPhysicalDeviceLogIsFollowedFromLaunch is followed from a launch on; where the device does not let us, the source tells why it is
// silent.
func TestPhysicalDeviceLogIsFollowedFromLaunch(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Must("a", "launch_app", map[string]any{"udid": house.Physical, "bundle_id": drivertest.Conformance})
	follows(h, t, "log-"+house.Physical[:8], "streaming", 0)

	h = house.New(t)
	untrusted := virtualxcode.Fault{Name: flaw.DeviceUnpaired, Device: house.Physical, Times: virtualxcode.Forever}
	if err := h.Virtual.AddFault(t.Context(), untrusted); err != nil {
		t.Fatal(err)
	}
	h.Must("a", "launch_app", map[string]any{"udid": house.Physical, "bundle_id": drivertest.Conformance})
	if why := follows(h, t, "log-"+house.Physical[:8], "error", 0); why == "" {
		t.Error("it does not tell why")
	}
}

// TestAHungLogShowDoesNotBlockCalls: a launch, an input and the product's end do not wait for old log lines.
func TestAHungLogShowDoesNotBlockCalls(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 8)
	h := house.New(t, house.Options{Programs: func(_ string, tool host.Main) host.Main {
		if tool == nil {
			return nil
		}
		return func(ctx context.Context, in host.Invocation) int {
			if slices.Contains(in.Args, "log") && slices.Contains(in.Args, "show") {
				asked <- struct{}{}
				<-ctx.Done()
				return 1
			}
			return tool(ctx, in)
		}
	}})
	h.Boot("a", drivertest.Conformance)
	<-asked
	h.Must("a", "launch_app", map[string]any{"bundle_id": drivertest.Conformance, "restart": true})
	h.Must("a", "tap_element", map[string]any{"label": "Tap Me"})
	h.Restart() // ends it
}

// early is an app that logs as soon as it is launched, and when it is opened by a link.
var early = map[string]string{
	"Info.plist": `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>com.example.early</string><key>CFBundleExecutable</key><string>Early</string></dict></plist>`,
	"ui.yaml": `start: home
launch:
  - log: {message: "up and running"}
open:
  "early://now": [{log: {message: "meanwhile"}}]
screens:
  home: {title: Home}
`,
}

// TestLogsBeforeAStreamArriveOnce: the first lines of a launch arrive although the app was faster than the stream. After a restart
// of the daemon, readers get the lines logged in between, without naming the app. No line arrives twice.
func TestLogsBeforeAStreamArriveOnce(t *testing.T) {
	t.Parallel()
	var h *house.House
	now := func() time.Time { // a simulator has the clock of its Mac
		if h == nil {
			return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
		}
		return h.World.Now()
	}
	h = house.New(t, house.Options{Now: now})
	app := filepath.Join(h.Home.String(), "Early.app")
	if err := os.MkdirAll(app, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range early {
		if err := os.WriteFile(filepath.Join(app, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	udid := h.Boot("a", "")
	h.Must("a", "install_app", map[string]any{"app_path": app})
	h.Must("a", "launch_app", map[string]any{"bundle_id": "com.example.early"})
	first := `"up and running"`
	h.CLIUntil("a", func(out string) bool { return strings.Contains(out, "up and running") }, "logs", "-f", "--after", "0")
	h.Restart()
	if err := h.World.OpenURL(t.Context(), udid, "early://now"); err != nil {
		t.Fatal(err)
	}
	h.CLIUntil("b", func(out string) bool { return strings.Contains(out, "meanwhile") }, "logs", "-f", "--after", "0", "--udid", udid)
	said := h.Must("b", "read_logs", map[string]any{"udid": udid}).Text()
	if strings.Count(said, first) != 1 || strings.Count(said, `"meanwhile"`) != 1 || !strings.Contains(said, "of com.example.early on ") {
		t.Error(said)
	}
}
