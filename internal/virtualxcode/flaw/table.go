package flaw

import "slices"

// The names of all faults. What each does is in the table below, and nowhere else.
const (
	SlowBoot        = "slow-boot"
	BootHang        = "boot-hang"
	BootFails       = "boot-fails"
	CannotSpawn     = "booted-but-cannot-spawn"
	DeviceShutsDown = "device-shuts-down-under-us"

	SimctlHang              = "simctl-hang"
	SimctlSlow              = "simctl-slow"
	SimctlGarbage           = "simctl-garbage"
	SimctlVersionMismatch   = "simctl-service-version-mismatch"
	SimctlConnectionInvalid = "simctl-connection-invalid"
	InstallFails            = "install-fails"
	LaunchFails             = "launch-fails"
	LaunchHang              = "launch-hang"
	ScreenshotFails         = "screenshot-fails"
	BlackScreenshot         = "black-screenshot"
	WrongScaleScreenshot    = "wrong-scale-screenshot"
	LogStreamDies           = "log-stream-dies"
	LogStreamFloods         = "log-stream-floods"
	ClockJump               = "clock-jump"
	BuildFails              = "build-fails"

	AgentCrashBefore      = "agent-crash-before-act"
	AgentCrashAfterAct    = "agent-crash-after-act"
	AgentCrashAfterAnswer = "agent-crash-after-answer"
	AgentException        = "agent-exception"
	AgentHang             = "agent-hang"
	AgentStuck            = "agent-stuck"
	AgentStall            = "agent-stall"
	AgentSlow             = "agent-slow"
	AgentWaitsForIdle     = "agent-waits-for-idle"
	AgentHalfFrame        = "agent-half-frame"
	AgentGarbage          = "agent-garbage"
	AgentOversizedFrame   = "agent-oversized-frame"
	AgentWrongDevice      = "agent-wrong-device"
	AgentOldBuild         = "agent-old-build"
	AgentPortTaken        = "agent-port-taken"
	AgentExitsEarly       = "agent-exits-early"
	AgentNeverReady       = "agent-never-ready"
	AgentFloodsOutput     = "agent-floods-output"

	WDASessionLost  = "wda-session-lost"
	WDAStaleElement = "wda-stale-element"
	WDAPortGone     = "wda-port-gone"
	WDASlowSource   = "wda-slow-source"

	IDBDies     = "idb-companion-dies"
	IDBInput    = "idb-input-unanswered"
	IDBSilent   = "idb-companion-silent"
	IDBNoReader = "idb-without-guest-reader"

	StaleTree          = "stale-tree"
	EmptyTree          = "empty-tree"
	RunnerTree         = "runner-tree"
	SnapshotFails      = "snapshot-fails"
	CollapsedTabBar    = "collapsed-tab-bar"
	MissingSearchField = "missing-search-field"
	MissingSheet       = "missing-sheet"
	WithoutLabels      = "elements-without-labels"
	WithoutIdentifiers = "elements-without-identifiers"
	ButtonsAreOther    = "buttons-are-other"
	DuplicateLabels    = "duplicate-labels"
	HiddenTwin         = "hidden-twin"
	DeepTree           = "deep-tree"
	HugeTree           = "huge-tree"
	StaleFrames        = "stale-frames"
	FramesInPixels     = "frames-in-pixels"

	NoOpTap          = "no-op-tap"
	NoOpSwipe        = "no-op-swipe"
	NoOpType         = "no-op-type"
	TapMisses        = "tap-misses"
	SwitchIgnoresTap = "switch-ignores-tap"
	ScrollOvershoots = "scroll-overshoots"
	LateInsert       = "late-insert"
	AppCrashOnTap    = "app-crash-on-tap"
	AppHang          = "app-hang"
	AppSlow          = "app-slow"
	AnimationPlateau = "animation-plateau"
	EndlessAnimation = "endless-animation"
	SystemAlert      = "system-alert-over-app"
	AlertAtLaunch    = "alert-at-launch"
	OpenURLAsks      = "open-url-asks"

	DroppedCharacters   = "dropped-characters"
	DoubledCharacters   = "doubled-characters"
	Autocorrect         = "autocorrect-changes-text"
	WrongLayout         = "wrong-keyboard-layout"
	UnicodeLost         = "unicode-lost"
	SlowKeyboard        = "slow-keyboard"
	KeyboardCoversField = "keyboard-covers-target"

	IDAlone              = "destination-by-id-alone"
	GenericDestination   = "generic-destination-ineligible"
	SlowAgentBuild       = "slow-agent-build"
	TemporaryDerivedData = "temporary-derived-data"
	CollectsDiagnostics  = "test-diagnostics-collected"
	RunnerOutlives       = "runner-outlives-xcodebuild"
	MainQueueHeld        = "main-queue-held"
	BackgroundSnapshot   = "background-snapshot-hangs"
	SnapshotTooDeep      = "snapshot-too-deep"
	HardwareKeyboard     = "hardware-keyboard"
	SmartPunctuation     = "smart-punctuation"
	KeyboardIntroduction = "keyboard-introduction"
	DismissesAlerts      = "xctest-dismisses-alerts"
	DevicectlProperties  = "devicectl-json-version-five"
	AnotherSimulator     = "simulator-of-another-xcode"
	NoSimulatorApp       = "no-simulator-app"
	XcodeMCP             = "xcode-has-mcp-server"
)

// Known is everything that can be made to go wrong. Reports beginning with a letter and a number are entries of
// the field report this was made from; the issues it names follow.
func Known() []Kind {
	return slices.Concat(powerFaults(), toolFaults(), agentFaults(), wdaFaults(), idbFaults(), treeFaults(), touchFaults(), textFaults(),
		macFaults(), deviceFaults())
}

func powerFaults() []Kind {
	return []Kind{
		{Name: SlowBoot, Each: "a boot", Passing: true, Report: "G57: stim#752, bluepill#129",
			Does: "a boot takes long", Params: []Parameter{{Name: "seconds", Means: "how long it takes", Default: 60, Min: 1, Max: 3600}}},
		{Name: BootHang, Each: "a boot", Report: "G57: stim#753",
			Does: "a boot never ends: the device stays in state Booting until it is shut down"},
		{Name: BootFails, Each: "a boot", Passing: true, Report: "G57: stim#792",
			Does: "a boot is refused and the device stays shut down"},
		{Name: CannotSpawn, Each: "a simctl spawn", Passing: true,
			Report: "G57: stim#752; G53: auto-mobile#3553; https://github.com/plu/simctl/issues/7",
			Does:   "a device that says Booted cannot run a program: the spawn fails with a Mach error"},
		{Name: DeviceShutsDown, Each: "anything done to a booted device", Report: "G53: auto-mobile#3553, #3555",
			Does: "the device shuts down at that moment, and its agent dies with it"},
		{Name: ClockJump, Each: "a look", Report: "macOS setting its clock, or waking from sleep",
			Does:   "the clock of all devices jumps; later times in logs and waits are off by that much",
			Params: []Parameter{{Name: "seconds", Means: "how far; below zero is back", Default: 3600, Min: -86400, Max: 86400}}},
	}
}

func toolFaults() []Kind {
	return []Kind{
		{Name: SimctlHang, Each: "a run of simctl", Report: "H64, H66: argent#210",
			Does: "the run never answers: it ends only when it is interrupted"},
		{Name: SimctlSlow, Each: "a run of simctl", Passing: true, Report: "H64: agent-device#1010; D33: Maestro#2610",
			Does:   "the run does nothing for a while first",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 5, Min: 1, Max: 3600}}},
		{Name: SimctlGarbage, Each: "a simctl list", Passing: true, Report: "https://github.com/NativeScript/nativescript-cli/issues/3322",
			Does: "the list is neither its JSON nor its text"},
		{Name: SimctlVersionMismatch, Each: "a run of simctl", Passing: true, Report: "https://github.com/luosheng/OpenSim/issues/13; " +
			"K80: XcodeBuildMCP#231",
			Does: "the run first complains on its standard error that CoreSimulatorService has another version, and then works"},
		{Name: SimctlConnectionInvalid, Each: "a run of simctl", Passing: true,
			Report: "https://github.com/anthropic-experimental/sandbox-runtime/issues/378",
			Does:   "the run cannot reach CoreSimulatorService: it says so on its standard error and fails"},
		{Name: InstallFails, Each: "an install", Passing: true, Report: "https://github.com/flutter/flutter/issues/27347",
			Does: "the app cannot be installed; what was there before stays"},
		{Name: LaunchFails, Each: "a launch", Passing: true, Report: "a recorded output: bitrise-early-unexpected-exit_1.txt",
			Does: "an installed app cannot be launched"},
		{Name: LaunchHang, Each: "a simctl launch", Report: "F44: WDA#1150",
			Does: "the launch never answers: it ends only when it is interrupted, and nothing was launched"},
		{Name: ScreenshotFails, Each: "a picture of the screen", Passing: true,
			Report: "https://github.com/MobileNativeFoundation/bluepill/issues/252",
			Does:   "no picture can be taken: the screen has no surface"},
		{Name: BlackScreenshot, Each: "a picture of the screen", Passing: true, Report: "A6: agent-device ADR 0004",
			Does: "the picture is black, of the right size"},
		{Name: WrongScaleScreenshot, Each: "a picture of the screen", Passing: true, Report: "A12: AXe#5, Maestro#2138",
			Does:   "the picture has another number of pixels to the point than the device",
			Params: []Parameter{{Name: "scale", Means: "pixels to the point", Default: 1, Min: 1, Max: 4}}},
		{Name: LogStreamDies, Each: "a log stream", Passing: true, Report: "J73: XcodeBuildMCP#382",
			Does:   "the stream ends by itself, with exit status 1",
			Params: []Parameter{{Name: "lines", Means: "how many entries it prints before", Default: 0, Min: 0, Max: 100000}}},
		{Name: LogStreamFloods, Each: "a log stream", Report: "quern: hundreds of lines a second evicted what mattered",
			Does:   "the app in front logs without end, as long as the stream runs",
			Params: []Parameter{{Name: "lines", Means: "how many a second", Default: 2000, Min: 1, Max: 100000}}},
		{Name: BuildFails, Each: "a build by xcodebuild", Report: "H60: Maestro#1585; K82: XcodeBuildMCP#257",
			Does:   "a target does not build, though nothing is wrong with its sources",
			Params: []Parameter{{Name: "kind", Means: "of failure", Words: []string{"compile", "signing"}}}},
	}
}

func agentFaults() []Kind {
	return []Kind{
		{Name: AgentCrashBefore, Each: "an input", Passing: true, Report: "J75: agent-device#702",
			Does: "the agent dies when it is asked to act, before it acts"},
		{Name: AgentCrashAfterAct, Each: "an input", Passing: true, Report: "J75: agent-device#702, #1107",
			Does: "the agent dies after it has acted, before it answers"},
		{Name: AgentCrashAfterAnswer, Each: "an input", Passing: true, Report: "J75: agent-device#1107, ADR 0005",
			Does: "the agent dies after it has acted and answered: the next request fails"},
		{Name: AgentException, Each: "an input", Report: "a full disk under the agent: AGENT_FAILED, and the tap had counted",
			Does:   "the agent answers with an exception of XCTest",
			Params: []Parameter{{Name: "when", Means: "whether the input has happened by then", Words: []string{"after", "before"}}}},
		{Name: AgentHang, Each: "any request", Report: "D29: WDA#278; D32: agent-device#1246",
			Does: "the agent answers no request any more and gives no sign of life, until it is killed"},
		{Name: AgentStuck, Each: "a request that needs the main queue", Report: "D29: WDA#278; D32: agent-device#1246",
			Does: "the agent answers no request any more, until it is killed, and tells with every pulse how long its main queue is stuck",
			Params: []Parameter{{Name: "stuck_ms", Means: "for how long already when it begins; it grows in real time", Default: 0, Min: 0,
				Max: 600000}}},
		{Name: AgentStall, Each: "a request that needs the main queue", Report: "H63: agent-device#917",
			Does:   "the agent takes long, in real time, while its main queue answers; then it does as it was asked",
			Params: []Parameter{{Name: "ms", Means: "how long", Default: 30000, Min: 1, Max: 600000}}},
		{Name: AgentSlow, Each: "a request that needs the main queue", Passing: true, Report: "A14: idb accessibility.mdx; H63: agent-device#917",
			Does: "the answer comes late", Params: []Parameter{{Name: "ms", Means: "how much later", Default: 2000, Min: 1, Max: 600000}}},
		{Name: AgentWaitsForIdle, Each: "an input", Passing: true, Report: "D29: appium#8858, xcuitest-driver#1325; D30: Maestro#1477",
			Does:   "before it acts the agent waits until nothing moves, as XCTest does by default",
			Params: []Parameter{{Name: "seconds", Means: "after which it acts all the same", Default: 60, Min: 1, Max: 600}}},
		{Name: AgentHalfFrame, Each: "the answer to a look", Passing: true, Report: "qorvex §2.3: drop mid-session",
			Does: "the answer breaks off in the middle, and its connection with it"},
		{Name: AgentGarbage, Each: "the answer to a look", Passing: true, Report: "qorvex §2.3: garbage",
			Does: "the answer is a frame of meaningless bytes"},
		{Name: AgentOversizedFrame, Each: "the answer to a look", Passing: true, Report: "qorvex §1.2, size limits; A5: WDA#542",
			Does: "the answer announces more bytes than any frame may have"},
		{Name: AgentWrongDevice, Each: "a hello", Passing: true, Report: "G50: Maestro#895, #3138",
			Does: "the agent greets as the agent of another device"},
		{Name: AgentOldBuild, Each: "a hello", Report: "qorvex §1.5: nothing detects an outdated build",
			Does:   "the agent greets as another build than the one that belongs to this program",
			Params: []Parameter{{Name: "protocol", Means: "the version it speaks", Words: []string{"3", "1"}}}},
		{Name: AgentPortTaken, Each: "a start of the agent", Passing: true, Report: "G50: Maestro#1485, #1853",
			Does: "another program listens on the agent's port already, and closes every connection"},
		{Name: AgentExitsEarly, Each: "a start of the agent", Passing: true,
			Report: "H60: Maestro#1585; a recorded output: bitrise-early-unexpected-exit_1.txt",
			Does:   "xcodebuild ends before the agent listens, with its reasons on its standard error"},
		{Name: AgentNeverReady, Each: "a start of the agent", Report: "H62: WDA#1177; H60: Maestro#1257",
			Does: "xcodebuild runs on, but the agent never listens"},
		{Name: AgentFloodsOutput, Each: "a start of the agent", Passing: true, Report: "J74: XcodeBuildMCP#492",
			Does:   "xcodebuild prints a great deal before the agent listens; it stops when nobody reads that",
			Params: []Parameter{{Name: "kilobytes", Means: "how much, on each stream", Default: 1024, Min: 1, Max: 65536}}},
	}
}

// wdaFaults are those of WebDriverAgent.
func wdaFaults() []Kind {
	return []Kind{
		{Name: WDASessionLost, Each: "a command of a session of WebDriverAgent",
			Report: "WebDriverAgent has one session: another client's new one ends ours",
			Does:   "the session is gone: the command and all later ones get an invalid session id, until there is a new one"},
		{Name: WDAStaleElement, Each: "a use of an element that WebDriverAgent found", Report: "WebDriverAgent's own error",
			Does: "the element is stale: it must be found anew"},
		{Name: WDAPortGone, Each: "a command of WebDriverAgent", Report: "a recorded output: appium-1.15-ios13-session.log",
			Does:   "WebDriverAgent ends without an answer, and its port is closed until it is started again",
			Params: []Parameter{{Name: "when", Means: "whether the command has been carried out by then", Words: []string{"after", "before"}}}},
		{Name: WDASlowSource, Each: "a source of WebDriverAgent", Report: "A14: idb accessibility.mdx",
			Does:   "the tree takes long, in the time of the devices",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 30, Min: 1, Max: 600}}},
	}
}

// idbFaults are those of idb_companion.
func idbFaults() []Kind {
	return []Kind{
		{Name: IDBDies, Each: "a call of idb_companion", Report: "its sources: a companion ends with its simulator's services",
			Does:   "idb_companion ends without an answer, and its socket is closed until it is started again",
			Params: []Parameter{{Name: "when", Means: "whether the call has been carried out by then", Words: []string{"after", "before"}}}},
		{Name: IDBInput, Each: "an input of idb_companion", Report: "a process can end at any moment",
			Does: "the input is carried out, and idb_companion ends without an answer"},
		{Name: IDBSilent, Each: "a call of idb_companion", Report: "a process can hang at any moment",
			Does: "the companion takes the call and never answers it, nor any later one, until it is killed"},
		{Name: IDBNoReader, Each: "a read of idb_companion inside the simulator", Passing: true, Report: "idb accessibility.mdx, Requirements",
			Does: "the companion has no helper that reads inside the simulator, and says so"},
	}
}

func treeFaults() []Kind {
	return []Kind{
		{Name: StaleTree, Each: "a look", Passing: true, Report: "B16: agent-device#1239; B18: playwright-mcp#265",
			Does: "the tree is that of the screen before the last input"},
		{Name: EmptyTree, Each: "a look", Passing: true, Report: "A6: agent-device#639, #706; A8: quern#66, #196; A15: Maestro#1613",
			Does: "the tree has the application element and nothing in it"},
		{Name: RunnerTree, Each: "a look", Passing: true, Report: "A7: rn-dev-agent#35, #37",
			Does: "the tree is that of the test runner's empty screen instead of the app's"},
		{Name: SnapshotFails, Each: "a look", Passing: true, Report: "A5: WDA#749, appium#14825, #18085",
			Does: "the tree cannot be read: kAXErrorIllegalArgument"},
		{Name: CollapsedTabBar, Each: "a look", Passing: true, Report: "A1: XcodeBuildMCP#439, AXe#47, idb#767",
			Does: "a tab bar is one element without children"},
		{Name: MissingSearchField, Each: "a look", Passing: true, Report: "A2: idb#892",
			Does: "search fields are not in the tree"},
		{Name: MissingSheet, Each: "a look", Passing: true, Report: "A9: Maestro#1924",
			Does: "what is on a sheet is not in the tree"},
		{Name: WithoutLabels, Each: "a look", Passing: true, Report: "A15: Maestro#1613; A4: mobile-mcp#88",
			Does: "no element has a label"},
		{Name: WithoutIdentifiers, Each: "a look", Passing: true, Report: "A3: XcodeBuildMCP#442, #456",
			Does: "no element has an identifier"},
		{Name: ButtonsAreOther, Each: "a look", Passing: true, Report: "A4: mobile-mcp#88, #160",
			Does: "buttons, cells and links are of type Other, as React Native's are"},
		{Name: DuplicateLabels, Each: "a look", Passing: true, Report: "B19: agent-device ADR 0012, Maestro#2480",
			Does: "all buttons of the screen have the label of the first"},
		{Name: HiddenTwin, Each: "a look", Passing: true, Report: "B20: agent-device#1037; A10: Maestro#1275",
			Does: "before every button there is another of its name beyond the edge of the screen"},
		{Name: DeepTree, Each: "a look", Passing: true, Report: "A5: WDA#542, appium#15602",
			Does: "everything the app shows is nested in containers",
			Params: []Parameter{
				{Name: "depth", Means: "how many", Default: 80, Min: 1, Max: 10000},
				{Name: "called", Means: "whether the containers have names", Words: []string{"nothing", "level"}},
			}},
		{Name: HugeTree, Each: "a look", Passing: true, Report: "qorvex §5.1: large trees; A14: idb accessibility.mdx",
			Does:   "there are that many more elements below the visible ones",
			Params: []Parameter{{Name: "nodes", Means: "how many", Default: 6000, Min: 1, Max: 200000}}},
		{Name: StaleFrames, Each: "a look", Passing: true, Report: "B21: Maestro#2443; F46: quern#84",
			Does: "elements that were there before the last input have the frames they had then"},
		{Name: FramesInPixels, Each: "a look", Passing: true, Report: "A12: AXe#5, Maestro#2701, XcodeBuildMCP#537",
			Does: "frames are in pixels instead of points"},
	}
}

func touchFaults() []Kind {
	kinds := []string{"notifications", "apple-account", "location", "tracking", "paste"}
	return []Kind{
		{Name: NoOpTap, Each: "a tap", Passing: true, Report: "C23: ios-simulator-skill#101, argent#1176; C24: Maestro#501",
			Does: "the tap is swallowed: it succeeds and nothing happens"},
		{Name: NoOpSwipe, Each: "a swipe", Passing: true, Report: "C23: quern#222, sim-use#56",
			Does: "the swipe is swallowed: it succeeds and nothing happens"},
		{Name: NoOpType, Each: "typing", Passing: true, Report: "C23: claude-code#95140",
			Does: "the text is swallowed: typing it succeeds and nothing happens"},
		{Name: TapMisses, Each: "a tap", Passing: true, Report: "A12: AXe#5, Maestro#2138",
			Does: "the finger lands beside where it was sent", Params: []Parameter{
				{Name: "dx", Means: "points to the right", Default: 0, Min: -2000, Max: 2000},
				{Name: "dy", Means: "points down", Default: 60, Min: -2000, Max: 2000}}},
		{Name: SwitchIgnoresTap, Each: "a tap on a switch", Passing: true, Report: "C26: AXe#46",
			Does: "the switch does not move: only a finger that stays longer moves it"},
		{Name: ScrollOvershoots, Each: "a swipe", Passing: true, Report: "F46: appium#13083, Maestro#1272",
			Does:   "what is scrolled glides much farther than the finger meant",
			Params: []Parameter{{Name: "percent", Means: "of the finger's speed", Default: 300, Min: 101, Max: 2000}}},
		{Name: LateInsert, Each: "a tap in an app", Report: "B21: Maestro#2443",
			Does:   "as the finger comes down a banner appears above the content, which moves down and stays there",
			Params: []Parameter{{Name: "points", Means: "how far", Default: 60, Min: 1, Max: 400}}},
		{Name: AppCrashOnTap, Each: "a tap in an app", Passing: true, Report: "J76: Maestro 2.7 notes",
			Does: "the app crashes when it is touched"},
		{Name: AppHang, Each: "a tap in an app", Report: "D29: WDA#278, xcuitest-driver#1325",
			Does:   "the app's main thread is busy from the tap on: the picture stands still, the tree cannot be read, touches wait",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 30, Min: 1, Max: 3600}}},
		{Name: AppSlow, Each: "a tap in an app", Passing: true, Report: "C24: Maestro#1703; D33: Maestro#2750",
			Does: "the tap takes effect late", Params: []Parameter{{Name: "ms", Means: "how much later", Default: 1500, Min: 1,
				Max: 60000}}},
		{Name: AnimationPlateau, Each: "a change of screens", Passing: true, Report: "D30: Maestro#2261; C25: Maestro#3475",
			Does:   "the animation stands still halfway, as if it had ended, and then goes on",
			Params: []Parameter{{Name: "ms", Means: "how long", Default: 400, Min: 1, Max: 60000}}},
		{Name: EndlessAnimation, Each: "a look at a running app", Report: "D29: appium#11249, #20707",
			Does: "something in the app begins to move and never stops, until the app ends"},
		{Name: SystemAlert, Each: "a look at a running app", Passing: true, Report: "F42: auto-mobile#1147, appium#19716; E40: " +
			"sim-use README",
			Does:   "an alert of the system lies over the app: on the screen and under the finger, but not in the app's tree",
			Params: []Parameter{{Name: "kind", Means: "what it asks", Words: kinds}}},
		{Name: AlertAtLaunch, Each: "a launch", Passing: true, Report: "F44: Maestro 2.5 notes, WDA#1150",
			Does:   "an alert of the system lies over the app as it starts",
			Params: []Parameter{{Name: "kind", Means: "what it asks", Words: kinds}}},
		{Name: OpenURLAsks, Each: "an openurl", Passing: true, Report: "F45: Maestro#940, #2192",
			Does: "the system asks before it opens the URL, which is opened when someone agrees"},
	}
}

func textFaults() []Kind {
	every := Parameter{Name: "every", Means: "one in so many", Default: 3, Min: 1, Max: 1000}
	after := Parameter{Name: "after", Means: "how many are spared first", Default: 0, Min: 0, Max: 100000}
	return []Kind{
		{Name: DroppedCharacters, Each: "typing", Passing: true, Report: "E35: Maestro#395, #1119",
			Does: "some characters get lost", Params: []Parameter{every, after}},
		{Name: DoubledCharacters, Each: "typing", Passing: true, Report: "E35: Maestro#2382",
			Does: "some characters come twice", Params: []Parameter{every, after}},
		{Name: Autocorrect, Each: "typing", Passing: true, Report: "E35: Maestro#167",
			Does: "the keyboard changes what is typed: capitals, curly quotes, dashes, misspelt words"},
		{Name: WrongLayout, Each: "typing", Passing: true, Report: "E34: ios-simulator-mcp#43, #62, Maestro#107",
			Does:   "the keys of a US keyboard are read as those of another layout",
			Params: []Parameter{{Name: "layout", Means: "which", Words: []string{"uk", "azerty", "qwertz"}}}},
		{Name: UnicodeLost, Each: "typing", Passing: true, Report: "E36: Maestro#146, orca#10166",
			Does: "what is not ASCII gets lost"},
		{Name: SlowKeyboard, Each: "a tap that brings up the keyboard", Passing: true, Report: "E35: Maestro#395",
			Does:   "the keyboard comes late, and what is typed before is lost",
			Params: []Parameter{{Name: "ms", Means: "how much later", Default: 1500, Min: 1, Max: 60000}}},
		{Name: KeyboardCoversField, Each: "a tap that brings up the keyboard", Report: "E39: Maestro#1303, XcodeBuildMCP#346",
			Does: "the keyboard covers the field: the screen does not scroll it up"},
	}
}
