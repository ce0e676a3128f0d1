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

	NetworkLoopback      = "network-device-loopback"
	ProfileWithoutDevice = "profile-without-device"
	ProfileExpired       = "profile-expired"
	DevicePreparing      = "device-preparing"
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
		{Name: ProfileExpired, Each: "a start of the agent on a physical device",
			Report: "a free team's profile after 7 days: appium/appium-xcuitest-driver#1860, TelegramMessenger/Telegram-iOS#1831",
			Does:   "the device refuses to install the agent, with 0xe8008015"},
	}
}

// macDeviceFaults are the differences of real devices that happen on every occasion.
func macDeviceFaults() []Kind {
	return []Kind{
		{Name: NetworkLoopback, Each: "a connection to a port of a device without a cable",
			Report: "inferred; an agent listens on the loopback interface, and over Wi-Fi usbmuxd comes from outside",
			Does:   "only lockdownd and its services answer; other ports are closed"},
		{Name: ProfileWithoutDevice, Each: "a build of the agent for a physical device", Report: "xhzq233/ios-use#3",
			Does: "the provisioning profile lists only the device of the build; other devices refuse to install the agent, with 0xe8008015"},
		{Name: DevicePreparing, Each: "a run of xcodebuild on a physical device", Report: "Xcode prepares a device after a restart or an update",
			Does:   "the destination becomes available late, on the devices' clock; xcodebuild waits 30 seconds for it, or -destination-timeout",
			Params: []Parameter{{Name: "seconds", Means: "how long", Default: 60, Min: 1, Max: 3600}}},
	}
}

// firstHourFaults are what a Mac lacks on its first day. With one of them most tools do not work, so the profile real-mac has none.
func firstHourFaults() []Kind {
	return []Kind{
		{Name: CommandLineTools, Each: "a run of a tool of Xcode", Report: "https://github.com/CocoaPods/CocoaPods/issues/12378",
			Does: "the command line tools are installed without Xcode: xcodebuild exits with 1, and xcrun finds no simctl, with 72"},
		{Name: LicenceNotAccepted, Each: "a run of a tool of Xcode", Report: "https://github.com/flutter/flutter/issues/16427",
			Does: "nobody agreed to Xcode's licence: the tools exit with 69"},
		{Name: NoRuntime, Each: "a list of simctl", Report: "Xcode 14 and newer are installed without simulators",
			Does: "the list has device types, but no runtimes and no simulators"},
		{Name: NoGUISession, Each: "a boot", Report: "https://github.com/futureware-tech/simulator-action/issues/301",
			Does: "no simulator boots, as for a user who is logged in over SSH but not at the Mac's screen"},
	}
}
