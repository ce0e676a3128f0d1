package devicectl_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/devicectl"
	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/world"
)

const (
	phone  = "00008140-000A61C23E04801C"
	tablet = "Grace’s iPad"
	shop   = "com.iosagent.shop"
)

// memory is a Store that outlives a world.
type memory map[string][]byte

func (m memory) Load() (map[string][]byte, error)    { return maps.Clone(m), nil }
func (m memory) Save(key string, state []byte) error { m[key] = slices.Clone(state); return nil }
func (m memory) Delete(key string) error             { delete(m, key); return nil }
func (m memory) SetAside(key string) error           { delete(m, key); return nil }

type rig struct {
	*testing.T
	world *world.World
	store memory
	dir   string
}

func newTool(t *testing.T) *rig {
	tt := &rig{T: t, store: memory{}, dir: t.TempDir()}
	tt.restart()
	return tt
}

// restart is a new service over the state of the last one.
func (t *rig) restart() {
	t.Helper()
	builtin, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if t.world, err = world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0).UTC()), Store: t.store,
		Preinstalled: builtin}); err != nil {
		t.Fatal(err)
	}
}

func (t *rig) runCtx(ctx context.Context, args ...string) (stdout, stderr string, exit int) {
	var out, errs bytes.Buffer
	env := map[string]string{"TERM": "xterm", "DEVICECTL_CHILD_COLOUR": "red"}
	exit = devicectl.Run(ctx, t.world, tool.Call{Args: args, Dir: t.dir, Env: env, Stdout: &out, Stderr: &errs})
	return out.String(), errs.String(), exit
}

func (t *rig) run(args ...string) (stdout, stderr string, exit int) {
	return t.runCtx(t.Context(), args...)
}

// document is the JSON of a run, and its exit status.
func (t *rig) document(args ...string) (map[string]any, int) {
	t.Helper()
	out, stderr, exit := t.run(append(args, "--quiet", "--json-output", "-")...)
	var doc map[string]any
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, stderr)
	}
	return doc, exit
}

func (t *rig) ok(args ...string) string {
	t.Helper()
	out, stderr, exit := t.run(args...)
	if exit != 0 {
		t.Fatalf("%v: %d %s", args, exit, stderr)
	}
	return out
}

func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

func TestProcessCommandsFollowAppLifecycle(t *testing.T) {
	s := newTool(t)
	doc, exit := s.document("device", "process", "launch", "--device", phone, "--environment-variables", `{"A":"b"}`, shop, "--fast", "-x")
	pid := int(at(doc, "result", "process", "processIdentifier").(float64))
	env := at(doc, "result", "launchOptions", "environmentVariables").(map[string]any)
	if exit != 0 || pid == 0 || env["A"] != "b" || env["COLOUR"] != "red" ||
		fmt.Sprint(at(doc, "result", "launchOptions", "arguments")) != "[--fast -x]" {
		t.Fatalf("%d %v", exit, doc)
	}
	s.restart()
	doc, _ = s.document("device", "info", "processes", "--device", "Ada’s iPhone")
	if last := at(doc, "result", "runningProcesses", 1); int(at(last, "processIdentifier").(float64)) != pid {
		t.Errorf("after a restart: %v", doc)
	}
	doc, _ = s.document("device", "process", "launch", "--device", phone, "--terminate-existing", shop)
	if again := int(at(doc, "result", "process", "processIdentifier").(float64)); again == pid {
		t.Error("it was not started anew")
	} else {
		pid = again
	}
	if doc, exit := s.document("device", "process", "terminate", "--device", phone, "--pid", fmt.Sprint(pid)); exit != 0 ||
		at(doc, "result", "signal", "name") != "SIGTERM" {
		t.Errorf("%v", doc)
	}
	if doc, exit := s.document("device", "process", "terminate", "--device", phone, "--pid", fmt.Sprint(pid)); exit != 1 ||
		at(doc, "info", "outcome") != "failed" {
		t.Errorf("%v", doc)
	}
	s.ok("device", "uninstall", "app", "--device", phone, shop)
	s.restart()
	if doc, _ := s.document("device", "info", "apps", "--device", phone, "--bundle-id", shop); len(at(doc, "result", "apps").([]any)) != 0 {
		t.Errorf("%v", doc)
	}
}

func TestInstallAcceptsDeviceAppsOnly(t *testing.T) {
	s := newTool(t)
	write := func(name, platform string) string {
		dir := filepath.Join(s.dir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		info := `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.note</string>` +
			`<key>CFBundleSupportedPlatforms</key><array><string>` + platform + `</string></array></dict></plist>`
		for file, text := range map[string]string{"Info.plist": info, "ui.yaml": "start: one\nscreens:\n  one:\n    title: One\n    " +
			"elements: []\n"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return name
	}
	out := s.ok("device", "install", "app", "--device", phone, write("Note.app", "iPhoneOS"))
	if !strings.Contains(out, "App installed:\n• bundleID: com.example.note\n• installationURL: "+
		"file:///private/var/containers/Bundle/Application/") {
		t.Errorf("%s", out)
	}
	if out := s.ok("device", "info", "apps", "--device", phone); !strings.Contains(out, "com.example.note") ||
		strings.Contains(out, "com.apple.") {
		t.Errorf("%s", out)
	}
	doc, exit := s.document("device", "install", "app", "--device", phone, write("Other.app", "iPhoneSimulator"))
	if exit != 1 || at(doc, "error", "code") != 3002.0 {
		t.Errorf("%v", doc)
	}
	s.restart()
	s.ok("device", "process", "launch", "--device", phone, "com.example.note")
}

func TestLaunchOnLockedDeviceFails(t *testing.T) {
	s := newTool(t)
	doc, exit := s.document("device", "process", "launch", "--device", tablet, shop)
	inner := at(doc, "error", "userInfo", "NSUnderlyingError", "error")
	deepest := at(inner, "userInfo", "NSUnderlyingError", "error")
	if exit != 1 || at(doc, "error", "code") != 10002.0 || at(inner, "domain") != "FBSOpenApplicationServiceErrorDomain" ||
		at(deepest, "domain") != "FBSOpenApplicationErrorDomain" || at(deepest, "code") != 7.0 ||
		at(deepest, "userInfo", "BSErrorCodeDescription", "string") != "Locked" {
		t.Errorf("%d %v", exit, doc)
	}
	_, stderr, _ := s.run("device", "process", "launch", "--device", tablet, shop)
	const want = `ERROR: The application failed to launch. (com.apple.dt.CoreDeviceError error 10002.)
         BundleIdentifier = com.iosagent.shop
       ----------------------------------------
       The request to open "com.iosagent.shop" failed. (FBSOpenApplicationServiceErrorDomain error 1.)
         NSLocalizedFailureReason = The request was denied by service delegate (SBMainWorkspace) for reason: Locked ` +
		`("Unable to launch com.iosagent.shop because the device was not, or could not be, unlocked").
         BSErrorCodeDescription = RequestDenied
         FBSOpenApplicationRequestID = 0xc34a
       ----------------------------------------
       The operation couldn’t be completed. Unable to launch com.iosagent.shop because the device was not, or could not be, unlocked. ` +
		`(FBSOpenApplicationErrorDomain error 7.)
         NSLocalizedFailureReason = Unable to launch com.iosagent.shop because the device was not, or could not be, unlocked.
         BSErrorCodeDescription = Locked
`
	if stderr != want {
		t.Errorf("%s", stderr)
	}
	if out := s.ok("device", "info", "lockState", "--device", tablet); !strings.Contains(out, "passcodeRequired: true") {
		t.Errorf("%s", out)
	}
	p, err := s.world.FindPhysical(tablet)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.world.SetLocked(p.UDID, false); err != nil {
		t.Fatal(err)
	}
	s.restart()
	s.ok("device", "process", "launch", "--device", tablet, shop)
}

func TestConsoleInterruptEndsApp(t *testing.T) {
	s := newTool(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // an interrupt before anything was printed
	out, _, exit := s.runCtx(ctx, "device", "process", "launch", "--console", "--device", phone, shop)
	if exit == 0 {
		t.Errorf("launched after an interrupt: %s", out)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	out, _, exit = s.runCtx(ctx, "device", "process", "launch", "--console", "--device", phone, shop)
	if exit != 0 || !strings.HasSuffix(out, "Launched application with com.iosagent.shop bundle identifier.\nWaiting for the "+
		"application to terminate...\n") {
		t.Errorf("%d %s", exit, out)
	}
	if out := s.ok("device", "info", "processes", "--device", phone); strings.Contains(out, "Shop") {
		t.Errorf("the interrupt did not end the app: %s", out)
	}
}

func TestListPrintsTableAndJSON(t *testing.T) {
	s := newTool(t)
	const want = `Name           Hostname                        Identifier                             State                Model
------------   -----------------------------   ------------------------------------   ------------------   --------------------------------
Ada’s iPhone   Adas-iPhone.coredevice.local    5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35   connected            iPhone 16 Pro (iPhone17,1)      
Grace’s iPad   Graces-iPad.coredevice.local    C7D1A2F4-3E58-5C90-8B16-E92F0A7D4B63   available (paired)   iPad mini (A17 Pro) (iPad16,1)  
`
	squeeze := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "-", "")), " ") }
	if out := s.ok("list", "devices"); squeeze(out) != squeeze(want) {
		t.Errorf("%s", out)
	}
	s.ok("--json-output", "devices.json", "--quiet", "list", "devices", "--timeout", "5")
	raw, err := os.ReadFile(filepath.Join(s.dir, "devices.json"))
	var doc map[string]any
	if err != nil || json.Unmarshal(raw, &doc) != nil {
		t.Fatal(err, string(raw))
	}
	if args := at(doc, "info", "arguments").([]any); args[0] != "devicectl" || args[1] != "--json-output" || at(doc, "info", "environment",
		"TERM") != "xterm" {
		t.Errorf("%v", doc["info"])
	}
	for _, alias := range []string{phone, "5b3f0e7c-9d41-5a68-b2e7-40c1d86f9a35", "F2LX7Q9V0D", "Adas-iPhone.coredevice.local",
		fmt.Sprint(0x000A61C23E04801C)} {
		s.ok("device", "info", "details", "--device", alias)
	}
	if len(s.world.Devices()) != 13 {
		t.Error("a physical device is among the simulators")
	}
}

func TestInvalidCommandsPrintDevicectlErrors(t *testing.T) {
	s := newTool(t)
	for _, c := range []struct {
		line string
		exit int
		say  string
	}{
		{"device info apps --device nobody", 1, "ERROR: The specified device was not found. (com.apple.dt.CoreDeviceError error 1000.)\n"},
		{"device info apps", 64, "Error: Missing expected argument '--device <uuid|ecid|serial_number|udid|name|dns_name>'\n"},
		{"device process launch --device " + phone, 64, "Error: Missing expected argument '<bundle-identifier-or-path>'\n"},
		{"device process launch --device " + phone + " com.example.nobody", 1, "ERROR: The operation couldn’t be completed. (OSStatus " +
			"error -10814.) (NSOSStatusErrorDomain error -10814.)\n"},
		{"device process launch --device " + phone + " --environment-variables x " + shop, 64, "Error: The value 'x' is invalid for"},
		{"device process terminate --device " + phone, 64, "Error: Missing expected argument '--pid <pid>'\n"},
		{"device process terminate --device " + phone + " --pid x", 64, "Error: The value 'x' is invalid for '--pid <pid>'\n"},
		{"device uninstall app --device " + phone + " com.example.nobody", 1, "ERROR: Failed to uninstall"},
		{"device install app --device " + phone + " /nowhere.app", 1, "ERROR: Could not obtain access to one or more requested file " +
			"system resources because CoreDevice was unable to create bookmark data. (com.apple.dt.CoreDeviceError error 1005.)\n      " +
			"   NSURL = file:///nowhere.app\n" + strings.Repeat("-", 80) + "\nERROR: The file couldn’t be opened because it doesn’t " +
			"exist. (NSCocoaErrorDomain error 260.)\n"},
		{"device frobnicate", 64, "Error: Unexpected argument 'frobnicate'\nUsage: devicectl device <subcommand>\n  See 'devicectl " +
			"device --help' for more information.\n"},
		{"frobnicate", 64, "Error: Unexpected argument 'frobnicate'\nUsage: devicectl <subcommand>\n"},
		{"list devices --bogus", 64, "Error: Unknown option '--bogus'\n"},
	} {
		if _, stderr, exit := s.run(strings.Fields(c.line)...); exit != c.exit || !strings.HasPrefix(stderr, c.say) {
			t.Errorf("%s: %d %s", c.line, exit, stderr)
		}
	}
	for _, help := range [][]string{{"help"}, {"--help"}, {"device", "--help"}, {"device", "process", "launch", "--help"},
		{"help", "device", "info", "apps"}, {"--version"}} {
		if out := s.ok(help...); out == "" {
			t.Errorf("%v says nothing", help)
		}
	}
}
