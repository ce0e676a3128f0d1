package world

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of a virtual device's system. A behaviour known only from public reports, without a sample, counts as
// assumed.
func Marks() (all []mark.Mark) {
	add := func(source string, behaviours ...string) {
		for _, b := range behaviours {
			all = append(all, mark.Mark{Tool: "iOS", Behaviour: b, Source: source})
		}
	}
	add(mark.Observed("crash/tuist-xctest.ips"), "crash report: the header's keys and their order; a Swift fatal error is "+
		"EXC_BREAKPOINT (SIGTRAP) in _assertionFailure, ended by exc handler")
	add(mark.Observed("crash/memoryleaking.ips"), "crash report of a simulator's app: the body's keys, a line each; parent "+
		"launchd_sim, responsible SimulatorTrampoline, coalition of the device")
	add(mark.Observed("crash/maestro-exc_bad_access_sigsegv.ips"), "crash report: EXC_BAD_ACCESS (SIGSEGV) with its subtype")
	add(mark.Observed("oslog/device-syslog-ios9.log"), "log: ReportCrash says where it saved a report")
	add(mark.Assumed,
		"permission alerts: title, buttons and their order follow iOS 18 in English; they belong to SpringBoard and receive every touch",
		"permission alerts: the answer is stored; Allow Once holds until the app ends; paste asks every time",
		"crash report: EXC_CRASH (SIGABRT) with lastExceptionBacktrace, EXC_CRASH (SIGKILL) of the watchdog; addresses are invented; "+
			"the Mac's name and model are invented too",
		"log: launchd_sim names the signal that ended a service; tccd reports a changed access record; CFNetwork the result of a task",
		"requests: User-Agent, error messages of NSURLErrorDomain; no App Transport Security",
		"proxies: a simulator takes the Mac's proxies when it boots, also for requests to this machine; a later change reaches it "+
			"at its next boot",
		"a notification is a banner of SpringBoard for five seconds, unless its app is in front or lacks the permission; a tap opens the app",
		"two taps are a double tap within 350 ms and 30 points; a finger lifts a draggable element after 500 ms",
		"landscape: an iPhone has no status bar, keeps both sides clear of the notch, and its keyboard is lower",
		"on demand a look at the tree of an app that is not in front takes 90 seconds; "+
			"https://github.com/facebookarchive/WebDriverAgent/issues/719 reports 60",
		"on demand reading a tree of more than 62 levels at once fails with kAXErrorIllegalArgument; reading its parts succeeds",
		"on demand a hardware keyboard is connected: the tree has no keyboard, the field has the focus, typing works",
		"on demand quotes and dashes become smart ones, and introductions cover the keyboard, unless preferences of the domain "+
			"com.apple.keyboard.preferences forbid it",
		"on demand XCTest dismisses an alert of the app before an input unless the agent switches that off, by its cancel "+
			"button or its first one",
		"on demand XCTest holds the main queue of a test runner for 30 seconds after its start",
		"a test runner has the bundle id that its build computed, and is terminated by that id",
	)
	return all
}
