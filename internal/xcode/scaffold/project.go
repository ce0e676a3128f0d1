package scaffold

import (
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/apple/pbxproj"
)

// project is the app and its UI tests. Unit tests are in the package.
func (o Options) project(on Platform, files map[string]string) pbxproj.Project {
	tests := o.Name + "UITests"
	app := pbxproj.Target{Name: o.Name, Kind: pbxproj.App, Products: []string{o.Name + "Feature"},
		Configurations: pbxproj.Configure(o.app(on), nil, nil)}
	ui := pbxproj.Target{Name: tests, Kind: pbxproj.UITests, Dependencies: []string{o.Name},
		Configurations: pbxproj.Configure(o.tests(on), nil, nil)}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		folder, _, _ := strings.Cut(file, "/")
		at := strings.Index(file, ".xcassets/")
		switch {
		case folder == o.Name && pbxproj.IsSource(file):
			app.Sources = append(app.Sources, file)
		case folder == o.Name && at >= 0:
			if catalogue := file[:at+len(".xcassets")]; !slices.Contains(app.Resources, catalogue) {
				app.Resources = append(app.Resources, catalogue)
			}
		case folder == tests:
			ui.Sources = append(ui.Sources, file)
		}
	}
	return pbxproj.Project{
		Name: o.Name, Packages: []string{packageOf(o.Name)}, Targets: []pbxproj.Target{app, ui}, Configurations: o.shared(on),
	}
}

func (o Options) shared(on Platform) []pbxproj.Configuration {
	platform, _ := pbxproj.PlatformOf(string(on))
	both := map[string]string{
		"ALWAYS_SEARCH_USER_PATHS": "NO", "CLANG_ENABLE_MODULES": "YES", "COPY_PHASE_STRIP": "NO", "ENABLE_USER_SCRIPT_SANDBOXING": "YES",
		"SDKROOT": platform.SDK, "SWIFT_VERSION": "6.0", platform.Deployment: o.Deployment,
	}
	debug := map[string]string{"DEBUG_INFORMATION_FORMAT": "dwarf", "ENABLE_TESTABILITY": "YES", "ONLY_ACTIVE_ARCH": "YES",
		"SWIFT_ACTIVE_COMPILATION_CONDITIONS": "DEBUG", "SWIFT_OPTIMIZATION_LEVEL": "-Onone"}
	release := map[string]string{"DEBUG_INFORMATION_FORMAT": "dwarf-with-dsym", "SWIFT_COMPILATION_MODE": "wholemodule",
		"VALIDATE_PRODUCT": "YES"}
	return pbxproj.Configure(both, debug, release)
}

// versions are the settings that the app and its tests share.
func (o Options) versions(bundle string) map[string]string {
	return map[string]string{
		"CODE_SIGN_STYLE": "Automatic", "CURRENT_PROJECT_VERSION": o.ProjectVersion, "GENERATE_INFOPLIST_FILE": "YES",
		"MARKETING_VERSION": o.MarketingVersion, "PRODUCT_BUNDLE_IDENTIFIER": bundle, "PRODUCT_NAME": "$(TARGET_NAME)",
	}
}

func (o Options) app(on Platform) map[string]string {
	s := o.versions(o.BundleID)
	maps.Copy(s, map[string]string{
		"ASSETCATALOG_COMPILER_APPICON_NAME": "AppIcon", "ASSETCATALOG_COMPILER_GLOBAL_ACCENT_COLOR_NAME": "AccentColor",
		"ENABLE_PREVIEWS":                   "YES",
		"INFOPLIST_KEY_CFBundleDisplayName": o.DisplayName,
	})
	if on == MacOS {
		s["CODE_SIGN_ENTITLEMENTS"] = "Config/" + o.Name + ".entitlements"
		s["ENABLE_HARDENED_RUNTIME"] = "YES"
		return s
	}
	maps.Copy(s, map[string]string{
		"INFOPLIST_KEY_UIApplicationSceneManifest_Generation": "YES", "INFOPLIST_KEY_UILaunchScreen_Generation": "YES",
		"INFOPLIST_KEY_UISupportedInterfaceOrientations_iPhone": held(o.Orientations),
		"INFOPLIST_KEY_UISupportedInterfaceOrientations_iPad":   held(o.PadOrientations),
		"TARGETED_DEVICE_FAMILY":                                o.family(),
	})
	return s
}

func (o Options) tests(on Platform) map[string]string {
	s := o.versions(o.BundleID + ".uitests")
	s["TEST_TARGET_NAME"] = o.Name
	if on == IOS {
		s["TARGETED_DEVICE_FAMILY"] = o.family() // without it, iPads show the app in an iPhone's window
	}
	return s
}

// family is Xcode's list of device numbers, without repetitions.
func (o Options) family() string {
	var all []string
	for _, f := range o.Families {
		all = append(all, strings.Split(families[f], ",")...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

func held(all []Orientation) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = orientations[one]
	}
	return strings.Join(names, " ")
}
