package xcresult_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/tool"
	"ios-agent/internal/virtualxcode/xcresult"
)

// bench is a folder with a bundle and a tool for it.
func bench(t *testing.T) (dir string, must func(argv ...string) string) {
	t.Helper()
	dir = t.TempDir()
	if err := xcresult.Write(filepath.Join(dir, "R.xcresult"), run()); err != nil {
		t.Fatal(err)
	}
	return dir, func(argv ...string) string {
		t.Helper()
		var out, errout strings.Builder
		if exit := (xcresult.Tool{Call: tool.Call{Args: argv, Dir: dir, Stdout: &out, Stderr: &errout}}).Run(); exit != 0 {
			t.Fatalf("%v: exit %d\n%s", argv, exit, errout.String())
		}
		return out.String()
	}
}

func TestExportAttachmentsWritesManifest(t *testing.T) {
	dir, must := bench(t)
	must("export", "attachments", "--path", "R.xcresult", "--output-path", "out")
	data, err := os.ReadFile(filepath.Join(dir, "out/manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest []struct {
		TestIdentifier string
		Attachments    []struct{ ExportedFileName, SuggestedHumanReadableName string }
	}
	if err := json.Unmarshal(data, &manifest); err != nil || len(manifest) != 1 ||
		manifest[0].TestIdentifier != "LaunchTests/testLaunch()" {
		t.Fatalf("%v %s", err, data)
	}
	a := manifest[0].Attachments[0]
	if _, err := os.Stat(filepath.Join(dir, "out", a.ExportedFileName)); err != nil || !strings.HasPrefix(a.SuggestedHumanReadableName,
		"Launch Screen_0_") {
		t.Errorf("%v %+v", err, a)
	}
	must("export", "attachments", "--only-failures", "--path", "R.xcresult", "--output-path", "failures")
	if data, _ := os.ReadFile(filepath.Join(dir, "failures/manifest.json")); strings.Contains(string(data), "testLaunch") {
		t.Errorf("it passed: %s", data)
	}
}

func TestExportWritesMetricsAndDiagnostics(t *testing.T) {
	dir, must := bench(t)
	must("export", "metrics", "--path", "R.xcresult", "--output-path", "metrics")
	if data, err := os.ReadFile(filepath.Join(dir, "metrics/SpeedTests_testSpeed.csv")); err != nil || !strings.Contains(string(data),
		"Time,seconds,2,0.2") {
		t.Errorf("%v %s", err, data)
	}
	must("export", "diagnostics", "--path", "R.xcresult", "--output-path", "diagnostics")
	if found, _ := filepath.Glob(filepath.Join(dir, "diagnostics/ShopTests-*/StandardOutputAndStandardError.txt")); len(found) != 1 {
		t.Error(found)
	}
}

func TestCompareReportsChangesAndMergeAddsTests(t *testing.T) {
	dir, must := bench(t)
	other := run()
	other.Tests[0].Suites[0].Cases[1].Result = xcresult.Passed
	other.Build.Warnings = nil
	if err := xcresult.Write(filepath.Join(dir, "B.xcresult"), other); err != nil {
		t.Fatal(err)
	}
	compare := func(parts ...string) string {
		var out bytes.Buffer
		line := append([]string{"compare", "R.xcresult", "--baseline-path", "B.xcresult"}, parts...)
		if err := json.Compact(&out, []byte(must(line...))); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(out.String(), `\/`, "/")
	}
	out := compare()
	for _, want := range []string{`"introduced":["test://com.apple.xcode/Shop/ShopTests/CartTests/testTotal"]`,
		`"buildWarnings":{"introduced":["unused"],"resolved":[]}`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if out := compare("--summary"); strings.Contains(out, "introduced") || !strings.Contains(out, `"countIntroduced":1`) {
		t.Error(out)
	}
	must("merge", "R.xcresult", "B.xcresult", "--output-path", "M.xcresult")
	if m, err := xcresult.Read(filepath.Join(dir, "M.xcresult")); err != nil || len(m.Tests) != 4 {
		t.Errorf("%v %d", err, len(m.Tests))
	}
}
