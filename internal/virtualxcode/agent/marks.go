package agent

import "ios-agent/internal/virtualxcode/mark"

// Marks say what is assumed of XCTest, which the Swift agent runs in, of SwiftUI and UIKit, which the SDK stands on, of
// Xcode's debugger, and of macOS. Nobody has recorded any.
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
		"port: xcodebuild passes on what the runner prints, as it is printed: the line that names the agent's port",
		"main thread: XCTest runs the run loop and the queue of the main thread while it waits, so that pulses tell a wait from a hang; it "+
			"may keep the main thread for 30 seconds",
		"front: XCUIApplication(bundleIdentifier:).state tells of any app, and an app behind another is not running_foreground",
		"front: SpringBoard is running_foreground on the home screen, and its icons, the dock's last, are hittable there and nowhere else",
		"front: banners are NotificationShortLookView and SBTransientOverlayWindow, as WebDriverAgent looks for them; a bar of a call in "+
			"progress is none",
		"hittable: bars come after the content in a tree and lie over it; isHittable is asked where the tree leaves it in doubt",
		"origin: on an iPad the offsets of a touch count from the app's frame, and frames from the screen",
		"deep trees: beyond some 60 levels a snapshot fails with kAXErrorIllegalArgument, and its parts can be read one by one",
		"focus: hasKeyboardFocus is a key of elements and snapshots, also with a hardware keyboard; without it text goes to the app, and "+
			"XCTest's complaint about the focus means that nothing has it",
		"idle: currentInteractionOptions with bits 0 and 1 skips the waits for idleness; events at coordinates do not wait by another way",
		"interruptions: doesNotHandleUIInterruptions keeps XCTest from answering alerts before an event",
		"leftovers: DisableScreenshots and DisableDiagnosticScreenRecordings in the runner's defaults, and the scheme's settings, keep "+
			"XCTest from recording; what is left lies below -derivedDataPath, which is removed",
		"queries: what XCTest answers in the app is right, so that XCTDisableRemoteQueryEvaluation, which lets the runner answer, stays off",
		"end: when the test ends, after a Shutdown, xcodebuild leaves within a second; after SIGINT within ten; a runner whose xcodebuild was "+
			"killed lives for up to three seconds more",
		"failures: record(_:) gets every failed query and event, and nothing else ends a test with continueAfterFailure",
		"buttons: a simulator has the buttons home and action, and XCTest cannot lock a device")
	add("SDK",
		"build: the package builds with Xcode and swift-syntax from its repository: it was compiled on Linux, against the compiler's own "+
			"SwiftSyntax and stubs of SwiftUI and UIKit",
		"identifiers: a view's accessibilityIdentifier is that of its element; one of a container goes to every view inside, unless the "+
			"container is an accessibilityElement(children: .contain)",
		"identifiers: Mirror shows the stored properties of a UIViewController as it shows those of any class",
		"overlay: an overlay with accessibilityHidden is in no tree, and lies where its element does",
		"animations: UIView.setAnimationsEnabled, Transaction.disablesAnimations and a layer's speed leave nothing that moves for long")
	add("atos",
		"symbols: the arguments of atos, mdfind and dwarfdump, and lines such as f(x) (in Shop) (Cart.swift:7), are from public "+
			"examples; none of them was run, and Virtual Xcode has none")
	add("lldb",
		"start: xcrun starts Xcode's lldb-dap; one of an Xcode that has none ends before it answers, and lldb is there",
		"attach: an app of a simulator is a process of the Mac, and is debugged by its number; one that is waited for is found by asking again",
		"launch: a program that its parent traced to its start, and then let go with SIGSTOP sent to it, stands there, and runs on after "+
			"SIGCONT; an app that simctl launch --wait-for-debugger started stands at its start until a debugger has it run",
		"leaving: both detach when their input ends, with SIGPIPE ignored; a program that SIGSTOP stopped is stopped to them as at a breakpoint",
		"refusals: DevToolsSecurity -status says enabled or disabled; what is refused although it is enabled has the hardened runtime",
		"prompt: with pipes lldb goes on reading while the program runs, tells of it by lines such as Process 7 stopped, and writes frames "+
			"and threads in the formats it is given")
	add("AX", // nothing virtual plays it: on Linux the driver runs over fake frameworks, with make test-macax
		"frameworks: functions, arguments, numbers and owners of objects are those of Apple's headers; no line of the driver of desktop apps "+
			"ever ran on a Mac, where it is only compiled for",
		"permission: it is that of the program that started the daemon, and AXIsProcessTrustedWithOptions(NULL) asks nobody",
		"time: a limit set at the system-wide element holds for all; who does not answer in it is kAXErrorCannotComplete",
		"elements: objects of one element are equal at every look, and kAXErrorInvalidUIElement says that it is gone",
		"events: an observer of the app's element hears of all its elements",
		"values: sliders of SwiftUI refuse numbers and take texts; a plain kAXErrorFailure of a value says that it was not set",
		"SwiftUI: the twin of the GTK test app compiles, and its labels are the titles of its elements")
	add("CGEvent",
		"windows: an event of the mouse that is posted to a process comes to its window by field 51 and CGEventSetWindowLocation, which no "+
			"header has; others measured it on macOS 27",
		"keys: one event carries 20 units of UTF-16; flags in events are enough for a key with modifiers")
	add("CGWindowList",
		"pictures: CGWindowListCreateImage is there though headers have it not since macOS 15, as WebKit calls it, and gives BGRA",
		"frames: a window of AX is the one of the window server with the same frame")
	add("macOS",
		"processes: start times tell a process from a later one with the same number; a zombie's group answers EPERM",
		"locks: flock on a file of the home goes with its process",
		"sockets: a path of more than 104 bytes is refused, and a shorter one is used instead",
		"servers: the list of sockets (net.inet.tcp.pcblist_n) names the user of a server for each connection to it, and LOCAL_PEERCRED that of "+
			"one at a path; neither was ever asked on a Mac")
	return all
}
