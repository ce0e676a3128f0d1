package xcode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/appref"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/apps"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/target"
)

// devices are the tools for physical devices.
func (v views) devices() []op.Op {
	return []op.Op{
		op.New(taking(2*time.Minute, tool(ListDevices, "List the physical devices of this Mac, with their ids", readOnly, inDevice)),
			v.listDevices),
		op.New(v.deviceSpec(long(12*time.Minute, tool(installAppDevice,
			"Install an app on a physical device", op.Idempotent|op.Executes, inDevice),
			"install-app-device --device-id 00008140-000A61C23E04801C --app-path ./Shop.app")), v.installOnDevice),
		op.New(v.deviceSpec(taking(3*time.Minute, tool(launchAppDevice,
			"Launch an app on a physical device, ending a running instance first", 0, inDevice),
			"launch-app-device --device-id 00008140-000A61C23E04801C --bundle-id com.iosagent.shop"), needsBundle), v.launchOnDevice),
		op.New(v.deviceSpec(taking(2*time.Minute, tool(stopAppDevice, "End a process on a physical device", 0, inDevice),
			"stop-app-device --device-id 00008140-000A61C23E04801C --process-id 4211")), v.stopOnDevice),
	}
}

// deviceIn names a physical device.
type deviceIn struct {
	ID string `json:"deviceId,omitempty" doc:"udid of the device, from list_devices"`
}

func (in deviceIn) target() target.Target { return target.Target{UDID: in.ID} }

// deviceSpec lets session defaults complete the input of a device's tool.
func (v views) deviceSpec(s op.Spec, needs ...config.Requirement) op.Spec {
	return v.completed(s, complete.Completion{Require: append([]config.Requirement{needsDevice}, needs...)})
}

type listedDevice struct {
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

func listed(i device.Info) listedDevice {
	d := listedDevice{
		Name: i.Name, ID: i.UDID, Platform: device.Platform(i.OS), Model: i.Model, OS: strings.TrimPrefix(i.OS, device.Platform(i.OS)+" "),
		State: i.State, Available: i.Available,
	}
	if h := i.Hardware; h != nil {
		d.CoreID, d.CPU, d.Transport, d.Developer, d.State = h.CoreID, h.CPU, h.Connection, h.DeveloperMode, h.Reach
		d.Platform = cmp.Or(h.Platform, d.Platform)
	}
	return d
}

type listDevicesOut struct {
	Devices   []listedDevice `json:"devices"`
	Notes     []string       `json:"notes,omitempty"`
	NextSteps []string       `json:"nextSteps,omitempty"`
}

// Text is one line per device, available devices first.
func (o listDevicesOut) Text() string {
	lines := []string{fmt.Sprintf("%d physical devices", len(o.Devices))}
	if len(o.Devices) == 1 {
		lines[0] = "1 physical device"
	}
	for _, d := range o.Devices {
		lines = append(lines, fmt.Sprintf("%s  %s  %s %s  %s  %s", d.ID, d.Name, d.Platform, d.OS, d.Model, d.State))
	}
	return andNext(withNotes(strings.Join(lines, "\n"), o.Notes), o.NextSteps)
}

// checklist are the causes to check if no device is found.
var checklist = []string{
	"connect the device by cable, or pair it for Wi-Fi in Xcode",
	"unlock the device",
	"tap Trust on the device when it asks about this computer",
	"turn Developer Mode on: Settings, Privacy & Security (iOS 16 and later)",
	"open Xcode once, and let Window, Devices and Simulators prepare the device",
}

func (v views) listDevices(ctx context.Context, c *op.Call, _ struct{}) (listDevicesOut, error) {
	found, err := v.core.Devices.List(ctx, c, devices.ListDevicesIn{Type: device.TypePhysical})
	if err != nil {
		return listDevicesOut{}, err
	}
	out := listDevicesOut{Devices: []listedDevice{}}
	for _, i := range found.Devices {
		out.Devices = append(out.Devices, listed(i))
	}
	words := []string{device.ReachWired, device.ReachNetwork, device.ReachUnpaired, device.ReachUnavailable}
	slices.SortStableFunc(out.Devices, func(a, b listedDevice) int {
		return cmp.Compare(slices.Index(words, a.State), slices.Index(words, b.State))
	})
	if len(out.Devices) == 0 {
		out.Notes = checklist
		return out, nil
	}
	if i := slices.IndexFunc(out.Devices, func(d listedDevice) bool { return d.Available }); i >= 0 {
		id := out.Devices[i].ID
		out.NextSteps = []string{
			nextCall(installAppDevice, "deviceId", id, "appPath", "PATH_TO_YOUR_APP"),
			nextCall(launchAppDevice, "deviceId", id, "bundleId", "YOUR_APP_BUNDLE_ID"),
		}
	}
	return out, nil
}

// deviceAppOut is the result of a call on an app of a device.
type deviceAppOut struct {
	Message   string   `json:"message"`
	Device    string   `json:"deviceId"`
	Bundle    string   `json:"bundleId,omitempty"`
	Process   int      `json:"processId,omitempty"`
	App       string   `json:"appPath,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the message and the next steps.
func (o deviceAppOut) Text() string { return andNext(o.Message, o.NextSteps) }

type installDeviceIn struct {
	deviceIn
	App op.Path `json:"appPath" doc:"path of the .app bundle, built for devices"`
}

func (v views) installOnDevice(ctx context.Context, c *op.Call, in installDeviceIn) (deviceAppOut, error) {
	done, err := v.core.Apps.Install(ctx, c, apps.InstallIn{Target: in.target(), Path: in.App})
	if err != nil {
		return deviceAppOut{}, err
	}
	return deviceAppOut{
		Message: "installed " + done.Bundle + " on device " + done.UDID, Device: done.UDID, Bundle: done.Bundle, App: done.Path,
		NextSteps: []string{nextCall(launchAppDevice, "deviceId", done.UDID, "bundleId", done.Bundle)},
	}, nil
}

type launchDeviceIn struct {
	deviceIn
	Bundle string `json:"bundleId,omitempty" doc:"the app's bundle id"`
	launchIn
}

func (v views) launchOnDevice(ctx context.Context, c *op.Call, in launchDeviceIn) (deviceAppOut, error) {
	args, err := in.arguments()
	if err != nil {
		return deviceAppOut{}, err
	}
	if err := appref.CheckBundle(in.Bundle); err != nil {
		return deviceAppOut{}, err
	}
	done, err := v.core.Apps.Launch(ctx, c, apps.LaunchIn{Target: in.target(), Bundle: in.Bundle, Args: args, Env: in.Env, Restart: true})
	if fault.Is(err, fault.AppNotFound) {
		return deviceAppOut{}, fault.From(err).
			WithHint("install the app first: %s", nextCall(installAppDevice, "deviceId", c.Device.UDID, "appPath", "PATH_TO_YOUR_APP"))
	}
	if err != nil {
		return deviceAppOut{}, err
	}
	out := deviceAppOut{
		Message: "launched " + done.Bundle + " on device " + done.UDID, Device: done.UDID, Bundle: done.Bundle, Process: done.PID,
	}
	if done.PID > 0 {
		out.Message += fmt.Sprintf(" (process %d)", done.PID)
		out.NextSteps = []string{nextCall(stopAppDevice, "deviceId", done.UDID, "processId", done.PID)}
	}
	return out, nil
}

type stopDeviceIn struct {
	deviceIn
	Process int `json:"processId" doc:"process id, from launch_app_device" min:"1"`
}

func (v views) stopOnDevice(ctx context.Context, c *op.Call, in stopDeviceIn) (deviceAppOut, error) {
	done, err := v.core.Apps.EndProcess(ctx, c, in.target(), in.Process)
	if err != nil {
		return deviceAppOut{}, err
	}
	message := fmt.Sprintf("ended process %d on device %s", in.Process, done.UDID)
	return deviceAppOut{Message: message, Device: done.UDID, Process: in.Process}, nil
}
