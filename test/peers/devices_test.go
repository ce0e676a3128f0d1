package peers

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/machine/processes"
)

// phone is the physical device that is unlocked, tablet the one that is not.
const (
	phone  = "00008140-000A61C23E04801C"
	tablet = "00008130-001474A90C82001C"
)

// TestXcodeBuildMCPUsesPhysicalDevicesAndMacApps lets it list devices, launch and stop an app on one, be refused by one
// that is locked, and read, open and stop an app of the Mac.
func TestXcodeBuildMCPUsesPhysicalDevicesAndMacApps(t *testing.T) {
	modules := modules(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w := newWorld(t)
	w.env = append(w.env, "XCODEBUILDMCP_ENABLED_WORKFLOWS=device,macos,project-discovery")
	s := w.connect(ctx, modules)
	listed := call(ctx, t, s, "list_devices", map[string]any{})
	if !strings.Contains(listed, "Ada’s iPhone") || !strings.Contains(listed, "Grace’s iPad") {
		t.Errorf("the devices are not listed:\n%s", listed)
	}
	call(ctx, t, s, "session_set_defaults", map[string]any{"deviceId": phone, "bundleId": "com.iosagent.shop"})
	launched := call(ctx, t, s, "launch_app_device", map[string]any{})
	pid := regexp.MustCompile(`"processId":(\d+)`).FindStringSubmatch(launched)
	if pid == nil {
		t.Fatalf("no pid in\n%s", launched)
	}
	call(ctx, t, s, "stop_app_device", map[string]any{"processId": number(pid[1])})
	call(ctx, t, s, "session_set_defaults", map[string]any{"deviceId": tablet})
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "launch_app_device", Arguments: map[string]any{}})
	if err != nil || !res.IsError {
		t.Errorf("a locked device launched an app: %+v %v", res, err)
	}
	app := w.macApp()
	if id := call(ctx, t, s, "get_mac_bundle_id", map[string]any{"appPath": app}); !strings.Contains(id, "com.") {
		t.Errorf("no bundle id in\n%s", id)
	}
	opened := call(ctx, t, s, "launch_mac_app", map[string]any{"appPath": app})
	if pid = regexp.MustCompile(`"processId":(\d+)`).FindStringSubmatch(opened); pid == nil {
		t.Fatalf("no pid in\n%s", opened)
	}
	if !processes.Alive(number(pid[1]), "") {
		t.Error("the app does not run")
	}
	call(ctx, t, s, "stop_mac_app", map[string]any{"processId": number(pid[1])})
	for processes.Alive(number(pid[1]), "") && ctx.Err() == nil {
		runtime.Gosched() // it was told to end: the kernel decides when
	}
}

// macApp builds the sample app for the Mac with the tools of w.
func (w *world) macApp() string {
	dir := w.t.TempDir()
	w.run("virtual", "project", "macos", dir+"/project")
	xcodebuild := filepath.Join(strings.TrimSpace(w.run("virtual", "path")), "xcodebuild")
	cmd := exec.Command(xcodebuild, "build", "-project", dir+"/project/Notes.xcodeproj", "-scheme", "Notes",
		"-destination", "platform=macOS", "-derivedDataPath", dir+"/dd")
	cmd.Env = w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return dir + "/dd/Build/Products/Debug/Notes.app"
}

func number(digits string) (n int) {
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}
