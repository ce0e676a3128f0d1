// Package asked has the words in which users ask for operations. An operation's own words are those of the platform and of this product;
// a user who wants dark mode or asks why an app crashed knows neither. Searches read both.
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

// Of are the phrases of an operation, with semicolons between them; empty: it has none.
func Of(o op.Op) string {
	if o.Family == op.Core {
		return ours[o.Name]
	}
	return theirs[o.Name]
}

// Names are the operations that have phrases: ours, and those that only other families have.
func Names() (core, other []string) {
	return slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(theirs))
}

// theirs are the phrases of operations that only another family has.
var theirs = map[string]string{
	"open_sim":                         "open the Simulator app; show the simulator window; see the simulator on my screen",
	"reset_sim_location":               "stop simulating location; clear fake gps; real location again",
	"start_device_log_cap":             "capture console of a physical device; device console output",
	"start_sim_log_cap":                "capture logs to a file; start log capture",
	"stop_sim_log_cap":                 "stop log capture; get captured logs",
	"launch_app_device":                "launch app on a physical device; start app on my iPhone",
	"install_app_device":               "install on a physical device; put the app on my real phone",
	"launch_mac_app":                   "open a Mac app; start macOS application",
	"stop_mac_app":                     "quit a Mac app; close macOS application",
	"swift_package_build":              "swift build; compile a Swift package; spm build",
	"swift_package_test":               "swift test; unit tests of a Swift package; spm tests",
	"swift_package_run":                "swift run; run an executable package; command line tool in Swift",
	"swift_package_clean":              "swift package clean; delete .build",
	"scaffold_ios_project":             "create a new iOS app; new Xcode project; start a project from scratch; project template",
	"scaffold_macos_project":           "create a new Mac app; new macOS project from scratch",
	"build_sim":                        "compile; build only; check that it compiles; does my code build; xcodebuild; compiler errors",
	"build_device":                     "build for a real device; compile for iPhone; archive; code signing; provisioning",
	"build_run_device":                 "build and run on my phone; deploy to a physical device",
	"build_macos":                      "build the Mac app; compile for macOS; Catalyst",
	"build_run_macos":                  "build and run on the Mac",
	"clean":                            "clean build folder; clean build; delete derived data; stale build; remove build products",
	"get_sim_app_path":                 "where is the built app; path of the .app bundle; build products path",
	"test_sim":                         "run tests of a scheme; test plan",
	"test_device":                      "run tests on a physical device",
	"test_macos":                       "run macOS tests; tests of the Mac app",
	"discover_projs":                   "find Xcode projects; which xcodeproj or workspace; where is the project",
	"list_schemes":                     "list schemes; which schemes are there; targets of the project",
	"show_build_settings":              "build settings; bundle identifier setting; deployment target; xcconfig; SWIFT_VERSION; product name",
	"get_app_bundle_id":                "bundle id of an app; what is the bundle identifier",
	"get_coverage_report":              "code coverage; test coverage; how much is covered",
	"get_file_coverage":                "coverage of a file; uncovered lines; which lines are not tested",
	"toggle_software_keyboard":         "show the software keyboard; on-screen keyboard; keyboard does not appear; command K",
	"toggle_connect_hardware_keyboard": "hardware keyboard; connect keyboard; disconnect keyboard",
	"gesture":                          "edge swipe; preset gesture; swipe from the edge",
	"debug_launch":                     "start a desktop program; GTK program; Linux window; launch a desktop app",
	"debug_ui":                         "see a desktop window; tree of a desktop app",
	"debug_ui_action":                  "click in a desktop window; drive a desktop app",
	"debug_windows":                    "list windows; desktop windows",
	"set_log_filter":                   "filter noisy logs; exclude log lines; hide a process in the log",
	"parse_build_output":               "read xcodebuild output; parse build log",
}
