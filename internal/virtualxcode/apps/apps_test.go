package apps_test

import (
	"path/filepath"
	"testing"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
)

func TestBuiltinAppsHaveTheirScreens(t *testing.T) {
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"com.iosagent.shop":        {"login", "items", "cart", "slow"},
		"com.iosagent.conformance": {"controls", "input", "navigation", "gestures", "dynamic"},
		"com.apple.Preferences":    {"root", "general", "accessibility", "privacy"},
		"com.apple.Maps":           {"map"},
	}
	if len(bundles) != len(want) {
		t.Errorf("there are %d apps", len(bundles))
	}
	for _, b := range bundles {
		for _, screen := range want[b.ID] {
			if b.App.Screens[screen] == nil {
				t.Errorf("%s has no screen %s", b.ID, screen)
			}
		}
	}
}

func TestWrittenAppsCanBeOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "products")
	if err := apps.Write(dir); err != nil {
		t.Fatal(err)
	}
	b, err := app.Open(filepath.Join(dir, "Shop.app"))
	if err != nil {
		t.Fatal(err)
	}
	if b.Folder != "Shop.app" || b.Version != "1.0" {
		t.Errorf("opened %s %s", b.Folder, b.Version)
	}
}
