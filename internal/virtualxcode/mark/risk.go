package mark

import (
	"slices"
	"strings"
)

// Risk says what breaks on a Mac if assumptions about a tool are wrong.
type Risk struct {
	Tool   string
	About  []string // beginnings of the behaviours it covers; empty: all that earlier risks of the tool leave
	Breaks string
}

// Covers reports whether r describes the risk of an assumption.
func (r Risk) Covers(m Mark) bool {
	return r.Tool == m.Tool && (len(r.About) == 0 ||
		slices.ContainsFunc(r.About, func(start string) bool { return strings.HasPrefix(m.Behaviour, start) }))
}

// RiskOf returns the first risk that covers an assumption.
func RiskOf(m Mark) (Risk, bool) {
	all := Risks()
	i := slices.IndexFunc(all, func(r Risk) bool { return r.Covers(m) })
	if i < 0 {
		return Risk{}, false
	}
	return all[i], true
}

// These risks break nothing on a Mac: the behaviour is imitated for other programs, or for a difficulty that may not exist.
const (
	OnlyTests = "ios-agent does not rely on it; tests on Virtual Xcode prove less than they seem to"
	Hardship  = "ios-agent prepares for a case that does not occur"
	ForPeers  = "ios-agent does not run it; other programs behave differently on Virtual Xcode and on a Mac"
)

// Harmless reports whether the risk breaks nothing on a Mac.
func (r Risk) Harmless() bool {
	return slices.Contains([]string{OnlyTests, Hardship, ForPeers}, r.Breaks)
}

// Risks are in the order of the document: by tool, the gravest first.
func Risks() []Risk {
	return slices.Concat(risksOfXCTest(), risksOfSimctl(), risksOfXcodebuild(), risksOfTheRest())
}

func risksOfXCTest() []Risk {
	of := func(breaks string, about ...string) Risk { return Risk{"XCTest", about, breaks} }
	return []Risk{
		of("the agent does not start, so looks and input fail. Building, installing, launching and logs still work",
			"start:", "format:"),
		of("a start takes longer: ios-agent asks at the port that it told the agent", "port:"),
		of("ios-agent replaces a busy agent, or waits for an agent that hangs", "main thread:"),
		of("a look shows an app that is not in front, or fails", "front:"),
		of("a reachable element is reported as covered, or a tap goes to an element that cannot be reached", "hittable:", "origin:"),
		of("finding an element on the screen fails or is slow", "queries:"),
		of("screens of more than 60 levels cannot be read", "deep trees:"),
		of("text goes into the wrong field, or is lost", "focus:"),
		of("each input waits until the app is idle, up to a minute if an animation never ends", "idle:"),
		of("XCTest answers an alert of the app before a tap reaches it", "interruptions:"),
		of("the disk fills with recordings and result bundles while the agent runs", "leftovers:"),
		of("ios-agent kills the agent after 10 seconds, and its runner may still run when the next agent starts", "end:"),
		of("a failed query ends the agent instead of returning an error", "failures:"),
		of("ios-agent refuses some buttons although XCTest has them", "buttons:"),
	}
}

func risksOfSimctl() []Risk {
	of := func(breaks string, about ...string) Risk { return Risk{"simctl", about, breaks} }
	return []Risk{
		of("a boot or a shutdown is reported as failed although it succeeded, or as done too early", "boot", "shutdown of",
			"every verb on a device", "an unknown device"),
		of("launching or ending an app fails, or the output of an app is lost", "launch", "terminate", "install and launch"),
		of("ios-agent does not find the app in front, and reports no app as running", "spawn launchctl list"),
		of("preparing a device has no effect: the keyboard corrects typed text", "spawn defaults"),
		of("screenshots and recordings fail", "io screenshot", "io recordVideo"),
		of("an app is wrongly reported as installed or removed, or its data folder is not found", "install", "uninstall",
			"get_app_container"),
		of("grant, set-location, set-status-bar, set-appearance, pasteboard, push or open fail or have no effect", "privacy", "location",
			"status_bar", "ui:", "pbcopy", "push", "openurl"),
		of("log lines from before the start of a stream are missing or doubled", "spawn log show"),
		of("apps do not trust the proxy's certificate: their requests fail, and ios-agent reports the reason", "keychain"),
		of("log captures miss lines or end early", "spawn log"),
		of("reset-sim fails, or keeps some data", "erase"),
		of("`make verify-mac` cannot make or delete its simulator", "create", "delete"),
		of(OnlyTests, "runtime list", "pair", "upgrade", "diagnose", "help of", "list devicetypes", "list runtimes", "list:", "the runtimes",
			"exit status", "a name that several", "clone", "appinfo", "addmedia", "getenv", "io enumerate", "spawn:",
			"an unknown subcommand", "wrong arguments"),
	}
}

func risksOfXcodebuild() []Risk {
	of := func(breaks string, about ...string) Risk { return Risk{"xcodebuild", about, breaks} }
	return []Risk{
		of("the agent does not build or does not start, so looks and input fail", "test-without-building of the agent",
			"the project folder of the agent", "-version prints", "contents of .xctestrun"),
		of("the runner of an ended agent keeps running, and the next agent does not start", "an interrupt ends the agent"),
		of("the first start of an agent takes a minute longer, and its end is reported as a failure", "an agent that ends its test"),
		of("the agent does not build for a physical device, and only Xcode's own message says why", "a physical device: without"),
		of("starting an agent on a physical device takes longer: ios-agent asks at the port that it told the agent", "a physical device: what"),
		of("an agent with an old provisioning profile is not built again by itself; `agent build` builds it",
			"a physical device: the app around"),
		of("the fault of a Mac without Xcode names another reason", "the command line tools without"),
		of("if the agent fails to start on a physical device, Xcode's own message says why, and the doctor's check of the device says more",
			"a physical device that"),
		of("builds for a named simulator or device fail", "an id that is not there", "paired devices"),
		of("ios-agent does not find the schemes and SDKs of a project", "-showsdks as text"),
		of("tests are counted wrongly, or the requested tests are not found", "skipped tests", "-retry-tests", "-only-testing",
			"-enumerate-tests"),
		of("a mistyped configuration builds another configuration, and the answer names the requested one", "a configuration that no project"),
		of("a failed build is reported with another reason", "a folder with several", "an unknown scheme", "packages that cannot"),
		of("ios-agent does not find the products of Xcode's own builds", "derived data"),
		of("`make verify-mac` starts although Xcode is not ready, or refuses a ready Xcode", "-license check"),
		of(Hardship, "on demand"),
		of(OnlyTests, "archive", "analyze", "install and docbuild", "tests without a result"),
	}
}

func risksOfTheRest() []Risk {
	return []Risk{
		{"SDK", []string{"build:"}, "an app that uses the SDK does not build"},
		{"SDK", []string{"identifiers:"}, "an element has no identifier, or the identifier of its container"},
		{"SDK", []string{"overlay:"}, "an identifier is drawn at the wrong place, or appears in the tree as an element"},
		{"SDK", []string{"animations:"}, "animations stay on although the app switched them off, and steps wait for them"},
		{"devicectl", []string{"device info files"}, "crash reports of physical devices cannot be copied"},
		{"devicectl", []string{"JSON version 5"}, "physical devices are not found with Xcode 27"},
		{"devicectl", []string{"the table of list", "what info details"}, "physical devices are listed without some details"},
		{"devicectl", []string{"a launch on", "an app built for", "a wrong command line"},
			"a failed install or launch on a physical device is reported with another reason"},
		{"devicectl", []string{"list devices: pairingState"}, "the doctor's check of a physical device names the wrong missing step"},
		{"lockdownd", []string{"ports:"}, "the agent on a physical device starts but cannot be reached, so looks and input fail"},
		{"lockdownd", []string{"StartSession:", "on port", "StartService:"},
			"the log and the pairing state of physical devices are missing; apps and their console by devicectl still work"},
		{"lockdownd", []string{"GetValue:"}, "the doctor's check of a physical device reports Developer Mode and the lock wrongly"},
		{"lockdownd", []string{"crash reports:"},
			"crash reports of physical devices cannot be copied without a Mac; on a Mac devicectl copies them"},
		{"lockdownd", []string{"installation_proxy:"}, "following the log of one app on a physical device fails; following the whole log works"},
		{"lockdownd", []string{"syslog_relay:"}, "characters outside ASCII in the log of a physical device are garbled"},
		{"lockdownd", nil, ForPeers},
		{"usbmuxd", nil, "only devicectl finds physical devices, so their log, looks and input are missing"},
		{"xcresulttool", nil, "failed tests are reported without attachments and details; the log still says which failed"},
		{"xccov", nil, "coverage is missing"},
		{"xcrun", nil, "the doctor reports another Xcode, and a missing tool is reported with another reason"},
		{"xcode-select", nil, "the doctor reports another Xcode, and the Simulator.app of another Xcode opens"},
		{"open", nil, "opening and ending Mac apps fails, and Simulator does not show the device"},
		{"networksetup", []string{"clearing:"}, "after the proxy stops, the disabled proxy setting still contains its address"},
		{"networksetup", nil, "setting the Mac's proxy fails with an error, or sets the proxy of another network service, and flows are missing"},
		{"route", nil, "the user must name the network service whose proxy ios-agent sets"},
		{"scutil", []string{"--nc"}, "the warning about a VPN that bypasses the proxy is missing"},
		{"scutil", nil, ForPeers},
		{"osascript", nil, "toggling the keyboards of a simulator fails"},
		{"iOS", []string{"permission alerts"}, "ios-agent does not find an alert, or accepting an alert presses the wrong button"},
		{"iOS", []string{"crash report"}, "a crash is reported without its reason"},
		{"iOS", []string{"log:"}, "the log does not show why an app ended"},
		{"iOS", []string{"a notification"}, "elements under a banner are not reported as covered"},
		{"iOS", []string{"a test runner has"}, "an old runner keeps running on a device, and the next agent does not start"},
		{"iOS", []string{"on demand"}, Hardship},
		{"iOS", []string{"proxies:"}, "a simulator that needs a restart is reported as sending no requests, or is restarted without need"},
		{"iOS", []string{"requests", "two taps", "landscape"}, OnlyTests},
		{"WebDriverAgent", []string{"start:"},
			"starting WebDriverAgent on a simulator fails with its output; attaching to a running WebDriverAgent works"},
		{"WebDriverAgent", []string{"routes:", "sessions:", "apps:", "locked:"},
			"a command of the driver wda fails with WebDriverAgent's own message"},
		{"WebDriverAgent", []string{"source:", "focus:"},
			"with the driver wda an element has another name, value, frame or state than on the screen"},
		{"WebDriverAgent", []string{"keys:", "actions:"},
			"with the driver wda a text is lost, or a drag acts as a swipe; the next look shows it"},
		{"idb_companion", []string{"start:", "service:", "record:"},
			"the driver idb fails, or a recording is missing, with the companion's own message; other drivers work"},
		{"idb_companion", []string{"tree:", "front:"},
			"with the driver idb an element has another name, value or state than on the screen, or the app in front is unknown"},
		{"idb_companion", []string{"touches:", "keys:", "older:"},
			"with the driver idb a touch in landscape lands elsewhere, or a text is lost; the next look shows it"},
		{"atos", []string{"symbols:"}, "the app's frames in a crash report lack source lines"},
		{"lldb", []string{"start:", "attach:", "launch:"}, "debugging an app fails, or does not begin at its launch"},
		{"lldb", []string{"leaving:"}, "the debugged program ends together with the daemon or the debugger"},
		{"lldb", []string{"refusals:"}, "a failed debugging session is reported with another reason"},
		{"lldb", []string{"prompt:"}, "with an Xcode without lldb-dap, stops are missed, or stacks and variables are empty"},
		{"AX", []string{"frameworks:"}, "ios-agent does not see desktop apps of macOS, or the daemon crashes when it opens one"},
		{"AX", []string{"permission:"}, "the fault about the permission names the wrong program, or macOS asks the user"},
		{"AX", []string{"time:"}, "each request to a desktop app that hangs blocks for six seconds"},
		{"AX", []string{"elements:"}, "element ids of desktop apps change between looks"},
		{"AX", []string{"events:"}, "each action on a desktop app waits the whole settleMs"},
		{"AX", []string{"values:"}, "set_value fails although it could succeed"},
		{"AX", []string{"SwiftUI:"}, "steps of `make verify-mac` on desktop apps fail"},
		{"AX", []string{"active:"}, "keys for desktop apps are refused with NO_FOCUS, or have no effect, and ios-agent reports it"},
		{"CGEvent", []string{"windows:"}, "clicks and scrolls by input have no effect on desktop apps, and ios-agent reports it"},
		{"CGEvent", []string{"numbers:"}, "clicks by input have no effect on desktop apps of macOS 27, and ios-agent reports it"},
		{"CGEvent", []string{"drags:"}, "drags with the user's pointer have no effect on desktop apps, and ios-agent reports it"},
		{"CGEvent", []string{"session:"}, "input for desktop apps goes to the lock screen, and ios-agent reports that nothing changed"},
		{"CGEvent", []string{"keys:"}, "text typed into desktop apps is cut off, or keys arrive without their modifiers"},
		{"CGWindowList", []string{"pictures:"}, "screenshots of desktop apps fail with a fault that names screencapture"},
		{"CGWindowList", []string{"frames:"}, "a screenshot shows another window of the same desktop app"},
		{"macOS", []string{"processes:"}, "tools of a killed daemon keep running, or ios-agent ends an unrelated process"},
		{"macOS", []string{"locks:"}, "two daemons with the same home run at the same time"},
		{"macOS", []string{"sockets:"}, "clients cannot reach the daemon if the path of the home is long"},
		{"macOS", []string{"servers:"}, "ios-agent uses a driver's server of another user of the Mac, which receives the typed text"},
		{"log", nil, OnlyTests},
		{"xctrace", nil, ForPeers},
		{"axe", nil, ForPeers},
		{"idb", nil, ForPeers},
		{"sips", nil, ForPeers},
		{"defaults", []string{"export"}, "preparing a device takes a minute longer: its settings are written one by one"},
		{"defaults", nil, ForPeers},
	}
}
