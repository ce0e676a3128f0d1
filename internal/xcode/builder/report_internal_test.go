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

// TestTestsOfVirtualXcodeCountOnlyIfRun: a pass counts in a target that ran; a skip because of Virtual Xcode is not run.
func TestTestsOfVirtualXcodeCountOnlyIfRun(t *testing.T) {
	cases := func() *Tests {
		return &Tests{Counts: Counts{Total: 5, Passed: 2, Failed: 1, Skipped: 2}, notRun: []bool{false, false, true, false, false}, Cases: []Case{
			{ID: "Kit/a()", Status: passed, DurationMS: 1}, {ID: "App/b()", Status: passed, DurationMS: 1}, {ID: "Kit/c()", Status: skipped},
			{ID: "App/d()", Status: skipped}, {ID: "App/e()", Status: failed},
		}}
	}
	for _, tc := range []struct {
		notes []string
		want  Counts
		text  string
	}{
		{nil, Counts{Total: 5, Failed: 1, Skipped: 1, NotRun: 3}, "5 tests simulated, none run: 1 failed, 1 skipped, 3 not run"},
		{[]string{"virtual: form of 2 files", ranBySwift + "Kit"}, Counts{Total: 5, Passed: 1, Failed: 1, Skipped: 1, NotRun: 2},
			"5 tests: 1 passed, 1 failed, 1 skipped, 2 not run"},
	} {
		tests := cases()
		tests.markSimulated(tc.notes)
		r := Report{Tests: tests}
		if tests.Counts != tc.want || r.counts() != tc.text || tests.Cases[1].Status != notRun || tests.Cases[2].Status != notRun {
			t.Errorf("%v: got %+v %q, want %+v %q", tc.notes, tests, r.counts(), tc.want, tc.text)
		}
	}
}
