package regularfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadAcceptsOnlyRegularFilesWithinLimit(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(path("file"), []byte("12345"), 0o600))
	must(t, os.Symlink(path("file"), path("link")))
	must(t, os.Symlink(path("loop"), path("loop")))
	must(t, os.Symlink("/dev/zero", path("device")))
	must(t, syscall.Mkfifo(path("pipe"), 0o600))
	must(t, os.WriteFile(path("sparse"), nil, 0o600))
	must(t, os.Truncate(path("sparse"), 5<<30))
	for _, name := range []string{"file", "link"} {
		if raw, err := Read(path(name), 5); string(raw) != "12345" || err != nil {
			t.Errorf("%s: %q %v", name, raw, err)
		}
	}
	for name, want := range map[string]error{
		"pipe": ErrNotRegular, "device": ErrNotRegular, ".": ErrNotRegular, "loop": syscall.ELOOP, "none": os.ErrNotExist,
	} {
		if _, err := Read(path(name), 5); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, most := range map[string]int64{"file": 4, "sparse": 1 << 30} {
		var large *LargeError
		if _, err := Read(path(name), most); !errors.As(err, &large) || large.Most != most {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A path may change after it was looked at.
func TestReadFromRefusesPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	f, err := os.OpenFile(pipe, Flags, 0)
	must(t, err)
	defer f.Close()
	if _, err := ReadFrom(f, 5); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
