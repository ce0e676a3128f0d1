package flaw

import (
	"fmt"
	"slices"
)

// RealMac is the profile in which every hardship of a real Mac happens on each of its occasions.
const RealMac = "real-mac"

// Profiles are the names of all profiles. The empty one is the kind world.
func Profiles() []string { return []string{RealMac} }

// CheckProfile says what is wrong with the name of a profile.
func CheckProfile(name string) error {
	if name != "" && !slices.Contains(Profiles(), name) {
		return fmt.Errorf("unknown profile %q: there is %q", name, Profiles())
	}
	return nil
}

// SetProfile begins a profile that was checked, or ends it with "". What is armed stays armed.
func (p *Plan) SetProfile(name string) error {
	p.Profile = name
	return kept(p.Keep)
}

// macFaults are how a real Mac differs from the kind world: nothing is broken, it is just not as one would like. Together they
// are the profile real-mac.
func macFaults() []Kind {
	all := slices.Concat(macToolFaults(), macAgentFaults(), macKeyboardFaults())
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
			Report: "a recorded output: showdestinations-xcode16.2.txt, of a platform that is not installed",
			Does:   "the destination is not eligible: xcodebuild exits with 70"},
		{Name: SlowAgentBuild, Each: "a build of the agent", Report: "JetWhale's notes on a near-identical runner",
			Does:   "the build takes long, in the time of the devices",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 70, Min: 1, Max: 3600}}},
		{Name: TemporaryDerivedData, Each: "a start of the agent without -derivedDataPath",
			Report: "https://github.com/bazelbuild/rules_apple/pull/3050",
			Does:   "a folder DerivedData/temporary-… with a result bundle is left behind"},
		{Name: CollectsDiagnostics, Each: "an agent that ends by anything but Shutdown, without -collect-test-diagnostics never",
			Report: "https://github.com/wireapp/wire-ios/pull/5071, https://github.com/leancodepl/patrol/pull/3240",
			Does:   "diagnostics are collected into the result bundle"},
		{Name: DevicectlProperties, Each: "a device in the JSON of devicectl",
			Report: "https://github.com/dotnet/macios/issues/26482, https://github.com/expo/expo/pull/48001",
			Does:   "the JSON has version 5: properties instead of the three dictionaries before it, and simulators are listed too",
			Params: []Parameter{{Name: "old_fields", Means: "what becomes of the three dictionaries", Words: []string{"go", "stay"}}}},
		{Name: AnotherSimulator, Each: "an open of Simulator by its name", Report: "https://github.com/Shopify/tophat/pull/151",
			Does: "the Simulator of another Xcode is opened; only the path below the developer folder opens that of this one"},
		{Name: NoSimulatorApp, Each: "an open of Simulator", Report: "https://github.com/okwasniewski/MiniSim/pull/155",
			Does: "this Xcode has no Simulator.app, but Device Hub, as Xcode 27 has"},
		{Name: XcodeMCP, Each: "a search for mcp-server or mcpbridge by xcrun", Report: "https://github.com/getsentry/XcodeBuildMCP/pull/202",
			Does: "it is found: this Xcode has an MCP server of its own, as Xcode 27 has; it cannot be run here"},
	}
}

func macAgentFaults() []Kind {
	return []Kind{
		{Name: RunnerOutlives, Each: "an xcodebuild that is killed while it runs the agent", Report: "inferred; nobody has reported it",
			Does:   "the test runner lives on for a while, and another one of its bundle id cannot be started meanwhile",
			Params: []Parameter{{Name: "seconds", Means: "how long, in the time of the devices", Default: 3, Min: 1, Max: 600}}},
		{Name: MainQueueHeld, Each: "a start of the agent", Report: "WDA: XCTest waits up to 30 seconds for an app",
			Does: "XCTest holds the agent's main queue: the first request that needs it waits; greetings and SetTarget are answered",
			Params: []Parameter{{Name: "seconds", Means: "how long, in the time of the devices", Default: 30, Min: 1,
				Max: 600}}},
		{Name: BackgroundSnapshot, Each: "a look at the tree of an app that is not in front",
			Report: "https://github.com/facebookarchive/WebDriverAgent/issues/719",
			Does:   "the look takes long: XCTest waits three times for the app to answer",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 90, Min: 1, Max: 3600}}},
		{Name: SnapshotTooDeep, Each: "a look at a tree with more levels than that", Report: "A5: WDA#542, appium#14825",
			Does:   "the tree cannot be read at once: kAXErrorIllegalArgument; parts of it that have fewer levels can",
			Params: []Parameter{{Name: "levels", Means: "that can be read at once", Default: 62, Min: 1, Max: 10000}}},
		{Name: DismissesAlerts, Each: "an input", Report: "inferred from Apple's documentation of UI interruptions",
			Does: "XCTest dismisses an alert of the app first, by itself",
			Params: []Parameter{{Name: "agents", Means: "which do not switch that off; ours can, where they may use undocumented keys",
				Words: []string{"public-only", "all"}}}},
	}
}

func macKeyboardFaults() []Kind {
	return []Kind{
		{Name: HardwareKeyboard, Each: "a tap that would bring up the keyboard", Report: "Simulator's default: Connect Hardware Keyboard",
			Does: "no keyboard comes up, and there is none in the tree; typing works"},
		{Name: SmartPunctuation, Each: "typing", Report: "E35: Maestro#167",
			Does: "quotes and dashes are turned into others, unless SmartQuotesEnabled and SmartDashesEnabled are off"},
		{Name: KeyboardIntroduction, Each: "a tap that brings up the keyboard", Report: "WDA: its preferences for the keyboard",
			Does: "an introduction covers the keys until it is answered, unless the preferences say that it was shown"},
	}
}
