package debugger

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/go-dap"

	"ios-agent/internal/machine/host"
)

// adapter is a running lldb-dap, or an lldb behind a promptServer. Several goroutines may send requests at once.
type adapter struct {
	name     string // of the way, for errors
	process  *host.Process
	patience time.Duration
	outbox   chan []byte // requests to write: a program that does not read must not block the callers
	over     chan struct{}

	mu      sync.Mutex
	seq     int
	waiting map[int]chan incoming
	event   func(name string, body json.RawMessage)
}

// incoming is a message of lldb-dap. The caller of the request decodes the body, so that an unknown part affects only this caller.
type incoming struct {
	dap.ProtocolMessage
	RequestSeq int             `json:"request_seq"`
	Success    bool            `json:"success"`
	Command    string          `json:"command"`
	Message    string          `json:"message"`
	Event      string          `json:"event"`
	Body       json.RawMessage `json:"body"`
}

// mostUnsent is the maximum number of requests that wait for a program that does not read.
const mostUnsent = 64

// startAdapter starts a debugger. It calls event for one event after the other, in their order.
func (s *Service) startAdapter(ctx context.Context, w way, pid int, event func(string, json.RawMessage)) (*adapter, error) {
	cmd := host.Cmd{
		Grace: s.o.Grace,
		Dir:   "/", // lldb resolves the file name of a breakpoint in its working folder
		// Version 19 aborts after it has detached, and takes a second to print its own stack with names.
		Env: []string{"LLVM_DISABLE_SYMBOLIZATION=1", "LLVM_DISABLE_CRASH_REPORT=1"},
	}
	prompt := w.prompt && len(s.o.Keeper) == 0 // a keeper runs the promptServer itself
	c, err := connect(cmd, prompt, s.o.Patience, func(c host.Cmd) (*host.Process, error) { return s.launch(ctx, w, pid, c) })
	if err != nil {
		return nil, err
	}
	a := &adapter{
		name: w.name, process: c.process, patience: s.o.Patience, outbox: make(chan []byte, mostUnsent), over: c.over,
		waiting: map[int]chan incoming{}, event: event,
	}
	go a.read(c.output)
	go a.write(c.input)
	return a, nil
}

func (a *adapter) read(from *io.PipeReader) {
	defer from.Close()
	for messages := bufio.NewReader(from); ; {
		raw, err := dap.ReadBaseMessage(messages)
		if err != nil {
			return // the end of the output, or an invalid message: later requests get no answer
		}
		var m incoming
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		if m.Type == "event" {
			a.event(m.Event, m.Body)
			continue
		}
		a.mu.Lock()
		answer := a.waiting[m.RequestSeq]
		delete(a.waiting, m.RequestSeq)
		a.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

func (a *adapter) write(to *io.PipeWriter) {
	for {
		select {
		case message := <-a.outbox:
			if _, err := to.Write(message); err != nil {
				return
			}
		case <-a.over:
			return
		}
	}
}

// request is a request of any command.
type request struct {
	dap.Request
	Arguments any `json:"arguments,omitempty"`
}

// send sends a request; the answer comes through the channel.
func (a *adapter) send(command string, arguments any) (answer chan incoming, seq int, err error) {
	answer = make(chan incoming, 1)
	a.mu.Lock()
	a.seq++
	seq = a.seq
	a.waiting[seq] = answer
	a.mu.Unlock()
	r := request{Request: dap.Request{Command: command}, Arguments: arguments}
	r.Seq, r.Type = seq, "request"
	body, err := json.Marshal(r)
	if err == nil {
		var message bytes.Buffer
		_ = dap.WriteBaseMessage(&message, body) // a buffer never fails
		select {
		case a.outbox <- message.Bytes():
			return answer, seq, nil
		default:
			err = &silentError{a.name, command, 0}
		}
	}
	a.forget(seq)
	return nil, 0, err
}

func (a *adapter) forget(seq int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, seq)
}

// ask sends a request and decodes the answer into a value, which may be nil. It takes no longer than the patience.
func (a *adapter) ask(ctx context.Context, command string, arguments, into any) error {
	return a.askWithin(ctx, a.patience, command, arguments, into)
}

func (a *adapter) askWithin(ctx context.Context, limit time.Duration, command string, arguments, into any) error {
	answer, seq, err := a.send(command, arguments)
	if err != nil {
		return err
	}
	defer a.forget(seq)
	return a.await(ctx, limit, command, answer, into)
}

func (a *adapter) await(ctx context.Context, limit time.Duration, command string, answer chan incoming, into any) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	var m incoming
	select {
	case m = <-answer:
	case <-late.C:
		return &silentError{a.name, command, limit}
	case <-a.over:
		select {
		case m = <-answer:
		default:
			return a.ended()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	if !m.Success {
		return &refusedError{command, reason(m)}
	}
	if into == nil || len(m.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(m.Body, into); err != nil {
		return fmt.Errorf("%s: the answer to %s: %w", a.name, command, err)
	}
	return nil
}

// reason is the reason for a refused request: the one in the body, or else the message.
func reason(m incoming) string {
	var body dap.ErrorResponseBody
	if json.Unmarshal(m.Body, &body) == nil && body.Error != nil && body.Error.Format != "" {
		return body.Error.Format
	}
	return m.Message
}

// ended is an error with the way the debugger ended.
func (a *adapter) ended() error {
	_, err := a.process.Result()
	return &goneError{a.name, err}
}
