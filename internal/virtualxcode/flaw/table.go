package flaw

import "slices"

// The names of all faults. The table below says what each does.
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
	SlowRunnerStart      = "slow-runner-start"
	BuffersOutput        = "xcodebuild-buffers-output"
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
	FailedQueryEnds      = "failed-query-ends-test"

	CommandLineTools   = "only-command-line-tools"
	LicenceNotAccepted = "licence-not-accepted"
	NoRuntime          = "no-runtime-installed"
	NoGUISession       = "no-gui-session"
)

// Known is the table of all faults. Reports that begin with a letter and a number are entries of
// the field report that this table is based on, followed by the issues that the report names.
func Known() []Kind {
	return slices.Concat(powerFaults(), toolFaults(), agentFaults(), wdaFaults(), idbFaults(), treeFaults(), touchFaults(), textFaults(),
		macFaults(), deviceFaults(), firstHourFaults())
}

func powerFaults() []Kind {
	return []Kind{
		{Name: SlowBoot, Each: "a boot", Passing: true, Report: "G57: stim#752, bluepill#129",
			Does: "the boot takes long", Params: []Parameter{{Name: "seconds", Means: "how long it takes", Default: 60, Min: 1, Max: 3600}}},
		{Name: BootHang, Each: "a boot", Report: "G57: stim#753",
			Does: "the boot never ends: the device stays in state Booting until it is shut down"},
		{Name: BootFails, Each: "a boot", Passing: true, Report: "G57: stim#792",
			Does: "the boot fails and the device stays shut down"},
		{Name: CannotSpawn, Each: "a simctl spawn", Passing: true,
			Report: "G57: stim#752; G53: auto-mobile#3553; https://github.com/plu/simctl/issues/7",
			Does:   "a booted device cannot run a program: the spawn fails with a Mach error"},
		{Name: DeviceShutsDown, Each: "an action on a booted device", Report: "G53: auto-mobile#3553, #3555",
			Does: "the device shuts down at that moment, and its agent dies with it"},
		{Name: ClockJump, Each: "a look", Report: "macOS setting its clock, or waking from sleep",
			Does:   "the clock of all devices jumps, and later times in logs and waits with it",
			Params: []Parameter{{Name: "seconds", Means: "how far; negative values go back", Default: 3600, Min: -86400, Max: 86400}}},
	}
}

func toolFaults() []Kind {
	return []Kind{
		{Name: SimctlHang, Each: "a run of simctl", Report: "H64, H66: argent#210",
			Does: "the run hangs until it is interrupted"},
		{Name: SimctlSlow, Each: "a run of simctl", Passing: true, Mac: true, Report: "H64: agent-device#1010; D33: Maestro#2610",
			Does:   "the run starts late",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 2, Min: 1, Max: 3600}}},
		{Name: SimctlGarbage, Each: "a simctl list", Passing: true, Report: "https://github.com/NativeScript/nativescript-cli/issues/3322",
			Does: "the output is neither JSON nor text of a list"},
		{Name: SimctlVersionMismatch, Each: "a run of simctl", Passing: true, Report: "https://github.com/luosheng/OpenSim/issues/13; " +
			"K80: XcodeBuildMCP#231",
			Does: "the run first reports on standard error that CoreSimulatorService has another version, and then works"},
		{Name: SimctlConnectionInvalid, Each: "a run of simctl", Passing: true,
			Report: "https://github.com/anthropic-experimental/sandbox-runtime/issues/378",
			Does:   "the run fails and reports on standard error that it cannot reach CoreSimulatorService"},
		{Name: InstallFails, Each: "an install", Passing: true, Report: "https://github.com/flutter/flutter/issues/27347",
			Does: "the install fails; an app that is already installed stays"},
		{Name: LaunchFails, Each: "a launch", Passing: true, Report: "a recorded output: bitrise-early-unexpected-exit_1.txt",
			Does: "the launch of an installed app fails"},
		{Name: LaunchHang, Each: "a simctl launch", Report: "F44: WDA#1150",
			Does: "the launch hangs until it is interrupted, and the app does not start"},
		{Name: ScreenshotFails, Each: "a screenshot", Passing: true,
			Report: "https://github.com/MobileNativeFoundation/bluepill/issues/252",
			Does:   "the screenshot fails: the screen has no surface"},
		{Name: BlackScreenshot, Each: "a screenshot", Passing: true, Report: "A6: agent-device ADR 0004",
			Does: "the screenshot is black, with the right size"},
		{Name: WrongScaleScreenshot, Each: "a screenshot", Passing: true, Report: "A12: AXe#5, Maestro#2138",
			Does:   "the screenshot has another scale than the device",
			Params: []Parameter{{Name: "scale", Means: "pixels per point", Default: 1, Min: 1, Max: 4}}},
		{Name: LogStreamDies, Each: "a log stream", Passing: true, Report: "J73: XcodeBuildMCP#382",
			Does:   "the stream ends unexpectedly, with exit status 1",
			Params: []Parameter{{Name: "lines", Means: "entries before the end", Default: 0, Min: 0, Max: 100000}}},
		{Name: LogStreamFloods, Each: "a log stream", Report: "quern: hundreds of lines per second evicted the important ones",
			Does:   "the app in front logs continuously while the stream runs",
			Params: []Parameter{{Name: "lines", Means: "lines per second", Default: 2000, Min: 1, Max: 100000}}},
		{Name: BuildFails, Each: "a build by xcodebuild", Report: "H60: Maestro#1585; K82: XcodeBuildMCP#257",
			Does:   "a target fails to build although its sources are correct",
			Params: []Parameter{{Name: "kind", Means: "kind of failure", Words: []string{"compile", "signing"}}}},
	}
}

func agentFaults() []Kind {
	return []Kind{
		{Name: AgentCrashBefore, Each: "an input", Passing: true, Report: "J75: agent-device#702",
			Does: "the agent dies on the request, before it acts"},
		{Name: AgentCrashAfterAct, Each: "an input", Passing: true, Report: "J75: agent-device#702, #1107",
			Does: "the agent acts and dies before it answers"},
		{Name: AgentCrashAfterAnswer, Each: "an input", Passing: true, Report: "J75: agent-device#1107, ADR 0005",
			Does: "the agent acts, answers and dies: the next request fails"},
		{Name: AgentException, Each: "an input", Report: "a full disk: AGENT_FAILED, although the tap had taken effect",
			Does:   "the agent answers with an XCTest exception",
			Params: []Parameter{{Name: "when", Means: "whether the exception comes after or before the input", Words: []string{"after", "before"}}}},
		{Name: AgentHang, Each: "any request", Report: "D29: WDA#278; D32: agent-device#1246",
			Does: "the agent stops answering and sends no pulses until it is killed"},
		{Name: AgentStuck, Each: "a request that needs the main queue", Report: "D29: WDA#278; D32: agent-device#1246",
			Does: "the agent stops answering until it is killed, and each pulse says how long its main queue has been stuck",
			Params: []Parameter{{Name: "stuck_ms", Means: "first reported time; it grows in real time", Default: 0, Min: 0,
				Max: 600000}}},
		{Name: AgentStall, Each: "a request that needs the main queue", Report: "H63: agent-device#917",
			Does:   "the agent carries out the request late, in real time; meanwhile its main queue answers",
			Params: []Parameter{{Name: "ms", Means: "how long", Default: 30000, Min: 1, Max: 600000}}},
		{Name: AgentSlow, Each: "a request that needs the main queue", Passing: true, Report: "A14: idb accessibility.mdx; H63: agent-device#917",
			Does: "the answer comes late", Params: []Parameter{{Name: "ms", Means: "delay", Default: 2000, Min: 1, Max: 600000}}},
		{Name: AgentWaitsForIdle, Each: "an input", Passing: true, Report: "D29: appium#8858, xcuitest-driver#1325; D30: Maestro#1477",
			Does:   "before it acts the agent waits until the app is idle, as XCTest does by default",
			Params: []Parameter{{Name: "seconds", Means: "maximum wait", Default: 60, Min: 1, Max: 600}}},
		{Name: AgentHalfFrame, Each: "an answer to a look", Passing: true, Report: "qorvex §2.3: drop mid-session",
			Does: "the connection breaks in the middle of the answer"},
		{Name: AgentGarbage, Each: "the answer to a look", Passing: true, Report: "qorvex §2.3: garbage",
			Does: "the answer is a frame of random bytes"},
		{Name: AgentOversizedFrame, Each: "the answer to a look", Passing: true, Report: "qorvex §1.2, size limits; A5: WDA#542",
			Does: "the answer announces more bytes than a frame may have"},
		{Name: AgentWrongDevice, Each: "a hello", Passing: true, Report: "G50: Maestro#895, #3138",
			Does: "the agent identifies itself as the agent of another device"},
		{Name: AgentOldBuild, Each: "a hello", Report: "qorvex §1.5: nothing detects an outdated build",
			Does:   "the agent identifies itself as another build than this version of ios-agent expects",
			Params: []Parameter{{Name: "protocol", Means: "its protocol version", Words: []string{"3", "1"}}}},
		{Name: AgentPortTaken, Each: "a start of the agent", Passing: true, Report: "G50: Maestro#1485, #1853",
			Does: "another program already listens on the agent's port and closes every connection"},
		{Name: AgentExitsEarly, Each: "a start of the agent", Passing: true,
			Report: "H60: Maestro#1585; a recorded output: bitrise-early-unexpected-exit_1.txt",
			Does:   "xcodebuild ends before the agent listens, with the reason on standard error"},
		{Name: AgentNeverReady, Each: "a start of the agent", Report: "H62: WDA#1177; H60: Maestro#1257",
			Does: "xcodebuild keeps running, but the agent never listens"},
		{Name: AgentFloodsOutput, Each: "a start of the agent", Passing: true, Report: "J74: XcodeBuildMCP#492",
			Does:   "xcodebuild prints large output before the agent listens, and blocks until the output is read",
			Params: []Parameter{{Name: "kilobytes", Means: "size per stream", Default: 1024, Min: 1, Max: 65536}}},
	}
}

// wdaFaults are the faults of WebDriverAgent.
func wdaFaults() []Kind {
	return []Kind{
		{Name: WDASessionLost, Each: "a command of a session of WebDriverAgent",
			Report: "WebDriverAgent has one session: a new session of another client ends it",
			Does:   "the session is lost: this and all later commands fail with invalid session id until a new session starts"},
		{Name: WDAStaleElement, Each: "a use of an element that WebDriverAgent found", Report: "WebDriverAgent's own error",
			Does: "the element is stale and must be found again"},
		{Name: WDAPortGone, Each: "a command of WebDriverAgent", Report: "a recorded output: appium-1.15-ios13-session.log",
			Does: "WebDriverAgent ends without an answer; its port stays closed until a restart",
			Params: []Parameter{{Name: "when", Means: "whether it ends after or before it carries out the command",
				Words: []string{"after", "before"}}}},
		{Name: WDASlowSource, Each: "a source of WebDriverAgent", Report: "A14: idb accessibility.mdx",
			Does:   "the tree takes long, on the devices' clock",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 30, Min: 1, Max: 600}}},
	}
}

// idbFaults are the faults of idb_companion.
func idbFaults() []Kind {
	return []Kind{
		{Name: IDBDies, Each: "a call of idb_companion", Report: "its sources: a companion ends with its simulator's services",
			Does: "idb_companion ends without an answer; its socket stays closed until a restart",
			Params: []Parameter{{Name: "when", Means: "whether it ends after or before it carries out the call",
				Words: []string{"after", "before"}}}},
		{Name: IDBInput, Each: "an input of idb_companion", Report: "a process can end at any moment",
			Does: "idb_companion carries out the input and ends without an answer"},
		{Name: IDBSilent, Each: "a call of idb_companion", Report: "a process can hang at any moment",
			Does: "the companion accepts this and all later calls without an answer, until it is killed"},
		{Name: IDBNoReader, Each: "a read of idb_companion inside the simulator", Passing: true, Report: "idb accessibility.mdx, Requirements",
			Does: "the call fails because the companion has no helper inside the simulator"},
	}
}

func treeFaults() []Kind {
	return []Kind{
		{Name: StaleTree, Each: "a look", Passing: true, Report: "B16: agent-device#1239; B18: playwright-mcp#265",
			Does: "the tree shows the screen before the last input"},
		{Name: EmptyTree, Each: "a look", Passing: true, Report: "A6: agent-device#639, #706; A8: quern#66, #196; A15: Maestro#1613",
			Does: "the tree has only the application element"},
		{Name: RunnerTree, Each: "a look", Passing: true, Report: "A7: rn-dev-agent#35, #37",
			Does: "the tree shows the empty screen of the test runner instead of the app"},
		{Name: SnapshotFails, Each: "a look", Passing: true, Report: "A5: WDA#749, appium#14825, #18085",
			Does: "reading the tree fails with kAXErrorIllegalArgument"},
		{Name: CollapsedTabBar, Each: "a look", Passing: true, Report: "A1: XcodeBuildMCP#439, AXe#47, idb#767",
			Does: "a tab bar is one element without children"},
		{Name: MissingSearchField, Each: "a look", Passing: true, Report: "A2: idb#892",
			Does: "the tree omits search fields"},
		{Name: MissingSheet, Each: "a look", Passing: true, Report: "A9: Maestro#1924",
			Does: "the tree omits the elements of a sheet"},
		{Name: WithoutLabels, Each: "a look", Passing: true, Report: "A15: Maestro#1613; A4: mobile-mcp#88",
			Does: "no element has a label"},
		{Name: WithoutIdentifiers, Each: "a look", Passing: true, Report: "A3: XcodeBuildMCP#442, #456",
			Does: "no element has an identifier"},
		{Name: ButtonsAreOther, Each: "a look", Passing: true, Report: "A4: mobile-mcp#88, #160",
			Does: "buttons, cells and links are of type Other, as React Native's are"},
		{Name: DuplicateLabels, Each: "a look", Passing: true, Report: "B19: agent-device ADR 0012, Maestro#2480",
			Does: "all buttons on the screen have the label of the first"},
		{Name: HiddenTwin, Each: "a look", Passing: true, Report: "B20: agent-device#1037; A10: Maestro#1275",
			Does: "before every button the tree has a button with the same name outside the screen"},
		{Name: DeepTree, Each: "a look", Passing: true, Report: "A5: WDA#542, appium#15602",
			Does: "the app's elements are nested in additional containers",
			Params: []Parameter{
				{Name: "depth", Means: "number of containers", Default: 80, Min: 1, Max: 10000},
				{Name: "called", Means: "whether the containers have names", Words: []string{"nothing", "level"}},
			}},
		{Name: HugeTree, Each: "a look", Passing: true, Report: "qorvex §5.1: large trees; A14: idb accessibility.mdx",
			Does:   "the tree has additional elements below the visible ones",
			Params: []Parameter{{Name: "nodes", Means: "number of additional elements", Default: 6000, Min: 1, Max: 200000}}},
		{Name: StaleFrames, Each: "a look", Passing: true, Report: "B21: Maestro#2443; F46: quern#84",
			Does: "elements keep the frames from before the last input"},
		{Name: FramesInPixels, Each: "a look", Passing: true, Report: "A12: AXe#5, Maestro#2701, XcodeBuildMCP#537",
			Does: "frames are in pixels instead of points"},
	}
}

func touchFaults() []Kind {
	kinds := []string{"notifications", "apple-account", "location", "tracking", "paste"}
	return []Kind{
		{Name: NoOpTap, Each: "a tap", Passing: true, Report: "C23: ios-simulator-skill#101, argent#1176; C24: Maestro#501",
			Does: "the tap succeeds but has no effect"},
		{Name: NoOpSwipe, Each: "a swipe", Passing: true, Report: "C23: quern#222, sim-use#56",
			Does: "the swipe succeeds but has no effect"},
		{Name: NoOpType, Each: "typing", Passing: true, Report: "C23: claude-code#95140",
			Does: "typing succeeds but has no effect"},
		{Name: TapMisses, Each: "a tap", Passing: true, Report: "A12: AXe#5, Maestro#2138",
			Does: "the tap lands at an offset", Params: []Parameter{
				{Name: "dx", Means: "points to the right", Default: 0, Min: -2000, Max: 2000},
				{Name: "dy", Means: "points down", Default: 60, Min: -2000, Max: 2000}}},
		{Name: SwitchIgnoresTap, Each: "a tap on a switch", Passing: true, Report: "C26: AXe#46",
			Does: "the switch ignores the tap and moves only on a longer press"},
		{Name: ScrollOvershoots, Each: "a swipe", Passing: true, Report: "F46: appium#13083, Maestro#1272",
			Does:   "the content scrolls much farther than the swipe asked for",
			Params: []Parameter{{Name: "percent", Means: "percentage of the finger's speed", Default: 300, Min: 101, Max: 2000}}},
		{Name: LateInsert, Each: "a tap in an app", Report: "B21: Maestro#2443",
			Does:   "as the finger comes down a banner appears and moves the content down permanently",
			Params: []Parameter{{Name: "points", Means: "distance", Default: 60, Min: 1, Max: 400}}},
		{Name: AppCrashOnTap, Each: "a tap in an app", Passing: true, Report: "J76: Maestro 2.7 notes",
			Does: "the app crashes on the tap"},
		{Name: AppHang, Each: "a tap in an app", Report: "D29: WDA#278, xcuitest-driver#1325",
			Does:   "from the tap on the app's main thread is busy: the picture freezes, the tree cannot be read, touches wait",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 30, Min: 1, Max: 3600}}},
		{Name: AppSlow, Each: "a tap in an app", Passing: true, Report: "C24: Maestro#1703; D33: Maestro#2750",
			Does: "the tap takes effect late", Params: []Parameter{{Name: "ms", Means: "delay", Default: 1500, Min: 1,
				Max: 60000}}},
		{Name: AnimationPlateau, Each: "a change of screens", Passing: true, Report: "D30: Maestro#2261; C25: Maestro#3475",
			Does:   "the animation pauses halfway, as if it had ended, and then continues",
			Params: []Parameter{{Name: "ms", Means: "how long", Default: 400, Min: 1, Max: 60000}}},
		{Name: EndlessAnimation, Each: "a look at a running app", Report: "D29: appium#11249, #20707",
			Does: "an animation starts in the app and runs until the app ends"},
		{Name: SystemAlert, Each: "a look at a running app", Passing: true, Report: "F42: auto-mobile#1147, appium#19716; E40: " +
			"sim-use README",
			Does:   "a system alert covers the app: the screen shows it and taps reach it, but the app's tree omits it",
			Params: []Parameter{{Name: "kind", Means: "what it asks", Words: kinds}}},
		{Name: AlertAtLaunch, Each: "a launch", Passing: true, Report: "F44: Maestro 2.5 notes, WDA#1150",
			Does:   "a system alert covers the app as it starts",
			Params: []Parameter{{Name: "kind", Means: "what it asks", Words: kinds}}},
		{Name: OpenURLAsks, Each: "an openurl", Passing: true, Report: "F45: Maestro#940, #2192",
			Does: "the system asks for confirmation before it opens the URL"},
	}
}

func textFaults() []Kind {
	every := Parameter{Name: "every", Means: "one of this number", Default: 3, Min: 1, Max: 1000}
	after := Parameter{Name: "after", Means: "unaffected characters at the start", Default: 0, Min: 0, Max: 100000}
	return []Kind{
		{Name: DroppedCharacters, Each: "typing", Passing: true, Report: "E35: Maestro#395, #1119",
			Does: "some characters are lost", Params: []Parameter{every, after}},
		{Name: DoubledCharacters, Each: "typing", Passing: true, Report: "E35: Maestro#2382",
			Does: "some characters are doubled", Params: []Parameter{every, after}},
		{Name: Autocorrect, Each: "typing", Passing: true, Report: "E35: Maestro#167",
			Does: "the keyboard changes the text: capitals, curly quotes, dashes, misspelt words"},
		{Name: WrongLayout, Each: "typing", Passing: true, Report: "E34: ios-simulator-mcp#43, #62, Maestro#107",
			Does:   "the device interprets keys of a US keyboard in another layout",
			Params: []Parameter{{Name: "layout", Means: "layout of the device", Words: []string{"uk", "azerty", "qwertz"}}}},
		{Name: UnicodeLost, Each: "typing", Passing: true, Report: "E36: Maestro#146, orca#10166",
			Does: "characters outside ASCII are lost"},
		{Name: SlowKeyboard, Each: "a tap that brings up the keyboard", Passing: true, Report: "E35: Maestro#395",
			Does:   "the keyboard appears late, and text typed before it is lost",
			Params: []Parameter{{Name: "ms", Means: "how much later", Default: 1500, Min: 1, Max: 60000}}},
		{Name: KeyboardCoversField, Each: "a tap that brings up the keyboard", Report: "E39: Maestro#1303, XcodeBuildMCP#346",
			Does: "the keyboard covers the field because the screen does not scroll"},
	}
}
