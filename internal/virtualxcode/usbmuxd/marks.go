package usbmuxd

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of usbmuxd and of the services on a device.
func Marks() []mark.Mark {
	const mux, down = "usbmuxd", "lockdownd"
	return []mark.Mark{
		{Tool: mux, Behaviour: "messages: a header of 16 bytes in little-endian numbers, version 1, kind 8, and a property list",
			Source: mark.Assumed},
		{Tool: mux, Behaviour: "ListDevices: a device by cable has ConnectionType USB, one over the network also where it is",
			Source: mark.Assumed},
		{Tool: mux, Behaviour: "Connect: the port with its bytes in the order of the network; results 2 for an unknown device, 3 for a " +
			"closed port",
			Source: mark.Assumed},
		{Tool: mux, Behaviour: "ReadPairRecord: the record as data, result 2 without a record",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "on port 62078; messages: the length in big-endian numbers and a property list",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "StartSession: InvalidHostID for an untrusted host; then TLS with the key in DevicePublicKey",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "Pair: PairingDialogResponsePending until the owner has agreed, then an escrow bag; PasswordProtected if locked",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "GetValue: DeveloperModeStatus of com.apple.security.mac.amfi; PasswordProtected while locked; few values " +
			"without a session",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "StartService: a port for one connection, with TLS; InvalidService for an unknown service",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "syslog_relay: entries that end with a line and a zero byte: time, device, process, pid, level, text",
			Source: mark.Observed("oslog/syslog-relay-syslogmessages.bin")},
		{Tool: down, Behaviour: "syslog_relay: characters outside ASCII are encoded like vis(3) does",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "installation_proxy: Lookup by bundle ids, with CFBundleExecutable",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "crash reports: crashreportmover sends ping, then crashreportcopymobile has the reports, over AFC",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "ports: usbmuxd reaches a program that listens on the loopback interface of the device",
			Source: mark.Assumed},
	}
}
