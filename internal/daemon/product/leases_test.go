package product

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
)

// TestUnsafeLocksAreRefused: whoever can write the folder of the locks could keep every device from us, or take our lock away.
func TestUnsafeLocksAreRefused(t *testing.T) {
	for _, tools := range []apple.Toolchain{{Name: apple.Virtual}, {Name: apple.Xcode}} {
		for _, depth := range []int{0, 1} {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_CACHE_HOME", "")
			h := home.Home(t.TempDir())
			dir, err := lockFolder(h, tools)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
				t.Fatal(info, err)
			}
			if depth == 1 {
				dir = filepath.Dir(dir)
			}
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			_, err = openLeases(Options{Home: h, Tools: tools, Log: slog.New(slog.DiscardHandler), Now: time.Now})
			if f := fault.From(err); err == nil || f.Code != fault.PathError || !strings.Contains(f.Hint, "chmod go-w \""+dir) {
				t.Errorf("%s %s: %v", tools.Name, dir, err)
			}
		}
	}
}
