package resident

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/processes"
)

func TestListenPublishesAndCloseClears(t *testing.T) {
	p := newPlace(t)
	build := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l, err := Listen(p, Info{Build: "b1", BuildTime: build, PID: 1, Socket: "ignored"})
	if err != nil {
		t.Fatal(err)
	}
	info, alive, err := Status(p)
	if err != nil || !alive || info != l.Info {
		t.Fatalf("status %+v, %v, %v; listener %+v", info, alive, err, l.Info)
	}
	if info.PID != os.Getpid() || !processes.Alive(info.PID, info.Start) || info.Build != "b1" || !info.BuildTime.Equal(build) {
		t.Errorf("info %+v", info)
	}
	if st, err := os.Stat(info.Socket); err != nil || st.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("socket %v, %v", st.Mode(), err)
	}
	if _, err := Listen(p, Info{}); !errors.Is(err, ErrHeld) {
		t.Errorf("second listen: %v", err)
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(info.Socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("socket after close: %v", err)
	}
	if b, err := os.ReadFile(p.LockPath()); err != nil || len(b) != 0 {
		t.Errorf("lock file after close: %q, %v", b, err)
	}
}

// Asking takes the lock for a moment; one who starts in that moment must not take it for a loss.
func TestStatusDoesNotDisturbListen(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	for range 4 {
		go func() {
			for ctx.Err() == nil {
				if _, _, err := Status(p); err != nil {
					t.Error(err)
				}
			}
			asked <- struct{}{}
		}()
	}
	for range 200 {
		l, err := Listen(p, Info{})
		if err != nil {
			t.Error(err)
			break
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	for range 4 {
		<-asked
	}
}

func TestListenReplacesStaleSocket(t *testing.T) {
	p := newPlace(t)
	old, err := net.Listen("unix", p.path(".sock"))
	if err != nil {
		t.Fatal(err)
	}
	old.(*net.UnixListener).SetUnlinkOnClose(false)
	old.Close()
	l, err := Listen(p, Info{})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := Dialer{Place: p}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	l.Close()

	writeFile(t, p.path(".sock"), "precious")
	if _, err := Listen(p, Info{}); err == nil {
		t.Error("a file that is no socket was replaced")
	}
	if _, alive, _ := Status(p); alive {
		t.Error("a listen that did not succeed keeps the lock")
	}
}

func TestSocketOfLongPathIsInTempFolder(t *testing.T) {
	short := newPlace(t) // its folder is the temporary folder of this test
	t.Setenv("TMPDIR", short.Dir)
	p := Place{Dir: filepath.Join(short.Dir, strings.Repeat("long", 30)), Name: "daemon"}
	c, info := connect(t, p, "serve")
	if pid := greeted(t, c); pid != info.PID {
		t.Errorf("greeted by %d, told %+v", pid, info)
	}
	if len(info.Socket) > maxSocketPath || !strings.HasPrefix(info.Socket, short.Dir) {
		t.Errorf("socket %s", info.Socket)
	}
	t.Setenv("TMPDIR", t.TempDir()) // a client with another temporary folder finds it all the same
	c, _, err := Dialer{Place: p}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	other := Place{Dir: p.Dir, Name: "other"}
	if a, _ := p.SocketPath(); a == "" {
		t.Error("no socket path")
	} else if b, _ := other.SocketPath(); a == b {
		t.Errorf("two places share %s", a)
	}
}

func TestUnsafeFolderIsRefused(t *testing.T) {
	short := newPlace(t)
	t.Setenv("TMPDIR", short.Dir)
	p := Place{Dir: filepath.Join(short.Dir, strings.Repeat("long", 30)), Name: "daemon"}
	path, err := p.SocketPath()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(path)
	refused := func(t *testing.T) {
		t.Helper()
		var unsafe *private.UnsafeError
		if _, err := Listen(p, Info{}); !errors.As(err, &unsafe) || unsafe.Path != folder {
			t.Errorf("listen: %v", err)
		}
		if _, _, err := (Dialer{Place: p}).Connect(t.Context()); !errors.As(err, &unsafe) {
			t.Errorf("connect: %v", err)
		}
	}
	t.Run("mode", func(t *testing.T) {
		if err := os.Chmod(folder, 0o770); err != nil {
			t.Fatal(err)
		}
		refused(t)
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("owner", func(t *testing.T) {
		if err := os.Chown(folder, os.Getuid()+1, -1); err != nil {
			t.Skipf("only root can give a folder away: %v", err)
		}
		refused(t)
	})
	t.Run("link", func(t *testing.T) {
		if err := os.Remove(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(t.TempDir(), folder); err != nil {
			t.Fatal(err)
		}
		refused(t)
	})
}

func TestStopKillsUnresponsiveResident(t *testing.T) {
	for role, dirty := range map[string]bool{"serve": false, "deaf": true, "lock": false} {
		t.Run(role, func(t *testing.T) {
			p := newPlace(t)
			pid := locked(t, p, role)
			if err := stop(t.Context(), p, 200*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if _, alive, err := Status(p); alive || err != nil {
				t.Errorf("status %v, %v", alive, err)
			}
			if b, _ := os.ReadFile(p.LockPath()); dirty && len(b) == 0 {
				t.Errorf("%d was not killed but left by itself", pid)
			}
		})
	}
}

func TestStopWithoutResidentSucceeds(t *testing.T) {
	p := newPlace(t)
	if err := Stop(t.Context(), p); err != nil {
		t.Error(err)
	}
	if err := Stop(t.Context(), Place{Dir: filepath.Join(p.Dir, "none"), Name: "x"}); err != nil {
		t.Error(err)
	}
}

func TestStopFailsWhenHolderIsUnknown(t *testing.T) {
	p := newPlace(t)
	lock, err := p.acquire()
	if err != nil {
		t.Fatal(err)
	}
	defer release(lock)
	if err := stop(t.Context(), p, 20*time.Millisecond); err == nil {
		t.Error("stopped nobody knows whom")
	}
}
