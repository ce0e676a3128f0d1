package simctl

import "context"

// verb is a subcommand.
type verb struct {
	name, usage, summary string
	run                  func(context.Context, *call) error
}

// verbs are all subcommands, in the order of the usage text.
func verbs() []verb {
	return []verb{
		{"addmedia", "<device> <path> [... <path>]", "Add photos, live photos, videos, or contacts to the library of a device.", addmedia},
		{"appinfo", "<device> <app bundle identifier>", "Show information about an installed application.", appinfo},
		{"boot", "<device>", "Boot a device or device pair.", boot},
		{"bootstatus", "<device> [-bcd]", "Check and optionally wait for the boot of a device to finish.", bootstatus},
		{"clone", "<device> <new name>", "Clone an existing device.", clone},
		{"create", "<name> <device type id> [<runtime id>]", "Create a new device.", create},
		{"delete", "<device> [... <device>] | unavailable | all", "Delete specified devices, unavailable devices, or all devices.", remove},
		{"diagnose", "[-b] [-l] [--no-archive] [--all-logs] [--output=<path>] [--udid=<udid>]",
			"Collect diagnostic information and logs.", diagnose},
		{"erase", "<device> [... <device>] | all", "Erase a device's contents and settings.", erase},
		{"get_app_container", "<device> <app bundle identifier> [<container>]", "Print the path of the installed app's container",
			appContainer},
		{"getenv", "<device> <variable name>", "Print an environment variable from a running device.", getenv},
		{"help", "[subcommand]", "Prints the usage for a given subcommand.", help},
		{"icloud_sync", "<device>", "Trigger iCloud sync on a device.", syncCloud},
		{"install", "<device> <path>", "Install an app on a device.", install},
		{"io", "<device> <operation> <arguments>", "Set up a device IO operation.", deviceIO},
		{"keychain", "<device> <action> [arguments]", "Manipulate a device's keychain", keychain},
		{"launch", "[-w | --wait-for-debugger] [--console|--console-pty] [--stdout=<path>] [--stderr=<path>] " +
			"[--terminate-running-process] " +
			"<device> <app bundle identifier> [<argv 1> <argv 2> ... <argv n>]", "Launch an application by identifier on a device.",
			launch},
		{"list", "[-j | --json] [-v] [devices|devicetypes|runtimes|pairs] [<search term>|available]",
			"List available devices, device types, runtimes, or device pairs.", list},
		{"listapps", "<device>", "Show the installed applications.", listapps},
		{"location", "<device> <action> [<arguments>]", "Control a device's simulated location", location},
		{"logverbose", "[<device>] <enable|disable>", "Enable or disable verbose logging for a device.", logVerbose},
		{"openurl", "<device> <URL>", "Open a URL in a device.", openurl},
		{"pair", "<watch device> <phone device>", "Create a new watch and phone pair.", pair},
		{"pair_activate", "<pair UUID>", "Set a given pair as active.", activatePair},
		{"pbcopy", "<device>", "Copy standard input onto the device pasteboard.", pbcopy},
		{"pbpaste", "<device>", "Print the contents of the device's pasteboard to standard output.", pbpaste},
		{"pbsync", "<source device> <destination device>", "Sync the pasteboard content from one pasteboard to another.", pbsync},
		{"privacy", "<device> <action> <service> [<bundle identifier>]", "Grant, revoke, or reset privacy and permissions", privacy},
		{"push", "<device> [<bundle identifier>] (<json file> | -)", "Send a simulated push notification", push},
		{"rename", "<device> <name>", "Rename a device.", rename},
		{"runtime", "<operation> <arguments>", "Perform operations on runtimes", runtimeVerb},
		{"shutdown", "<device> | all", "Shutdown a device.", shutdown},
		{"spawn", "[-w | --wait-for-debugger] [-s | --standalone] <device> <path to executable> [<argv 1> <argv 2> ... <argv n>]",
			"Spawn a process by executing a given executable on a device.", spawn},
		{"status_bar", "<device> <operation> <arguments>", "Set or clear status bar overrides", statusBar},
		{"terminate", "<device> <app bundle identifier>", "Terminate an application by identifier on a device.", terminate},
		{"ui", "<device> <option> [<arguments>]", "Get or Set UI options", userInterface},
		{"uninstall", "<device> <app bundle identifier>", "Uninstall an app from a device.", uninstall},
		{"unpair", "<pair UUID>", "Unpair a watch and phone pair.", unpair},
		{"upgrade", "<device> <runtime id>", "Upgrade a device to a newer runtime.", upgrade},
	}
}
