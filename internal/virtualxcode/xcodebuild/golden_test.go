package xcodebuild

import (
	"testing"

	"ios-agent/internal/virtualxcode/project"
)

// TestCommandsMatchGoldenFiles plays one command line after another in each sample.
func TestCommandsMatchGoldenFiles(t *testing.T) {
	on := []string{"-destination", "platform=iOS Simulator,id=" + phone}
	for _, tc := range []struct {
		name   string
		sample project.Sample
		exit   int
		argv   []string
	}{
		{"version", "", 0, []string{"-version"}},
		{"version-sdk", "", 0, []string{"-version", "-sdk", "iphonesimulator"}},
		{"showsdks", "", 0, []string{"-showsdks"}},
		{"list", project.SampleApp, 0, []string{"-list"}},
		{"list-json", project.SampleApp, 0, []string{"-list", "-json"}},
		{"list-workspace-json", project.SampleWorkspace, 0, []string{"-list", "-json", "-workspace", "Cafe.xcworkspace"}},
		{"settings", project.SampleApp, 0, append([]string{"-showBuildSettings", "-scheme", "Tally"}, on...)},
		{"destinations", project.SampleApp, 0, []string{"-showdestinations", "-scheme", "Tally"}},
		{"build", project.SampleApp, 0, append([]string{"-scheme", "Tally", "build"}, on...)},
		{"build-quiet", project.SampleBroken, 65, append([]string{"-scheme", "Broken", "-quiet"}, on...)},
		{"build-broken", project.SampleBroken, 65, append([]string{"-scheme", "Broken", "build"}, on...)},
		{"build-mac", project.SampleMac, 0, []string{"-scheme", "Notes", "build", "-destination", "platform=macOS,arch=arm64"}},
		{"build-workspace", project.SampleWorkspace, 0, append([]string{"-workspace", "Cafe.xcworkspace", "-scheme", "Cafe", "build",
			"CODE_SIGNING_ALLOWED=NO"}, on...)},
		{"test", project.SampleApp, 0, append([]string{"-scheme", "Tally", "test"}, on...)},
		{"test-failing", project.SampleFailing, 65, append([]string{"-scheme", "Failing", "test"}, on...)},
		{"test-passing", project.SampleFailing, 0, append([]string{"-scheme", "Failing", "test",
			"-only-testing:FailingTests/CalculatorSwiftTests/double()"}, on...)},
		{"test-broken", project.SampleBroken, 65, append([]string{"-scheme", "Broken", "test"}, on...)},
		{"clean-build", project.SampleApp, 0, append([]string{"-scheme", "Tally", "clean", "build"}, on...)},
		{"build-for-testing", project.SampleApp, 0, append([]string{"-scheme", "Tally", "build-for-testing", "-resultBundlePath",
			"R.xcresult"}, on...)},
		{"settings-json", project.SampleApp, 0, append([]string{"-showBuildSettings", "-json", "-scheme", "Tally"}, on...)},
		{"showsdks-json", "", 0, []string{"-showsdks", "-json"}},
		{"test-parallel", project.SampleFailing, 65,
			append([]string{"-scheme", "Failing", "test", "-parallel-testing-enabled", "YES"}, on...)},
		{"test-retry", project.SampleFailing, 65,
			append([]string{"-scheme", "Failing", "test", "-retry-tests-on-failure", "-test-iterations", "2",
				"-only-testing:FailingTests/CalculatorTests"}, on...)},
		{"test-none", project.SampleApp, 0, append([]string{"-scheme", "Tally", "test",
			"-only-testing:TallyTests/CounterTests/testNothing"}, on...)},
		{"test-no-target", project.SampleApp, 70, append([]string{"-scheme", "Tally", "test", "-only-testing:Nope/A/b"}, on...)},
		{"enumerate", project.SampleFailing, 0, append([]string{"-scheme", "Failing", "-quiet", "test", "-enumerate-tests"}, on...)},
		{"enumerate-flat-json", project.SampleFailing, 0,
			append([]string{"-scheme", "Failing", "-quiet", "test", "-enumerate-tests", "-test-enumeration-style", "flat",
				"-test-enumeration-format", "json", "-skip-testing:FailingTests/CalculatorTests"}, on...)},
		{"test-plans", project.SampleApp, 0, []string{"-showTestPlans", "-scheme", "Tally"}},
		{"resolve-packages", project.SampleWorkspace, 0, []string{"-resolvePackageDependencies", "-workspace", "Cafe.xcworkspace",
			"-scheme", "Cafe"}},
		{"analyze", project.SampleMac, 0, []string{"-scheme", "Notes", "analyze"}},
		{"archive", project.SampleMac, 0, []string{"-scheme", "Notes", "archive", "-archivePath", "Out/Notes"}},
		{"build-watch", project.SampleWatch, 0, []string{"-scheme", "Steps", "build", "-destination",
			"platform=watchOS Simulator,name=Apple Watch Series 10 (46mm)"}},
		{"destinations-vision", project.SampleVision, 0, []string{"-showdestinations", "-scheme", "Orbit"}},
		{"settings-tv", project.SampleTV, 0, []string{"-showBuildSettings", "-scheme", "Cinema", "-destination", "generic/platform=tvOS"}},
		{"no-plan", project.SampleApp, 65, append([]string{"-scheme", "Tally", "test", "-testPlan", "Nope"}, on...)},
		{"no-export-options", "", 64, []string{"-exportArchive", "-archivePath", "X.xcarchive", "-exportPath", "out"}},
		{"no-project", "", 66, []string{"-list"}},
		{"no-scheme", project.SampleApp, 65, []string{"-scheme", "Nope", "build"}},
		{"no-name", project.SampleApp, 70, []string{"-scheme", "Tally", "-destination", "platform=iOS Simulator,name=iPhone 15", "build"}},
		{"no-id", project.SampleApp, 70, []string{"-scheme", "Tally", "-destination", "platform=iOS Simulator,id=NOPE", "build"}},
		{"no-platform", project.SampleApp, 70, []string{"-showBuildSettings", "-scheme", "Tally", "-destination", "platform=macOS"}},
		{"bad-option", project.SampleApp, 64, []string{"-nonsense"}},
		{"bad-action", project.SampleApp, 65, []string{"dance"}},
		{"not-concrete", project.SampleApp, 70, []string{"-scheme", "Tally", "-destination", "generic/platform=iOS", "test"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t, tc.sample)
			b.must(tc.exit, tc.argv...)
			b.golden(tc.name)
		})
	}
}
