package xcode

import (
	"context"
	"slices"

	"ios-agent/internal/config"
	"ios-agent/internal/device/session/complete"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/builds"
	"ios-agent/internal/xcode/choose"
)

// tests are the tools that run a scheme's tests.
func (v views) tests() []op.Op {
	return []op.Op{
		op.New(v.completed(example(building(testSim, "Run the tests of a scheme on a simulator", 0, inSimulator),
			`test-sim --project-path Shop.xcodeproj --scheme Shop --simulator-name "iPhone 16" --extra-args=-only-testing:ShopTests`),
			testing(needsSimulator)), v.testSim),
		op.New(v.completed(example(building(testDevice, "Run the tests of a scheme on a physical device", 0, inDevice),
			"test-device --project-path Shop.xcodeproj --scheme Shop --device-id 00008140-000A61C23E04801C"), testing(needsDevice)), v.testDevice),
		op.New(v.completed(example(building(testMacOS, "Run the tests of a scheme on this Mac", 0, inMac),
			"test-macos --project-path Notes.xcodeproj --scheme Notes"), testing()), v.testMac),
	}
}

// preparedIn names tests that are already built, instead of a project.
type preparedIn struct {
	Products op.Path `json:"testProductsPath,omitempty" doc:"path of built tests, instead of a project and a scheme"`
	TestRun  op.Path `json:"xctestrunPath,omitempty" doc:"the same, as a .xctestrun"`
}

// runnerIn are the inputs for the tests' own process.
type runnerIn struct {
	RunnerEnv []string `json:"testRunnerEnv,omitempty" doc:"environment of the test runner, as NAME=VALUE" pairs:"true" private:"true"`
	Progress  bool     `json:"progress,omitempty" doc:"ignored: progress is always reported"`
}

// testing is what a test tool requires: a project and a scheme, or built tests, never both.
func testing(on ...config.Requirement) complete.Completion {
	prepared := []string{"testProductsPath", "xctestrunPath"}
	how := complete.Completion{Adjust: func(given op.Input, s *config.Spec) {
		s.Drop = []config.Drop{config.Prepared()}
		s.Exclusive = append(config.Groups(), prepared)
		for _, key := range []string{"projectPath", "workspacePath", "scheme", "configuration", "derivedDataPath"} {
			for _, p := range prepared {
				s.Exclusive = append(s.Exclusive, []string{p, key})
			}
		}
		if string(given[platformKey]) == `"macOS"` {
			return // test_sim refuses macOS, whatever else is missing
		}
		s.Require = slices.Concat([]config.Requirement{needsScheme, needsContainer}, on)
		for _, p := range prepared {
			if raw, is := given[p]; is && string(raw) != `""` {
				s.Require = on
			}
		}
	}}
	if len(on) > 0 && slices.Equal(on[0].OneOf, needsSimulator.OneOf) {
		how.CallOnly = []string{platformKey}
	}
	return how
}

func (v views) test(ctx context.Context, c *op.Call, in builds.TestIn) (buildOut, error) {
	done, err := v.core.Builds.Test(ctx, c, in)
	out, err := v.built(c, nil, done, err)
	if bundle := out.Artifacts.XcresultPath; bundle != "" && slices.Contains(in.ExtraArgs, "-enableCodeCoverage") {
		out.NextSteps = []string{nextCall(getCoverageReport, "xcresultPath", bundle)}
	}
	return out, err
}

func testIn(s schemeIn, h howIn, p preparedIn, r runnerIn, on choose.Destination) builds.TestIn {
	return builds.TestIn{Project: s.project(), How: h.how(), On: on, Products: p.Products, TestRun: p.TestRun, RunnerEnv: r.RunnerEnv}
}

type testSimIn struct {
	schemeIn
	simIn
	Platform testPlatform `json:"platform,omitempty" doc:"platform (default: that of the simulator's runtime)"`
	howIn
	preparedIn
	runnerIn
}

// testPlatform is a platform of test_sim. It accepts macOS only to refuse it with a hint to test_macos.
type testPlatform string

// Choices lists all platforms.
func (testPlatform) Choices() []string { return append(simPlatform("").Choices(), "macOS") }

// notHere is XcodeBuildMCP's message for macOS.
const notHere = "macOS platform is not supported by test_sim. Use test_macos tool instead for macOS projects."

func (v views) testSim(ctx context.Context, c *op.Call, in testSimIn) (buildOut, error) {
	if in.Platform == "macOS" {
		return buildOut{}, fault.New(fault.InvalidInput, "%s", notHere).With("field", platformKey).WithHint("%s", nextCall(testMacOS))
	}
	return v.test(ctx, c, testIn(in.schemeIn, in.howIn, in.preparedIn, in.runnerIn, onSim(in.simIn, string(in.Platform))))
}

type testDeviceIn struct {
	schemeIn
	devicePlatformIn
	deviceIn
	howIn
	preparedIn
	runnerIn
}

func (v views) testDevice(ctx context.Context, c *op.Call, in testDeviceIn) (buildOut, error) {
	return v.test(ctx, c, testIn(in.schemeIn, in.howIn, in.preparedIn, in.runnerIn, in.device(in.ID)))
}

type testMacIn struct {
	schemeIn
	archIn
	howIn
	preparedIn
	runnerIn
}

func (v views) testMac(ctx context.Context, c *op.Call, in testMacIn) (buildOut, error) {
	return v.test(ctx, c, testIn(in.schemeIn, in.howIn, in.preparedIn, in.runnerIn, in.mac()))
}
