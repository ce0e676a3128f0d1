package resident

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/machine/processes"
)

func TestConcurrentClientsStartOneProcess(t *testing.T) {
	p := newPlace(t)
	pids := make([]int, 20)
	var wg sync.WaitGroup
	for i := range pids {
		wg.Go(func() {
			c, info, err := Dialer{Place: p, Start: spawn(p, "serve")}.Connect(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if pids[i] = greeted(t, c); info.PID != pids[i] || info.Build != "test-1" {
				t.Errorf("client %d: greeted by %d, told %+v", i, pids[i], info)
			}
		})
	}
	wg.Wait()
	who := served(t, p)
	if len(who) != 1 {
		t.Fatalf("served by %v", who)
	}
	for i, pid := range pids {
		if fmt.Sprint(pid) != who[0] {
			t.Errorf("client %d got %d, not %s", i, pid, who[0])
		}
	}
}

func TestKilledHolderIsReplaced(t *testing.T) {
	p := newPlace(t)
	c, info := connect(t, p, "serve")
	first := greeted(t, c)
	kill(t, first, c)
	if _, err := os.Lstat(info.Socket); err != nil {
		t.Fatalf("a killed resident leaves its socket: %v", err)
	}
	// Its connection breaks a moment before its lock does.
	gone, err := poll(t.Context(), 20*time.Second, func() (bool, error) {
		now, alive, err := Status(p)
		return !alive && now == Info{}, err
	})
	if err != nil || !gone {
		t.Errorf("the dead are alive: %v", err)
	}
	c, info = connect(t, p, "serve")
	if second := greeted(t, c); second == first || info.PID != second {
		t.Errorf("second resident %d, info %+v", second, info)
	}
}

func TestStaleLockFileIsReplaced(t *testing.T) {
	start, err := processes.StartTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"dead pid":    `{"pid":999999999,"start":"1","socket":"/nonexistent/x.sock"}`,
		"foreign pid": fmt.Sprintf(`{"pid":%d,"start":%q,"socket":"/nonexistent/x.sock"}`, os.Getpid(), start),
		"garbage":     "\x00{",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			writeFile(t, p.LockPath(), content)
			if err := Stop(t.Context(), p); err != nil { // must not signal anybody
				t.Fatal(err)
			}
			c, info := connect(t, p, "serve")
			if pid := greeted(t, c); pid != info.PID {
				t.Errorf("greeted by %d, told %+v", pid, info)
			}
		})
	}
}

func TestFailedStartReportsLogTail(t *testing.T) {
	p := newPlace(t)
	writeFile(t, p.LogPath(), "of an earlier life\n")
	_, _, err := Dialer{Place: p, Start: spawn(p, "crash")}.Connect(t.Context())
	var dead *StartError
	if !errors.As(err, &dead) || dead.PID == 0 || dead.Tail != "boom: no store" {
		t.Fatalf("got %#v", err)
	}
	if !strings.Contains(err.Error(), "boom: no store") {
		t.Errorf("message %q", err)
	}
	no := errors.New("no such program")
	_, _, err = Dialer{Place: p, Start: func(context.Context) (int, error) { return 0, no }}.Connect(t.Context())
	if !errors.Is(err, no) {
		t.Errorf("start that fails: %v", err)
	}
}

func TestConnectTimesOutOnHungHolder(t *testing.T) {
	p := newPlace(t)
	pid := locked(t, p, "lock")
	neverStart := func(context.Context) (int, error) {
		t.Error("started beside a live holder")
		return 0, nil
	}
	_, _, err := Dialer{Place: p, Start: neverStart, Wait: 50 * time.Millisecond}.Connect(t.Context())
	var late *NotReadyError
	if !errors.As(err, &late) || !late.Held || late.PID != pid || !late.Timeout() {
		t.Fatalf("got %#v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err = (Dialer{Place: p, Start: neverStart}).Connect(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) {
		t.Errorf("context over: %v", err)
	}
}

func TestConnectTimesOutBeforeLockIsTaken(t *testing.T) {
	p := newPlace(t)
	_, _, err := Dialer{Place: p, Start: spawn(p, "hang"), Wait: 50 * time.Millisecond}.Connect(t.Context())
	var late *NotReadyError
	if !errors.As(err, &late) || late.Held || late.PID == 0 {
		t.Fatalf("got %#v", err)
	}
	if err := unix.Kill(late.PID, unix.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestConnectFailsWithoutResidentOrStart(t *testing.T) {
	p := newPlace(t)
	if _, _, err := (Dialer{Place: p}).Connect(t.Context()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("got %v", err)
	}
}

func TestForbiddenConnectIsSandboxedError(t *testing.T) {
	p := newPlace(t)
	locked(t, p, "lock")
	for _, errno := range []unix.Errno{unix.EPERM, unix.EACCES} {
		// The refusal is made here: root, as in a container, is refused nothing.
		forbid := func(context.Context, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errno)}
		}
		_, _, err := Dialer{Place: p, Start: spawn(p, "serve"), dial: forbid}.Connect(t.Context())
		var boxed *SandboxedError
		if !errors.As(err, &boxed) || boxed.Path != p.path(".sock") || !errors.Is(err, errno) {
			t.Errorf("%v: got %#v", errno, err)
		}
	}
}
