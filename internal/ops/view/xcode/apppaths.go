package xcode

import (
	"context"

	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
)

// appPaths are the tools that show the path of a built app.
func (v views) appPaths() []op.Op {
	return []op.Op{
		op.New(v.completed(example(asking(getSimAppPath, "Show the path of the app built for a simulator", inSimulator),
			`get-sim-app-path --project-path Shop.xcodeproj --scheme Shop --platform "iOS Simulator" --simulator-name "iPhone 16"`),
			forSimulator()), v.simAppPath),
		op.New(v.completed(example(asking(getDeviceAppPath, "Show the path of the app built for devices", inDevice),
			"get-device-app-path --project-path Shop.xcodeproj --scheme Shop"), forScheme()), v.deviceAppPath),
		op.New(v.completed(example(asking(getMacAppPath, "Show the path of the built macOS app", inMac),
			"get-mac-app-path --project-path Notes.xcodeproj --scheme Notes"), forScheme()), v.macAppPath),
	}
}

// appPathOut is the path of a scheme's app.
type appPathOut struct {
	AppPath   string   `json:"appPath"`
	BundleID  string   `json:"bundleId,omitempty"`
	Target    string   `json:"target,omitempty"`
	Exists    bool     `json:"exists"` // whether it was built
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the path.
func (o appPathOut) Text() string {
	text := o.AppPath
	if !o.Exists {
		text += "\nnote: the app does not exist yet: build it first"
	}
	return andNext(text, o.NextSteps)
}

func (v views) appPath(ctx context.Context, c *op.Call, in builds.In, next func(builds.AppPathOut) []string) (appPathOut, error) {
	app, err := v.core.Builds.AppPath(ctx, c, in)
	if err != nil {
		return appPathOut{}, err
	}
	return appPathOut{app.Path, app.BundleID, app.Target, app.Exists, next(app)}, nil
}

type simAppPathIn struct {
	schemeIn
	simPlatformIn
	simIn
	archIn
	howIn
}

func (v views) simAppPath(ctx context.Context, c *op.Call, in simAppPathIn) (appPathOut, error) {
	build := builds.In{Project: in.project(), How: in.how(), On: onSim(in.simIn, string(in.Platform))}
	return v.appPath(ctx, c, build, func(app builds.AppPathOut) []string {
		id := in.ID
		if c.Device != nil {
			id = c.Device.UDID
		}
		return []string{
			nextCall(getAppBundleID, "appPath", app.Path),
			nextCall(installAppSim, "simulatorId", id, "appPath", app.Path),
			nextCall(launchAppSim, "simulatorId", id, "bundleId", app.BundleID),
		}
	})
}

type deviceAppPathIn struct {
	schemeIn
	devicePlatformIn
	howIn
}

func (v views) deviceAppPath(ctx context.Context, c *op.Call, in deviceAppPathIn) (appPathOut, error) {
	return v.appPath(ctx, c, builds.In{Project: in.project(), How: in.how(), On: in.device("")}, func(app builds.AppPathOut) []string {
		return []string{
			nextCall(getAppBundleID, "appPath", app.Path),
			nextCall(installAppDevice, "appPath", app.Path),
			nextCall(launchAppDevice, "bundleId", app.BundleID),
		}
	})
}

type macAppPathIn struct {
	schemeIn
	archIn
	howIn
}

func (v views) macAppPath(ctx context.Context, c *op.Call, in macAppPathIn) (appPathOut, error) {
	return v.appPath(ctx, c, builds.In{Project: in.project(), How: in.how(), On: in.mac()}, func(app builds.AppPathOut) []string {
		return []string{nextCall(getMacBundleID, "appPath", app.Path), nextCall(launchMacApp, "appPath", app.Path)}
	})
}
