// Package urlsession is the requests of virtual apps, as URLSession makes those of real ones: what is sent, what comes
// back, and the words of its errors. It does no I/O of its own: a Sender does.
package urlsession

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Sender sends requests.
type Sender interface {
	// Fetch sends a request and returns the whole answer. It honours ctx, and may be called from any goroutine. An
	// error that is an *Error is told to the app as it is.
	Fetch(ctx context.Context, r Request) (Response, error)
}

// Request is what an app sends.
type Request struct {
	Method  string
	URL     string
	Headers []Header
	Body    string
	Proxy   string   // through which proxy; empty: what the host does
	Roots   [][]byte // certificates the device trusts besides those the host does, as it was given them
	From    Source
}

// Source is the app that sends a request.
type Source struct {
	Data    string // the data folder of its device; empty: there are no folders
	Program string // the file that it executes
}

// Header is one header of a Request.
type Header struct{ Name, Value string }

// Response is what came back.
type Response struct {
	Status int
	Type   string // of the content
	Body   string
}

// Answer is how a request went, as the app is told.
type Answer struct {
	Status int
	Type   string
	Body   string
	Code   int // of Domain; zero is an answer
	Error  string
}

// Task is a request under way.
type Task struct {
	cancel context.CancelFunc
	done   chan struct{}
	answer Answer
	at     time.Time
}

// Done is closed when the answer is there.
func (t *Task) Done() <-chan struct{} { return t.done }

// Answer is how the task went, and when it ended. It may be called when Done is closed.
func (t *Task) Answer() (Answer, time.Time) { return t.answer, t.at }

// Cancel ends the task: nobody waits for its answer any more.
func (t *Task) Cancel() { t.cancel() }

// Session sends requests at the same time, until it is closed.
type Session struct {
	sender Sender
	now    func() time.Time
	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New makes a session. now is the clock that tasks end by. Close ends the session.
func New(sender Sender, now func() time.Time) *Session {
	s := &Session{sender: sender, now: now}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Offline reports whether there is nobody to send requests.
func (s *Session) Offline() bool { return s.sender == nil }

// Send starts a task that may take as long as limit, and calls ended when its answer is there.
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

// reason is err as an app is told.
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
