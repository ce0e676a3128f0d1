package devicectl_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/driver/devicectl"
	"ios-agent/internal/driver/drivertest"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/apps"
)

var update = flag.Bool("update", false, "write docs/support.md")

// serveWord makes this test's own program the virtual service; under a tool's name it plays the tool.
const serveWord = "serve-the-virtual-world"

func TestMain(m *testing.M) {
	tool := filepath.Base(os.Args[0])
	switch {
	case slices.Contains(virtualxcode.Tools(), tool):
		dir, err := virtualxcode.Dir(os.Args[0])
		if err != nil {
			os.Exit(1)
		}
		os.Exit(installation(dir).Play(tool, os.Args[1:], os.Stdout, os.Stderr))
	case len(os.Args) == 3 && os.Args[1] == serveWord:
		if err := installation(os.Args[2]).RunService(context.Background(), slog.New(slog.DiscardHandler)); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func installation(dir string) virtualxcode.Xcode {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return virtualxcode.Xcode{Dir: dir, Binary: binary, Serve: []string{serveWord}}
}

// rig is the driver over a virtual Xcode of its own, with a device that can be used and one that is locked.
type rig struct {
	t            *testing.T
	driver       *devicectl.Driver
	ready        device.Info
	locked       device.Info
	app          string // Conformance, built for devices
	forSimulator string
	bin          string // the folder of the tools
	host         *host.Host
}

func newRig(t *testing.T) *rig {
	t.Helper()
	t.Setenv(virtualxcode.TimeVariable, "request")
	dir, err := os.MkdirTemp("", "devctl") // short: sockets have short names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	x := installation(filepath.Join(dir, "v"))
	if err := x.Mount(); err != nil {
		t.Fatal(err)
	}
	runner, err := host.New(host.Options{Dir: filepath.Join(dir, "children")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(runner.Close(), resident.Stop(context.Background(), x.Place())); err != nil {
			t.Error(err)
		}
	})
	folder := filepath.Join(dir, "apps")
	r := &rig{
		t: t, host: runner, bin: x.Bin(), app: filepath.Join(folder, "Conformance.app"), forSimulator: filepath.Join(folder, "Shop.app"),
		driver: devicectl.New(devicectl.Options{Host: runner, Tools: apple.Toolchain{Name: apple.Virtual, Bin: x.Bin()}}),
	}
	r.must(apps.Write(folder))
	r.buildForDevices(filepath.Join(r.app, "Info.plist"))
	infos, err := r.driver.List(t.Context())
	r.must(err)
	if len(infos) != 2 {
		t.Fatalf("%+v", infos)
	}
	r.ready, r.locked = infos[0], infos[1]
	return r
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

// TestContract drives the contract through processes, and keeps the driver's column of the support matrix true.
func TestContract(t *testing.T) {
	r := newRig(t)
	d := r.driver.Open(r.ready)
	defer d.Close()
	id, err := d.(device.Apps).Install(t.Context(), r.app)
	if err != nil || id != drivertest.Conformance {
		t.Fatal(id, err)
	}
	drivertest.CheckMatrix(t, "../../../docs/support.md", "devicectl", drivertest.Run(t, d), *update)
}

func TestList(t *testing.T) {
	r := newRig(t)
	want := device.Info{
		UDID: "00008140-000A61C23E04801C", Name: "Ada’s iPhone", State: device.Booted, OS: "iOS 18.5", Type: device.TypePhysical, Model: "iPhone 16 Pro",
		Family: "iPhone", Available: true,
		Aliases: []string{
			"5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35", "F2LX7Q9V0D", "2922236659138588",
			"00008140-000A61C23E04801C.coredevice.local", "5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35.coredevice.local",
		},
		Hardware: &device.Hardware{
			CoreID: "5B3F0E7C-9D41-5A68-B2E7-40C1D86F9A35", Platform: "iOS", Product: "iPhone17,1", CPU: "arm64e", Connection: "wired",
			DeveloperMode: "enabled", Reach: device.ReachWired,
		},
	}
	if !reflect.DeepEqual(r.ready, want) {
		t.Errorf("got %+v %+v\nwant %+v %+v", r.ready, r.ready.Hardware, want, want.Hardware)
	}
	if l := r.locked; l.Name != "Grace’s iPad" || l.Hardware.Reach != device.ReachNetwork || !l.Available || l.State != device.Booted {
		t.Errorf("%+v %+v", l, l.Hardware)
	}
}

// TestXctraceIsAskedWhereDevicectlTellsNothing runs an xcrun that refuses some of its tools.
func TestXctraceIsAskedWhereDevicectlTellsNothing(t *testing.T) {
	r := newRig(t)
	without := func(script string) ([]device.Info, error) {
		bin := t.TempDir()
		text := "#!/bin/sh\n" + script + "\nexec '" + filepath.Join(r.bin, "xcrun") + "' \"$@\"\n"
		r.must(os.WriteFile(filepath.Join(bin, "xcrun"), []byte(text), 0o700))
		return devicectl.New(devicectl.Options{Host: r.host, Tools: apple.Toolchain{Bin: bin}}).List(t.Context())
	}
	infos, err := without(`[ "$1" = devicectl ] && exit 1`)
	r.must(err)
	if len(infos) != 2 || infos[0].UDID != r.ready.UDID || infos[0].Type != device.TypePhysical || !infos[0].Available || infos[0].State != device.Booted {
		t.Errorf("%+v", infos)
	}
	if infos[1].Available || infos[1].State != "unavailable" {
		t.Errorf("what is offline for xctrace is not available: %+v", infos[1])
	}
	infos, err = without("echo nothing >&2; exit 1")
	r.refuses(err, fault.ToolFailed, "nothing")
	if len(infos) != 0 {
		t.Errorf("%+v", infos)
	}
	_, err = without("exit 72")
	r.refuses(err, fault.NoXcode, "no usable Xcode")
}

// TestWhatIsRefused: every refusal of devicectl is a fault with a code and devicectl's reason.
func TestWhatIsRefused(t *testing.T) {
	r := newRig(t)
	ctx, d := t.Context(), r.driver.Open(r.ready)
	apps := d.(device.Apps)
	_, err := apps.Install(ctx, filepath.Join(t.TempDir(), "gone.app"))
	r.refuses(err, fault.PathError, "there is no app at")
	_, err = apps.Install(ctx, t.TempDir())
	r.refuses(err, fault.PathError, "has no Info.plist")
	_, err = apps.Install(ctx, r.forSimulator)
	r.refuses(err, fault.AppInstallFailed, "built for the simulator")
	_, err = apps.Launch(ctx, "com.no.such", device.Launch{})
	r.refuses(err, fault.AppLaunchFailed, "NSOSStatusErrorDomain error -10814")
	_, err = apps.Launch(ctx, "--help", device.Launch{})
	r.refuses(err, fault.InvalidInput, "is no bundle id")
	_, err = apps.Launch(ctx, drivertest.Conformance, device.Launch{Stdout: "out.txt"})
	r.refuses(err, fault.Unsupported, "into files")
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

// TestWhatItCannotDo: a missing ability is a fault that names what can.
func TestWhatItCannotDo(t *testing.T) {
	r := newRig(t)
	_, err := device.As[device.Eyes](r.driver.Open(r.ready))
	r.refuses(err, fault.Unsupported, "driver devicectl has no Eyes")
	if hint := fault.From(err).Hint; !strings.Contains(hint, "use a simulator") {
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
		t.Error("it is not listed")
	}
	r.must(d.(device.Inventory).Uninstall(t.Context(), drivertest.Conformance))
	if has() {
		t.Error("it is still listed")
	}
}
