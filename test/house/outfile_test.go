package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestOutputFilesAreNotOverwritten: a file that is there stays, unless force says otherwise; nothing is written through a link.
func TestOutputFilesAreNotOverwritten(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	for _, name := range []string{"take_screenshot", "record_video"} {
		dir := t.TempDir()
		file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
		if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, link); err != nil {
			t.Fatal(err)
		}
		says(h, t, name, in{"out": file}, "PATH_ERROR", "exists", "force")
		says(h, t, name, in{"out": link}, "PATH_ERROR", "regular file")
		says(h, t, name, in{"out": link, "force": true}, "PATH_ERROR", "regular file")
		if raw, err := os.ReadFile(file); err != nil || string(raw) != "precious" {
			t.Errorf("%s: %q %v", name, raw, err)
		}
		h.Must("a", name, in{"out": file, "force": true})
	}
	h.Must("a", "record_video", in{"stop": true})
}

// TestBlackScreenshotIsTakenAgain: one black picture is taken again; two are said.
func TestBlackScreenshotIsTakenAgain(t *testing.T) {
	t.Parallel()
	for times, black := range map[int]bool{1: false, 2: true} {
		h := house.New(t)
		h.Boot("a", drivertest.Conformance)
		if err := h.Virtual.AddFault(t.Context(), virtualxcode.Fault{Name: "black-screenshot", Times: times}); err != nil {
			t.Fatal(err)
		}
		e := h.Must("a", "take_screenshot", nil)
		if is := strings.Contains(e.Stdout, "all black"); is != black {
			t.Errorf("%d black pictures: %s", times, e.Stdout)
		}
	}
}
