package logcap

import (
	"context"
	"errors"
	"sync"
	"time"

	"ios-agent/internal/machine/host"
)

// defaultPatience is for a stream that says nothing when it begins.
const defaultPatience = 3 * time.Second

// running is a stream whose program was started.
type running struct {
	stream  Stream
	process *host.Process

	mu    sync.Mutex
	line  string
	ready chan struct{}
}

// run starts a stream and waits until it is ready. What it returns beside an error is to be ended all the same.
func run(ctx context.Context, start Starter, stream Stream, to *sink) (*running, error) {
	r := &running{stream: stream, ready: make(chan struct{})}
	cmd := stream.Cmd
	cmd.OnLine = func(_ host.Stream, line []byte) { r.hear(string(line), to) }
	var err error
	if r.process, err = start.Start(ctx, cmd); err != nil {
		return nil, &FailedError{Stream: stream.Name, Err: err}
	}
	patience := time.NewTimer(max(stream.Patience, 0))
	if stream.Patience <= 0 {
		patience.Reset(defaultPatience)
	}
	defer patience.Stop()
	select {
	case <-r.ready:
	case <-patience.C:
	case <-ctx.Done():
		return r, ctx.Err()
	case <-r.process.Done():
		return r, r.early()
	}
	return r, nil
}

// early judges a program that ended while its beginning was awaited: a short-lived app is no failure, a refusal is.
func (r *running) early() error {
	res, err := r.process.Result()
	if err == nil || r.said() != "" {
		return nil
	}
	return &FailedError{Stream: r.stream.Name, Output: string(res.Stdout) + string(res.Stderr), Err: err}
}

func (r *running) hear(line string, to *sink) {
	if r.stream.Ready != nil && r.stream.Ready(line) {
		r.begun(line)
	}
	if r.stream.Chatter != nil && r.stream.Chatter(line) {
		return
	}
	to.add(line)
}

func (r *running) begun(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.line == "" {
		r.line = line
		close(r.ready)
	}
}

func (r *running) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.line
}

// over tells whether the program has ended by itself, and how.
func (r *running) over() (how string, is bool) {
	select {
	case <-r.process.Done():
	default:
		return "", false
	}
	_, err := r.process.Result()
	var exit *host.ExitError
	if errors.As(err, &exit) {
		return "ended by itself: " + exit.Error(), true
	}
	return "ended by itself", true
}
