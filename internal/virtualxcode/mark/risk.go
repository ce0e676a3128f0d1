package mark

import (
	"slices"
	"strings"
)

// Risk is what goes wrong on a Mac when assumptions about a tool are wrong.
type Risk struct {
	Tool   string
	About  []string // how the behaviours begin that it is about; none: all that the risks before it leave
	Breaks string
}

// Covers reports whether r says what an assumption risks.
func (r Risk) Covers(m Mark) bool {
	return r.Tool == m.Tool && (len(r.About) == 0 ||
		slices.ContainsFunc(r.About, func(start string) bool { return strings.HasPrefix(m.Behaviour, start) }))
}

// RiskOf finds the first risk that covers an assumption.
func RiskOf(m Mark) (Risk, bool) {
	all := Risks()
	i := slices.IndexFunc(all, func(r Risk) bool { return r.Covers(m) })
	if i < 0 {
		return Risk{}, false
	}
	return all[i], true
}

// Risks of what is imitated for others than ios-agent, or to be prepared for the worst: nothing breaks on a Mac.
const (
	OnlyTests = "ios-agent does not rely on it; tests on Virtual Xcode prove less than they seem to"
	Hardship  = "ios-agent is prepared for it in vain"
	ForPeers  = "ios-agent does not run it; programs of others behave otherwise on Virtual Xcode than on a Mac"
)

// Harmless reports whether nothing breaks on a Mac.
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
		of("the agent does not start: nothing is seen and nothing can be touched. Building, installing, launching and logs still work",
			"start:", "format:"),
		of("a start takes a minute longer: after half the time the agent is told a port", "port:"),
		of("an agent that is busy is taken for dead and replaced, or one that hangs is waited for", "main thread:"),
		of("the wrong app is looked at, or none: a snapshot shows an app that is not in front", "front:"),
		of("an element that can be touched is called covered, or a tap is sent to one that cannot be reached", "hittable:", "origin:"),
		of("an element is not found although it is on the screen, or is found slowly", "queries:"),
		of("screens of more than 60 levels cannot be read", "deep trees:"),
		of("text is not typed into a named field, or into another one than meant", "focus:"),
		of("each input waits until the app is idle, up to a minute where something moves for ever", "idle:"),
		of("an alert of the app is answered by XCTest before a tap reaches it", "interruptions:"),
		of("the disk fills with films and result bundles while the agent runs", "leftovers:"),
		of("an agent is killed after 10 seconds, and the next one may meet its runner", "end:"),
		of("a failed query ends the agent in place of being an answer", "failures:"),
		of("some buttons are told as not supported although XCTest has them", "buttons:"),
	}
}

func risksOfSimctl() []Risk {
	of := func(breaks string, about ...string) Risk { return Risk{"simctl", about, breaks} }
	return []Risk{
		of("a boot or a shutdown is told as failed although the device is as wanted, or is not waited for", "boot", "shutdown of",
			"every verb on a device", "an unknown device"),
		of("apps are not launched or ended, or what they print is lost", "launch", "terminate", "install and launch"),
		of("the app in front is not found, and no app is shown as running", "spawn launchctl list"),
		of("`prepare` changes nothing: what is typed is corrected on its way", "spawn defaults"),
		of("screenshots and films fail", "io screenshot", "io recordVideo"),
		of("an app is told as installed or removed when it is not, or its data folder is not found", "install", "uninstall",
			"get_app_container"),
		of("grant, set-location, set-status-bar, set-appearance, pasteboard, push or open fail, or change nothing", "privacy", "location",
			"status_bar", "ui:", "pbcopy", "push", "openurl"),
		of("lines of before a stream began are missing, or come twice", "spawn log show"),
		of("apps do not trust the proxy's certificate: their requests fail, and are told as such", "keychain"),
		of("log captures miss lines or end early", "spawn log"),
		of("reset-sim fails, or leaves something behind", "erase"),
		of("`make verify-mac` cannot make or delete its simulator", "create", "delete"),
		of(OnlyTests, "runtime list", "pair", "upgrade", "diagnose", "help of", "list devicetypes", "list runtimes", "list:", "the runtimes",
			"exit status", "a name that several", "clone", "appinfo", "addmedia", "getenv", "io enumerate", "spawn:",
			"an unknown subcommand", "wrong arguments"),
	}
}

func risksOfXcodebuild() []Risk {
	of := func(breaks string, about ...string) Risk { return Risk{"xcodebuild", about, breaks} }
	return []Risk{
		of("the agent is not built or does not start: nothing is seen and nothing can be touched", "test-without-building of the agent",
			"the project folder of the agent", "-version prints", "contents of .xctestrun"),
		of("an agent that was ended leaves its runner, and the next one does not start", "an interrupt ends the agent"),
		of("the first start of an agent takes a minute longer, and its end is told as a failure", "an agent that ends its test"),
		of("the agent is not built for a physical device, and why is told in Xcode's words only", "a physical device: without"),
		of("the start of an agent on a physical device takes a minute longer: after half the time it is told a port", "a physical device: what"),
		of("why no agent starts on a physical device is told in Xcode's words, and `doctor --device` says more", "a physical device that"),
		of("builds for a named simulator or device are refused", "an id that is not there", "paired devices"),
		of("schemes and SDKs of a project are not found", "-showsdks as text"),
		of("tests are counted wrongly, or those that were asked for are not found", "skipped tests", "-retry-tests", "-only-testing",
			"-enumerate-tests"),
		of("a mistyped configuration builds another one than meant, and the answer says which was asked for", "a configuration that no project"),
		of("a build that fails is told with another reason", "a folder with several", "an unknown scheme", "packages that cannot"),
		of("what Xcode itself built is not found", "derived data"),
		of("`make verify-mac` begins although Xcode is not ready, or refuses one that is", "-license check"),
		of(Hardship, "on demand"),
		of(OnlyTests, "archive", "analyze", "install and docbuild"),
	}
}

func risksOfTheRest() []Risk {
	return []Risk{
		{"SDK", []string{"build:"}, "an app that uses the SDK does not build"},
		{"SDK", []string{"identifiers:"}, "an element has no identifier, or that of what it stands in"},
		{"SDK", []string{"overlay:"}, "an identifier is drawn beside its element, or is itself found as one"},
		{"SDK", []string{"animations:"}, "an app that was told to keep still moves, and steps wait for it"},
		{"devicectl", []string{"device info files"}, "crash reports of physical devices cannot be copied"},
		{"devicectl", []string{"JSON version 5"}, "physical devices are not found with Xcode 27"},
		{"devicectl", []string{"the table of list", "what info details"}, "physical devices are listed without some details"},
		{"devicectl", []string{"a launch on", "an app built for", "a wrong command line"},
			"what an install or a launch on a physical device is refused for is told with another reason"},
		{"devicectl", []string{"list devices: pairingState"}, "`doctor --device` names another step than the one that is missing"},
		{"lockdownd", []string{"ports:"}, "the agent on a physical device starts and is not reached: no eyes and fingers there"},
		{"lockdownd", []string{"StartSession:", "on port", "StartService:"},
			"physical devices have no log and no trust is told; apps, and their console by devicectl, still work"},
		{"lockdownd", []string{"GetValue:"}, "Developer Mode and the lock are told wrongly by `doctor --device`"},
		{"lockdownd", []string{"crash reports:"},
			"without a Mac, crash reports of physical devices cannot be copied; devicectl copies them with one"},
		{"lockdownd", []string{"installation_proxy:"}, "the log of one app on a physical device cannot be followed; the whole log can"},
		{"lockdownd", []string{"syslog_relay:"}, "letters in the log of a physical device that are not ASCII are garbled"},
		{"lockdownd", nil, ForPeers},
		{"usbmuxd", nil, "physical devices are known by devicectl only: no log, no eyes and fingers"},
		{"xcresulttool", nil, "failed tests are told without their attachments and details; whether they failed is known from the log"},
		{"xccov", nil, "coverage is not reported"},
		{"xcrun", nil, "the doctor tells of another Xcode, and a missing tool is told with another reason"},
		{"xcode-select", nil, "the doctor tells of another Xcode, and Simulator.app of another one is opened"},
		{"open", nil, "apps of the Mac are not opened or ended, and Simulator does not show the device"},
		{"networksetup", []string{"clearing:"}, "after `proxy stop` a proxy that is off still has our address written beside it"},
		{"networksetup", nil, "the Mac's proxy is not set, which is told; or another network's is set, and no flows are seen"},
		{"route", nil, "the network whose proxy is to be set has to be named"},
		{"scutil", []string{"--nc"}, "a VPN that goes round the proxy is not told"},
		{"scutil", nil, ForPeers},
		{"osascript", nil, "the keyboards of a simulator are not toggled"},
		{"iOS", []string{"permission alerts"}, "an alert is not found, or `alert --accept` presses another button than meant"},
		{"iOS", []string{"crash report"}, "a crash is told without its reason"},
		{"iOS", []string{"log:"}, "why an app ended is not found in its log"},
		{"iOS", []string{"a notification"}, "a banner is not told as covering what lies under it"},
		{"iOS", []string{"a test runner has"}, "a runner that is left on a device is not ended, and the next agent does not start"},
		{"iOS", []string{"on demand"}, Hardship},
		{"iOS", []string{"proxies:"}, "a simulator that has to be booted again is told as one that sends no requests, or is booted in vain"},
		{"iOS", []string{"requests", "two taps", "landscape"}, OnlyTests},
		{"WebDriverAgent", []string{"start:"},
			"WebDriverAgent is not started on a simulator, which is told with what it printed; one that runs is attached to"},
		{"WebDriverAgent", []string{"routes:", "sessions:", "apps:", "locked:"},
			"a command of the driver wda fails, with WebDriverAgent's own words"},
		{"WebDriverAgent", []string{"source:", "focus:"},
			"with the driver wda an element has another name, value, frame or state than on the screen"},
		{"WebDriverAgent", []string{"keys:", "actions:"},
			"with the driver wda a text is lost, or a drag is taken as a swipe; the look after it tells"},
		{"idb_companion", []string{"start:", "service:", "record:"},
			"with the driver idb nothing works, or a film is missing, which is told with the companion's own words; other drivers do"},
		{"idb_companion", []string{"tree:", "front:"},
			"with the driver idb an element has another name, value or state than on the screen, or the app in front is not known"},
		{"idb_companion", []string{"touches:", "keys:", "older:"},
			"with the driver idb a touch in landscape lands elsewhere, or a text is lost; the look after it tells"},
		{"atos", []string{"symbols:"}, "frames of the app in a crash report have no lines of the source"},
		{"lldb", []string{"start:", "attach:", "launch:"}, "no app is debugged, or not from its start"},
		{"lldb", []string{"leaving:"}, "a program that is debugged ends with the daemon, or with the debugger"},
		{"lldb", []string{"refusals:"}, "why an app cannot be debugged is told with another reason"},
		{"lldb", []string{"prompt:"}, "with an Xcode that has no lldb-dap, stops are not seen, or stacks and variables are empty"},
		{"AX", []string{"frameworks:"}, "desktop apps of macOS are not seen, or the daemon crashes when one is opened"},
		{"AX", []string{"permission:"}, "the fault about the permission names the wrong program, or the user is asked"},
		{"AX", []string{"time:"}, "a desktop app that hangs keeps a call for six seconds a question"},
		{"AX", []string{"elements:"}, "ids of elements of desktop apps change between looks"},
		{"AX", []string{"events:"}, "after each action on a desktop app the whole of settleMs is waited"},
		{"AX", []string{"values:"}, "set_value fails where it could have worked"},
		{"AX", []string{"SwiftUI:"}, "steps of `make verify-mac` on desktop apps fail"},
		{"CGEvent", []string{"windows:"}, "clicks, drags and scrolls by input change nothing in desktop apps, and are told so"},
		{"CGEvent", []string{"keys:"}, "text that is typed into desktop apps is cut off, or keys come without their modifiers"},
		{"CGWindowList", []string{"pictures:"}, "pictures of desktop apps fail, with a fault that names screencapture"},
		{"CGWindowList", []string{"frames:"}, "a picture is of another window of the same desktop app"},
		{"macOS", []string{"processes:"}, "tools of a daemon that was killed go on running, or a foreign process is ended"},
		{"macOS", []string{"locks:"}, "two daemons of one home run at once"},
		{"macOS", []string{"sockets:"}, "clients do not reach the daemon where the path of the home is long"},
		{"macOS", []string{"servers:"}, "a driver's server of another user of the Mac is used, and is told what is typed"},
		{"log", nil, OnlyTests},
		{"xctrace", nil, ForPeers},
		{"axe", nil, ForPeers},
		{"idb", nil, ForPeers},
		{"sips", nil, ForPeers},
		{"defaults", nil, ForPeers},
	}
}
