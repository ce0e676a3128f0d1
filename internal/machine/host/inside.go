package host

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Main is a program as a function: it reads its input and writes its output through the Invocation and returns its exit code. A signal ends
// ctx; the function must return soon after that.
type Main func(ctx context.Context, in Invocation) (exit int)

// Invocation has the inputs of a Main.
type Invocation struct {
	Args   []string
	Dir    string // the working folder; empty means this process's
	Env    map[string]string
	Stdin  io.Reader // never nil
	Stdout io.Writer
	Stderr io.Writer
}

// errNoMain is the cause of a NotFoundError for a program that Options.Inside does not know.
var errNoMain = errors.New("no such program inside this process")

// inside is the spawner of programs that are functions of this process.
type inside struct {
	find func(name string) Main

	mu      sync.Mutex
	started int
}

var _ spawner = (*inside)(nil)

func (s *inside) spawn(c Cmd) (spawned, error) {
	main := s.find(c.Name)
	if main == nil {
		return spawned{}, &NotFoundError{Name: c.Name, Err: errNoMain}
	}
	if c.Dir != "" {
		if _, err := os.Stat(c.Dir); err != nil {
			return spawned{}, startError(c, &workDirError{err})
		}
	}
	s.mu.Lock()
	s.started++
	pid := noPID + s.started
	s.mu.Unlock()
	f := newCallee(main, c)
	return spawned{program: f, pid: pid, stdin: f.stdin}, nil
}

// callee is a running Main. Its output goes straight to the sink, in the chunks that it writes.
type callee struct {
	main   Main
	in     Invocation
	ctx    context.Context
	cancel context.CancelFunc
	stdin  io.WriteCloser // nil without input to copy

	mu     sync.Mutex
	killed bool // by SIGKILL

	end  ending
	gone chan struct{}
}

var _ program = (*callee)(nil)

func newCallee(main Main, c Cmd) *callee {
	f := &callee{main: main, gone: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.in = Invocation{Args: slices.Clone(c.Args), Dir: c.Dir, Env: environment(c.environ()), Stdin: strings.NewReader("")}
	if c.feeds() {
		f.in.Stdin, f.stdin = io.Pipe()
	} else if c.Stdin != nil {
		f.in.Stdin = c.Stdin
	}
	return f
}

// environment returns a list of variables as a map; the last entry of a name wins.
func environment(pairs []string) map[string]string {
	env := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

// deliver runs the function.
func (f *callee) deliver(to sink) {
	defer close(f.gone)
	defer f.cancel()
	f.in.Stdout, f.in.Stderr = &outlet{f, to, Stdout}, &outlet{f, to, Stderr}
	began := time.Now()
	exit := f.main(f.ctx, f.in)
	if pipe, ok := f.in.Stdin.(*io.PipeReader); ok {
		pipe.CloseWithError(os.ErrClosed) // the program has ended: the rest of its input is dropped
	}
	f.end = ending{code: exit, took: time.Since(began)}
	if f.isKilled() {
		f.end.code, f.end.signal = -1, signalName(unix.SIGKILL)
	}
}

func (f *callee) wait() ending {
	<-f.gone
	return f.end
}

func (f *callee) signal(sig unix.Signal) {
	f.mu.Lock()
	f.killed = f.killed || sig == unix.SIGKILL && f.lives()
	f.mu.Unlock()
	f.cancel()
}

func (f *callee) isKilled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.killed
}

func (f *callee) lives() bool { return open(f.gone) }

// outlet is the output of a callee. It drops the output of a killed one.
type outlet struct {
	from   *callee
	to     sink
	stream Stream
}

func (o *outlet) Write(b []byte) (int, error) {
	if o.from.isKilled() {
		return 0, os.ErrClosed
	}
	o.to(o.stream, b)
	return len(b), nil
}
