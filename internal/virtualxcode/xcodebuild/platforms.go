package xcodebuild

// The imitated Xcode.
const (
	xcodeVersion  = "16.4"
	xcodeBuild    = "16F6"
	xcodeNumber   = "1640"
	developer     = "/Applications/Xcode.app/Contents/Developer"
	toolchain     = developer + "/Toolchains/XcodeDefault.xctoolchain"
	macName       = "My Mac"
	macID         = "00006000-000000000000001E"
	macVersion    = "15.5"
	architectures = "arm64 x86_64" // the architecture of simulators and Macs
)

// platform is a platform that Xcode builds for.
type platform struct {
	name        string // its name in destinations
	sdk         string
	version     string
	build       string
	folder      string // its name in Xcode
	display     string // of the SDK
	placeholder string // the id of "any device"
	any         string // the name of "any device"
	triple      string
	deployment  string // the setting with the oldest system
}

func (p platform) sdkName() string { return p.sdk + p.version }
func (p platform) path() string    { return developer + "/Platforms/" + p.folder + ".platform" }
func (p platform) sdkPath() string {
	return p.path() + "/Developer/SDKs/" + p.folder + p.version + ".sdk"
}

// suffix is what the platform adds to the name of a products folder.
func (p platform) suffix() string {
	if p.sdk == "macosx" {
		return ""
	}
	return "-" + p.sdk
}

func (p platform) simulator() bool { return len(p.name) > 9 && p.name[len(p.name)-9:] == "Simulator" }

// platforms are the platforms of Xcode 16.4, in Xcode's order.
var platforms = []platform{
	{"iOS", "iphoneos", "18.5", "22F76", "iPhoneOS", "iOS 18.5", "dvtdevice-DVTiPhonePlaceholder-iphoneos:placeholder", "Any iOS Device",
		"ios%s", "IPHONEOS_DEPLOYMENT_TARGET"},
	{"iOS Simulator", "iphonesimulator", "18.5", "22F76", "iPhoneSimulator", "Simulator - iOS 18.5",
		"dvtdevice-DVTiOSDeviceSimulatorPlaceholder-iphonesimulator:placeholder", "Any iOS Simulator Device", "ios%s-simulator",
		"IPHONEOS_DEPLOYMENT_TARGET"},
	{"macOS", "macosx", "15.5", "24F74", "MacOSX", "macOS 15.5", "", "Any Mac", "macos%s", "MACOSX_DEPLOYMENT_TARGET"},
	{"tvOS", "appletvos", "18.5", "22L572", "AppleTVOS", "tvOS 18.5", "dvtdevice-DVTiOSDevicePlaceholder-appletvos:placeholder",
		"Any tvOS Device", "tvos%s", "TVOS_DEPLOYMENT_TARGET"},
	{"tvOS Simulator", "appletvsimulator", "18.5", "22L572", "AppleTVSimulator", "Simulator - tvOS 18.5",
		"dvtdevice-DVTiOSDeviceSimulatorPlaceholder-appletvsimulator:placeholder", "Any tvOS Simulator Device", "tvos%s-simulator",
		"TVOS_DEPLOYMENT_TARGET"},
	{"visionOS", "xros", "2.5", "22O473", "XROS", "visionOS 2.5", "dvtdevice-DVTiOSDevicePlaceholder-xros:placeholder",
		"Any visionOS Device", "xros%s", "XROS_DEPLOYMENT_TARGET"},
	{"visionOS Simulator", "xrsimulator", "2.5", "22O473", "XRSimulator", "Simulator - visionOS 2.5",
		"dvtdevice-DVTiOSDeviceSimulatorPlaceholder-xrsimulator:placeholder", "Any visionOS Simulator Device", "xros%s-simulator",
		"XROS_DEPLOYMENT_TARGET"},
	{"watchOS", "watchos", "11.5", "22T572", "WatchOS", "watchOS 11.5", "dvtdevice-DVTiOSDevicePlaceholder-watchos:placeholder",
		"Any watchOS Device", "watchos%s", "WATCHOS_DEPLOYMENT_TARGET"},
	{"watchOS Simulator", "watchsimulator", "11.5", "22T572", "WatchSimulator", "Simulator - watchOS 11.5",
		"dvtdevice-DVTiOSDeviceSimulatorPlaceholder-watchsimulator:placeholder", "Any watchOS Simulator Device", "watchos%s-simulator",
		"WATCHOS_DEPLOYMENT_TARGET"},
}

// platformOf finds a platform by its SDK.
func platformOf(sdk string) (platform, bool) {
	for _, p := range platforms {
		if p.sdk == sdk {
			return p, true
		}
	}
	return platform{}, false
}

// partners are the platforms for an SDK of a project.
var partners = map[string][]string{
	"iphoneos": {"iphoneos", "iphonesimulator"}, "watchos": {"watchos", "watchsimulator"}, "appletvos": {"appletvos", "appletvsimulator"},
	"xros": {"xros", "xrsimulator"}, "macosx": {"macosx"},
}
