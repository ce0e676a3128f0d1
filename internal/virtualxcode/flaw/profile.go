package flaw

import (
	"fmt"
	"slices"
)

// RealMac is the profile in which each difference of a real Mac happens on every occasion.
const RealMac = "real-mac"

// Profiles are the names of all profiles. The empty name is the default world, without difficulties.
func Profiles() []string { return []string{RealMac} }

// CheckProfile says what is wrong with the name of a profile.
func CheckProfile(name string) error {
	if name != "" && !slices.Contains(Profiles(), name) {
		return fmt.Errorf("unknown profile %q: known profiles are %q", name, Profiles())
	}
	return nil
}

// SetProfile selects a checked profile, or none with "". Armed faults stay armed.
func (p *Plan) SetProfile(name string) error {
	p.Profile = name
	return kept(p.Keep)
}

// macFaults are the ways in which a working Mac is harder to automate than the default world. Together they
// are the profile real-mac.
func macFaults() []Kind {
	all := slices.Concat(macToolFaults(), macAgentFaults(), macKeyboardFaults(), macDeviceFaults())
	for i := range all {
		all[i].Mac = true
	}
	return all
}

func macToolFaults() []Kind {
	return []Kind{
		{Name: IDAlone, Each: "a run of xcodebuild for a destination with an id and no platform",
			Report: "https://github.com/NativePHP/mobile-air/pull/69",
			Does:   "the destination is not found: xcodebuild exits with 70"},
		{Name: GenericDestination, Each: "a build of tests for any simulator (generic/platform=iOS Simulator)",
			Report: "a recorded output: showdestinations-xcode16.2.txt, for a missing platform",
			Does:   "the destination is not eligible: xcodebuild exits with 70"},
		{Name: SlowAgentBuild, Each: "a build of the agent", Report: "JetWhale's notes on a near-identical runner",
			Does:   "the build takes long, on the devices' clock",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 70, Min: 1, Max: 3600}}},
		{Name: SlowRunnerStart, Each: "a start of the agent",
			Report: "Appium's users set 120 to 600 seconds for a first start in a virtual machine",
			Does:   "the test runner listens late, on the devices' clock",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 75, Min: 1, Max: 3600}}},
		{Name: BuffersOutput, Each: "a run of xcodebuild without NSUnbufferedIO=YES",
			Report: "fastlane-old/scan#44, tuist#11046, cpisciotta/xcbeautify#315",
			Does:   "standard output is held back until 8 KiB are full or xcodebuild ends"},
		{Name: TemporaryDerivedData, Each: "a start of the agent without -derivedDataPath",
			Report: "https://github.com/bazelbuild/rules_apple/pull/3050",
			Does:   "a folder DerivedData/temporary-… with a result bundle remains"},
		{Name: CollectsDiagnostics, Each: "an end of the agent other than Shutdown, without -collect-test-diagnostics never",
			Report: "https://github.com/wireapp/wire-ios/pull/5071, https://github.com/leancodepl/patrol/pull/3240",
			Does:   "xcodebuild collects diagnostics into the result bundle"},
		{Name: DevicectlProperties, Each: "a device in the JSON of devicectl",
			Report: "https://github.com/dotnet/macios/issues/26482, https://github.com/expo/expo/pull/48001",
			Does:   "the JSON has version 5: properties instead of the three dictionaries before it, and simulators are listed too",
			Params: []Parameter{{Name: "old_fields", Means: "whether the three dictionaries remain", Words: []string{"go", "stay"}}}},
		{Name: AnotherSimulator, Each: "an open of Simulator by its name", Report: "https://github.com/Shopify/tophat/pull/151",
			Does: "the Simulator of another Xcode opens; only the path below the developer folder opens the Simulator of this Xcode"},
		{Name: NoSimulatorApp, Each: "an open of Simulator", Report: "https://github.com/okwasniewski/MiniSim/pull/155",
			Does: "this Xcode has Device Hub instead of Simulator.app, like Xcode 27"},
		{Name: XcodeMCP, Each: "a search for mcp-server or mcpbridge by xcrun", Report: "https://github.com/getsentry/XcodeBuildMCP/pull/202",
			Does: "xcrun finds it: this Xcode has an MCP server, like Xcode 27; the server does not run in Virtual Xcode"},
	}
}

func macAgentFaults() []Kind {
	return []Kind{
		{Name: FailedQueryEnds, Each: "a request that fails inside XCTest", Report: "appium/appium#13949",
			Does:   "XCTest ends the test after the answer, unless the agent prevents it, for which it needs undocumented keys",
			Params: []Parameter{{Name: "agents", Means: "which agents end", Words: []string{"public-only", "all"}}}},
		{Name: RunnerOutlives, Each: "a kill of xcodebuild while it runs the agent", Report: "inferred; without a report",
			Does:   "the test runner keeps running for a while; until it ends, a runner with the same bundle id cannot start",
			Params: []Parameter{{Name: "seconds", Means: "how long, in the time of the devices", Default: 3, Min: 1, Max: 600}}},
		{Name: MainQueueHeld, Each: "a start of the agent", Report: "WDA: XCTest waits up to 30 seconds for an app",
			Does: "XCTest blocks the agent's main queue: the first request that needs it waits; Hello and SetTarget get an answer",
			Params: []Parameter{{Name: "seconds", Means: "how long, in the time of the devices", Default: 30, Min: 1,
				Max: 600}}},
		{Name: BackgroundSnapshot, Each: "a look at the tree of an app that is not in front",
			Report: "https://github.com/facebookarchive/WebDriverAgent/issues/719",
			Does:   "the look takes long: XCTest waits three times for the app to answer",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 90, Min: 1, Max: 3600}}},
		{Name: SnapshotTooDeep, Each: "a look at a tree with more levels", Report: "A5: WDA#542, appium#14825",
			Does:   "one read of the whole tree fails with kAXErrorIllegalArgument; reads of parts with fewer levels succeed",
			Params: []Parameter{{Name: "levels", Means: "maximum levels of one read", Default: 62, Min: 1, Max: 10000}}},
		{Name: DismissesAlerts, Each: "an input", Report: "inferred from Apple's documentation of UI interruptions",
			Does: "XCTest first dismisses an alert of the app",
			Params: []Parameter{{Name: "agents", Means: "agents that do not switch that off; the ios-agent agent can, with undocumented keys",
				Words: []string{"public-only", "all"}}}},
	}
}

func macKeyboardFaults() []Kind {
	return []Kind{
		{Name: HardwareKeyboard, Each: "a tap that would bring up the keyboard", Report: "Simulator's default: Connect Hardware Keyboard",
			Does: "the software keyboard stays hidden and is missing in the tree; typing works"},
		{Name: SmartPunctuation, Each: "typing", Report: "E35: Maestro#167",
			Does: "the keyboard replaces quotes and dashes unless SmartQuotesEnabled and SmartDashesEnabled are off"},
		{Name: KeyboardIntroduction, Each: "a tap that brings up the keyboard", Report: "WDA: its preferences for the keyboard",
			Does: "an introduction covers the keys until it is dismissed, unless the preferences say that it was shown"},
	}
}
