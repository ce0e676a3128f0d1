package script

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ios-agent/internal/apple/pbxproj"
)

var updateExample = flag.Bool("update", false, "write the Xcode projects of sdk/Example and sdk/Tour")

const sdkFolder = "../../sdk"

// TestSDKExampleIsUpToDate holds the projects of sdk/Example and sdk/Tour to what we write for their files.
func TestSDKExampleIsUpToDate(t *testing.T) {
	t.Parallel()
	holdProject(t, "Example", appOfTheSDK(t, "Example", "com.example.agentidentifiers", "AgentIdentifiers"))
	holdProject(t, "Tour", appOfTheSDK(t, "Tour", "com.example.tour"))
}

func holdProject(t *testing.T, folder string, layout pbxproj.Layout) {
	t.Helper()
	contents := layout.Contents()
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		file := filepath.Join(sdkFolder, folder, name)
		if *updateExample {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(contents[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if has, err := os.ReadFile(file); err != nil || string(has) != contents[name] {
			t.Errorf("%s is not what is written for the files beside it (%v): go test ./test/script -run TestSDKExampleIsUpToDate -update",
				file, err)
		}
	}
}

// appOfTheSDK is the project of an app: one target of all that lies in its folder. An app with products uses the package above.
func appOfTheSDK(t *testing.T, name, bundle string, products ...string) pbxproj.Layout {
	t.Helper()
	platform, _ := pbxproj.PlatformOf("iOS")
	app := pbxproj.Target{Name: name, Kind: pbxproj.App, Products: products, Configurations: pbxproj.Configure(
		map[string]string{
			"CODE_SIGN_STYLE": "Automatic", "CURRENT_PROJECT_VERSION": "1", "GENERATE_INFOPLIST_FILE": "YES",
			"INFOPLIST_KEY_UILaunchScreen_Generation": "YES", "MARKETING_VERSION": "1.0",
			"INFOPLIST_KEY_UISupportedInterfaceOrientations": "UIInterfaceOrientationPortrait UIInterfaceOrientationLandscapeLeft " +
				"UIInterfaceOrientationLandscapeRight",
			"PRODUCT_BUNDLE_IDENTIFIER": bundle, "PRODUCT_NAME": "$(TARGET_NAME)", "SWIFT_VERSION": "5.0",
			"TARGETED_DEVICE_FAMILY": platform.Families,
		}, nil,
		// What only Virtual Xcode reads is, like the SDK, nothing for a release.
		map[string]string{"EXCLUDED_SOURCE_FILE_NAMES": "ui.yaml"})}
	files, err := filepath.Glob(filepath.Join(sdkFolder, name, name, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the app %s has no files: %v", name, err)
	}
	for _, file := range files {
		if name := app.Name + "/" + filepath.Base(file); pbxproj.IsSource(name) {
			app.Sources = append(app.Sources, name)
		} else {
			app.Resources = append(app.Resources, name)
		}
	}
	var packages []string
	if len(products) > 0 {
		packages = []string{".."}
	}
	p := pbxproj.Project{Name: app.Name, Packages: packages, Targets: []pbxproj.Target{app}, Configurations: pbxproj.Configure(
		map[string]string{"CLANG_ENABLE_MODULES": "YES", "ENABLE_USER_SCRIPT_SANDBOXING": "YES", "SDKROOT": platform.SDK,
			platform.Deployment: platform.Version},
		map[string]string{"ENABLE_TESTABILITY": "YES", "ONLY_ACTIVE_ARCH": "YES", "SWIFT_ACTIVE_COMPILATION_CONDITIONS": "DEBUG",
			"SWIFT_OPTIMIZATION_LEVEL": "-Onone"},
		map[string]string{"SWIFT_COMPILATION_MODE": "wholemodule", "VALIDATE_PRODUCT": "YES"})}
	return pbxproj.Layout{Projects: map[string]pbxproj.Project{".": p}, Schemes: map[string][]pbxproj.Scheme{".": {p.SchemeOf(app.Name)}}}
}

// copySDK copies the SDK and its example into the script's folder, as they would be checked out.
func copySDK(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: copy-sdk FOLDER")
	}
	for _, part := range []string{"Example", "Sources"} {
		ts.Check(os.CopyFS(filepath.Join(ts.MkAbs(args[0]), part), os.DirFS(filepath.Join(sdkFolder, part))))
	}
	manifest, err := os.ReadFile(filepath.Join(sdkFolder, "Package.swift"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), "Package.swift"), manifest, 0o644))
}
