// Package asked lists the phrases in which users ask for operations, for the search for operations. An operation's summary uses words of
// the platform and of this product; a user may ask instead for dark mode, or why an app crashed. Add attaches the phrases to the
// operations; the search reads them with the summaries. The phrases are quotations of users, never shown in answers.
package asked

import (
	"maps"
	"slices"

	"ios-agent/internal/op"
)

// Add gives every operation its phrases.
func Add(ops []op.Op) []op.Op {
	for i, o := range ops {
		ops[i].Asked = Of(o)
	}
	return ops
}

// Of gives the phrases of an operation, separated by semicolons; empty: none.
func Of(o op.Op) string {
	if o.Family == op.Core {
		return ours[o.Name]
	}
	return theirs[o.Name]
}

// Names lists the operations with phrases: those in the core family, and operations that exist only in another family.
func Names() (core, other []string) {
	return slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(theirs))
}

// theirs maps operations that exist only in another family to their phrases.
var theirs = map[string]string{
	"open_sim": "open the Simulator app; show the simulator window; see the simulator on my screen; simulator is invisible; " +
		"headless simulator; bring the simulator to the front; open -a Simulator; Device Hub; watch it live; GUI; " +
		"simulator window is hidden; display the simulator; simulator runs in the background",
	"reset_sim_location": "stop simulating location; clear fake gps; real location again; resetSimulatedLocation; " +
		"simctl location clear; actual location; remove the fake position; end location simulation; location off; default location; " +
		"undo the spoofed location",
	"start_device_log_cap": "capture console of a physical device; device console output; devicectl console; " +
		"log of a real iPhone; print output of a physical phone; capture stdout on a device; relaunch with console; " +
		"logs from my real phone; idevicesyslog",
	"stop_device_log_cap": "stop capturing on a device; captured output of the iPhone; end device log capture; " +
		"what did the physical phone print; give me the device capture",
	"start_sim_log_cap": "capture logs to a file; start log capture; log session; captureConsole; capture the simulator log; " +
		"XcodeBuildMCP logs; record the log of the simulator; SwiftUI log; Self._printChanges; subsystem filter; begin a log session",
	"stop_sim_log_cap": "stop log capture; get captured logs; end the log session; logSessionId; captured output; " +
		"finish log capture; give me the capture; return the captured log",
	"launch_app_logs_sim": "launch with logs; launch and capture; console-pty; simctl launch --console; " +
		"start the app with its output; open the app and record its log",
	"launch_app_device": "launch app on a physical device; start app on my iPhone; devicectl process launch; ios-deploy; " +
		"run on a real phone; open the app on a physical iPhone; start on hardware; launch on a tethered device",
	"install_app_device": "install on a physical device; put the app on my real phone; devicectl install; ios-deploy; " +
		"ideviceinstaller; real iPhone; onto my iPhone; physical installation; put on hardware; copy the app to the phone",
	"stop_app_device": "kill on a physical device; devicectl process terminate; stop the app on my iPhone; " +
		"end a process on the real phone; quit on hardware; close the app on a real iPhone",
	"launch_mac_app": "open a Mac app; start macOS application; open -a; launch .app on the Mac; run a desktop Mac app; " +
		"bring a Mac app to the front; start a Catalyst app; AppKit app",
	"stop_mac_app": "quit a Mac app; close macOS application; kill a Mac app; terminate macOS; pkill; osascript quit; " +
		"end a Mac process; force quit on the Mac; AppKit quit",
	"swift_package_build": "swift build; compile a Swift package; spm build; Package.swift; SwiftPM; compile the package; " +
		"build a library; spm; resolve dependencies; server-side Swift; Vapor; build a module; package target",
	"swift_package_test": "swift test; unit tests of a Swift package; spm tests; SwiftPM tests; test a package; " +
		"swift test --filter; package tests; library tests; spm test; test a Swift library; test the module",
	"swift_package_run": "swift run; run an executable package; command line tool in Swift; SwiftPM executable; run the CLI; " +
		"command-line tool; run a package; start my Swift server; Vapor; executable target; swift script; run main.swift",
	"swift_package_list": "background packages; running Swift programs; which package processes run; started executables; " +
		"list package programs; swift run processes",
	"swift_package_stop": "stop the Swift program; kill the Swift server; end swift run; stop the package process; " +
		"stop the CLI; stop Vapor",
	"swift_package_clean": "swift package clean; delete .build; SwiftPM clean; .build folder; clean the package; " +
		"package build products; remove package artifacts",
	"scaffold_ios_project": "create a new iOS app; new Xcode project; start a project from scratch; project template; " +
		"bootstrap; boilerplate; starter; scaffold; hello world; generate a project; greenfield; empty app; brand-new app; " +
		"skeleton project; SwiftUI template; set up a new codebase",
	"scaffold_macos_project": "create a new Mac app; new macOS project from scratch; bootstrap a Mac app; macOS boilerplate; " +
		"macOS starter; scaffold for the Mac; desktop app template; generate a macOS project; new AppKit app; brand-new Mac app",
	"build_sim": "compile; build only; check that it compiles; does my code build; xcodebuild; compiler errors; " +
		"build without running; just compile; compile check; build for the simulator; Cmd B; build-for-testing; swiftc; " +
		"compile the project; syntax check; build the target; does it still compile; only build; xcodebuild build; " +
		"compile without starting; without launching; build alone; compiling; pull request compiles; branch compiles",
	"build_device": "build for a real device; compile for iPhone; archive; code signing; provisioning; generic/platform=iOS; " +
		"arm64; iphoneos; build for hardware; signed build; release build; signing; certificate for development; build for my phone; " +
		"team; entitlements",
	"build_run_device": "build and run on my phone; deploy to a physical device; run on my iPhone; try on a real phone; " +
		"put my code on the phone; build and install on hardware; run on hardware; test on my own phone; onto my phone; " +
		"attached iPhone; connected iPhone; run on the connected phone; my own phone",
	"build_macos": "build the Mac app; compile for macOS; Catalyst; Mac build; compile the Mac target; AppKit; " +
		"universal binary; x86_64; Mac Catalyst; build for the desktop; macOS target",
	"build_run_macos": "build and run on the Mac; run the Mac app; compile and open on the Mac; start my Mac project; " +
		"try the Mac app; build and launch on macOS; run my AppKit app",
	"clean": "clean build folder; clean build; delete derived data; stale build; remove build products; DerivedData; " +
		"Shift Cmd K; Cmd Shift K; xcodebuild clean; stale cache; build cache; module cache; rebuild from scratch; " +
		"wipe build artifacts; weird build errors; incremental build is broken; nuke derived data; clear the cache of Xcode; " +
		"Product Clean; intermediate files",
	"get_sim_app_path": "where is the built app; path of the .app bundle; build products path; BUILT_PRODUCTS_DIR; " +
		"CODESIGNING_FOLDER_PATH; build output folder; Debug-iphonesimulator; location of the .app; product path; " +
		"where did Xcode put the app; compiled app; file path of the build; app bundle location; where is my app bundle; app bundle",
	"get_device_app_path": "Debug-iphoneos; where is the device build; path of the signed app; app built for hardware; " +
		"location of the iPhone build; device product path",
	"get_mac_app_path": "where is the Mac build; path of the Mac app; macOS product path; location of the built Mac app",
	"test_sim": "run tests of a scheme; test plan; xctestrun; test-without-building; .xctestproducts; testPlan; " +
		"xcodebuild test scheme; run XCTests; prebuilt tests; scheme tests on a simulator; test configuration",
	"test_device": "run tests on a physical device; tests on my iPhone; UI tests on hardware; XCTest on a real phone; " +
		"run tests on a tethered device; physical iPhone tests; on-device tests; real-device testing",
	"test_macos": "run macOS tests; tests of the Mac app; Mac tests; test the Mac target; AppKit tests; XCTest on macOS; " +
		"unit tests of the Mac",
	"discover_projs": "find Xcode projects; which xcodeproj or workspace; where is the project; .xcodeproj; .xcworkspace; " +
		"locate the project; monorepo projects; which workspace should I open; search for projects; CocoaPods workspace; " +
		"project files; Podfile; find the workspace; project location; workspace file; project file",
	"list_schemes": "list schemes; which schemes are there; targets of the project; xcodebuild -list; available schemes; " +
		"scheme names; what can I build; shared schemes; schemes of the workspace; unknown scheme; which scheme; scheme list; " +
		"build targets",
	"show_build_settings": "build settings; bundle identifier setting; deployment target; xcconfig; SWIFT_VERSION; " +
		"product name; showBuildSettings; IPHONEOS_DEPLOYMENT_TARGET; minimum iOS version; PRODUCT_BUNDLE_IDENTIFIER; " +
		"compiler flags; MARKETING_VERSION; INFOPLIST_FILE; which Swift version; OTHER_SWIFT_FLAGS; build configuration values; " +
		"minimum deployment; project settings; optimization level; CODE_SIGN_IDENTITY; Swift version",
	"get_app_bundle_id": "bundle id of an app; what is the bundle identifier; CFBundleIdentifier; Info.plist; PlistBuddy; " +
		"identifier of a .app; bundle id from a .app; app identifier; read the bundle id",
	"get_mac_bundle_id": "bundle id of a Mac app; identifier of a macOS app; mdls; osascript id of app; " +
		"CFBundleIdentifier of a Mac app",
	"get_coverage_report": "code coverage; test coverage; how much is covered; xccov; xccov view --report; llvm-cov; " +
		"coverage percentage; coverage per target; enableCodeCoverage; how well tested; lcov; least covered; untested code; slather; " +
		"coverage numbers; coverage drop; codecov; test coverage report; untested targets; coverage below; poorly tested; " +
		"low coverage; files with low coverage; least tested",
	"get_file_coverage": "coverage of a file; uncovered lines; which lines are not tested; xccov --file; lines without tests; " +
		"untested functions; covered lines; which branches are not covered; functions that no test runs; line coverage; " +
		"not exercised; coverage of a class; dead code; coverage in a file; never executed; executed lines; never run by tests; " +
		"code not reached by tests; code coverage for; coverage of a Swift file; view model coverage",
	"toggle_software_keyboard": "show the software keyboard; on-screen keyboard; keyboard does not appear; command K; " +
		"keyboard is not showing; no keyboard comes up; Cmd K; on-screen keys; virtual keyboard; soft keyboard; keyboard missing; " +
		"bring up the keyboard; pop up the keyboard; display the keyboard; keyboard never appears",
	"toggle_connect_hardware_keyboard": "hardware keyboard; connect keyboard; disconnect keyboard; external keyboard; " +
		"Mac keyboard; ConnectHardwareKeyboard; Bluetooth keyboard; physical keyboard; Shift Cmd K; use the keyboard of my Mac; " +
		"detach the hardware keyboard; I/O Keyboard; real keyboard",
	"gesture": "edge swipe; preset gesture; swipe from the edge; control center; notification center; swipe-from-left-edge; " +
		"screen edge; swipe from the top; swipe from the bottom; app switcher gesture; pull down notifications; AXe gesture; " +
		"bezel swipe; from the bottom edge; from the top edge; scroll preset",
	"describe_ui": "AXe describe-ui; frames in points; raw tree; element coordinates; UI as JSON; XcodeBuildMCP describe",
	"debug_launch": "start a desktop program; GTK program; Linux window; launch a desktop app; desktop program; Electron; Qt; " +
		"Tauri; X11; Wayland; AT-SPI; run a GUI program; start a Linux app; desktop session; gedit; automate a desktop program",
	"debug_attach": "attach to a desktop window; running desktop program; by window title; work with an open program; " +
		"mousepad; program that runs already; take an open desktop app; connect to a running GUI",
	"debug_session": "output of a desktop program; stdout of the program; stop a desktop program; desktop sessions; " +
		"is the desktop program alive; quit the desktop app; what did the program print",
	"debug_ui": "see a desktop window; tree of a desktop app; desktop accessibility tree; screenshot of a desktop window; " +
		"AXButton; elements of a Mac window; GUI tree; desktop screenshot; inspect a desktop window; widgets of a window",
	"debug_ui_action": "click in a desktop window; drive a desktop app; click a desktop button; type into a desktop app; " +
		"desktop mouse; drag in a window; GUI automation; mouse click; desktop scroll; press a key in a desktop app; desktop input",
	"debug_windows": "list windows; desktop windows; open windows; window titles; which windows are open; window list; wmctrl; " +
		"desktop window ids; list GUI windows",
	"set_log_filter": "filter noisy logs; exclude log lines; hide a process in the log; too noisy; mute a process; " +
		"suppress log spam; ignore lines; only one process; exclude_patterns; silence; log noise; filter out; drop chatter; " +
		"hide noise; unwanted log lines",
	"list_log_sources": "log adapters; feeding the log; quern sources",
	"parse_build_output": "read xcodebuild output; parse build log; xcbeautify; xcpretty; pasted xcodebuild output; " +
		"errors in this build output; xcodebuild text; make xcodebuild readable; CI build log",
	"session_status": "active captures; recordings in progress; what is running in my session; " +
		"running debuggers and recordings; what did I leave running; unfinished captures; still recording",
	"discover_tools": "find a workflow; enable tools; which tools fit the task; load tools; more tools; tool groups; " +
		"suggest tools",
}
