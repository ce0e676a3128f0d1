package flaw

// The names of what can be wrong with a physical device.
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
		{Name: DeviceUnplugged, Each: "a question about a physical device", Report: "a cable that was pulled, or one without data lines",
			Does: "the device is not there: usbmuxd does not list it, and devicectl lists it as unavailable"},
		{Name: DeviceUnpaired, Each: "a question about a physical device", Report: "an iPhone that was never told to trust this computer",
			Does: "the device does not trust this computer: devicectl lists it as unpaired, usbmuxd has no pair record, and lockdownd begins " +
				"no session. Who pairs is told first that the owner is asked, and is trusted the second time",
			Params: []Parameter{{Name: "owner", Means: "what the owner says to the question", Words: []string{"agrees", "denies"}}}},
		{Name: DeviceLocked, Each: "a question about a physical device", Report: "an iPhone on a desk whose screen went dark",
			Does: "the device is locked: nothing can be launched on it, and no test begins"},
		{Name: DeveloperModeOff, Each: "a question about a physical device", Report: "an iPhone with iOS 16 or newer before its first build",
			Does: "Developer Mode is off: devicectl says so, lockdownd too, and nothing that was built here runs"},
		{Name: TunnelDown, Each: "a list of devicectl", Report: "a VPN or a firewall between the Mac and its iPhone",
			Does: "the device is paired, and CoreDevice has no tunnel to it"},
		{Name: DiskImageMissing, Each: "a list of devicectl", Report: "an iPhone that is newer than the Xcode",
			Does: "the developer disk image is not on the device: what tests need is not there"},
		{Name: SigningMissing, Each: "a build of the agent for a physical device", Report: "a team without this device, or no account in Xcode",
			Does: "there is a team, and no provisioning profile for it"},
		{Name: ForwardedPortGone, Each: "a connection to a port of a physical device", Report: "seed 004: a tunnel over USB that breaks",
			Does: "nobody listens on the port, as when the agent has ended"},
	}
}
