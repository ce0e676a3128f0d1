package flaw

// The names of the faults of physical devices.
const (
	DeviceUnplugged   = "device-unplugged"
	DeviceUnpaired    = "device-unpaired"
	DeviceLocked      = "device-locked"
	DeveloperModeOff  = "developer-mode-off"
	TunnelDown        = "device-tunnel-down"
	DiskImageMissing  = "disk-image-missing"
	SigningMissing    = "signing-missing"
	ForwardedPortGone = "forwarded-port-gone"
)

// deviceFaults are what stands between a computer and an iPhone. Each is asked for whenever a tool could notice it, so that a
// lasting one is added with --times forever.
func deviceFaults() []Kind {
	return []Kind{
		{Name: DeviceUnplugged, Each: "a request about a physical device", Report: "an unplugged cable, or a cable without data lines",
			Does: "the device is disconnected: usbmuxd does not list it, and devicectl lists it as unavailable"},
		{Name: DeviceUnpaired, Each: "a request about a physical device", Report: "an iPhone whose owner never chose to trust this computer",
			Does: "the device does not trust this computer: devicectl lists it as unpaired, usbmuxd has no pair record, and lockdownd begins " +
				"no session. The first attempt to pair fails because the owner is being asked, the second succeeds",
			Params: []Parameter{{Name: "owner", Means: "the owner's answer", Words: []string{"agrees", "denies"}}}},
		{Name: DeviceLocked, Each: "a request about a physical device", Report: "an iPhone on a desk whose screen went dark",
			Does: "the device is locked: apps cannot be launched and tests cannot begin"},
		{Name: DeveloperModeOff, Each: "a request about a physical device", Report: "an iPhone with iOS 16 or newer before its first build",
			Does: "Developer Mode is off: devicectl and lockdownd report it, and locally built apps do not run"},
		{Name: TunnelDown, Each: "a list of devicectl", Report: "a VPN or a firewall between the Mac and its iPhone",
			Does: "the device is paired, but CoreDevice has no tunnel to it"},
		{Name: DiskImageMissing, Each: "a list of devicectl", Report: "an iPhone with a newer iOS than Xcode supports",
			Does: "the developer disk image is missing on the device, so tests cannot run"},
		{Name: SigningMissing, Each: "a build of the agent for a physical device", Report: "a team without this device, or no account in Xcode",
			Does: "there is a team, but no provisioning profile for it"},
		{Name: ForwardedPortGone, Each: "a connection to a port of a physical device", Report: "seed 004: a tunnel over USB that breaks",
			Does: "the port is closed, as after the agent has ended"},
	}
}
