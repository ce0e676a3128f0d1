package builder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The name of an .xctestrun has the test plan in it where the scheme has one; the platform is found behind it.
func TestTestRunsIncludeTestPlans(t *testing.T) {
	dir := t.TempDir()
	products := filepath.Join(dir, "Build/Products")
	if err := os.MkdirAll(products, 0o700); err != nil {
		t.Fatal(err)
	}
	names := []string{"App_Smoke_iphonesimulator26.0-arm64.xctestrun", "App_iphonesimulator18.2-arm64-x86_64.xctestrun"}
	for _, name := range append(names, "App_Smoke_iphoneos26.0-arm64.xctestrun", "App_macosx26.0-arm64.xctestrun") {
		if err := os.WriteFile(filepath.Join(products, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, path := range testRuns(dir, IOS+Simulated) {
		got = append(got, filepath.Base(path))
	}
	if !slices.Equal(got, names) {
		t.Errorf("%q, want %q", got, names)
	}
}
