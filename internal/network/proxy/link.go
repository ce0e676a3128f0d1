package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
)

// link is a running process, and the conversation with it.
type link struct {
	process *host.Process
	input   *io.PipeWriter
	voice   *voice
	hear    func(*link, line) // events, in their order, one at a time
	first   chan line         // the first line
	over    chan struct{}     // closed when the process has ended
	told    chan struct{}     // closed when all its flows are in the store

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan line
	greeted bool
}

// Starter starts programs; package host implements it.
type Starter interface {
	Start(context.Context, host.Cmd) (*host.Process, error)
}

// grace is how long the process may take to write its flows before it is killed.
const grace = 10 * time.Second

// begin starts a process and sends it its config. The string is the process's listening address.
func begin(ctx context.Context, run Starter, program string, c Config, hear func(*link, line)) (*link, string, error) {
	stdin, input := io.Pipe()
	l := &link{
		input: input, voice: newVoice(input), hear: hear, first: make(chan line, 1), over: make(chan struct{}),
		told: make(chan struct{}), waiting: map[int64]chan line{},
	}
	process, err := run.Start(ctx, host.Cmd{
		Name: program, Args: []string{Command}, Stdin: stdin, EndByStdin: true, Grace: grace, Dir: c.Dir,
		OnLine: func(from host.Stream, raw []byte) {
			if from == host.Stdout {
				l.take(raw)
			}
		},
	})
	if err != nil {
		return nil, "", err
	}
	l.process = process
	go func() {
		<-process.Done()
		_ = stdin.CloseWithError(io.ErrClosedPipe) // ends a write that is still waiting
		close(l.over)
	}()
	if err := l.voice.say(command{Version: version, Do: doConfig, Config: &c}); err != nil {
		return nil, "", l.failed(err)
	}
	select {
	case hello := <-l.first:
		if hello.Error == nil && hello.Version == version {
			return l, hello.Listen, nil
		}
		_ = process.Stop(context.WithoutCancel(ctx))
		if hello.Error != nil {
			return nil, "", &refusedError{*hello.Error}
		}
		return nil, "", fmt.Errorf("the proxy's process has protocol version %d, want %d", hello.Version, version)
	case <-l.over:
		return nil, "", l.failed(errors.New("it printed nothing"))
	case <-ctx.Done():
		_ = process.Stop(context.WithoutCancel(ctx))
		return nil, "", ctx.Err()
	}
}

// take handles a line from the process.
func (l *link) take(raw []byte) {
	var said line
	if json.Unmarshal(raw, &said) != nil {
		return // printed by a library, not by the protocol
	}
	l.mu.Lock()
	first := !l.greeted
	l.greeted = true
	answer := l.waiting[said.ID]
	delete(l.waiting, said.ID)
	l.mu.Unlock()
	switch {
	case first:
		l.first <- said
	case said.Event != "":
		l.hear(l, said)
	case answer != nil:
		answer <- said
	}
}

// failed is the reason why a process ended.
func (l *link) failed(why error) error {
	_ = l.process.Stop(context.Background())
	if _, err := l.process.Result(); err != nil {
		why = err
	}
	return fmt.Errorf("the proxy's process ended: %w", why)
}

// ask sends a command and waits for its reply.
func (l *link) ask(ctx context.Context, c command) (line, error) {
	answer := make(chan line, 1)
	l.mu.Lock()
	l.last++
	c.ID = l.last
	l.waiting[c.ID] = answer
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiting, c.ID)
	}()
	if err := l.voice.say(c); err != nil {
		return line{}, l.gone(err)
	}
	select {
	case said := <-answer:
		if said.Error != nil {
			return said, &refusedError{*said.Error}
		}
		return said, nil
	case <-l.over:
		return line{}, l.gone(nil)
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

// ended reports whether the process has exited.
func (l *link) ended() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// gone is the reason why a command was not sent or not answered.
func (l *link) gone(err error) error {
	if errors.Is(err, errLine) {
		return err
	}
	return &endedError{}
}

// end makes the process write its flows and exit.
func (l *link) end(ctx context.Context) error {
	err := l.process.Stop(ctx)
	_ = l.input.Close()
	return err
}
