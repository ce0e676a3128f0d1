package project

import (
	"maps"
	"path"
	"slices"
	"strings"

	"ios-agent/internal/apple/pbxproj"
)

// suffixes map the end of a folder's name, after the project's name, to the purpose of the folder.
var suffixes = map[string]Kind{"": App, "Tests": UnitTests, "UITests": UITests}

// project builds the project of a recipe: one target for each existing folder.
func (r recipe) project(files map[string]string) Project {
	p := Project{Name: r.name, Packages: r.packages, Configurations: r.shared()}
	for _, suffix := range slices.Sorted(maps.Keys(suffixes)) {
		if t := r.target(suffix, files); len(t.Sources) > 0 {
			p.Targets = append(p.Targets, t)
		}
	}
	return p
}

func (r recipe) target(suffix string, files map[string]string) Target {
	t := Target{Name: r.name + suffix, Kind: suffixes[suffix], Configurations: r.configurations(suffix)}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		rel, in := strings.CutPrefix(path.Join("/", file), path.Join("/", r.dir)+"/")
		if r.dir == "." {
			rel, in = file, true
		}
		catalogue := strings.Index(rel, ".xcassets/")
		switch {
		case !in || !strings.HasPrefix(rel, t.Name+"/"):
		case IsSource(rel):
			t.Sources = append(t.Sources, rel)
		case catalogue >= 0:
			addResource(&t, rel[:catalogue+len(".xcassets")])
		default:
			addResource(&t, rel)
		}
	}
	if t.Kind.Tests() {
		t.Dependencies = []string{r.name}
	} else {
		t.Products = r.products
	}
	return t
}

func addResource(t *Target, file string) {
	if !slices.Contains(t.Resources, file) {
		t.Resources = append(t.Resources, file)
	}
}

// shared are the settings of the project.
func (r recipe) shared() []Configuration {
	platform, _ := pbxproj.PlatformOf(r.platform)
	both := map[string]string{
		"ALWAYS_SEARCH_USER_PATHS": "NO", "CLANG_ENABLE_MODULES": "YES", "COPY_PHASE_STRIP": "NO", "ENABLE_USER_SCRIPT_SANDBOXING": "YES",
		"SDKROOT": platform.SDK, "SWIFT_VERSION": "5.0", platform.Deployment: platform.Version,
	}
	debug := map[string]string{"DEBUG_INFORMATION_FORMAT": "dwarf", "ENABLE_TESTABILITY": "YES", "ONLY_ACTIVE_ARCH": "YES",
		"SWIFT_ACTIVE_COMPILATION_CONDITIONS": "DEBUG", "SWIFT_OPTIMIZATION_LEVEL": "-Onone"}
	release := map[string]string{"DEBUG_INFORMATION_FORMAT": "dwarf-with-dsym", "SWIFT_COMPILATION_MODE": "wholemodule",
		"VALIDATE_PRODUCT": "YES"}
	return Configure(both, debug, release)
}

func (r recipe) configurations(suffix string) []Configuration {
	both := map[string]string{
		"CODE_SIGN_STYLE": "Automatic", "CURRENT_PROJECT_VERSION": "1", "GENERATE_INFOPLIST_FILE": "YES", "MARKETING_VERSION": "1.0",
		"PRODUCT_BUNDLE_IDENTIFIER": r.bundle + strings.ToLower(suffix), "PRODUCT_NAME": "$(TARGET_NAME)", "SWIFT_VERSION": "5.0",
	}
	if platform, _ := pbxproj.PlatformOf(r.platform); platform.Families != "" {
		both["TARGETED_DEVICE_FAMILY"] = platform.Families
	}
	maps.Copy(both, r.perKind(suffixes[suffix]))
	return Configure(both, nil, nil)
}

// perKind are the settings of apps only, or of one kind of tests only.
func (r recipe) perKind(kind Kind) map[string]string {
	host := "$(BUILT_PRODUCTS_DIR)/" + r.name + ".app/$(BUNDLE_EXECUTABLE_FOLDER_PATH)/" + r.name
	return map[Kind]map[string]string{
		App: {"ASSETCATALOG_COMPILER_APPICON_NAME": "AppIcon", "INFOPLIST_KEY_UILaunchScreen_Generation": "YES",
			"ENABLE_PREVIEWS": "YES"},
		UnitTests: {"BUNDLE_LOADER": "$(TEST_HOST)", "TEST_HOST": host},
		UITests:   {"TEST_TARGET_NAME": r.name},
	}[kind]
}
