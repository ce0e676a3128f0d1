package simctl

import "ios-agent/internal/virtualxcode/mark"

// Marks says of each behaviour imitated here, or by the world behind it, where it comes from. What public bug
// reports show but no sample of ours records counts as assumed.
func Marks() []mark.Mark {
	var all []mark.Mark
	add := func(source, behaviour string) {
		all = append(all, mark.Mark{Tool: "simctl", Behaviour: behaviour, Source: source})
	}
	add(mark.Observed("simctl/findsimulator-xcode16.json"), "list -j devices: keys and their order; lastBootedAt and logPathSize only on devices booted once")
	add(mark.Observed("simctl/list-runtimes-xcode15.json"), "list -j runtimes: keys and their order; slashes escaped; an empty line in an empty array")
	add(mark.Observed("simctl/marathon-list-2.json"), "list -j: order of the sections; keys of device types; pairs is an object")
	add(mark.Observed("simctl/flutter-devices-booted.json"), "list -j devices booted: runtimes without a match stay, with an empty array; two search terms must both match")
	add(mark.Observed("simctl/list-devices-xcode14.txt"), "list devices: headings, indentation and the space at the end of a line")
	add(mark.Observed("simctl/list-runtimes-xcode9.txt"), "list runtimes: one line a runtime")
	add(mark.Assumed, "list devicetypes and list pairs as text; order of the sections as text")
	add(mark.Assumed, "list: a search term matches any part of a name, id or state, in any case")
	add(mark.Observed("tool-errors/simctl-erase-booted.txt"), "an error of the simulator: first line with domain and code, then the message; a wrong state is code 405")
	add(mark.Observed("tool-errors/simctl-launch-fbsopenapplication.txt"), "launch of an app that is not installed: the text and the underlying error, indented by a tab")
	add(mark.Assumed, "exit status is the error's code modulo 256")
	add(mark.Assumed, "boot of a booted device: Unable to boot device in current state: Booted")
	add(mark.Assumed, "shutdown of a device that is shut down: Unable to shutdown device in current state: Shutdown")
	add(mark.Assumed, "launch, install, terminate and io on a device that is not booted: Unable to lookup in current state")
	add(mark.Assumed, "an unknown device: Invalid device, for boot Invalid device or device pair, bare, exit 148")
	add(mark.Assumed, "booted without a booted device: No devices are booted., bare, exit 148; the word in any case")
	add(mark.Assumed, "terminate of an app that is not running: found nothing to terminate, exit 3")
	add(mark.Assumed, "install of a path where nothing is, and of a folder without a bundle id")
	add(mark.Assumed, "bootstatus: its lines; without -b it waits for a device nobody boots")
	add(mark.Assumed, "boot returns when the device is booted, after 1.2 seconds")
	add(mark.Assumed, "launch of a running app keeps its pid and state")
	add(mark.Assumed, "launch prints bundle id and pid; SIMCTL_CHILD_ variables go to the app")
	add(mark.Assumed, "io screenshot: both lines go to standard error; no first line with --type; - is standard output")
	add(mark.Assumed, "an unknown subcommand: one line on standard error, usage on standard output, exit 1")
	add(mark.Assumed, "wrong arguments: usage of the verb on standard error, exit 22")
	return all
}
