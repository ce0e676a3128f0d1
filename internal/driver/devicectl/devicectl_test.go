package devicectl_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/drivertest"
)

var update = flag.Bool("update", false, "write docs/support.md")

// rig is the driver over a Virtual Xcode in this process, with a ready device and a locked one.
type rig struct {
	t            *testing.T
	xcode        *virtualxcode.InProcess
	driver       *devicectl.Driver
	ready        device.Info
	locked       device.Info
	app          string // Conformance, built for devices
	forSimulator string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	x, err := virtualxcode.NewInProcess(virtualxcode.InProcessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	folder := t.TempDir()
	r := &rig{t: t, xcode: x, app: filepath.Join(folder, "Conformance.app"), forSimulator: filepath.Join(folder, "Shop.app")}
	r.driver = r.driverOver(r.play)
	r.must(virtualxcode.WriteApps(folder))
	r.buildForDevices(filepath.Join(r.app, "Info.plist"))
	infos, err := r.driver.List(t.Context())
	r.must(err)
	if len(infos) != 2 {
		t.Fatalf("%+v", infos)
	}
	r.ready, r.locked = infos[0], infos[1]
	return r
}

// driverOver makes a driver whose xcrun is a function.
func (r *rig) driverOver(xcrun host.Main) *devicectl.Driver {
	r.t.Helper()
	runner, err := host.New(host.Options{Inside: func(string) host.Main { return xcrun }})
	r.must(err)
	r.t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return devicectl.New(devicectl.Options{Host: runner, Tools: apple.Toolchain{Name: apple.Virtual}})
}

// play is the xcrun of Virtual Xcode.
func (r *rig) play(ctx context.Context, in host.Invocation) int {
	return r.xcode.Play(ctx, "xcrun", virtualxcode.Call{
		Args: in.Args, Dir: in.Dir, Env: in.Env, Stdin: in.Stdin, Stdout: in.Stdout, Stderr: in.Stderr,
	})
}

// buildForDevices changes an app's platform in its Info.plist.
func (r *rig) buildForDevices(plist string) {
	r.t.Helper()
	raw, err := os.ReadFile(plist)
	r.must(err)
	changed := bytes.Replace(raw, []byte("iPhoneSimulator"), []byte("iPhoneOS"), 1)
	if bytes.Equal(changed, raw) {
		r.t.Fatal("the app is not one for simulators")
	}
	r.must(os.WriteFile(plist, changed, 0o600))
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// refuses fails unless an error is a fault of the code whose message has the text.
func (r *rig) refuses(err error, code fault.Code, text string) {
	r.t.Helper()
	if !fault.Is(err, code) || !strings.Contains(err.Error(), text) {
		r.t.Errorf("got %v, want %s %q", err, code, text)
	}
}

// TestContract drives the contract and checks the driver's column of the support matrix.
func TestContract(t *testing.T) {
	r := newRig(t)
	d := r.driver.Open(r.ready)
	defer d.Close()
	id, err := d.(device.Apps).Install(t.Context(), r.app)
	if err != nil || id != drivertest.Conformance {
		t.Fatal(id, err)
	}
	blind := drivertest.Substitute{Abilities: []string{
		"look", "tap", "double tap", "long press", "swipe", "type", "clear", "keys", "set a value", "drag", "pinch", "alerts", "rotate",
		"home button", "picture",
	}, Does: "our agent on the device, `ios-agent agent start`; or `--driver wda`, `--driver appium`"}
	drivertest.CheckMatrix(t, "../../../docs/support.md", devicectl.Spec().Name, drivertest.Run(t, d),
		append([]drivertest.Substitute{blind}, drivertest.InsteadOnDevice()...), *update)
}

func TestListReportsPhysicalDevices(t *testing.T) {
	r := newRig(t)
	want := device.Info{
		UDID: "00008140-000A61C23E04801C", Name: "Ada’s iPhone", State: device.Booted, OS: "iOS 18.5", Type: device.TypePhysical,
		Model: "iPhone 16 Pro", Family: "iPhone", Available: true,
		Aliases: []string{
			"5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35", "F2LX7Q9V0D", "2922236659138588",
			"00008140-000A61C23E04801C.coredevice.local", "5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35.coredevice.local",
		},
		Hardware: &device.Hardware{
			CoreID: "5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35", Platform: "iOS", Product: "iPhone17,1", CPU: "arm64e", Connection: "wired",
			DeveloperMode: "enabled", Pairing: device.Paired, Reach: device.ReachWired,
		},
	}
	if !reflect.DeepEqual(r.ready, want) {
		t.Errorf("got %+v %+v\nwant %+v %+v", r.ready, r.ready.Hardware, want, want.Hardware)
	}
	if l := r.locked; l.Name != "Grace’s iPad" || l.Hardware.Reach != device.ReachNetwork || !l.Available || l.State != device.Booted {
		t.Errorf("%+v %+v", l, l.Hardware)
	}
}

// listed are the devices of a devicectl that answers with a document.
func (r *rig) listed(document string) []device.Info {
	r.t.Helper()
	infos, err := r.driverOver(func(_ context.Context, in host.Invocation) int {
		if err := os.WriteFile(in.Args[slices.Index(in.Args, "--json-output")+1], []byte(document), 0o600); err != nil {
			r.t.Error(err)
		}
		return 0
	}).List(r.t.Context())
	r.must(err)
	return infos
}

// TestXcode27DocumentIsListed has version 5, without the deprecated fields, and simulators among the devices.
func TestXcode27DocumentIsListed(t *testing.T) {
	r := newRig(t)
	document, err := os.ReadFile("../../apple/devicectl/testdata/list-v5.json")
	r.must(err)
	var got []string
	for _, i := range r.listed(string(document)) {
		got = append(got, fmt.Sprint(i.UDID, " ", i.Name, ", ", i.OS, " ", i.Hardware.Reach, " ", i.Hardware.DeveloperMode, " ", i.Hardware.CPU))
	}
	want := []string{
		"00008140-000A1B2C3D4E001C A test iPhone, iOS 27.0 " + device.ReachWired + " enabled arm64e",
		"00008103-001234567890001E A remembered iPad, iOS 26.5 " + device.ReachUnavailable + " disabled ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestListOmitsSimulatorsAndUnusableEntries runs a devicectl that lists kinds of devices that the virtual one lacks.
func TestListOmitsSimulatorsAndUnusableEntries(t *testing.T) {
	r := newRig(t)
	const answer = `{"info":{"commandType":"devicectl.list.devices"},"result":{"devices":[
		{"identifier":"1","hardwareProperties":{"udid":"FAR"},"connectionProperties":{"pairingState":"paired","tunnelState":"unavailable"}},
		{"identifier":"2","hardwareProperties":{"udid":"NEW"},"connectionProperties":{"pairingState":"unpaired"}},
		{"identifier":"3","hardwareProperties":{"udid":"FAR"},"connectionProperties":{"pairingState":"paired"}},
		{"identifier":"4","hardwareProperties":{"udid":"NEVER"}},
		{"identifier":"5","hardwareProperties":{"productType":"iPhone14,2"},"connectionProperties":{"pairingState":"paired"}},
		{"identifier":"6","hardwareProperties":{"udid":"SIM"},"visibilityClass":"Simulator","connectionProperties":{"pairingState":"paired"}},
		{"identifier":"7","hardwareProperties":{"udid":"SIM2","reality":"simulated"},"connectionProperties":{"pairingState":"paired"}}]}}`
	var got []string
	for _, i := range r.listed(answer) {
		got = append(got, fmt.Sprint(i.UDID, " ", i.State, " ", i.Available, " ", i.Hardware.Reach, " ", i.Aliases))
	}
	want := []string{"FAR unavailable false Unavailable [1]", "NEW unpaired false Unpaired [2]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestListFallsBackToXctrace runs an xcrun that refuses some of its tools.
func TestListFallsBackToXctrace(t *testing.T) {
	r := newRig(t)
	refusing := func(exit int, tools ...string) ([]device.Info, error) {
		return r.driverOver(func(ctx context.Context, in host.Invocation) int {
			if slices.Contains(tools, in.Args[0]) {
				fmt.Fprintln(in.Stderr, in.Args[0]+" is refused")
				return exit
			}
			return r.play(ctx, in)
		}).List(t.Context())
	}
	infos, err := refusing(1, "devicectl")
	r.must(err)
	if len(infos) != 2 {
		t.Fatalf("%+v", infos)
	}
	if i := infos[0]; i.UDID != r.ready.UDID || i.Type != device.TypePhysical || !i.Available || i.State != device.Booted {
		t.Errorf("%+v", i)
	}
	if infos[1].Available || infos[1].State != "unavailable" {
		t.Errorf("what is offline for xctrace is not available: %+v", infos[1])
	}
	infos, err = refusing(1, "devicectl", "xctrace")
	r.refuses(err, fault.ToolFailed, "devicectl is refused")
	if len(infos) != 0 {
		t.Errorf("%+v", infos)
	}
	_, err = refusing(72, "devicectl", "xctrace")
	r.refuses(err, fault.NoXcode, "xcrun does not find the tool")
}

// TestRefusalsAreFaults: every refusal of devicectl is a fault with a code and devicectl's reason.
func TestRefusalsAreFaults(t *testing.T) {
	r := newRig(t)
	ctx, d := t.Context(), r.driver.Open(r.ready)
	apps := d.(device.Apps)
	_, err := apps.Install(ctx, filepath.Join(t.TempDir(), "gone.app"))
	r.refuses(err, fault.PathError, "no app at")
	_, err = apps.Install(ctx, t.TempDir())
	r.refuses(err, fault.PathError, "has no Info.plist")
	_, err = apps.Install(ctx, r.forSimulator)
	r.refuses(err, fault.AppInstallFailed, "built for the simulator")
	_, err = apps.Launch(ctx, "com.no.such", device.Launch{})
	r.refuses(err, fault.AppNotFound, "com.no.such is not installed on Ada’s iPhone")
	if hint := fault.From(err).Hint; !strings.Contains(hint, "install") || strings.Contains(hint, "Developer Mode") {
		t.Error(hint)
	}
	_, _, err = d.(device.Console).LaunchConsole(ctx, "com.no.such", device.Launch{}, func(string) {})
	r.refuses(err, fault.AppNotFound, "com.no.such is not installed on Ada’s iPhone")
	_, err = apps.Launch(ctx, "--help", device.Launch{})
	r.refuses(err, fault.InvalidInput, "is not a bundle id")
	_, err = apps.Launch(ctx, drivertest.Conformance, device.Launch{Stdout: "out.txt"})
	r.refuses(err, fault.Unsupported, "to files")
	r.refuses(apps.Terminate(ctx, "com.no.such"), fault.AppNotFound, "is not installed on Ada’s iPhone")
	r.refuses(d.(device.Processes).EndProcess(ctx, 99999), fault.AppTerminate, "ending process 99999 on Ada’s iPhone")

	locked := r.driver.Open(r.locked)
	_, err = locked.(device.Apps).Launch(ctx, drivertest.Conformance, device.Launch{})
	r.refuses(err, fault.AppLaunchFailed, "unlocked")
	_, _, err = locked.(device.Console).LaunchConsole(ctx, drivertest.Conformance, device.Launch{}, func(string) {})
	r.refuses(err, fault.AppLaunchFailed, "unlocked")

	gone := r.driver.Open(device.Info{UDID: "00008140-000A61C23E04801X", Name: "Gone"})
	_, err = gone.(device.Apps).Launch(ctx, drivertest.Conformance, device.Launch{})
	r.refuses(err, fault.DeviceNotFound, "00008140-000A61C23E04801X")
	if hint := fault.From(err).Hint; !strings.Contains(hint, "did you mean 00008140-000A61C23E04801C") {
		t.Error(hint)
	}
	_, _, err = gone.(device.Console).LaunchConsole(ctx, drivertest.Conformance, device.Launch{}, func(string) {})
	r.refuses(err, fault.DeviceNotFound, "00008140-000A61C23E04801X")
}

// TestMissingAbilityNamesAlternative: a missing ability is a fault that names a driver with the ability.
func TestMissingAbilityNamesAlternative(t *testing.T) {
	r := newRig(t)
	_, err := device.As[device.Eyes](r.driver.Open(r.ready))
	r.refuses(err, fault.Unsupported, "devicectl, which cannot look at the screen")
	if hint := fault.From(err).Hint; !strings.Contains(hint, "a simulator can") {
		t.Error(hint)
	}
}

func TestInstalledAppsCanBeRemoved(t *testing.T) {
	r := newRig(t)
	d := r.driver.Open(r.ready)
	_, err := d.(device.Apps).Install(t.Context(), r.app)
	r.must(err)
	has := func() bool {
		all, err := d.(device.Inventory).List(t.Context())
		r.must(err)
		return slices.ContainsFunc(all, func(a device.App) bool { return a.Bundle == drivertest.Conformance && a.Type == "User" && a.Path != "" })
	}
	if !has() {
		t.Error("the app is missing from the list")
	}
	r.must(d.(device.Inventory).Uninstall(t.Context(), drivertest.Conformance))
	if has() {
		t.Error("the app is still listed after the removal")
	}
}

// deaf is an xcrun whose devicectl does not obey an interrupt while it shows a console. It notes which process it is told
// to end in the file "ended" beside it.
const deaf = `#!/bin/sh
here=$(dirname "$0")
answer() { while [ "$1" != --json-output ]; do shift; done; echo "{\"info\":{\"commandType\":\"x\"},\"result\":{$json}}" >"$2"; }
case "$*" in
*--console*) trap '' INT; echo 'Launched application with com.iosagent.conformance bundle identifier.'; while :; do sleep 0.01; done;;
*'info apps'*) json='"apps":[{"bundleIdentifier":"com.iosagent.conformance","url":"file:///private/var/A.app/"}]'; answer "$@";;
*'info processes'*) json='"runningProcesses":[{"processIdentifier":41,"executable":"file:///private/var/A.app/A"}]'; answer "$@";;
*'process terminate'*) echo "$*" >"$here/ended"; json='"deviceIdentifier":"x"'; answer "$@";;
esac
`

// TestAppEndsWhenDevicectlIgnoresInterrupt: the app ends with the stream even if devicectl ignores the interrupt and is killed.
func TestAppEndsWhenDevicectlIgnoresInterrupt(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "xcrun"), []byte(deaf), 0o700); err != nil {
		t.Fatal(err)
	}
	runner, err := host.New(host.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	d := devicectl.New(devicectl.Options{Host: runner, Tools: apple.Toolchain{Bin: bin}}).Open(device.Info{UDID: "DEV"})
	s, _, err := d.(device.Console).LaunchConsole(t.Context(), drivertest.Conformance, device.Launch{}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if ended, err := os.ReadFile(filepath.Join(bin, "ended")); err != nil || !strings.Contains(string(ended), "--device DEV --pid 41") {
		t.Errorf("the app was not ended: %q, %v", ended, err)
	}
}
