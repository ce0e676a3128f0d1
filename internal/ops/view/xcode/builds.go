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
	buildops "ios-agent/internal/ops/build"
	"ios-agent/internal/ops/run"
	"ios-agent/internal/ops/target"
)

// buildTime is for a whole build or test run. A large project's first build, or a night of UI tests, takes hours.
const buildTime = 6 * time.Hour

// askTime is for a question to one of Xcode's tools.
const askTime = 15 * time.Minute

// building is a tool that builds or tests. It may run for hours, and runs the project's own code.
func building(name, summary string, hints op.Hints, groups ...string) op.Spec {
	return long(buildTime, tool(name, summary, hints|op.Executes, groups...))
}

// asking is a question to xcodebuild, which may have to resolve packages first, and with that runs their manifests.
func asking(name, summary string, groups ...string) op.Spec {
	return long(askTime, tool(name, summary, readOnly|op.Executes, groups...))
}

func example(s op.Spec, lines ...string) op.Spec {
	s.Examples = lines
	return s
}

// forScheme completes a call with the session's project and scheme; forSimulator, with its simulator too.
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
	clean := building("clean", "Remove the build products of a project", op.Destructive|op.Idempotent,
		inUtilities, inDevice, inMac, inSimulator)
	return []op.Op{
		op.New(v.completed(example(building("build_sim", "Build an app for a simulator", 0, inSimulator),
			`build-sim --project-path Shop.xcodeproj --scheme Shop --simulator-name "iPhone 16"`), forSimulator()), v.buildSim),
		op.New(v.completed(example(building("build_run_sim",
			"Build an app, install and launch it on a simulator, and show its first screen", 0, inSimulator),
			`build-run-sim --workspace-path Shop.xcworkspace --scheme Shop --simulator-name "iPhone 16"`), forSimulator()), v.buildRunSim),

		op.New(v.completed(example(building("build_device", "Build an app for a physical device", 0, inDevice),
			"build-device --project-path Shop.xcodeproj --scheme Shop"), device), v.buildDevice),
		op.New(v.completed(example(building("build_run_device", "Build an app, install and launch it on a physical device", 0, inDevice),
			"build-run-device --project-path Shop.xcodeproj --scheme Shop --device-id 00008140-000A61C23E04801C"),
			forScheme(needsDevice)), v.buildRunDevice),

		op.New(v.completed(example(building("build_macos", "Build a macOS app", 0, inMac),
			"build-macos --project-path Notes.xcodeproj --scheme Notes"), forScheme()), v.buildMac),
		op.New(v.completed(example(building("build_run_macos", "Build a macOS app and open it", 0, inMac),
			"build-run-macos --project-path Notes.xcodeproj --scheme Notes"), forScheme()), v.buildRunMac),

		op.New(v.completed(example(clean, "clean --project-path Shop.xcodeproj --scheme Shop"),
			complete.Completion{Require: []config.Requirement{needsContainer}}), v.clean),
	}
}

// containerIn says what to build: a project or a workspace.
type containerIn struct {
	Project   op.Path `json:"projectPath,omitempty" doc:"path of the .xcodeproj; excludes workspacePath"`
	Workspace op.Path `json:"workspacePath,omitempty" doc:"path of the .xcworkspace; excludes projectPath"`
}

// schemeIn adds which scheme, and in which configuration.
type schemeIn struct {
	containerIn
	Scheme        string `json:"scheme,omitempty" doc:"the scheme; list_schemes shows them"`
	Configuration string `json:"configuration,omitempty" doc:"the build configuration; Debug if absent and no default is set"`
}

func (in schemeIn) project() buildops.Project {
	return buildops.Project{Project: in.Project, Workspace: in.Workspace, Scheme: in.Scheme, Configuration: in.Configuration}
}

// howIn is how to build.
type howIn struct {
	DerivedData op.Path  `json:"derivedDataPath,omitempty" doc:"folder for the build; Xcode's DerivedData shares its cache"`
	ExtraArgs   []string `json:"extraArgs,omitempty" doc:"further arguments of xcodebuild; an empty list clears the default"`
	Prefer      bool     `json:"preferXcodebuild,omitempty" doc:"accepted for compatibility: xcodebuild is always used"`
	NoWarnings  bool     `json:"suppressWarnings,omitempty" doc:"leave warnings out of the answer"`
}

func (in howIn) how() buildops.How {
	return buildops.How{DerivedData: in.DerivedData, ExtraArgs: in.ExtraArgs, NoWarnings: in.NoWarnings}
}

// forTestingIn is for building tests that are run later.
type forTestingIn struct {
	ForTesting bool    `json:"buildForTesting,omitempty" doc:"build the app and its tests, to be run later without building"`
	Products   op.Path `json:"testProductsPath,omitempty" doc:"with buildForTesting: where to put the .xctestproducts"`
}

func (in forTestingIn) check() error {
	if in.Products != "" && !in.ForTesting {
		return fault.New(fault.InvalidInput, "testProductsPath needs buildForTesting").With("field", "testProductsPath")
	}
	return nil
}

// archIn is the architecture of a macOS build.
type archIn struct {
	Arch string `json:"arch,omitempty" doc:"the architecture; this Mac's if absent" enum:"arm64,x86_64"`
}

func (in archIn) mac() buildops.Destination {
	return buildops.Destination{Kind: buildops.OnMac, Arch: in.Arch}
}

// simPlatformIn is the platform of a simulator.
type simPlatformIn struct {
	Platform simPlatform `json:"platform,omitempty" doc:"the simulator's platform; found from its runtime if absent"`
}

// simPlatform is a platform of simulators.
type simPlatform string

// Choices are all of them.
func (simPlatform) Choices() []string {
	return []string{"iOS Simulator", "watchOS Simulator", "tvOS Simulator", "visionOS Simulator"}
}

// devicePlatformIn is the platform of a physical device.
type devicePlatformIn struct {
	Platform string `json:"platform,omitempty" doc:"iOS if absent and no default is set" enum:"iOS,watchOS,tvOS,visionOS"`
}

func onSim(in simIn, platform string) buildops.Destination {
	return buildops.Destination{Kind: buildops.OnSimulator, Simulator: in.which(), Platform: platform}
}

func (in devicePlatformIn) device(id string) buildops.Destination {
	return buildops.Destination{Kind: buildops.OnDevice, Device: id, Platform: in.Platform}
}

// buildOut is what came of a build, and what usually follows.
type buildOut struct {
	buildops.Out
	NextSteps []string `json:"nextSteps,omitempty"`
}

// Text is what a reader needs to go on.
func (o buildOut) Text() string {
	if o.Fault() != nil {
		return o.Out.Text()
	}
	return andNext(o.Out.Text(), o.NextSteps)
}

// built is the answer of a build.
func (v views) built(c *op.Call, in any, done buildops.Out, err error, next ...string) (buildOut, error) {
	if err != nil {
		return buildOut{}, err
	}
	out := buildOut{Out: done}
	for _, tool := range next {
		out.NextSteps = append(out.NextSteps, v.again(c, in, tool))
	}
	return out, nil
}

// again spells a call of a tool that repeats what the call itself gave and the tool takes; session defaults give the rest.
func (v views) again(c *op.Call, in any, tool string) string {
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

type buildSimIn struct {
	schemeIn
	simIn
	simPlatformIn
	howIn
	forTestingIn
}

func (v views) buildSim(ctx context.Context, c *op.Call, in buildSimIn) (buildOut, error) {
	if err := in.check(); err != nil {
		return buildOut{}, err
	}
	done, err := v.core.Builds.Build(ctx, c, buildops.In{
		Project: in.project(), How: in.how(), On: onSim(in.simIn, string(in.Platform)), ForTesting: in.ForTesting, Products: in.Products,
	})
	if in.ForTesting {
		return v.built(c, in, done, err, "test_sim")
	}
	return v.built(c, in, done, err, "build_run_sim", "get_sim_app_path")
}

type buildDeviceIn struct {
	schemeIn
	devicePlatformIn
	deviceIn
	howIn
	forTestingIn
}

func (v views) buildDevice(ctx context.Context, c *op.Call, in buildDeviceIn) (buildOut, error) {
	if err := in.check(); err != nil {
		return buildOut{}, err
	}
	done, err := v.core.Builds.Build(ctx, c, buildops.In{
		Project: in.project(), How: in.how(), On: in.device(in.ID), ForTesting: in.ForTesting, Products: in.Products,
	})
	if in.ForTesting {
		return v.built(c, in, done, err, "test_device")
	}
	return v.built(c, in, done, err, "build_run_device", "get_device_app_path")
}

type buildMacIn struct {
	schemeIn
	archIn
	howIn
	forTestingIn
}

func (v views) buildMac(ctx context.Context, c *op.Call, in buildMacIn) (buildOut, error) {
	if err := in.check(); err != nil {
		return buildOut{}, err
	}
	done, err := v.core.Builds.Build(ctx, c, buildops.In{
		Project: in.project(), How: in.how(), On: in.mac(), ForTesting: in.ForTesting, Products: in.Products,
	})
	if in.ForTesting {
		return v.built(c, in, done, err, "test_macos")
	}
	return v.built(c, in, done, err, "build_run_macos", "get_mac_app_path")
}

// launchHowIn is how to launch what was built.
type launchHowIn struct {
	Args []string `json:"launchArgs,omitempty" doc:"arguments for the app" private:"true"`
	Env  []string `json:"env,omitempty" doc:"environment for the app, as NAME=VALUE" pairs:"true" private:"true"`
}

func (in launchHowIn) launch() target.LaunchHow { return target.LaunchHow{Args: in.Args, Env: in.Env} }

type buildRunSimIn struct {
	schemeIn
	simIn
	simPlatformIn
	howIn
	launchHowIn
}

func (v views) buildRunSim(ctx context.Context, c *op.Call, in buildRunSimIn) (buildOut, error) {
	done, err := v.core.Run.BuildAndRun(ctx, c, run.In{
		Project: in.project(), How: in.how(), LaunchHow: in.launch(), On: onSim(in.simIn, string(in.Platform)),
	})
	out, err := v.built(c, in, done, err)
	if a := out.Artifacts; a.BundleID != "" {
		out.NextSteps = []string{nextCall("stop_app_sim", "simulatorId", a.SimulatorID, "bundleId", a.BundleID)}
	}
	return out, err
}

type buildRunDeviceIn struct {
	schemeIn
	devicePlatformIn
	deviceIn
	howIn
	launchHowIn
}

func (v views) buildRunDevice(ctx context.Context, c *op.Call, in buildRunDeviceIn) (buildOut, error) {
	done, err := v.core.Run.BuildAndRun(ctx, c, run.In{
		Project: in.project(), How: in.how(), LaunchHow: in.launch(), On: in.device(in.ID),
	})
	out, err := v.built(c, in, done, err)
	if a := out.Artifacts; a.ProcessID != 0 {
		out.NextSteps = []string{nextCall("stop_app_device", "deviceId", a.DeviceID, "processId", a.ProcessID)}
	}
	return out, err
}

type buildRunMacIn struct {
	schemeIn
	archIn
	howIn
	launchHowIn
}

func (v views) buildRunMac(ctx context.Context, c *op.Call, in buildRunMacIn) (buildOut, error) {
	done, err := v.core.Run.BuildAndRun(ctx, c, run.In{
		Project: in.project(), How: in.how(), LaunchHow: in.launch(), On: in.mac(),
	})
	out, err := v.built(c, in, done, err)
	if a := out.Artifacts; a.AppPath != "" && out.Fault() == nil {
		out.NextSteps = []string{nextCall("stop_mac_app", "appName", strings.TrimSuffix(filepath.Base(a.AppPath), ".app"))}
	}
	return out, err
}

type cleanIn struct {
	schemeIn
	Platform anyPlatform `json:"platform,omitempty" doc:"whose build to clean; iOS if absent and no default is set"`
	howIn
}

// anyPlatform is a platform of devices, simulators or Macs.
type anyPlatform string

// Choices are all of them.
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
	done, err := v.core.Builds.Clean(ctx, c, buildops.In{Project: in.project(), How: in.how(), On: buildops.Destination{Platform: platform}})
	return v.built(c, in, done, err)
}
