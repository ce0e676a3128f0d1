package xcodebuild

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of xcodebuild.
func Marks() []mark.Mark {
	var all marks
	all.ofQuestionsAndBuilds()
	all.ofTestsAndTheRest()
	all.ofARealMac()
	all.ofPhysicalDevices()
	return all
}

func (m *marks) ofPhysicalDevices() {
	m.add(mark.Assumed, "a physical device: without DEVELOPMENT_TEAM the agent is not signed, and the error names the target")
	m.add(mark.Assumed, "a physical device: what the agent prints there is in xcodebuild's output, including its port")
	m.add(mark.Assumed, "a physical device: the app around the tests has embedded.mobileprovision with ProvisionedDevices and "+
		"ExpirationDate; a device that it does not fit refuses to install the app with a code 0xe80080xx")
	m.add(mark.Assumed, "a physical device that Xcode prepares: xcodebuild waits 30 seconds for a destination, or -destination-timeout")
	m.add(mark.Assumed, "the command line tools without Xcode: exit 1, and the message names the active developer directory")
	m.add(mark.Assumed, "a physical device that is locked, without Developer Mode, disk image or tunnel: the message says why tests "+
		"cannot begin")
}

type marks []mark.Mark

func (m *marks) add(source, behaviour string) {
	*m = append(*m, mark.Mark{Tool: "xcodebuild", Behaviour: behaviour, Source: source})
}

func (m *marks) ofQuestionsAndBuilds() {
	m.add(mark.Assumed, "-version prints the version and the build on two lines; -version -sdk as text")
	m.add(mark.Observed("xcodebuild/sdks-fastlane-xcode26.txt"), "-version -sdk -json: keys, and the space before a colon")
	m.add(mark.Observed("xcodebuild/showsdks-xcode16.4.0.json"), "-showsdks -json: keys, versions and builds of Xcode 16.4; DriverKit "+
		"and the second macOS entry are missing")
	m.add(mark.Assumed, "-license check and -checkFirstLaunchStatus exit 0, or 69 if the license or an installation is missing")
	m.add(mark.Assumed, "-showsdks as text; -list as text; -list -json of a project")
	m.add(mark.Observed("xcodebuild/list-alamofire-xcode26.5.0.json"), "-list -json of a workspace: its name and sorted schemes")
	m.add(mark.Observed("xcodebuild/showBuildSettings-rn.txt"), "-showBuildSettings: heading, indentation, sorted keys; settings of the "+
		"command line come first")
	m.add(mark.Observed("xcodebuild/showBuildSettings-scratch-xcode15.4.0.json"), "-showBuildSettings -json: a list of action, target "+
		"and settings; about 90 settings instead of 500")
	m.add(mark.Observed("xcodebuild/showdestinations-xcode16.2.txt"), "-showdestinations: available and ineligible destinations, keys "+
		"and their order, placeholders for any device")
	m.add(mark.Assumed, "paired devices are destinations with an architecture and without a system; tests run on them as on simulators, "+
		"without signing")
	m.add(mark.Observed("tool-errors/xcodebuild-destination-package-graph.log"), "a named device that does not exist: \"Unable to find a "+
		"device…\", OS:latest is added, simulators are listed for both architectures")
	m.add(mark.Observed("tool-errors/xcodebuild-26.5.0-ice-cubes-buildsettings-accounttests-debug-macos.txt"),
		"a platform that the scheme lacks: \"Unable to find a destination…\", with \"Could not configure request\" before it for "+
			"build settings")
	m.add(mark.Assumed, "an id that is not there is refused as an unknown destination, not as an unknown device; destination errors exit "+
		"70; OS=latest is the newest system of all devices")
	m.add(mark.Observed("xcodebuild/nvim-tc18.log"), "several matching destinations: a warning lists them, and xcodebuild uses the first")
	m.add(mark.Assumed, "a folder with several projects is refused with exit 78 (flutter/flutter#156933); a project wins over a "+
		"workspace in the same folder; an empty folder exits 66")
	m.add(mark.Assumed, "a configuration that no project has is refused like an unknown scheme; such builds fail in reports "+
		"(https://github.com/sweetpad-dev/sweetpad/issues/131), which do not quote the message")
	m.add(mark.Assumed, "an unknown scheme is refused with exit 65, an invalid option with exit 64 and the usage, an unknown action with "+
		"exit 65, a damaged project with exit 74, an interrupt with exit 75, an existing result bundle with exit 64")
	m.add(mark.Observed("xcodebuild/papercenter-build-succeeded.log"), "build: invocation, planning steps, graph, build description, "+
		"banner; a second build lists only the changes")
	m.add(mark.Observed("xcodebuild/remac-build.log"), "clean, then build: two banners; names of the steps of a target")
	m.add(mark.Observed("xcodebuild/swift-error-designated-initializer.log"), "a compile error: failed frontend command, diagnostic with "+
		"line and caret, banner, failed commands and their number")
	m.add(mark.Observed("xcodebuild/stoic-watch-clean-build.txt"),
		"the caret underlines what the message quotes; explicit dependencies in the graph")
	m.add(mark.Observed("xcodebuild/archive-requires-provisioning-profile.log"), "banners of failures go to standard error")
	m.add(mark.Observed("xcodebuild/nvim-tc24.log"), "-resultBundlePath: \"Writing result bundle at path\" after the invocation")
}

func (m *marks) ofARealMac() {
	m.add(mark.Assumed, "on demand a destination with an id and no platform is not found, as "+
		"https://github.com/NativePHP/mobile-air/pull/69 reports of iOS 26 runtimes")
	m.add(mark.Assumed, "on demand tests cannot be built for generic/platform=iOS Simulator: not eligible, exit 70")
	m.add(mark.Assumed, "on demand tests from an .xctestrun without -derivedDataPath leave DerivedData/temporary-… with a result bundle, as "+
		"https://github.com/bazelbuild/rules_apple/pull/3050 measures; with it the bundle lies below Logs/Test there")
	m.add(mark.Assumed, "on demand a failed run collects simctl_diagnostics, unless -collect-test-diagnostics is never, as "+
		"https://github.com/wireapp/wire-ios/pull/5071 reports; a value other than never and on-failure is refused, as "+
		"https://github.com/google/xctestrunner/pull/59 quotes")
	m.add(mark.Assumed, "an interrupt ends the agent and its runner, exit 75; after a kill the runner keeps running for 3 seconds on "+
		"demand, and a runner with the same bundle id cannot start until it ends")
	m.add(mark.Assumed, "an agent that ends its test lets xcodebuild exit with 0; xcodebuild prints the line with the port unchanged")
}

func (m *marks) ofTestsAndTheRest() {
	m.add(mark.Observed("xcodebuild/nvim-tc16.log"), "build-for-testing and test-without-building end with TEST BUILD and TEST EXECUTE; "+
		"timings behind banners are not imitated")
	m.add(mark.Observed("xcodebuild/nvim-tc22.log"), "tests: XCTest suites first, also when empty, then Swift Testing; failing tests; "+
		"where the results are; \"Testing started\" last")
	m.add(mark.Observed("xcodebuild/xcode-test-log.txt"), "failures as file:line: error: -[Module.Class test] : message")
	m.add(mark.Observed("xcodebuild/marathon-mixed.log"), "steps of a UI test with times")
	m.add(mark.Assumed, "tests without a result in a comment are skipped as \"not run\" and not counted as executed; notes \"virtual: …\" "+
		"say what was checked in the sources: a Mac compiles and runs everything")
	m.add(mark.Assumed, "skipped tests in the log and in totals; parameterised Swift Testing tests; version line of Swift Testing; which "+
		"of the closing lines go to standard error")
	m.add(mark.Observed("xcodebuild/nvim-tc20.log"), "-parallel-testing-enabled: a line for each test with the clone it ran on, a slash "+
		"for Swift Testing, after everything else; tests still run one after the other, on one clone")
	m.add(mark.Observed("xcodebuild/big-unit-tests-xcode15.log"), "a crash in a test: the fatal error twice, \"Restarting after "+
		"unexpected exit\", suites again as Selected tests, totals of all launches")
	m.add(mark.Observed("xcodebuild/bitrise-failed-to-background-test-runner.txt"), "a test that measures: average, deviation, values")
	m.add(mark.Observed("xcodebuild/nvim-tc24.log"), "a script phase that fails; a script without outputs causes a warning; the path of "+
		"the result bundle")
	m.add(mark.Observed("xcodebuild/linker-undefined-symbols-rn.log"), "symbols the linker does not find, with their references; the "+
		"failed command is Ld")
	m.add(mark.Observed("xcodebuild/archive-requires-provisioning-profile.log"), "failed signing: an error of the project with "+
		"its target, before anything is compiled; simulators need no signature")
	m.add(mark.Observed("xcodebuild/nvim-tc9.log"), "packages that cannot be resolved: resolved packages, then \"Could not resolve "+
		"package dependencies\"")
	m.add(mark.Assumed, "packages that cannot be resolved exit 74, also for -list; packages are never fetched; a folder with only a "+
		"Package.swift is a workspace of its name")
	m.add(mark.Observed("xcodebuild/showdestinations-xcode16.2.txt"), "a platform that is not installed (IOS_AGENT_VIRTUAL_MISSING) is "+
		"ineligible, with the reason; it has no simulators")
	m.add(mark.Assumed, "-retry-tests-on-failure, -run-tests-until-failure, -test-iterations: \"(Iteration 1 of 3)\" behind started; 3 "+
		"and 100 runs at most by default; time limits are ignored")
	m.add(mark.Assumed, "-only-testing of a target that the scheme does not test exits 70; with an unknown test it runs no tests "+
		"and succeeds")
	m.add(mark.Assumed, "-enumerate-tests: keys of the JSON as public readers expect them; the text; -showTestPlans; an unknown "+
		"-testPlan exits 65")
	m.add(mark.Assumed, "archive: the .xcarchive has Info.plist, Products and an empty dSYM; -exportArchive makes an .ipa, or the .app "+
		"of a Mac, and checks only the method")
	m.add(mark.Assumed, "analyze: AnalyzeShallow for each file; its warnings come from special comments")
	m.add(mark.Assumed, "derived data is named by the MD5 sum of the path in base 26; a test bundle contains its tests, so "+
		"test-without-building runs the built tests")
	m.add(mark.Assumed, "contents of .xctestrun (format 1; format 2 is read) and .xctestproducts; paths in an .xctestrun "+
		"say its platform; coverage counts every function that is not marked uncovered")
	m.add(mark.Assumed, "test-without-building of the agent's scheme runs until the runner ends; TEST_RUNNER_ variables reach the runner "+
		"without the prefix")
	m.add(mark.Assumed, "the project folder of the agent's scheme is ignored")
	m.add(mark.Assumed, "install and docbuild are refused as not supported; scripts are listed and never run; plug-ins, other "+
		"languages than Swift and conditional settings are ignored")
}
