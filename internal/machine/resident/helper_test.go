package resident

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// The test binary is also the resident: with roleEnv set it plays one of these roles at the place of its arguments.
const roleEnv = "IOS_AGENT_RESIDENT_HELPER"

var roles = map[string]func(p Place){
	"serve": func(p Place) { serve(p, syscall.SIGTERM) },
	"deaf":  func(p Place) { signal.Ignore(syscall.SIGTERM); serve(p, syscall.SIGUSR1) },
	"crash": func(Place) { fmt.Fprintln(os.Stderr, "boom: no store"); os.Exit(3) },
	"hang":  func(Place) { <-time.After(time.Minute) },
	// It takes the lock, says who it is, and never listens.
	"lock": func(p Place) {
		lock, err := p.acquire()
		must(err)
		must(publish(lock, Info{Build: "hung"}.mine()))
		<-time.After(time.Minute)
		release(lock)
	},
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		roles[role](Place{Dir: os.Args[1], Name: os.Args[2]})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve tells every client its pid and keeps the connection, which breaks when this process dies.
func serve(p Place, until os.Signal) {
	l, err := Listen(p, Info{Build: "test-1"})
	if errors.Is(err, ErrHeld) {
		os.Exit(0)
	}
	must(err)
	count, err := os.OpenFile(p.path(".count"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	fmt.Fprintln(count, os.Getpid())
	end := make(chan os.Signal, 1)
	signal.Notify(end, until)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintln(c, os.Getpid())
		}
	}()
	<-end
	must(l.Close())
}

// spawn returns a Start that plays a role at a place.
func spawn(p Place, role string) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		env := []string{roleEnv + "=" + role, "GORACE=atexit_sleep_ms=0"}
		pid, err := host.StartDetached(os.Args[0], []string{p.Dir, p.Name}, env, p.LogPath())
		if err == nil {
			start, _ := processes.StartTime(pid)
			spawned.Store(pid, start)
		}
		return pid, err
	}
}

// spawned is every process of these tests: pid to start time.
var spawned sync.Map

// bury ends them all. Stop would not do: a loser that comes late becomes the resident after the one that was stopped.
func bury(t *testing.T) {
	spawned.Range(func(pid, start any) bool {
		spawned.Delete(pid)
		if processes.Alive(pid.(int), start.(string)) {
			_ = syscall.Kill(pid.(int), syscall.SIGKILL)
		}
		dead, err := poll(context.Background(), 20*time.Second, func() (bool, error) {
			return !processes.Alive(pid.(int), start.(string)), nil
		})
		if err != nil || !dead {
			t.Errorf("process %d stays: %v", pid, err)
		}
		return true
	})
}

// newPlace is short enough for a socket, which t.TempDir may not be, and leaves no process behind.
func newPlace(t *testing.T) Place {
	t.Helper()
	dir, err := os.MkdirTemp("", "res")
	if err != nil {
		t.Fatal(err)
	}
	p := Place{Dir: dir, Name: "daemon"}
	t.Cleanup(func() {
		bury(t)
		os.RemoveAll(dir)
	})
	return p
}

// greeted reads the pid a resident tells its clients.
func greeted(t *testing.T, c net.Conn) int {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// kill ends a resident without mercy and waits until its connection breaks.
func kill(t *testing.T, pid int, c net.Conn) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, c)
}

func connect(t *testing.T, p Place, role string) (net.Conn, Info) {
	t.Helper()
	c, info, err := Dialer{Place: p, Start: spawn(p, role)}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, info
}

func served(t *testing.T, p Place) []string {
	t.Helper()
	b, err := os.ReadFile(p.path(".count"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// locked starts a role that takes the lock without serving, and waits for the lock.
func locked(t *testing.T, p Place, role string) int {
	t.Helper()
	pid, err := spawn(p, role)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	yes, err := poll(t.Context(), 20*time.Second, func() (bool, error) {
		info, alive, err := Status(p)
		return alive && info.PID == pid, err
	})
	if err != nil || !yes {
		t.Fatalf("%s did not take the lock: %v", role, err)
	}
	return pid
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
