package ops

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// builder is everything that builds, tests and inspects Xcode projects. The names are XcodeBuildMCP's.
type builder struct {
	engine *build.Engine
	sims   *simulators
	phones *handhelds
	last   lastBundles
}

func newBuilder(p Parts, sims *simulators) *builder {
	e := build.New(build.Options{Run: p.Run, Tools: p.Tools, Dir: filepath.Join(p.Home, "builds"), XcodeData: build.UserXcodeData(), Now: p.Now})
	return &builder{engine: e, sims: sims, phones: &handhelds{sims.defaults, p}}
}

// The groups of XcodeBuildMCP; a tool that it lists in several is in several here.
const (
	inMac       = "macos"
	inDiscovery = "project-discovery"
	inUtilities = "utilities"
	inCoverage  = "coverage"
)

// buildTimeout is for a whole build or test run. A large project's first build, or a night of UI tests, takes hours.
const buildTimeout = 6 * time.Hour

// tool is a spec of this family; the route and the verb follow from the name.
func tool(name, summary string, hints op.Hints, groups ...string) op.Spec {
	return op.Spec{
		Name: name, Family: xcode, Groups: groups, Verb: strings.ReplaceAll(name, "_", "-"), Route: "POST /api/v1/xcode/" + name,
		Summary: summary, Hints: hints,
	}
}

// long makes it a job that may take hours.
func long(s op.Spec, examples ...string) op.Spec {
	s.Long, s.Timeout, s.Examples = true, buildTimeout, examples
	return s
}

// asking makes it a question to xcodebuild, which may have to resolve packages first.
func asking(s op.Spec, examples ...string) op.Spec {
	s.Long, s.Timeout, s.Examples = true, 15*time.Minute, examples
	return s
}

const readOnly = op.ReadOnly | op.Idempotent

func (b *builder) ops() []op.Op {
	return []op.Op{
		op.New(long(tool("build_sim", "Build an app for a simulator", 0, inSimulator),
			`build-sim --project-path Shop.xcodeproj --scheme Shop --simulator-name "iPhone 16"`), b.buildSim),
		op.New(long(tool("build_run_sim", "Build an app, install and launch it on a simulator, and show its first screen", 0, inSimulator),
			`build-run-sim --workspace-path Shop.xcworkspace --scheme Shop --simulator-name "iPhone 16"`), b.buildRunSim),
		op.New(long(tool("test_sim", "Run the tests of a scheme on a simulator", 0, inSimulator),
			`test-sim --project-path Shop.xcodeproj --scheme Shop --simulator-name "iPhone 16" --extra-args=-only-testing:ShopTests`), b.testSim),
		op.New(asking(tool("get_sim_app_path", "Tell where the app built for a simulator is", readOnly, inSimulator),
			`get-sim-app-path --project-path Shop.xcodeproj --scheme Shop --platform "iOS Simulator" --simulator-name "iPhone 16"`), b.simAppPath),

		op.New(long(tool("build_device", "Build an app for a physical device", 0, inDevice),
			"build-device --project-path Shop.xcodeproj --scheme Shop"), b.buildDevice),
		op.New(long(tool("build_run_device", "Build an app, install and launch it on a physical device", 0, inDevice),
			"build-run-device --project-path Shop.xcodeproj --scheme Shop --device-id 00008140-000A61C23E04801C"), b.buildRunDevice),
		op.New(long(tool("test_device", "Run the tests of a scheme on a physical device", 0, inDevice),
			"test-device --project-path Shop.xcodeproj --scheme Shop --device-id 00008140-000A61C23E04801C"), b.testDevice),
		op.New(asking(tool("get_device_app_path", "Tell where the app built for devices is", readOnly, inDevice),
			"get-device-app-path --project-path Shop.xcodeproj --scheme Shop"), b.deviceAppPath),

		op.New(long(tool("build_macos", "Build a macOS app", 0, inMac), "build-macos --project-path Notes.xcodeproj --scheme Notes"), b.buildMac),
		op.New(long(tool("build_run_macos", "Build a macOS app and open it", 0, inMac), "build-run-macos --project-path Notes.xcodeproj --scheme Notes"), b.buildRunMac),
		op.New(long(tool("test_macos", "Run the tests of a scheme on this Mac", 0, inMac), "test-macos --project-path Notes.xcodeproj --scheme Notes"), b.testMac),
		op.New(asking(tool("get_mac_app_path", "Tell where the built macOS app is", readOnly, inMac), "get-mac-app-path --project-path Notes.xcodeproj --scheme Notes"), b.macAppPath),

		op.New(long(tool("clean", "Remove what building a project left", op.Destructive|op.Idempotent, inUtilities, inDevice, inMac, inSimulator),
			"clean --project-path Shop.xcodeproj --scheme Shop"), b.clean),

		op.New(discoverSpec(), b.discover),
		op.New(asking(tool("list_schemes", "List the schemes of a project or workspace", readOnly, inDiscovery, inDevice, inMac, inSimulator),
			"list-schemes --project-path Shop.xcodeproj"), b.schemes),
		op.New(asking(tool("show_build_settings", "Show the build settings of a scheme; --json has all of them", readOnly, inDiscovery, inDevice, inMac, inSimulator),
			"show-build-settings --project-path Shop.xcodeproj --scheme Shop", "show-build-settings --scheme Shop --filter SWIFT"), b.settings),
		op.New(bundleSpec("get_app_bundle_id", "Read the bundle id of an app for iOS, watchOS, tvOS or visionOS", inDiscovery, inDevice, inSimulator), b.appBundle),
		op.New(bundleSpec("get_mac_bundle_id", "Read the bundle id of a macOS app", inDiscovery, inMac), b.macBundle),

		op.New(asking(tool("get_coverage_report", "Show how much of each target the tests ran through, the least covered first", readOnly, inCoverage),
			"get-coverage-report", "get-coverage-report --xcresult-path Tests.xcresult --show-files"), b.coverage),
		op.New(asking(tool("get_file_coverage", "Show which functions and lines of a file the tests did not run", readOnly, inCoverage),
			"get-file-coverage --file Basket.swift --show-lines"), b.fileCoverage),
	}
}

// BuildOut is what came of a build, and of what followed it.
type BuildOut struct {
	build.Report
	Screen    string   `json:"screen,omitempty"` // the outline of the first screen
	Notes     []string `json:"notes,omitempty"`
	NextSteps []string `json:"nextSteps,omitempty"`

	fault *fault.Fault
}

// Text is what a reader needs to go on.
func (o BuildOut) Text() string {
	text := o.Report.Text()
	for _, n := range o.Notes {
		text += "\nnote: " + n
	}
	if o.Screen != "" {
		text += "\n" + o.Screen
	}
	if o.Fault() != nil {
		return text
	}
	return andNext(text, o.NextSteps)
}

// Fault is the build's own, or that of the step after it that failed.
func (o BuildOut) Fault() *fault.Fault {
	if o.fault != nil {
		return o.fault
	}
	return o.Report.Fault()
}

// do runs a request and writes the answer.
func (b *builder) do(ctx context.Context, c *op.Call, r build.Request, s build.Style, m defaults.Merged) (BuildOut, error) {
	out, err := b.engine.Do(ctx, r, progress(c))
	if err != nil {
		return BuildOut{}, err
	}
	report := out.Report(s)
	report.Request.Sources = sourcesOf(m)
	if report.Artifacts.XcresultPath != "" {
		b.last.note(c.Session, report.Artifacts.XcresultPath)
	}
	return BuildOut{Report: *report}, nil
}

// poolCriteria is a target as the pool wants it.
func poolCriteria(t Target) pool.Criteria { return pool.Criteria{UDID: t.UDID, Name: t.Sim} }

// isAnswer tells a fault about what was asked for from tools that do not answer.
func isAnswer(err error) bool {
	return fault.Is(err, fault.DeviceNotFound) || fault.Is(err, fault.DeviceAmbiguous) || fault.Is(err, fault.InvalidInput) || fault.Is(err, fault.NoDevice)
}
