package self

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
)

// TestInstallRefusesToReplaceOtherProgram: the program is in the folder, whole, for those who may enter the folder; what is not ours is
// left alone.
func TestInstallRefusesToReplaceOtherProgram(t *testing.T) {
	for mode, want := range map[os.FileMode]os.FileMode{0o700: 0o700, 0o755: 0o755, 0o775: 0o755} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			placed, err := Install(dir)
			info, statErr := os.Stat(filepath.Join(dir, Name))
			if err != nil || statErr != nil || placed.Changed != (i == 0) || info.Mode().Perm() != want {
				t.Errorf("%v: %+v %v %v", mode, placed, err, info)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("left over: %v %v", entries, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "new", "bin")
	if _, err := Install(dir); err != nil {
		t.Error(err)
	}
	other := filepath.Join(dir, Name)
	if err := os.WriteFile(other, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(dir); !fault.Is(err, fault.PathError) || !strings.Contains(err.Error(), "another program than ios-agent") {
		t.Errorf("over another program: got %v, want PATH_ERROR", err)
	}
	if raw, err := os.ReadFile(other); err != nil || string(raw) != "#!/bin/sh\n" {
		t.Errorf("%q %v", raw, err)
	}
	if _, err := Install(filepath.Join(other, "bin")); !fault.Is(err, fault.PathError) {
		t.Errorf("below a file: %v", err)
	}
}
