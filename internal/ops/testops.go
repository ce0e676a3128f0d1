package ops

import (
	"context"
	"slices"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/build"
)

// TestSimIn says which tests to run on which simulator.
type TestSimIn struct {
	SchemeIn
	SimIn
	Platform string `json:"platform,omitempty" doc:"the simulator's platform; found from its runtime if absent" enum:"iOS Simulator,watchOS Simulator,tvOS Simulator,visionOS Simulator,macOS"`
	HowIn
	PreparedIn
	RunnerIn
}

// notHere is what test_sim says to macOS.
const notHere = "macOS platform is not supported by test_sim. Use test_macos tool instead for macOS projects."

func (b *builder) testSim(ctx context.Context, c *op.Call, in TestSimIn) (BuildOut, error) {
	if in.Platform == build.MacOS {
		return BuildOut{}, fault.New(fault.InvalidInput, "%s", notHere).With("field", platformKey).WithHint("%s", nextCall("test_macos"))
	}
	var err error
	if in.SimIn, err = in.spelled(); err != nil {
		return BuildOut{}, err
	}
	in, m, err := completeFrom(b.sims.defaults, c, in, testSpec(specFor[TestSimIn](true), in.PreparedIn, needsSimulator))
	if err != nil {
		return BuildOut{}, err
	}
	sim, err := b.simulator(ctx, c, in.SimIn, in.Platform)
	if err != nil {
		return BuildOut{}, err
	}
	out, err := b.test(ctx, c, testRun{in.SchemeIn, in.HowIn, in.PreparedIn, in.RunnerIn, sim.Destination, forSimulator, sim.words}, m)
	out.Artifacts.SimulatorID = sim.ID
	return out, err
}

// TestDeviceIn says which tests to run on which device.
type TestDeviceIn struct {
	SchemeIn
	DevicePlatformIn
	DeviceIn
	HowIn
	PreparedIn
	RunnerIn
}

func (b *builder) testDevice(ctx context.Context, c *op.Call, in TestDeviceIn) (BuildOut, error) {
	in, m, err := completeFrom(b.sims.defaults, c, in, testSpec(specFor[TestDeviceIn](false), in.PreparedIn, needsDevice))
	if err != nil {
		return BuildOut{}, err
	}
	d := build.Destination{Platform: in.platform(), ID: in.Device}
	out, err := b.test(ctx, c, testRun{in.SchemeIn, in.HowIn, in.PreparedIn, in.RunnerIn, d, forDevice, deviceWords(d)}, m)
	out.Artifacts.DeviceID = in.Device
	return out, err
}

// TestMacIn says which tests to run on this Mac.
type TestMacIn struct {
	SchemeIn
	ArchIn
	HowIn
	PreparedIn
	RunnerIn
}

func (b *builder) testMac(ctx context.Context, c *op.Call, in TestMacIn) (BuildOut, error) {
	in, m, err := completeFrom(b.sims.defaults, c, in, testSpec(specFor[TestMacIn](false), in.PreparedIn))
	if err != nil {
		return BuildOut{}, err
	}
	d := build.Destination{Platform: build.MacOS, Arch: in.Arch}
	return b.test(ctx, c, testRun{in.SchemeIn, in.HowIn, in.PreparedIn, in.RunnerIn, d, forMac, macWords(in.Arch)}, m)
}

// testSpec is what a test tool requires: a project and a scheme, or tests that were built before, never both.
func testSpec(s defaults.Spec, p PreparedIn, more ...defaults.Requirement) defaults.Spec {
	s.Drop = []defaults.Drop{defaults.Prepared()}
	s.Exclusive = defaults.Groups()
	for _, key := range []string{"projectPath", "workspacePath", "scheme", "configuration", "derivedDataPath"} {
		for _, prepared := range []string{"testProductsPath", "xctestrunPath"} {
			s.Exclusive = append(s.Exclusive, []string{prepared, key})
		}
	}
	s.Exclusive = append(s.Exclusive, []string{"testProductsPath", "xctestrunPath"})
	if p.given() {
		s.Require = more
		return s
	}
	s.Require = append([]defaults.Requirement{needsScheme, needsContainer}, more...)
	return s
}

// testRun is a test run, on whatever.
type testRun struct {
	SchemeIn
	HowIn
	PreparedIn
	RunnerIn
	on     build.Destination
	target string
	words  string
}

func (b *builder) test(ctx context.Context, c *op.Call, t testRun, m defaults.Merged) (BuildOut, error) {
	env, err := nameValues("test", "testRunnerEnv", t.RunnerEnv)
	if err != nil {
		return BuildOut{}, err
	}
	action := build.Test
	if t.given() {
		action = build.TestPrepared
	}
	r := b.request(c, action, t.SchemeIn, t.HowIn)
	r.Destination, r.RunnerEnv, r.Products, r.TestRun = t.on, env, string(t.PreparedIn.Products), string(t.TestRun)
	out, err := b.do(ctx, c, r, b.style(c, t.target, t.words, isSet(t.NoWarnings)), m)
	if err != nil {
		return out, err
	}
	if out.Artifacts.XcresultPath != "" && slices.Contains(r.ExtraArgs, "-enableCodeCoverage") {
		out.NextSteps = []string{nextCall("get_coverage_report", "xcresultPath", out.Artifacts.XcresultPath)}
	}
	return out, nil
}
