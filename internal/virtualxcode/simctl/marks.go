package simctl

import "ios-agent/internal/virtualxcode/mark"

func add(to *[]mark.Mark, source string, behaviours ...string) {
	for _, b := range behaviours {
		*to = append(*to, mark.Mark{Tool: "simctl", Behaviour: b, Source: source})
	}
}

// Marks are the behaviours imitated here or by the world. A behaviour known only from public bug reports, without a sample, counts as
// assumed.
func Marks() []mark.Mark { return append(observed(), assumed()...) }

func observed() (all []mark.Mark) {
	add(&all, mark.Observed("simctl/findsimulator-xcode16.json"), "list -j devices: keys and their order; lastBootedAt and logPathSize "+
		"only on devices booted once")
	add(&all, mark.Observed("simctl/list-runtimes-xcode15.json"), "list -j runtimes: keys and their order; slashes escaped; an empty "+
		"line in an empty array")
	add(&all, mark.Observed("simctl/marathon-list-2.json"), "list -j: order of the sections; keys of device types; pairs is an object")
	add(&all, mark.Observed("simctl/marathon-list-1.json"), "list -j pairs: keys, and the state (active, disconnected)")
	add(&all, mark.Observed("simctl/device-finder-booted.json"), "list -j devices: a device of a removed runtime is not available, "+
		"with availabilityError as its first key: runtime profile not found")
	add(&all, mark.Observed("simctl/simpreboot-list.json"), "list -j runtimes: an unavailable runtime has an availabilityError")
	add(&all, mark.Observed("simctl/flutter-devices-booted.json"), "list -j devices booted: runtimes without a match stay, with an "+
		"empty array; two search terms must both match")
	add(&all, mark.Observed("simctl/list-devices-xcode14.txt"), "list devices: headings, indentation and the space at the end of a line")
	add(&all, mark.Observed("simctl/list-devices-xcode11.txt"), "list devices: devices of a removed runtime come last, below -- "+
		"Unavailable: and its id")
	add(&all, mark.Observed("simctl/list-runtimes-xcode9.txt"), "list runtimes: one line per runtime")
	add(&all, mark.Observed("simctl/listapps-xctrunner.plist.txt"), "listapps: the old property list style, its indentation, quotes, "+
		"keys and their order; system apps have no BundleContainer")
	add(&all, mark.Observed("tool-errors/simctl-erase-booted.txt"), "erase of a booted device: first line with domain and code, then "+
		"Unable to erase contents and settings in current state: Booted; a wrong state is code 405")
	add(&all, mark.Observed("tool-errors/simctl-launch-fbsopenapplication.txt"), "launch of an app that is not installed: the text and "+
		"the underlying error, indented by a tab")
	add(&all, mark.Observed("oslog/ios-sim-default.log"),
		"spawn log, default style: heading, columns, and the line that repeats the predicate")
	add(&all, mark.Observed("oslog/watch-launch-compact.log"), "spawn log --style compact: heading, columns and two-letter types")
	add(&all, mark.Observed("oslog/flutter-sim-syslog-multiline.log"), "spawn log --style syslog: its lines")
	add(&all, mark.Observed("oslog/macos-ndjson-authentication.ndjson"), "spawn log --style ndjson: keys, their order and types "+
		"(recorded on macOS, not on a simulator)")
	add(&all, mark.Observed("simctl/runtime-match-list-xcode15.json"), "runtime match list -j: keys; each SDK is matched with the "+
		"runtime of its version")
	return all
}

func assumed() (all []mark.Mark) {
	add(&all, mark.Assumed,
		"runtime list: text and keys of disk images; add, delete and verify are refused as not supported",
		"pair, unpair, pair_activate: print the id of the pair; codes 401 (paired already) and 402 (not a watch and a phone); a watch "+
			"has one phone",
		"upgrade: only of a device that is shut down, to a compatible runtime that is not older (code 403 otherwise)",
		"diagnose: a folder or archive with the output of list and the logs of booted devices; logverbose and icloud_sync print nothing and "+
			"have no visible effect",
		"spawn defaults: the preferences in the device's folder",
		"help of an unknown subcommand: as an unknown subcommand",
		"list devicetypes and list pairs as text; order of the sections as text",
		"list runtimes: the text of an unavailable runtime",
		"list: a search term matches any part of a name, id or state, in any case; available is not a search term",
		"the runtimes with their builds, the device types with their sizes, models and first runtimes; the default devices",
		"exit status is the error's code modulo 256",
		"boot of a booted device: Unable to boot device in current state: Booted",
		"boot of a device whose runtime was removed: code 164",
		"shutdown of a device that is shut down: Unable to shutdown device in current state: Shutdown",
		"every verb on a device that is not booted: Unable to lookup in current state",
		"an unknown device: Invalid device, for boot Invalid device or device pair, bare, exit 148",
		"a name that several devices have selects the first device",
		"booted without a booted device: No devices are booted., bare, exit 148; the word in any case",
		"create: prints the UDID; without a runtime it takes the newest and says so on standard error",
		"create: Invalid device type (exit 161), Invalid runtime (exit 162), Incompatible device (code 403)",
		"clone: only of a device that is shut down; prints the UDID",
		"delete: also of a booted device; delete unavailable removes devices of removed runtimes",
		"delete, erase and shutdown of several devices continue after a refusal and report the first",
		"erase: removes installed apps, settings, files and logs, and restores preinstalled apps",
	)
	return append(all, assumedOfApps()...)
}

func assumedOfApps() (all []mark.Mark) {
	add(&all, mark.Assumed,
		"install of a missing path, and of a folder without a bundle id",
		"install and launch that fail on demand: IXErrorDomain 13, FBSOpenApplicationServiceErrorDomain 1",
		"uninstall of a missing app succeeds; uninstall of an Apple app fails",
		"appinfo: one entry of listapps; for an unknown app only its id",
		"get_app_container: app, data, groups (id, tab, folder) or a group's id; an unknown app is NSPOSIXErrorDomain 2",
		"terminate of an app that is not running: found nothing to terminate, exit 3",
		"bootstatus: its lines; without -b it waits for another boot; -c continues until interrupted; -d adds nothing",
		"boot returns when the device is booted, after 1.2 seconds",
		"launch of a running app keeps its pid and state",
		"launch prints bundle id and pid; SIMCTL_CHILD_ variables go to the app",
		"launch --console: output follows the line with the pid; an interrupt ends the app; with --console-pty there is one stream",
		"launch --stdout and --stderr: files are truncated, then written; not together with --console",
		"launch --wait-for-debugger is accepted, but the app does not wait",
		"openurl: http and some system schemes always open; an unknown scheme is LSApplicationWorkspaceErrorDomain 115",
		"addmedia: by the file's extension; files land in Media/DCIM/100APPLE; Unsupported file type, exit 22",
		"push: its output; refuses bad JSON, more than 4096 bytes, no aps, no bundle id (exit 22), an app that is not installed",
		"privacy: the services; a change ends the running app; only reset works without a bundle id",
		"location: the scenarios and where they begin; start jumps to the last point at once; Invalid coordinate, exit 22",
		"status_bar: options and their values; the text of list; a shutdown clears overrides",
		"ui: the output of a query; wrong values print the usage; increment and decrement of content_size",
		"keychain: certificates are stored by their hash; apps trust servers with a certificate of an added root",
		"pbcopy, pbpaste, pbsync: text only; host is a pasteboard of the virtual world",
		"getenv: some variables; an unknown one prints nothing, exit 1",
		"io screenshot: both lines go to standard error; no first line with --type; - is standard output",
		"io recordVideo: its lines on standard error; the film is QuickTime with two PNG pictures whatever the codec; a file that "+
			"exists needs --force, exit 17 otherwise",
		"io enumerate: the display only",
		"spawn: log, defaults, launchctl list and true; any other program is not found, exit 72",
		"spawn log: the entries of SpringBoard and installd; levels, predicates with the operators of strings, LIKE, MATCHES, IN and [cd] "+
			"(bad ones exit 64), --last, --start, --end, --process",
		"spawn log show and log stream have options of their own: only stream has --level, only show --start, --end and --last (with "+
			"@ and the seconds since 1970 too); an unknown option is refused like getopt does, with the usage, exit 64",
		"spawn log show: the oldest line first; a line before them says that info and debug are skipped; with --style ndjson the last line "+
			"counts them: {\"count\":2,\"finished\":1}",
		"spawn log show has the lines from before log stream began, with the same time to the microsecond",
		"spawn log --style json: an array of indented objects, joined by a comma",
		"spawn log stream says in one line, without a number and in every style, that it dropped entries, unless --ignore-dropped is given; "+
			"the line is observed, its place in --style ndjson is assumed",
		"spawn log stream ends with exit 0 when interrupted or when the device shuts down",
		"spawn launchctl list: its columns; apps and test runners as UIKitApplication:<id>[<hex>][rb-legacy]; com.apple.SpringBoard",
		"an unknown subcommand: one line on standard error, usage on standard output, exit 1",
		"wrong arguments, too many among them: usage of the verb on standard error, exit 22",
	)
	return all
}
