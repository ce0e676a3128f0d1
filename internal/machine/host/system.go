package host

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// system is the spawner of real programs: each leads a process group of its own and has an entry on disk.
type system struct{ registry registry }

var _ spawner = system{}

func (s system) spawn(c Cmd) (spawned, error) {
	g := newGroup(c, s.registry)
	stdin, err := g.launch(c)
	if err != nil {
		return spawned{}, startError(c, err)
	}
	if err := s.registry.register(g.pid(), g.path, c.EndByStdin); err != nil {
		// Without its entry, no later daemon could end the child if this process died.
		g.abandon(stdin)
		return spawned{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	return spawned{program: g, pid: g.pid(), stdin: stdin}, nil
}

// group is a program that runs as the leader of its process group.
type group struct {
	cmd            *exec.Cmd
	path           string // path of the program
	registry       registry
	began          time.Time
	stdout, stderr pipeReader
}

// unheard is a shell script that ignores SIGPIPE and then becomes the program, which keeps ignoring it: Go cannot start a program that way.
// The script is constant; the program and its arguments are arguments of the shell, which does not interpret them.
const unheard = `trap '' PIPE; exec "$0" "$@"`

func newGroup(c Cmd, r registry) *group {
	cmd := exec.Command(c.Name, c.Args...)
	program := cmd.Path
	if path, err := exec.LookPath(c.Name); c.EndByStdin && err == nil {
		// When the daemon dies, the program's output has no reader. SIGPIPE would then end the program before it sees the end of its input.
		cmd = exec.Command("/bin/sh", append([]string{"-c", unheard, path}, c.Args...)...)
	}
	cmd.Dir = c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = c.environ()
	return &group{cmd: cmd, path: program, registry: r}
}

// launch makes the pipes and starts the program. It does not use the pipes of os/exec for two reasons: a read that a grandchild holds open
// must be abandoned without losing data that is already in the pipe, and os/exec waits for ever for an input that never ends.
func (g *group) launch(c Cmd) (stdin io.WriteCloser, err error) {
	if c.Dir != "" {
		if _, err := os.Stat(c.Dir); err != nil {
			return nil, &workDirError{err} // otherwise it looks like a missing program
		}
	}
	var p pipes
	defer p.closeTheirs()
	g.cmd.Stdin = c.Stdin
	if c.feeds() {
		if g.cmd.Stdin, stdin, err = p.input(); err != nil {
			return nil, err
		}
	}
	g.stdout.r, g.cmd.Stdout = p.output()
	g.stderr.r, g.cmd.Stderr = p.output()
	if p.err == nil {
		g.began = time.Now()
		if c.Halted {
			p.err = startHalted(g.cmd)
		} else {
			p.err = g.cmd.Start()
		}
	}
	if p.err != nil {
		p.closeOurs()
		return nil, p.err
	}
	return stdin, nil
}

func (g *group) pid() int { return g.cmd.Process.Pid }

func (g *group) abandon(stdin io.Closer) {
	g.signal(unix.SIGKILL)
	_ = g.cmd.Wait()
	g.stdout.r.Close()
	g.stderr.r.Close()
	if stdin != nil {
		stdin.Close()
	}
}

func (g *group) deliver(to sink) {
	var both sync.WaitGroup
	both.Go(func() { g.stdout.run(func(b []byte) { to(Stdout, b) }) })
	both.Go(func() { g.stderr.run(func(b []byte) { to(Stderr, b) }) })
	both.Wait()
}

func (g *group) wait() ending {
	_ = g.cmd.Wait() // ProcessState says how it ended
	e := ending{code: -1, took: time.Since(g.began)}
	if s, ok := g.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
		e.code, e.signal = statusOf(s)
	}
	g.registry.unregister(g.pid())
	g.stdout.exited()
	g.stderr.exited()
	return e
}

func statusOf(s syscall.WaitStatus) (code int, signal string) {
	if !s.Signaled() {
		return s.ExitStatus(), ""
	}
	return -1, signalName(s.Signal())
}

func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", sig)
}

// signal is safe after the leader was waited for: the kernel does not reuse its id while the group has members, and a group without members
// is gone.
func (g *group) signal(sig unix.Signal) { _ = unix.Kill(-g.pid(), sig) }

// lives returns false on any error: macOS answers EPERM for a group of zombies.
func (g *group) lives() bool { return unix.Kill(-g.pid(), 0) == nil }

type workDirError struct{ error }

func (e *workDirError) Unwrap() error { return e.error }

// startError distinguishes a missing program from a program that cannot be started.
func startError(c Cmd, err error) error {
	var dir *workDirError
	if errors.As(err, &dir) {
		return fmt.Errorf("%s: working directory: %w", c.Name, err)
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) && missing(c) {
		return &NotFoundError{Name: c.Name, Err: err}
	}
	return fmt.Errorf("start %s: %w", c.Name, err)
}

// missing reports whether the program itself does not exist; it is false for a script whose interpreter does not exist.
func missing(c Cmd) bool {
	path := c.Name
	if !filepath.IsAbs(path) && strings.Contains(path, "/") {
		path = filepath.Join(c.Dir, path)
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
