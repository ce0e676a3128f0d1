package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple/devicectl"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
)

// handhelds are XcodeBuildMCP's tools for physical devices, through devicectl.
type handhelds struct {
	defaults *sessionDefaults
	parts    Parts
}

const inDevice = "device"

func (d *handhelds) ops() []op.Op {
	groups := []string{inDevice}
	return []op.Op{
		op.New(op.Spec{
			Name: "list_devices", Family: xcode, Groups: groups, Route: "POST /api/v1/xcode/list_devices", Timeout: 2 * time.Minute,
			Summary: "List the physical devices that this Mac knows, with their ids", Hints: op.ReadOnly | op.Idempotent,
		}, d.list),
		op.New(op.Spec{
			Name: "install_app_device", Family: xcode, Groups: groups, Verb: "install-app-device", Route: "POST /api/v1/xcode/install_app_device", Timeout: 12 * time.Minute, Long: true,
			Summary: "Install an app on a physical device", Hints: op.Idempotent,
			Examples: []string{"install-app-device --device-id 00008140-000A61C23E04801C --app-path ./Shop.app"},
		}, d.install),
		op.New(op.Spec{
			Name: "launch_app_device", Family: xcode, Groups: groups, Verb: "launch-app-device", Route: "POST /api/v1/xcode/launch_app_device", Timeout: 3 * time.Minute,
			Summary:  "Launch an app on a physical device; a running instance is ended first",
			Examples: []string{"launch-app-device --device-id 00008140-000A61C23E04801C --bundle-id com.iosagent.shop"},
		}, d.launch),
		op.New(op.Spec{
			Name: "stop_app_device", Family: xcode, Groups: groups, Verb: "stop-app-device", Route: "POST /api/v1/xcode/stop_app_device", Timeout: 2 * time.Minute,
			Summary:  "End a process on a physical device",
			Examples: []string{"stop-app-device --device-id 00008140-000A61C23E04801C --process-id 4211"},
		}, d.stop),
	}
}

func (d *handhelds) tool() devicectl.Tool {
	return devicectl.Tool{Run: d.parts.Run, Xcrun: d.parts.Tools.Tool("xcrun")}
}

func (s *simulators) simctl() simctl.Tool {
	return simctl.Tool{Run: s.parts.Run, Xcrun: s.parts.Tools.Tool("xcrun")}
}

// DeviceIn says which device is meant.
type DeviceIn struct {
	Device string `json:"deviceId,omitempty" doc:"udid of the device, from list_devices"`
}

// Handheld is a physical device.
type Handheld struct {
	Name      string `json:"name"`
	ID        string `json:"deviceId"`               // for devicectl and xcodebuild
	CoreID    string `json:"coreDeviceId,omitempty"` // devicectl's own
	Platform  string `json:"platform,omitempty"`
	Model     string `json:"model,omitempty"`
	OS        string `json:"osVersion,omitempty"`
	CPU       string `json:"cpuArchitecture,omitempty"`
	Transport string `json:"connection,omitempty"`
	Developer string `json:"developerMode,omitempty"`
	State     string `json:"state"`
	Available bool   `json:"isAvailable"`
}

// Words of a device's state.
const (
	reachable  = "Available"
	overWiFi   = "Available (WiFi)"
	notPaired  = "Unpaired"
	outOfReach = "Unavailable"
)

// ListHandheldsOut is every device.
type ListHandheldsOut struct {
	Devices   []Handheld `json:"devices"`
	Fallback  string     `json:"xctrace,omitempty"` // what xctrace tells where devicectl tells nothing
	Notes     []string   `json:"notes,omitempty"`
	NextSteps []string   `json:"nextSteps,omitempty"`
}

// Text groups them by their state.
func (o ListHandheldsOut) Text() string {
	lines := []string{fmt.Sprintf("%d physical devices", len(o.Devices))}
	if len(o.Devices) == 1 {
		lines[0] = "1 physical device"
	}
	for _, state := range []string{reachable, overWiFi, notPaired, outOfReach} {
		for _, d := range o.Devices {
			if d.State == state {
				lines = append(lines, fmt.Sprintf("%s  %s  %s %s  %s  %s", d.ID, d.Name, d.Platform, d.OS, d.Model, d.State))
			}
		}
	}
	for _, n := range o.Notes {
		lines = append(lines, "note: "+n)
	}
	if o.Fallback != "" {
		lines = append(lines, "xctrace list devices:", strings.TrimSpace(o.Fallback))
	}
	return andNext(strings.Join(lines, "\n"), o.NextSteps)
}

// checklist is what to look at when no device is there.
var checklist = []string{
	"connect the device by cable, or pair it for Wi-Fi in Xcode",
	"unlock the device",
	"tap Trust on the device when it asks about this computer",
	"turn Developer Mode on: Settings, Privacy & Security (iOS 16 and later)",
	"open Xcode once, and let Window, Devices and Simulators prepare the device",
}

func (d *handhelds) list(ctx context.Context, _ *op.Call, _ struct{}) (ListHandheldsOut, error) {
	found, listErr := d.tool().List(ctx)
	out := ListHandheldsOut{Devices: []Handheld{}}
	seen := map[string]bool{}
	for _, one := range found {
		if h := handheld(one); h.ID != "" && isPhysical(one) && !seen[h.ID] {
			seen[h.ID] = true
			out.Devices = append(out.Devices, h)
		}
	}
	if len(out.Devices) > 0 {
		if i := slices.IndexFunc(out.Devices, func(h Handheld) bool { return h.Available }); i >= 0 {
			id := out.Devices[i].ID
			out.NextSteps = []string{
				nextCall("install_app_device", "deviceId", id, "appPath", "PATH_TO_YOUR_APP"),
				nextCall("launch_app_device", "deviceId", id, "bundleId", "YOUR_APP_BUNDLE_ID"),
			}
		}
		return out, nil
	}
	res, err := d.parts.Run.Run(ctx, host.Cmd{Name: d.parts.Tools.Tool("xcrun"), Args: []string{"xctrace", "list", "devices"}, Timeout: time.Minute})
	switch {
	case err == nil:
		out.Fallback = string(res.Stdout)
	case listErr != nil: // neither of them answers
		return out, toolFault(listErr, fault.ToolFailed, "listing devices")
	}
	if listErr != nil {
		out.Notes = append(out.Notes, "devicectl does not answer: "+listErr.Error())
	}
	out.Notes = append(out.Notes, checklist...)
	return out, nil
}

// isPhysical leaves out simulators, which newer versions list too, and what was never paired.
func isPhysical(d devicectl.Device) bool {
	return d.Visibility != "Simulator" && d.Hardware.Reality != "simulated" && d.Connection.Pairing != ""
}

func handheld(d devicectl.Device) Handheld {
	h := Handheld{
		Name: d.Properties.Name, ID: cmp.Or(d.Hardware.UDID, d.ID), CoreID: d.ID, Platform: d.Hardware.Platform,
		Model: cmp.Or(d.Hardware.Marketing, d.Hardware.ProductType), OS: d.Properties.OS, Transport: d.Connection.Transport,
		Developer: d.Properties.DeveloperMode,
	}
	var cpu struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(d.Hardware.Extra["cpuType"], &cpu) == nil {
		h.CPU = cpu.Name
	}
	h.State, h.Available = stateOf(d.Connection)
	return h
}

// stateOf says in a word whether a device can be used.
func stateOf(c devicectl.Connection) (state string, available bool) {
	switch {
	case c.Pairing != "paired":
		return notPaired, false
	case c.Tunnel == "unavailable":
		return outOfReach, false
	case c.Tunnel == "connected":
		return reachable, true
	}
	return overWiFi, true
}

// DeviceAppOut is an app on a device and what became of it.
type DeviceAppOut struct {
	Message   string   `json:"message"`
	Device    string   `json:"deviceId"`
	Bundle    string   `json:"bundleId,omitempty"`
	Process   int      `json:"processId,omitempty"`
	App       string   `json:"appPath,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text says it, and what usually follows.
func (o DeviceAppOut) Text() string { return andNext(o.Message, o.NextSteps) }

// InstallDeviceIn names the app and the device.
type InstallDeviceIn struct {
	DeviceIn
	App op.Path `json:"appPath" doc:"path of the .app folder, built for devices"`
}

func (d *handhelds) install(ctx context.Context, c *op.Call, in InstallDeviceIn) (DeviceAppOut, error) {
	in, err := complete(d.defaults, c, in, needsDevice)
	if err != nil {
		return DeviceAppOut{}, err
	}
	app := string(in.App)
	if err := mustBeFolder(app, "appPath", "an .app folder"); err != nil {
		return DeviceAppOut{}, err
	}
	c.Progress("installing on " + in.Device)
	bundles, err := d.tool().Install(ctx, in.Device, app)
	if err != nil {
		return DeviceAppOut{}, d.explain(ctx, err, in.Device, fault.AppInstallFailed, "installing "+app)
	}
	out := DeviceAppOut{Message: "installed " + app + " on device " + in.Device, Device: in.Device, App: app}
	if len(bundles) > 0 {
		out.Bundle = bundles[0]
		out.Message = "installed " + out.Bundle + " on device " + in.Device
		out.NextSteps = []string{nextCall("launch_app_device", "deviceId", in.Device, "bundleId", out.Bundle)}
	}
	return out, nil
}

// mustBeFolder tells a wrong path before a tool sees it.
func mustBeFolder(path, field, what string) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return fault.New(fault.PathError, "there is no %s", path).With("field", field)
	}
	if err != nil {
		return fault.New(fault.PathError, "%w", err).With("field", field)
	}
	if !info.IsDir() {
		return fault.New(fault.PathError, "%s is not %s", path, what).With("field", field)
	}
	return nil
}

// LaunchDeviceIn says what to launch and how.
type LaunchDeviceIn struct {
	DeviceIn
	Bundle string   `json:"bundleId,omitempty" doc:"the app's bundle id"`
	Args   []string `json:"args,omitempty" doc:"arguments for the app"`
	Launch []string `json:"launchArgs,omitempty" doc:"args by its new name" cli:"-"`
	Env    []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true"`
}

func (d *handhelds) launch(ctx context.Context, c *op.Call, in LaunchDeviceIn) (DeviceAppOut, error) {
	in, err := complete(d.defaults, c, in, needsDevice, needsBundle)
	if err != nil {
		return DeviceAppOut{}, err
	}
	if err := checkBundle(in.Bundle); err != nil {
		return DeviceAppOut{}, err
	}
	args, err := LaunchSimIn{Args: in.Args, Launch: in.Launch}.arguments()
	if err != nil {
		return DeviceAppOut{}, err
	}
	env, err := nameValues("launch_app_device", envKey, in.Env)
	if err != nil {
		return DeviceAppOut{}, err
	}
	pid, err := d.tool().Launch(ctx, in.Device, in.Bundle, devicectl.LaunchOptions{Args: args, Env: env})
	if err != nil {
		return DeviceAppOut{}, d.explain(ctx, err, in.Device, fault.AppLaunchFailed, "launching "+in.Bundle)
	}
	out := DeviceAppOut{Message: "launched " + in.Bundle + " on device " + in.Device, Device: in.Device, Bundle: in.Bundle, Process: pid}
	if pid > 0 {
		out.Message += fmt.Sprintf(" (process %d)", pid)
		out.NextSteps = []string{nextCall("stop_app_device", "deviceId", in.Device, "processId", pid)}
	}
	return out, nil
}

// StopDeviceIn names a process.
type StopDeviceIn struct {
	DeviceIn
	Process int `json:"processId" doc:"the process, from launch_app_device" min:"1"`
}

func (d *handhelds) stop(ctx context.Context, c *op.Call, in StopDeviceIn) (DeviceAppOut, error) {
	in, err := complete(d.defaults, c, in, needsDevice)
	if err != nil {
		return DeviceAppOut{}, err
	}
	if err := d.tool().Terminate(ctx, in.Device, in.Process); err != nil {
		return DeviceAppOut{}, d.explain(ctx, err, in.Device, fault.AppTerminate, fmt.Sprintf("ending process %d", in.Process))
	}
	return DeviceAppOut{Message: fmt.Sprintf("ended process %d on device %s", in.Process, in.Device), Device: in.Device, Process: in.Process}, nil
}

// explain turns devicectl's no into a fault. Whether the device exists is asked, not read from the message.
func (d *handhelds) explain(ctx context.Context, err error, id string, code fault.Code, what string) error {
	var no *devicectl.Refusal
	var exit *host.ExitError
	if !errors.As(err, &no) && !errors.As(err, &exit) {
		return asFault(err, code, what)
	}
	if missing := d.missing(ctx, id); missing != nil {
		return missing
	}
	if no == nil {
		return toolFault(err, code, what)
	}
	f := fault.New(code, "%s on device %s: %w", what, id, no).With("domain", no.Reason.Domain).With("code", no.Reason.Code)
	return f.WithHint("devicectl's own reason is in the message; an unlocked, paired device with Developer Mode on is what it needs")
}

// missing is a fault when devicectl lists devices and none of them has the id.
func (d *handhelds) missing(ctx context.Context, id string) error {
	found, err := d.tool().List(ctx)
	if err != nil {
		return nil
	}
	var known []string
	for _, one := range found {
		all := append([]string{one.ID, one.Hardware.UDID, one.Hardware.Serial, one.Properties.Name, fmt.Sprint(one.Hardware.ECID)}, one.Connection.Hostnames...)
		if slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, id) }) {
			return nil
		}
		if isPhysical(one) {
			known = append(known, one.Properties.Name, one.Hardware.UDID)
		}
	}
	f := fault.New(fault.DeviceNotFound, "no physical device has the id or name %q", id).With("field", "deviceId")
	if near := nearest.To(id, known, 3); len(near) > 0 {
		return f.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return f.WithHint("list_devices shows what there is: %s", strings.Join(known, ", "))
}
