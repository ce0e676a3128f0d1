// Package urlsession performs the requests of virtual apps like URLSession: a Session starts Tasks, and each ends with an Answer, whose
// errors have URLSession's words. It does no I/O; a Sender does.
package urlsession

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Sender sends requests.
type Sender interface {
	// Fetch sends a request and returns the whole response. It honours ctx and may be called from any goroutine. The app receives an
	// error of type *Error unchanged.
	Fetch(ctx context.Context, r Request) (Response, error)
}

// Request is a request of an app.
type Request struct {
	Method  string
	URL     string
	Headers []Header
	Body    string
	Proxy   string   // the proxy; empty: the host's settings
	Roots   [][]byte // additional trusted certificates of the device, in their original form
	From    Source
}

// Source is the app that sends a request.
type Source struct {
	Data    string // the data folder of its device; empty: without folders
	Program string // the app's executable
}

// Header is one header of a Request.
type Header struct{ Name, Value string }

// Response is the answer of a server.
type Response struct {
	Status int
	Type   string // of the content
	Body   string
}

// Answer is the result of a request as the app receives it.
type Answer struct {
	Status int
	Type   string
	Body   string
	Code   int // a code of Domain; zero is a response
	Error  string
}

// Task is a running request.
type Task struct {
	cancel context.CancelFunc
	done   chan struct{}
	answer Answer
	at     time.Time
}

// Done is closed when the answer has arrived.
func (t *Task) Done() <-chan struct{} { return t.done }

// Answer returns the result of the task and the time of its end. It may be called after Done is closed.
func (t *Task) Answer() (Answer, time.Time) { return t.answer, t.at }

// Cancel ends the task and drops its answer.
func (t *Task) Cancel() { t.cancel() }

// Session sends concurrent requests until it is closed.
type Session struct {
	sender Sender
	now    func() time.Time
	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New makes a session. now is the clock for the tasks' ends. Close ends the session.
func New(sender Sender, now func() time.Time) *Session {
	s := &Session{sender: sender, now: now}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Offline reports whether the session has no sender.
func (s *Session) Offline() bool { return s.sender == nil }

// Send starts a task with a time limit, and calls ended when its answer arrives.
func (s *Session) Send(r Request, limit time.Duration, ended func()) *Task {
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	t := &Task{cancel: cancel, done: make(chan struct{})}
	s.wg.Go(func() {
		defer cancel()
		response, err := s.sender.Fetch(ctx, r)
		t.answer = Answer{Status: response.Status, Type: response.Type, Body: response.Body}
		if err != nil {
			t.answer = Failed(reason(ctx, err))
		}
		t.at = s.now()
		close(t.done)
		ended()
	})
	return t
}

// Close cancels all tasks and waits for them.
func (s *Session) Close() {
	s.cancel()
	s.wg.Wait()
}

// reason turns err into the error that an app receives.
func reason(ctx context.Context, err error) Code {
	known, is := errors.AsType[*Error](err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return TimedOut
	case is:
		return known.Code
	}
	return ConnectionLost
}
