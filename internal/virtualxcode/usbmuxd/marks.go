package usbmuxd

import "ios-agent/internal/virtualxcode/mark"

// Marks say what is known of the real usbmuxd, and of what answers on a device.
func Marks() []mark.Mark {
	const mux, down = "usbmuxd", "lockdownd"
	return []mark.Mark{
		{Tool: mux, Behaviour: "messages: a header of 16 bytes in little-endian numbers, version 1, kind 8, and a property list",
			Source: mark.Assumed},
		{Tool: mux, Behaviour: "ListDevices: a device by cable has ConnectionType USB, one over the network also where it is",
			Source: mark.Assumed},
		{Tool: mux, Behaviour: "Connect: the port with its bytes in the order of the network; results 2 for no such device, 3 for nobody there",
			Source: mark.Assumed},
		{Tool: mux, Behaviour: "ReadPairRecord: the record as data, result 2 where there is none",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "on port 62078; messages: the length in big-endian numbers and a property list",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "StartSession: InvalidHostID from a host it does not trust; then TLS with the key that DevicePublicKey tells",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "Pair: PairingDialogResponsePending until the owner has agreed, then an escrow bag; PasswordProtected if locked",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "GetValue: DeveloperModeStatus of com.apple.security.mac.amfi; PasswordProtected while locked; few values " +
			"without a session",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "StartService: a port for one connection, with TLS; InvalidService for what it does not have",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "syslog_relay: entries that end with a line and a zero byte: time, device, process, pid, level, text",
			Source: mark.Observed("oslog/syslog-relay-syslogmessages.bin")},
		{Tool: down, Behaviour: "syslog_relay: what is not ASCII as vis(3) writes it",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "installation_proxy: Lookup by bundle ids, with CFBundleExecutable",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "crash reports: crashreportmover says ping, then crashreportcopymobile has them, over AFC",
			Source: mark.Assumed},
		{Tool: down, Behaviour: "ports: a program that listens on the loopback interface of the device is reached through usbmuxd",
			Source: mark.Assumed},
	}
}
