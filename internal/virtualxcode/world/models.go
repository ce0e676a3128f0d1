package world

const (
	typePrefix    = "com.apple.CoreSimulator.SimDeviceType."
	runtimePrefix = "com.apple.CoreSimulator.SimRuntime."
)

// gone is the reason for a runtime whose files were removed.
const gone = "runtime profile not found"

func runtimes() []Runtime {
	mobile := []string{"iPhone", "iPad"}
	return []Runtime{
		{ID: runtimePrefix + "iOS-15-5", Platform: "iOS", Version: "15.5", Build: "19F70", Families: mobile, Unavailable: gone},
		{ID: runtimePrefix + "iOS-16-4", Platform: "iOS", Version: "16.4", Build: "20E247", Families: mobile},
		{ID: runtimePrefix + "iOS-17-5", Platform: "iOS", Version: "17.5", Build: "21F79", Families: mobile},
		{ID: runtimePrefix + "iOS-18-5", Platform: "iOS", Version: "18.5", Build: "22F77", Families: mobile},
		{ID: runtimePrefix + "iOS-26-0", Platform: "iOS", Version: "26.0", Build: "23A343", Families: mobile},
		{ID: runtimePrefix + "tvOS-18-5", Platform: "tvOS", Version: "18.5", Build: "22L572", Families: []string{"Apple TV"}},
		{ID: runtimePrefix + "watchOS-11-5", Platform: "watchOS", Version: "11.5", Build: "22T572", Families: []string{"Apple Watch"}},
		{ID: runtimePrefix + "xrOS-2-5", Platform: "visionOS", Version: "2.5", Build: "22O473", Families: []string{"Apple Vision"}},
	}
}

func deviceTypes() []DeviceType {
	iPhone := func(id, name, model, since string, s Screen) DeviceType {
		return DeviceType{ID: typePrefix + id, Name: name, Family: "iPhone", Model: model, MinRuntime: since,
			Platform: "iPhoneOS", Screen: s}
	}
	iPad := func(id, name, model, since string, s Screen) DeviceType {
		return DeviceType{ID: typePrefix + id, Name: name, Family: "iPad", Model: model, MinRuntime: since, Platform: "iPhoneOS", Screen: s}
	}
	return []DeviceType{
		iPhone("iPhone-16-Pro", "iPhone 16 Pro", "iPhone17,1", "18.0.0", Screen{402, 874, 3, 62, 34, 0}),
		iPhone("iPhone-16-Pro-Max", "iPhone 16 Pro Max", "iPhone17,2", "18.0.0", Screen{440, 956, 3, 62, 34, 0}),
		iPhone("iPhone-16", "iPhone 16", "iPhone17,3", "18.0.0", Screen{393, 852, 3, 59, 34, 0}),
		iPhone("iPhone-15", "iPhone 15", "iPhone15,4", "17.0.0", Screen{393, 852, 3, 59, 34, 0}),
		iPhone("iPhone-14", "iPhone 14", "iPhone14,7", "16.0.0", Screen{390, 844, 3, 47, 34, 0}),
		iPhone("iPhone-13", "iPhone 13", "iPhone14,5", "15.0.0", Screen{390, 844, 3, 47, 34, 0}),
		iPad("iPad-Pro-13-inch-M4-8GB", "iPad Pro 13-inch (M4)", "iPad16,5", "17.4.1", Screen{1032, 1376, 2, 24, 20, 0}),
		iPad("iPad-mini-A17-Pro", "iPad mini (A17 Pro)", "iPad16,1", "18.0.0", Screen{744, 1133, 2, 24, 20, 0}),
		{ID: typePrefix + "Apple-TV-4K-3rd-generation-4K", Name: "Apple TV 4K (3rd generation)", Family: "Apple TV", Model: "AppleTV14,1",
			MinRuntime: "16.1.0", Platform: "AppleTVOS", Screen: Screen{1920, 1080, 2, 60, 60, 0}},
		{ID: typePrefix + "Apple-Watch-Series-10-46mm", Name: "Apple Watch Series 10 (46mm)", Family: "Apple Watch", Model: "Watch7,9",
			MinRuntime: "11.0.0", Platform: "WatchOS", Screen: Screen{208, 248, 2, 31, 0, 0}},
		{ID: typePrefix + "Apple-Vision-Pro", Name: "Apple Vision Pro", Family: "Apple Vision", Model: "RealityDevice14,1",
			MinRuntime: "1.0.0", Platform: "XROS", Screen: Screen{1920, 1080, 2, 0, 0, 0}},
	}
}

// made are the properties of a new device.
type made struct{ udid, name, deviceType, runtime string }

// The two halves of the only pair.
const (
	pairedPhone = "6C2A8F51-93D4-4E0B-A7C6-1F5B0D3E8A92"
	pairedWatch = "4D90E2B7-5C1A-4F38-9E66-7B2D83A0C415"
)

// defaultDevices is the set of a new world. The name iPhone 16 Pro is ambiguous on purpose, and the last device cannot boot because its
// runtime was removed.
func defaultDevices() []made {
	of := func(udid, name, deviceType, runtime string) made {
		return made{udid, name, typePrefix + deviceType, runtimePrefix + runtime}
	}
	return []made{
		of(pairedPhone, "iPhone 16 Pro", "iPhone-16-Pro", "iOS-18-5"),
		of("B81F3D06-2E7A-4C95-8D14-60A9C5E7F213", "iPhone 16 Pro", "iPhone-16-Pro", "iOS-18-5"),
		of("0E57A9C4-D2B8-4713-A1F0-95C6E83B4D7A", "iPhone 16 Pro", "iPhone-16-Pro", "iOS-26-0"),
		of("F3946B1E-70C5-4DA2-B98E-2C1A7E5D0836", "iPhone 16 Pro Max", "iPhone-16-Pro-Max", "iOS-18-5"),
		of("27D5C08A-B643-4E19-8F72-D1E09A63B5C8", "iPhone 16", "iPhone-16", "iOS-18-5"),
		of("9A1C6E42-3F8D-4B07-A5D9-E84F270B61C3", "iPhone 15", "iPhone-15", "iOS-17-5"),
		of("C60B7F95-14E2-4A8C-9D3B-5F72A1C8E04D", "iPhone 14", "iPhone-14", "iOS-16-4"),
		of("51E8D3A7-C90F-4265-B7E1-08D4F6A92B3C", "iPad Pro 13-inch (M4)", "iPad-Pro-13-inch-M4-8GB", "iOS-18-5"),
		of("E27A40D9-6B5C-4F81-8C0E-B39D15F7A264", "iPad mini (A17 Pro)", "iPad-mini-A17-Pro", "iOS-18-5"),
		of(pairedWatch, "Apple Watch Series 10 (46mm)", "Apple-Watch-Series-10-46mm", "watchOS-11-5"),
		of("83F1B5C6-A0D7-4E2B-9614-C7E80D5A3F92", "Apple TV 4K (3rd generation)", "Apple-TV-4K-3rd-generation-4K", "tvOS-18-5"),
		of("D49E0C72-8F36-4B1D-A2C5-613B9F7E50A8", "Apple Vision Pro", "Apple-Vision-Pro", "xrOS-2-5"),
		of("7B06E3F8-45D1-4C9A-8E27-A1F0D6C93B54", "iPhone 13", "iPhone-13", "iOS-15-5"),
	}
}
