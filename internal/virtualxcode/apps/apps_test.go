package apps_test

import (
	"path/filepath"
	"testing"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
)

func TestShopIsBuiltIn(t *testing.T) {
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(bundles) != 1 || bundles[0].ID != "com.iosagent.shop" || bundles[0].Name != "Shop" {
		t.Fatalf("built-in apps are %+v", bundles)
	}
	for _, screen := range []string{"login", "items", "cart"} {
		if bundles[0].App.Screens[screen] == nil {
			t.Errorf("screen %s is missing", screen)
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
