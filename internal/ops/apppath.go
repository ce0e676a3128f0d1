package ops

import (
	"context"
	"os"

	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// AppPathOut is where a scheme's app is.
type AppPathOut struct {
	AppPath   string   `json:"appPath"`
	BundleID  string   `json:"bundleId,omitempty"`
	Target    string   `json:"target,omitempty"`
	Exists    bool     `json:"exists"` // whether it was built
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the path.
func (o AppPathOut) Text() string {
	text := o.AppPath
	if !o.Exists {
		text += "\nnote: it is not there: build it first"
	}
	return andNext(text, o.NextSteps)
}

func (b *builder) appPath(ctx context.Context, r build.Request, destination bool, next func(o AppPathOut) []string) (AppPathOut, error) {
	app, err := b.engine.App(ctx, r, destination)
	if err != nil {
		return AppPathOut{}, err
	}
	_, missing := os.Stat(app.Path)
	out := AppPathOut{AppPath: app.Path, BundleID: app.BundleID, Target: app.Target, Exists: missing == nil}
	out.NextSteps = next(out)
	return out, nil
}

// SimAppPathIn says whose app.
type SimAppPathIn struct {
	SchemeIn
	Platform string `json:"platform,omitempty" doc:"the simulator's platform; found from its runtime if absent" enum:"iOS Simulator,watchOS Simulator,tvOS Simulator,visionOS Simulator"`
	SimIn
	ArchIn
	HowIn
}

func (b *builder) simAppPath(ctx context.Context, c *op.Call, in SimAppPathIn) (AppPathOut, error) {
	var err error
	if in.SimIn, err = in.spelled(); err != nil {
		return AppPathOut{}, err
	}
	in, _, err = completeFrom(b.sims.defaults, c, in, specFor[SimAppPathIn](true, needsScheme, needsContainer, needsSimulator))
	if err != nil {
		return AppPathOut{}, err
	}
	sim, err := b.simulator(ctx, c, in.SimIn, in.Platform)
	if err != nil {
		return AppPathOut{}, err
	}
	r := b.request(c, build.Build, in.SchemeIn, in.HowIn)
	r.Destination = sim.Destination
	return b.appPath(ctx, r, true, func(o AppPathOut) []string {
		return []string{
			nextCall("get_app_bundle_id", "appPath", o.AppPath),
			nextCall("install_app_sim", "simulatorId", sim.ID, "appPath", o.AppPath),
			nextCall("launch_app_sim", "simulatorId", sim.ID, "bundleId", o.BundleID),
		}
	})
}

// DeviceAppPathIn says whose app.
type DeviceAppPathIn struct {
	SchemeIn
	DevicePlatformIn
	HowIn
}

func (b *builder) deviceAppPath(ctx context.Context, c *op.Call, in DeviceAppPathIn) (AppPathOut, error) {
	in, _, err := completeFrom(b.sims.defaults, c, in, specFor[DeviceAppPathIn](false, needsScheme, needsContainer))
	if err != nil {
		return AppPathOut{}, err
	}
	r := b.request(c, build.Build, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: in.platform()}
	return b.appPath(ctx, r, true, func(o AppPathOut) []string {
		return []string{
			nextCall("get_app_bundle_id", "appPath", o.AppPath),
			nextCall("install_app_device", "appPath", o.AppPath),
			nextCall("launch_app_device", "bundleId", o.BundleID),
		}
	})
}

// MacAppPathIn says whose app.
type MacAppPathIn struct {
	SchemeIn
	ArchIn
	HowIn
}

func (b *builder) macAppPath(ctx context.Context, c *op.Call, in MacAppPathIn) (AppPathOut, error) {
	in, _, err := completeFrom(b.sims.defaults, c, in, specFor[MacAppPathIn](false, needsScheme, needsContainer))
	if err != nil {
		return AppPathOut{}, err
	}
	r := b.request(c, build.Build, in.SchemeIn, in.HowIn)
	r.Destination = build.Destination{Platform: build.MacOS, Arch: in.Arch}
	return b.appPath(ctx, r, in.Arch != "", func(o AppPathOut) []string {
		return []string{nextCall("get_mac_bundle_id", "appPath", o.AppPath)}
	})
}
