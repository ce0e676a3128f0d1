package agentsource

import (
	"maps"
	"strings"

	"ios-agent/internal/apple/pbxproj"
	"ios-agent/internal/apple/xcodebuild"
)

// app is the target that the tests are for; the project has its name.
var app = strings.TrimSuffix(xcodebuild.AgentProject, ".xcodeproj")

// appFolder holds the app's sources. All other sources are the agent's: one module, so that its types need not be public and a device
// needs no copied framework.
const appFolder = "AgentApp/"

// project has two targets: the app and the agent.
func project(files []string, team string) pbxproj.Project {
	p := pbxproj.Project{Name: app, Configurations: shared(), Targets: []pbxproj.Target{
		{Name: app, Kind: pbxproj.App,
			Configurations: settings(of(team, bundle), map[string]string{"INFOPLIST_KEY_UILaunchScreen_Generation": "YES"})},
		{Name: xcodebuild.AgentScheme, Kind: pbxproj.UITests, Dependencies: []string{app},
			Configurations: settings(of(team, tests), map[string]string{
				"TEST_TARGET_NAME": app, "SWIFT_OBJC_BRIDGING_HEADER": "AgentObjC/AgentObjC.h", "CLANG_ENABLE_OBJC_ARC": "YES",
			})},
	}}
	for _, file := range files {
		switch {
		case !pbxproj.IsSource(file):
		case strings.HasPrefix(file, appFolder):
			p.Targets[0].Sources = append(p.Targets[0].Sources, file)
		default:
			p.Targets[1].Sources = append(p.Targets[1].Sources, file)
		}
	}
	return p
}

// shared are the settings of the project itself.
func shared() []pbxproj.Configuration {
	platform, _ := pbxproj.PlatformOf("iOS")
	both := map[string]string{
		"ALWAYS_SEARCH_USER_PATHS": "NO", "CLANG_ENABLE_MODULES": "YES", "COPY_PHASE_STRIP": "NO", "SDKROOT": platform.SDK,
		"SUPPORTED_PLATFORMS": platform.Simulator + " " + platform.SDK, "SWIFT_VERSION": "5.0", platform.Deployment: oldest,
		"TARGETED_DEVICE_FAMILY": platform.Families,
	}
	debug := map[string]string{"DEBUG_INFORMATION_FORMAT": "dwarf", "ENABLE_TESTABILITY": "YES", "SWIFT_OPTIMIZATION_LEVEL": "-Onone"}
	release := map[string]string{"SWIFT_COMPILATION_MODE": "wholemodule"}
	return pbxproj.Configure(both, debug, release)
}

// settings are the settings of a target; a build for a device adds a team on the command line.
func settings(bundle string, more map[string]string) []pbxproj.Configuration {
	both := map[string]string{
		"CODE_SIGN_STYLE": "Automatic", "CURRENT_PROJECT_VERSION": "1", "GENERATE_INFOPLIST_FILE": "YES", "MARKETING_VERSION": "1.0",
		"PRODUCT_BUNDLE_IDENTIFIER": bundle, "PRODUCT_NAME": "$(TARGET_NAME)",
	}
	maps.Copy(both, more)
	return pbxproj.Configure(both, nil, nil)
}
