package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/test/pbxtest"
)

func TestWriteAppliesEveryOption(t *testing.T) {
	dir := t.TempDir()
	w, err := Write(dir, IOS, Options{
		Name: "Weather_2", BundleID: "com.acme.weather", DisplayName: `Wea"ther $(x)`, MarketingVersion: "2.1", ProjectVersion: "7",
		Deployment: "17.0",
		Families:   []Family{"iphone"}, Orientations: []Orientation{"portrait"},
		PadOrientations: []Orientation{"landscape-left", "landscape-right"},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, filepath.Join(w.Project, "project.pbxproj"))
	for _, want := range []string{
		"PRODUCT_BUNDLE_IDENTIFIER = com.acme.weather;", `INFOPLIST_KEY_CFBundleDisplayName = "Wea\"ther $(x)";`, "MARKETING_VERSION = 2.1;",
		"CURRENT_PROJECT_VERSION = 7;", "IPHONEOS_DEPLOYMENT_TARGET = 17.0;", "TARGETED_DEVICE_FAMILY = 1;",
		"INFOPLIST_KEY_UISupportedInterfaceOrientations_iPhone = UIInterfaceOrientationPortrait;",
		`INFOPLIST_KEY_UISupportedInterfaceOrientations_iPad = "UIInterfaceOrientationLandscapeLeft UIInterfaceOrientationLandscapeRight";`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if manifest := read(t, filepath.Join(w.Package, "Package.swift")); !strings.Contains(manifest, `[.iOS("17.0")]`) {
		t.Error(manifest)
	}
	for _, file := range w.Files {
		if strings.Contains(file+read(t, filepath.Join(dir, file)), Placeholder) {
			t.Errorf("%s has the template's name", file)
		}
	}
}

// TestSchemeTestsEveryTestTarget: the scheme tests the targets of the project and of the package.
func TestSchemeTestsEveryTestTarget(t *testing.T) {
	for _, on := range []Platform{IOS, MacOS} {
		w, err := Write(t.TempDir(), on, Options{Name: "Ledger"})
		if err != nil {
			t.Fatal(err)
		}
		scheme := read(t, filepath.Join(w.Project, "xcshareddata", "xcschemes", w.Scheme+".xcscheme"))
		_, tests, _ := strings.Cut(scheme, "<Testables>")
		for _, want := range []string{
			"BlueprintName = \"LedgerUITests\"\n               ReferencedContainer = \"container:Ledger.xcodeproj\"",
			"BlueprintIdentifier = \"LedgerFeatureTests\"\n               BuildableName = \"LedgerFeatureTests\"\n" +
				"               BlueprintName = \"LedgerFeatureTests\"\n               ReferencedContainer = \"container:LedgerPackage\"",
		} {
			if !strings.Contains(tests, want) {
				t.Errorf("got\n%s\nwant %s in it", tests, want)
			}
		}
	}
}

func TestWriteRefusesToReplaceFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(dir, MacOS, Options{Name: "Ledger"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, MacOS, Options{Name: "Ledger"}); !errors.Is(err, ErrExists) {
		t.Errorf("a second one: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, MacOS, Options{Name: "Other"}); err == nil {
		t.Error("a file in the way was no obstacle")
	}
	if _, err := os.Stat(filepath.Join(dir, "Other.xcodeproj")); err == nil {
		t.Error("half a project was written")
	}
}

func TestFamiliesMapToTargetedDeviceFamily(t *testing.T) {
	for want, of := range map[string][]Family{"1": {"iphone"}, "2": {"ipad"}, "1,2": {"ipad", "iphone", "universal"}} {
		if got := (Options{Families: of}).family(); got != want {
			t.Errorf("%v: %s", of, got)
		}
	}
}

// TestProjectsAreReadByNpmParsers lets readers from npm read both projects.
func TestProjectsAreReadByNpmParsers(t *testing.T) {
	args := []string{}
	for _, on := range []Platform{IOS, MacOS} {
		w, err := Write(t.TempDir(), on, Options{Name: "Sample", DisplayName: `A "name"`})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, filepath.Join(w.Project, "project.pbxproj"))
	}
	pbxtest.Check(t, args...)
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
