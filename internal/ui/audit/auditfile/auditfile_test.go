package auditfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui/audit/auditfile"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStepsReadsLinesOrJSON(t *testing.T) {
	want := []string{"tap @e7", "fill @e5 'a b'"}
	for _, text := range []string{"# a journey\ntap @e7\n\n  fill @e5 'a b'\r\n", ` ["tap @e7", "fill @e5 'a b'"]`} {
		if got, err := auditfile.Steps(file(t, text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{`["tap @e7"`, `[1]`} {
		if _, err := auditfile.Steps(file(t, text)); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := auditfile.Steps(filepath.Join(t.TempDir(), "none")); !fault.Is(err, fault.PathError) {
		t.Error(err)
	}
}

func TestBaselineRefusesInvalidFile(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	if _, err := auditfile.Baseline(none, true); err != nil {
		t.Error(err)
	}
	for _, path := range []string{none, file(t, "tap @e7"), file(t, `{"version": 7}`), file(t, `{"version": 1, "findings": 3}`)} {
		if _, err := auditfile.Baseline(path, false); !fault.Is(err, fault.PathError) {
			t.Errorf("%s: %v", path, err)
		}
	}
	b, err := auditfile.Baseline(file(t, `{"version": 1, "findings": [{"fingerprint": "x"}]}`), false)
	if err != nil || len(b.Findings) != 1 {
		t.Errorf("%+v %v", b, err)
	}
}
