package ops

import (
	"context"
	"strings"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// What a build is for, as answers say it.
const (
	forSimulator = "simulator"
	forDevice    = "device"
	forMac       = "macos"
)

// BuildSimIn says what to build for which simulator.
type BuildSimIn struct {
	SchemeIn
	SimIn
	Platform string `json:"platform,omitempty" doc:"the simulator's platform; found from its runtime if absent" enum:"iOS Simulator,watchOS Simulator,tvOS Simulator,visionOS Simulator"`
	HowIn
	ForTestingIn
}

func (b *builder) buildSim(ctx context.Context, c *op.Call, in BuildSimIn) (BuildOut, error) {
	action, err := in.ForTestingIn.action()
	if err != nil {
		return BuildOut{}, err
	}
	in.SimIn, err = in.spelled()
	if err != nil {
		return BuildOut{}, err
	}
	in, m, err := completeFrom(b.sims.defaults, c, in, specFor[BuildSimIn](true, needsScheme, needsContainer, needsSimulator))
	if err != nil {
		return BuildOut{}, err
	}
	sim, err := b.simulator(ctx, c, in.SimIn, in.Platform)
	if err != nil {
		return BuildOut{}, err
	}
	r := b.request(c, action, in.SchemeIn, in.HowIn)
	r.Destination, r.Products = sim.Destination, string(in.Products)
	out, err := b.do(ctx, c, r, b.style(c, forSimulator, sim.words, isSet(in.NoWarnings)), m)
	if err != nil {
		return out, err
	}
	out.Artifacts.SimulatorID = sim.ID
	out.NextSteps = builtSteps(in.ForTesting, m, "test_sim", "build_run_sim", "get_sim_app_path")
	return out, nil
}

func (in ForTestingIn) action() (build.Action, error) {
	switch {
	case in.ForTesting:
		return build.BuildForTesting, nil
	case in.Products != "":
		return "", fault.New(fault.InvalidInput, "testProductsPath needs buildForTesting").With("field", "testProductsPath")
	}
	return build.Build, nil
}

// builtSteps are what follows a build: its tests, or the app. What the call gave has to be given again; defaults do not.
func builtSteps(tests bool, m defaults.Merged, test string, app ...string) []string {
	var given []any
	for _, key := range []string{"projectPath", "workspacePath", "scheme", "configuration", "simulatorId", "simulatorName", "deviceId", "derivedDataPath"} {
		if m.Values[key].Source == defaults.FromCall {
			given = append(given, key, m.Text(key))
		}
	}
	if tests {
		app = []string{test}
	}
	var steps []string
	for _, tool := range app {
		steps = append(steps, nextCall(tool, given...))
	}
	return steps
}

// DevicePlatformIn is the platform of a physical device.
type DevicePlatformIn struct {
	Platform string `json:"platform,omitempty" doc:"the device's platform; iOS if neither the call nor a default says otherwise" enum:"iOS,watchOS,tvOS,visionOS"`
}

// BuildDeviceIn says what to build for devices.
type BuildDeviceIn struct {
	SchemeIn
	DevicePlatformIn
	DeviceIn
	HowIn
	ForTestingIn
}

func (b *builder) buildDevice(ctx context.Context, c *op.Call, in BuildDeviceIn) (BuildOut, error) {
	action, err := in.ForTestingIn.action()
	if err != nil {
		return BuildOut{}, err
	}
	spec := specFor[BuildDeviceIn](false, needsScheme, needsContainer)
	spec.Drop = []defaults.Drop{defaults.ForTesting()}
	in, m, err := completeFrom(b.sims.defaults, c, in, spec)
	if err != nil {
		return BuildOut{}, err
	}
	r := b.request(c, action, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: in.platform(), ID: in.Device}
	r.Products = string(in.Products)
	out, err := b.do(ctx, c, r, b.style(c, forDevice, deviceWords(r.Destination), isSet(in.NoWarnings)), m)
	out.Artifacts.DeviceID = in.Device
	out.NextSteps = builtSteps(in.ForTesting, m, "test_device", "build_run_device", "get_device_app_path")
	return out, err
}

func (in DevicePlatformIn) platform() string { return orDefault(in.Platform, build.IOS) }

func deviceWords(d build.Destination) string {
	if d.ID == "" {
		return "any " + d.Platform + " device"
	}
	return "device " + d.ID
}

// BuildMacIn says what to build for Macs.
type BuildMacIn struct {
	SchemeIn
	ArchIn
	HowIn
	ForTestingIn
}

// ArchIn is the architecture of a macOS build.
type ArchIn struct {
	Arch string `json:"arch,omitempty" doc:"the architecture; this Mac's if absent" enum:"arm64,x86_64"`
}

func (b *builder) buildMac(ctx context.Context, c *op.Call, in BuildMacIn) (BuildOut, error) {
	action, err := in.ForTestingIn.action()
	if err != nil {
		return BuildOut{}, err
	}
	in, m, err := completeFrom(b.sims.defaults, c, in, specFor[BuildMacIn](false, needsScheme, needsContainer))
	if err != nil {
		return BuildOut{}, err
	}
	r := b.request(c, action, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: build.MacOS, Arch: in.Arch}
	r.Products = string(in.Products)
	out, err := b.do(ctx, c, r, b.style(c, forMac, macWords(in.Arch), isSet(in.NoWarnings)), m)
	out.NextSteps = builtSteps(in.ForTesting, m, "test_macos", "build_run_macos", "get_mac_app_path")
	return out, err
}

func macWords(arch string) string { return strings.TrimSpace(build.MacOS + " " + arch) }

// CleanIn says what to clean.
type CleanIn struct {
	SchemeIn
	Platform string `json:"platform,omitempty" doc:"whose build to clean; iOS if neither the call nor a default says otherwise" enum:"macOS,iOS,iOS Simulator,watchOS,watchOS Simulator,tvOS,tvOS Simulator,visionOS,visionOS Simulator"`
	HowIn
}

func (b *builder) clean(ctx context.Context, c *op.Call, in CleanIn) (BuildOut, error) {
	in, m, err := completeFrom(b.sims.defaults, c, in, specFor[CleanIn](false, needsContainer))
	if err != nil {
		return BuildOut{}, err
	}
	if in.Workspace != "" && in.Scheme == "" {
		return BuildOut{}, fault.New(fault.InvalidInput, "clean: scheme is required when workspacePath is provided").With("field", "scheme")
	}
	platform := strings.TrimSuffix(orDefault(in.Platform, build.IOS), build.Simulated) // the device's destination is there without any simulator
	r := b.request(c, build.Clean, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: platform}
	return b.do(ctx, c, r, b.style(c, "", "", isSet(in.NoWarnings)), m)
}
