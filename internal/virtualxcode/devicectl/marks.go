package devicectl

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of devicectl.
func Marks() []mark.Mark {
	const tool = "devicectl"
	return []mark.Mark{
		{Tool: tool, Behaviour: "list devices: pairingState unpaired, tunnelState unavailable or disconnected, developerModeStatus disabled, " +
			"ddiServicesAvailable false", Source: mark.Assumed},
		{Tool: tool, Behaviour: "list devices: keys and types of a wired and a network device, ecid as an unsigned number",
			Source: mark.Observed("devicectl/list-devices-maestro.json")},
		{Tool: tool, Behaviour: "device info apps: keys and types",
			Source: mark.Observed("devicectl/flutter-device-info-apps--successfully-parses-apps.json")},
		{Tool: tool, Behaviour: "device info processes: keys and types",
			Source: mark.Observed("devicectl/flutter-device-info-processes--all-sections-parsed.json")},
		{Tool: tool, Behaviour: "device install app: keys and types",
			Source: mark.Observed("devicectl/flutter-device-install-app--successful-install.json")},
		{Tool: tool, Behaviour: "device install app of a missing path: error 1005 over NSCocoaErrorDomain 260",
			Source: mark.Observed("devicectl/flutter-device-install-app--devicectl-fails-install.json")},
		{Tool: tool, Behaviour: "errors as text: ERROR, the domain and number in brackets, details, a rule, the underlying error",
			Source: mark.Observed("tool-errors/devicectl-stderr-1-devicectl-fails-install.txt")},
		{Tool: tool, Behaviour: "an unknown device: error 1000",
			Source: mark.Observed("tool-errors/devicectl-stderr-3-devicectl-fails-to-get-apps.txt")},
		{Tool: tool, Behaviour: "device process launch: keys and types",
			Source: mark.Observed("devicectl/flutter-device-process-launch--successful-launch-with-launch-args.json")},
		{Tool: tool, Behaviour: "device process launch of an unknown app: NSOSStatusErrorDomain -10814",
			Source: mark.Observed("devicectl/flutter-device-process-launch--devicectl-fails-launch-with-an-error.json")},
		{Tool: tool, Behaviour: "device process launch --console: the lines before the app's own output",
			Source: mark.Observed("tool-errors/devicectl-launch-console.txt")},
		{Tool: tool, Behaviour: "device process terminate: keys and types",
			Source: mark.Observed("devicectl/flutter-device-process-terminate--successful-terminate-app.json")},
		{Tool: tool, Behaviour: "device uninstall app: keys and types",
			Source: mark.Observed("devicectl/flutter-device-uninstall-app--successful-uninstall.json")},
		{Tool: tool, Behaviour: "a launch on a locked device: error 10002 over two errors of the home screen, exit 1; its text is " +
			"from reports, its JSON is a guess", Source: mark.Assumed},
		{Tool: tool, Behaviour: "the table of list devices; --json-output - prints it and then the JSON", Source: mark.Assumed},
		{Tool: tool, Behaviour: "what info details, lockState, displays, processes, uninstall and terminate print as text; the JSON of " +
			"lockState and displays", Source: mark.Assumed},
		{Tool: tool, Behaviour: "an app built for the simulator cannot be installed; uninstalling a missing app and ending an " +
			"unknown pid fail", Source: mark.Assumed},
		{Tool: tool, Behaviour: "JSON version 5 on demand: properties with connection, hardware, software and state in it, and simulators in " +
			"the list; https://github.com/dotnet/macios/issues/26482 and https://github.com/expo/expo/pull/48001 show it in part",
			Source: mark.Assumed},
		{Tool: tool, Behaviour: "device info files and device copy from of the domain systemCrashLogs, with the reports of apps that crashed " +
			"on the device; https://github.com/search?q=devicectl+systemCrashLogs&type=code shows command lines and the keys of files",
			Source: mark.Assumed},
		{Tool: tool, Behaviour: "a wrong command line: Error, Usage and See lines, exit 64", Source: mark.Assumed},
	}
}
