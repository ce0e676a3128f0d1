package agent

import "ios-agent/internal/virtualxcode/mark"

// Marks are the assumptions about XCTest, which the Swift agent runs in, SwiftUI and UIKit, which the SDK uses, Xcode's debugger, and
// macOS. They have no recordings.
func Marks() (all []mark.Mark) {
	add := func(tool string, behaviours ...string) {
		for _, b := range behaviours {
			all = append(all, mark.Mark{Tool: tool, Behaviour: b, Source: mark.Assumed})
		}
	}
	add("XCTest",
		"start: the agent's project builds with this Xcode: its Swift code was compiled on Linux, against stubs of XCTest and UIKit",
		"start: a UI test may listen on a port of the loopback interface, and a test that never ends is not stopped by XCTest",
		"start: variables with the prefix TEST_RUNNER_ reach the runner without it, and SIMULATOR_UDID names the device",
		"format: build-for-testing of a scheme without a test plan writes an .xctestrun of format 1; one of format 2, as with test plans, is "+
			"handed to xcodebuild likewise, which reads both",
		"port: xcodebuild passes on the runner's output line by line, such as the line with the agent's port",
		"main thread: XCTest runs the run loop and the queue of the main thread while it waits, so that pulses distinguish a wait from a "+
			"hang; it may keep the main thread for 30 seconds",
		"front: XCUIApplication(bundleIdentifier:).state works for any app, and an app behind another is not running_foreground",
		"front: SpringBoard is running_foreground on the home screen, and its icons, the dock's last, are hittable only there",
		"front: banners are NotificationShortLookView and SBTransientOverlayWindow, as in WebDriverAgent; the bar of a call in "+
			"progress is not a banner",
		"hittable: bars come after the content in a tree and lie over it; isHittable decides where the tree is ambiguous",
		"origin: on an iPad the offsets of a touch count from the app's frame, and frames from the screen",
		"deep trees: beyond about 60 levels a snapshot fails with kAXErrorIllegalArgument; snapshots of its parts succeed",
		"focus: hasKeyboardFocus is a key of elements and snapshots, also with a hardware keyboard; without it text goes to the app, and "+
			"XCTest's complaint about the focus means that no element has it",
		"idle: currentInteractionOptions with bits 0 and 1 skips the waits for idleness; events at coordinates have no other wait",
		"interruptions: doesNotHandleUIInterruptions keeps XCTest from answering alerts before an event",
		"leftovers: DisableScreenshots and DisableDiagnosticScreenRecordings in the runner's defaults, and the scheme's settings, keep "+
			"XCTest from recording; remaining files are below -derivedDataPath, which ios-agent removes",
		"queries: XCTest evaluates queries correctly in the app, so XCTDisableRemoteQueryEvaluation (evaluation in the runner) stays off",
		"end: when the test ends, after a Shutdown, xcodebuild leaves within a second; after SIGINT within ten; a runner whose xcodebuild was "+
			"killed runs for up to three seconds more",
		"failures: record(_:) gets every failed query and event, and with continueAfterFailure only it can end a test; where XCTest has "+
			"_recordIssue: and _recordIssue:forCaughtError:, they get issues without record(_:)",
		"failures: shouldHaltWhenReceivesControl and shouldSetShouldHaltWhenReceivesControl of a test are off when they are set to false",
		"buttons: a simulator has the buttons home and action, and XCTest cannot lock a device")
	add("SDK",
		"build: the package builds with Xcode and swift-syntax from its repository: it was compiled on Linux, against the compiler's own "+
			"SwiftSyntax and stubs of SwiftUI and UIKit",
		"identifiers: a view's accessibilityIdentifier is the one of its element; a container passes its identifier to every view inside, "+
			"unless the container is an accessibilityElement(children: .contain)",
		"identifiers: Mirror shows the stored properties of a UIViewController like the properties of any class",
		"overlay: an overlay with accessibilityHidden is missing in every tree and has the position of its element",
		"animations: UIView.setAnimationsEnabled, Transaction.disablesAnimations and a layer's speed stop all long animations")
	add("atos",
		"symbols: the arguments of atos, mdfind and dwarfdump, and lines such as f(x) (in Shop) (Cart.swift:7), are from public "+
			"examples; none of these tools ran here, and Virtual Xcode lacks them")
	add("lldb",
		"start: xcrun starts Xcode's lldb-dap; in an Xcode without lldb-dap it ends before an answer, and lldb exists",
		"attach: an app of a simulator is a process of the Mac and is debugged by its pid; waiting for an app polls for its process",
		"launch: a program that its parent traced to its start and detached with SIGSTOP stays stopped there, and continues after "+
			"SIGCONT; an app started by simctl launch --wait-for-debugger stays stopped at its start until a debugger continues it",
		"leaving: both detach when their input ends, with SIGPIPE ignored; for both, a program stopped by SIGSTOP is stopped as at a breakpoint",
		"refusals: DevToolsSecurity -status says enabled or disabled; a program that is refused although it is enabled has the hardened runtime",
		"prompt: with pipes lldb keeps reading while the program runs, reports stops by lines such as Process 7 stopped, and writes frames "+
			"and threads in the requested formats")
	add("AX", // Virtual Xcode has no AX: on Linux the driver runs over fake frameworks, with make test-macax
		"frameworks: functions, arguments, numbers and owners of objects are the ones in Apple's headers; the driver of desktop apps "+
			"is compiled for a Mac and has never run on one",
		"permission: the program that started the daemon needs it, and responsibility_get_pid_responsible_for_pid names it; "+
			"AXIsProcessTrustedWithOptions shows a dialog only with kAXTrustedCheckOptionPrompt",
		"time: a limit set at the system-wide element holds for all apps; a late answer is kAXErrorCannotComplete",
		"elements: objects of one element are equal at every look, and kAXErrorInvalidUIElement means that the element is gone",
		"events: an observer of the app's element receives the events of all its elements",
		"values: SwiftUI sliders refuse numbers and accept texts; kAXErrorFailure for a value means that it did not change",
		"SwiftUI: the twin of the GTK test app compiles, and its labels are the titles of its elements",
		"active: setting AXFrontmost makes an app the active one, and reading it says so; keys posted to another app are dropped")
	add("CGEvent",
		"windows: a mouse event posted to a process reaches its window through field 51 and CGEventSetWindowLocation, which no "+
			"header declares; other projects measured it on macOS 27",
		"numbers: AppKit of macOS 27 drops a press whose number is used or not just above the system's count of presses, and a drag or a "+
			"release with another number than its press; macOS 26 drops a release right after its press: other projects measured it",
		"session: CGSessionCopyCurrentDictionary is null where no user is logged in at the screen, and has CGSSessionScreenIsLocked, which no "+
			"header names, while it is locked",
		"drags: AppKit begins no drag for events posted to a process; events posted at the HID tap with deltas begin one, and the release "+
			"must be made after the last move arrived, up to 300 ms later: other projects measured it",
		"keys: one event carries 20 units of UTF-16; flags in events suffice for a key with modifiers")
	add("CGWindowList",
		"pictures: CGWindowListCreateImage exists, as WebKit calls it, although headers lack it since macOS 15; it returns BGRA; "+
			"without it screencapture -x -o -l takes the picture of a window in pixels, without a shadow",
		"frames: an AX window and a window of the window server with the same frame are the same window")
	add("macOS",
		"processes: the start time distinguishes a process from a later process with the same pid; a zombie's group answers EPERM",
		"locks: a flock on a file of the home ends with its process",
		"sockets: a path of more than 104 bytes is refused; ios-agent then uses a shorter path",
		"servers: the list of sockets (net.inet.tcp.pcblist_n) names the user of a server for each connection to it, and LOCAL_PEERCRED that of "+
			"one at a path; neither was tried on a Mac")
	return all
}
