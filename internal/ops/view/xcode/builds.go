package xcode

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/ops/run"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/choose"
)

// askTime is the time limit of a query to one of Xcode's tools.
const askTime = 15 * time.Minute

// building is the spec of a tool that builds or tests. Such a tool may run for hours, and runs the project's own code.
func building(row op.Spec, summary string, hints op.Hints, groups ...string) op.Spec {
	return long(builds.BuildTimeout, tool(row, summary, hints|op.Executes, groups...))
}

// asking is the spec of a tool that queries xcodebuild. xcodebuild may resolve packages first, which runs their manifests.
func asking(row op.Spec, summary string, groups ...string) op.Spec {
	return long(askTime, tool(row, summary, readOnly|op.Executes, groups...))
}

func example(s op.Spec, lines ...string) op.Spec {
	s.Examples = lines
	return s
}

// forScheme completes a call with the session's project and scheme; forSimulator also with its simulator.
func forScheme(needs ...config.Requirement) complete.Completion {
	return complete.Completion{Require: append([]config.Requirement{needsScheme, needsContainer}, needs...)}
}

func forSimulator() complete.Completion {
	how := forScheme(needsSimulator)
	how.CallOnly = []string{platformKey}
	return how
}

// builds are the tools that build, and run what was built.
func (v views) builds() []op.Op {
	device := forScheme()
	device.Adjust = func(_ op.Input, s *config.Spec) { s.Drop = []config.Drop{config.ForTesting()} }
	clean := building(cleanTool, "Remove the build products of a project", op.Destructive|op.Idempotent,
		inUtilities, inDevice, inMac, inSimulator)
	return []op.Op{
		op.New(v.completed(example(building(buildSim, "Build an app for a simulator", 0, inSimulator),
			`build-sim --project-path Shop.xcodeproj --scheme Shop --simulator-name "iPhone 16"`), forSimulator()), v.buildSim),
		op.New(v.completed(example(building(buildRunSim,
			"Build an app, install and launch it on a simulator, and show its first screen", 0, inSimulator),
			`build-run-sim --workspace-path Shop.xcworkspace --scheme Shop --simulator-name "iPhone 16"`), forSimulator()), v.buildRunSim),

		op.New(v.completed(example(building(buildDevice, "Build an app for a physical device", 0, inDevice),
			"build-device --project-path Shop.xcodeproj --scheme Shop"), device), v.buildDevice),
		op.New(v.completed(example(building(buildRunDevice, "Build an app, install and launch it on a physical device", 0, inDevice),
			"build-run-device --project-path Shop.xcodeproj --scheme Shop --device-id 00008140-000A61C23E04801C"),
			forScheme(needsDevice)), v.buildRunDevice),

		op.New(v.completed(example(building(buildMacOS, "Build a macOS app", 0, inMac),
			"build-macos --project-path Notes.xcodeproj --scheme Notes"), forScheme()), v.buildMac),
		op.New(v.completed(example(building(buildRunMacOS, "Build a macOS app and open it", 0, inMac),
			"build-run-macos --project-path Notes.xcodeproj --scheme Notes"), forScheme()), v.buildRunMac),

		op.New(v.completed(example(clean, "clean --project-path Shop.xcodeproj --scheme Shop"),
			complete.Completion{Require: []config.Requirement{needsContainer}}), v.clean),
	}
}

// containerIn names a project or a workspace.
type containerIn struct {
	Project   op.Path `json:"projectPath,omitempty" doc:"path of the .xcodeproj; excludes workspacePath"`
	Workspace op.Path `json:"workspacePath,omitempty" doc:"path of the .xcworkspace; excludes projectPath"`
}

// schemeIn adds the scheme and the build configuration.
type schemeIn struct {
	containerIn
	Scheme        string `json:"scheme,omitempty" doc:"scheme, from list_schemes"`
	Configuration string `json:"configuration,omitempty" doc:"build configuration (default: the session's, else Debug)"`
}

func (in schemeIn) project() builds.Project {
	return builds.Project{Project: in.Project, Workspace: in.Workspace, Scheme: in.Scheme, Configuration: in.Configuration}
}

// howIn is how to build.
type howIn struct {
	DerivedData op.Path  `json:"derivedDataPath,omitempty" doc:"build folder; Xcode's DerivedData shares its cache"`
	ExtraArgs   []string `json:"extraArgs,omitempty" doc:"further xcodebuild arguments; [] clears the session default"`
	Prefer      bool     `json:"preferXcodebuild,omitempty" doc:"ignored: xcodebuild is always used"`
	NoWarnings  bool     `json:"suppressWarnings,omitempty" doc:"leave warnings out of the answer"`
}

func (in howIn) how() builds.How {
	return builds.How{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs, NoWarnings: in.NoWarnings}
}

// forTestingIn are the inputs to build tests and run them later.
type forTestingIn struct {
	ForTesting bool    `json:"buildForTesting,omitempty" doc:"build the app and its tests, to run later without a build"`
	Products   op.Path `json:"testProductsPath,omitempty" doc:"with buildForTesting: path of the new .xctestproducts"`
}

// archIn is the architecture of a macOS build.
type archIn struct {
	Arch string `json:"arch,omitempty" doc:"architecture (default: this Mac's)" enum:"arm64,x86_64"`
}

func (in archIn) mac() choose.Destination {
	return choose.Destination{Kind: choose.OnMac, Arch: in.Arch}
}

// simPlatformIn is the platform of a simulator.
type simPlatformIn struct {
	Platform simPlatform `json:"platform,omitempty" doc:"platform (default: that of the simulator's runtime)"`
}

// simPlatform is a platform of simulators.
type simPlatform string

// Choices lists all platforms of simulators.
func (simPlatform) Choices() []string {
	return []string{"iOS Simulator", "watchOS Simulator", "tvOS Simulator", "visionOS Simulator"}
}

// devicePlatformIn is the platform of a physical device.
type devicePlatformIn struct {
	Platform string `json:"platform,omitempty" doc:"platform (default: the session's, else iOS)" enum:"iOS,watchOS,tvOS,visionOS"`
}

func onSim(in simIn, platform string) choose.Destination {
	return choose.Destination{Kind: choose.OnSimulator, Simulator: in.which(), Platform: platform}
}

func (in devicePlatformIn) device(id string) choose.Destination {
	return choose.Destination{Kind: choose.OnDevice, Device: id, Platform: in.Platform}
}

// buildOut is the result of a build, and the calls that usually follow.
type buildOut struct {
	builds.Out
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is the result; after a successful build also the next steps.
func (o buildOut) Text() string {
	if o.Fault() != nil {
		return o.Out.Text()
	}
	return andNext(o.Out.Text(), o.NextSteps)
}

// built is the answer of a build.
func (v views) built(c *op.Call, in any, done builds.Out, err error, next ...op.Spec) (buildOut, error) {
	if err != nil {
		return buildOut{}, err
	}
	out := buildOut{Out: done}
	for _, tool := range next {
		out.NextSteps = append(out.NextSteps, v.again(c, in, tool))
	}
	return out, nil
}

// again is the fact of a next call that repeats the inputs of this call, if the next tool takes them. Inputs that came from session
// defaults are left out: the next call gets them from there too.
func (v views) again(c *op.Call, in any, tool op.Spec) string {
	values := map[string]any{}
	if raw, err := json.Marshal(in); err != nil || json.Unmarshal(raw, &values) != nil {
		return nextCall(tool)
	}
	var pairs []any
	for _, key := range []string{
		"projectPath", "workspacePath", "scheme", "configuration", "platform", "arch", "simulatorId", "simulatorName", "deviceId",
		"derivedDataPath",
	} {
		takes := slices.ContainsFunc(v.fields(tool), func(f op.Field) bool { return f.Name == key })
		if text, _ := values[key].(string); text != "" && takes && c.Sources[key] == "" {
			pairs = append(pairs, key, text)
		}
	}
	return nextCall(tool, pairs...)
}

// buildIn are the inputs that all building tools share, and the destination.
type buildIn struct {
	schemeIn
	howIn
	forTestingIn
	on choose.Destination
}

// build builds. The next step after a build for testing is to run the tests, after any other build the tools of next.
func (v views) build(ctx context.Context, c *op.Call, given any, in buildIn, test op.Spec, next ...op.Spec) (buildOut, error) {
	if in.Products != "" && !in.ForTesting {
		return buildOut{}, fault.New(fault.InvalidInput, "testProductsPath needs buildForTesting").With("field", "testProductsPath")
	}
	if in.ForTesting {
		next = []op.Spec{test}
	}
	done, err := v.core.Builds.Build(ctx, c, builds.In{
		Project: in.project(), How: in.how(), On: in.on, ForTesting: in.ForTesting, Products: in.Products,
	})
	return v.built(c, given, done, err, next...)
}

type buildSimIn struct {
	schemeIn
	simIn
	simPlatformIn
	howIn
	forTestingIn
}

func (v views) buildSim(ctx context.Context, c *op.Call, in buildSimIn) (buildOut, error) {
	on := onSim(in.simIn, string(in.Platform))
	return v.build(ctx, c, in, buildIn{in.schemeIn, in.howIn, in.forTestingIn, on}, testSim, buildRunSim, getSimAppPath)
}

type buildDeviceIn struct {
	schemeIn
	devicePlatformIn
	deviceIn
	howIn
	forTestingIn
}

func (v views) buildDevice(ctx context.Context, c *op.Call, in buildDeviceIn) (buildOut, error) {
	return v.build(ctx, c, in, buildIn{in.schemeIn, in.howIn, in.forTestingIn, in.device(in.ID)}, testDevice, buildRunDevice, getDeviceAppPath)
}

type buildMacIn struct {
	schemeIn
	archIn
	howIn
	forTestingIn
}

func (v views) buildMac(ctx context.Context, c *op.Call, in buildMacIn) (buildOut, error) {
	return v.build(ctx, c, in, buildIn{in.schemeIn, in.howIn, in.forTestingIn, in.mac()}, testMacOS, buildRunMacOS, getMacAppPath)
}

// launchHowIn are the launch options of a built app.
type launchHowIn struct {
	Args []string `json:"launchArgs,omitempty" doc:"arguments for the app" private:"true"`
	Env  []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true" private:"true"`
}

func (in launchHowIn) launch() target.LaunchHow { return target.LaunchHow{Args: in.Args, Env: in.Env} }

// run builds and launches an app; the next step is the call that ends it.
func (v views) run(ctx context.Context, c *op.Call, in run.In) (buildOut, error) {
	done, err := v.core.Run.BuildAndRun(ctx, c, in)
	out, err := v.built(c, nil, done, err)
	switch a := out.Artifacts; {
	case in.On.Kind == choose.OnSimulator && a.BundleID != "":
		out.NextSteps = []string{nextCall(stopAppSim, "simulatorId", a.SimulatorID, "bundleId", a.BundleID)}
	case in.On.Kind == choose.OnDevice && a.ProcessID != 0:
		out.NextSteps = []string{nextCall(stopAppDevice, "deviceId", a.DeviceID, "processId", a.ProcessID)}
	case in.On.Kind == choose.OnMac && a.AppPath != "" && out.Fault() == nil:
		out.NextSteps = []string{nextCall(stopMacApp, "appName", strings.TrimSuffix(filepath.Base(a.AppPath), ".app"))}
	}
	return out, err
}

type buildRunSimIn struct {
	schemeIn
	simIn
	simPlatformIn
	howIn
	launchHowIn
}

func (v views) buildRunSim(ctx context.Context, c *op.Call, in buildRunSimIn) (buildOut, error) {
	return v.run(ctx, c, run.In{Project: in.project(), How: in.how(), LaunchHow: in.launch(), On: onSim(in.simIn, string(in.Platform))})
}

type buildRunDeviceIn struct {
	schemeIn
	devicePlatformIn
	deviceIn
	howIn
	launchHowIn
}

func (v views) buildRunDevice(ctx context.Context, c *op.Call, in buildRunDeviceIn) (buildOut, error) {
	return v.run(ctx, c, run.In{Project: in.project(), How: in.how(), LaunchHow: in.launch(), On: in.device(in.ID)})
}

type buildRunMacIn struct {
	schemeIn
	archIn
	howIn
	launchHowIn
}

func (v views) buildRunMac(ctx context.Context, c *op.Call, in buildRunMacIn) (buildOut, error) {
	return v.run(ctx, c, run.In{Project: in.project(), How: in.how(), LaunchHow: in.launch(), On: in.mac()})
}

type cleanIn struct {
	schemeIn
	Platform anyPlatform `json:"platform,omitempty" doc:"platform of the build (default: the session's, else iOS)"`
	howIn
}

// anyPlatform is a platform of devices, simulators or Macs.
type anyPlatform string

// Choices lists all platforms.
func (anyPlatform) Choices() []string {
	return []string{
		"macOS", "iOS", "iOS Simulator", "watchOS", "watchOS Simulator", "tvOS", "tvOS Simulator", "visionOS", "visionOS Simulator",
	}
}

func (v views) clean(ctx context.Context, c *op.Call, in cleanIn) (buildOut, error) {
	if in.Workspace != "" && in.Scheme == "" {
		return buildOut{}, fault.New(fault.InvalidInput, "clean: scheme is required when workspacePath is provided").With("field", "scheme")
	}
	// The destination of devices exists without any simulator.
	platform := strings.TrimSuffix(cmp.Or(string(in.Platform), "iOS"), " Simulator")
	done, err := v.core.Builds.Clean(ctx, c, builds.In{Project: in.project(), How: in.how(), On: choose.Destination{Platform: platform}})
	return v.built(c, in, done, err)
}
