// Package xdesktop starts an invisible Linux desktop for tests: an X server, a window manager, a session bus, and programs on them. Start
// returns a Session, which ends with its test. It needs the programs of `make test-desktop`. Only tests import it.
package xdesktop

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/desktop/display"
	"ios-agent/internal/machine/host"
)

// Required is set by make test-desktop, which alone has all the programs: there a missing one is a failure.
const Required = "IOS_AGENT_DESKTOP"

// marker is in the environment of every program of a session, to find programs that a bus starts when the session ends.
const marker = "IOS_AGENT_TEST_SESSION"

// hang is how long something may take before it is taken for hanging.
const hang = 60 * time.Second

//go:embed app.c.txt
var source string

//go:embed hostile.c.txt
var hostile string

// Session is a desktop that lives as long as its test.
type Session struct {
	Env []string // for programs on it

	t      testing.TB
	host   *host.Host
	screen *display.Display
	dir    string
}

// Start starts a desktop; outside of make test-desktop the test is skipped.
func Start(t testing.TB) *Session {
	t.Helper()
	if os.Getenv(Required) == "" {
		t.Skip("make test-desktop runs this, with real programs")
	}
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "xd") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{t: t, host: h, dir: dir}
	t.Cleanup(s.end)
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Env = []string{marker + "=" + dir, "HOME=" + filepath.Join(dir, "home"), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "GSETTINGS_BACKEND=memory",
		"XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_CACHE_HOME="}
	screen, err := display.Start(t.Context(), h, s.Env...)
	if err != nil {
		t.Fatal(err)
	}
	s.screen, s.Env = screen, append(s.Env, screen.Env()...)
	Eventually(t, "a window manager", func() bool {
		said, err := h.Run(t.Context(), host.Cmd{Name: "xprop", Args: []string{"-root", "_NET_SUPPORTING_WM_CHECK"}, Env: s.Env})
		return err == nil && strings.Contains(string(said.Stdout), "window id")
	})
	return s
}

// Getenv is a variable of the session.
func (s *Session) Getenv(name string) (value string) {
	for _, pair := range s.Env {
		if n, v, _ := strings.Cut(pair, "="); n == name {
			value = v
		}
	}
	return value
}

// Dir is a folder of the session.
func (s *Session) Dir() string { return s.dir }

// end ends everything that was started here, and what a bus started for it.
func (s *Session) end() {
	if s.screen != nil {
		_ = s.screen.Close()
	}
	s.host.Close() // ends all; a program that does not leave is found below
	for _, pid := range s.marked() {
		unix.Kill(pid, unix.SIGKILL) // it may have left
	}
	for range 100 { // what was killed still writes its last
		if len(s.marked()) == 0 {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	os.RemoveAll(s.dir)
}

// marked are the processes of the session.
func (s *Session) marked() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		raw, err := os.ReadFile(name)
		if err != nil || !slices.ContainsFunc(bytes.Split(raw, []byte{0}), func(b []byte) bool { return string(b) == marker+"="+s.dir }) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Program is a program of the session.
type Program struct {
	PID     int
	t       testing.TB
	name    string
	process *host.Process

	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

// Run starts a program. It ends with the session.
func (s *Session) Run(name string, args ...string) *Program {
	s.t.Helper()
	return s.RunWith(nil, name, args...)
}

// RunWith starts a program with more variables.
func (s *Session) RunWith(env []string, name string, args ...string) *Program {
	s.t.Helper()
	p := &Program{t: s.t, name: name, more: make(chan struct{})}
	process, err := s.host.Start(s.t.Context(), host.Cmd{Name: name, Args: args, Dir: s.dir, Env: slices.Concat(s.Env, env),
		Grace:  time.Second,
		OnLine: p.line})
	if err != nil {
		s.t.Fatal(err)
	}
	p.process, p.PID = process, process.PID
	return p
}

func (p *Program) line(_ host.Stream, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, string(line))
	close(p.more)
	p.more = make(chan struct{})
}

// Lines are all that it printed.
func (p *Program) Lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// Await waits until it has printed a line.
func (p *Program) Await(line string) {
	p.t.Helper()
	p.AwaitLine(func(s string) bool { return s == line })
}

// AwaitLine waits for a line that fits.
func (p *Program) AwaitLine(fits func(string) bool) string {
	p.t.Helper()
	late := time.NewTimer(hang)
	defer late.Stop()
	for seen := 0; ; {
		p.mu.Lock()
		lines, more := p.lines, p.more
		p.mu.Unlock()
		for _, l := range lines[seen:] {
			if fits(l) {
				return l
			}
		}
		seen = len(lines)
		select {
		case <-more:
		case <-late.C:
			p.t.Fatalf("%s did not print what was awaited; it printed %q", p.name, lines)
		case <-p.process.Done():
			if len(p.Lines()) == seen {
				p.t.Fatalf("%s ended; it printed %q", p.name, lines)
			}
		}
	}
}

// Done is closed when it has ended.
func (p *Program) Done() <-chan struct{} { return p.process.Done() }

// App compiles the test program.
func (s *Session) App() string {
	s.t.Helper()
	binary := filepath.Join(s.dir, "app")
	if err := Compile(s.t.Context(), s.host, binary); err != nil {
		s.t.Fatal(err)
	}
	return binary
}

// Hostile compiles the hostile program: its first argument selects an attack on its driver.
func (s *Session) Hostile() string {
	s.t.Helper()
	binary := filepath.Join(s.dir, "hostile")
	if err := compile(s.t.Context(), s.host, hostile, binary); err != nil {
		s.t.Fatal(err)
	}
	return binary
}

// Compile makes the test program of GTK 3, which tells what becomes of its widgets.
func Compile(ctx context.Context, h *host.Host, binary string) error {
	return compile(ctx, h, source, binary)
}

// CompileHostile makes the hostile program.
func CompileHostile(ctx context.Context, h *host.Host, binary string) error {
	return compile(ctx, h, hostile, binary)
}

func compile(ctx context.Context, h *host.Host, source, binary string) error {
	if err := os.WriteFile(binary+".c", []byte(source), 0o600); err != nil {
		return err
	}
	flags, err := h.Run(ctx, host.Cmd{Name: "pkg-config", Args: []string{"--cflags", "--libs", "gtk+-3.0"}})
	if err != nil {
		return err
	}
	args := []string{"-Wall", "-Wno-deprecated-declarations", "-O0", "-o", binary, binary + ".c"}
	args = append(args, strings.Fields(string(flags.Stdout))...)
	if out, err := h.Run(ctx, host.Cmd{Name: "gcc", Args: args, Timeout: 5 * time.Minute}); err != nil {
		return fmt.Errorf("%w\n%s", err, out.Stderr)
	}
	return nil
}

// Eventually waits until something is so.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	late := time.NewTimer(hang)
	defer late.Stop()
	for !is() {
		select {
		case <-poll.C:
		case <-late.C:
			t.Fatal(fmt.Sprint("in vain: ", what))
		}
	}
}
