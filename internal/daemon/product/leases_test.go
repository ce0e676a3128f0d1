package product

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/machine/host"
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

// TestOpenClosesTalkWhenLeasesFail: a pipe tells its reader when nobody has it open for writing any more.
func TestOpenClosesTalkWhenLeasesFail(t *testing.T) {
	h, tools := home.Home(t.TempDir()), apple.Toolchain{Name: apple.Virtual}
	talk := filepath.Join(t.TempDir(), "talk")
	if err := syscall.Mkfifo(talk, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := syscall.Open(talk, syscall.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(reader)
	locks, err := lockFolder(h, tools)
	if err == nil {
		err = os.Chmod(locks, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	runner, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(Options{Home: h, Tools: tools, Host: runner, Talk: talk, Log: slog.New(slog.DiscardHandler)})
	if !fault.Is(err, fault.PathError) {
		t.Fatalf("open: %v, want %s", err, fault.PathError)
	}
	if n, err := syscall.Read(reader, make([]byte, 1)); n != 0 || err != nil {
		t.Errorf("read of the talk = %d, %v; want its end: the product has it open", n, err)
	}
}
