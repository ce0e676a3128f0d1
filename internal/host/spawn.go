package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// spawn starts c as the leader of a process group of its own, with its streams pumped and its entry on disk.
func (h *Host) spawn(ctx context.Context, c Cmd, newCapture func() *capture) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	if h.isClosed() {
		return nil, ErrClosed
	}
	p := newProcess(h, c)
	p.stdout.keep, p.stderr.keep = newCapture(), newCapture()
	if err := p.launch(); err != nil {
		return nil, startError(c, err)
	}
	if err := errors.Join(h.register(p), h.adopt(p)); err != nil {
		// A child that nobody could find after our death must not live.
		p.kill()
		p.watch()
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	go p.watch()
	return p, nil
}

// launch wires the pipes and starts the program. The pipes are ours and not os/exec's, because a read that a
// grandchild holds open must be given up without losing what is already in the pipe.
func (p *Process) launch() error {
	if p.spec.Dir != "" {
		if _, err := os.Stat(p.spec.Dir); err != nil {
			return &workDirError{err} // else indistinguishable from a missing program
		}
	}
	stdout, err := p.stdout.open()
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := p.stderr.open()
	if err != nil {
		p.stdout.r.Close()
		return err
	}
	defer stderr.Close()
	p.exec.Stdout, p.exec.Stderr = stdout, stderr
	if err := p.start(); err != nil {
		p.stdout.r.Close()
		p.stderr.r.Close()
		return err
	}
	return nil
}

func (p *Process) start() error {
	in, err := p.stdin.open(p.spec.Stdin)
	if err != nil {
		return err
	}
	p.exec.Stdin = in
	p.began = time.Now()
	err = p.exec.Start()
	p.stdin.begin(err == nil)
	if err != nil {
		return err
	}
	p.PID = p.exec.Process.Pid
	return nil
}

// open makes the pipe and returns the end that belongs to the child.
func (p *pump) open() (*os.File, error) {
	r, w, err := os.Pipe()
	p.r = r
	return w, err
}

func newProcess(h *Host, c Cmd) *Process {
	cmd := exec.Command(c.Name, c.Args...)
	cmd.Dir = c.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	p := &Process{
		host: h, spec: c, exec: cmd,
		exited: make(chan struct{}), done: make(chan struct{}), halted: make(chan struct{}),
	}
	if c.OnLine != nil {
		var one sync.Mutex
		for stream, pump := range map[Stream]*pump{Stdout: &p.stdout, Stderr: &p.stderr} {
			pump.line = func(line []byte) {
				one.Lock()
				defer one.Unlock()
				c.OnLine(stream, line)
			}
		}
	}
	return p
}

type workDirError struct{ error }

func (e *workDirError) Unwrap() error { return e.error }

// startError tells a missing program from one that could not be started.
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

// missing is false for a script whose interpreter is what does not exist.
func missing(c Cmd) bool {
	path := c.Name
	if !filepath.IsAbs(path) && strings.Contains(path, "/") {
		path = filepath.Join(c.Dir, path)
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
