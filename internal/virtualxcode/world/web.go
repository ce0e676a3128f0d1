package world

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/uuid"
)

// Web sends the requests of apps. The world does no I/O of its own: who runs it brings one.
type Web interface {
	// Fetch sends a request and returns the whole answer. It honours ctx, and may be called from any goroutine. An
	// error that is an *Error of NSURLErrorDomain is told to the app as it is.
	Fetch(ctx context.Context, r WebRequest) (WebResponse, error)
}

// WebRequest is what an app sends.
type WebRequest struct {
	Method  string
	URL     string
	Headers []WebHeader
	Body    string
	Proxy   string   // through which proxy; empty: what the host does
	Roots   [][]byte // certificates the device trusts besides those the host does, as it was given them
}

// WebHeader is one header of a WebRequest.
type WebHeader struct{ Name, Value string }

// WebResponse is what came back.
type WebResponse struct {
	Status int
	Type   string // of the content
	Body   string
}

// URLErrorDomain is the domain of what goes wrong with requests.
const URLErrorDomain = "NSURLErrorDomain"

// URLError is an error as URLSession words it.
func URLError(code int) *Error {
	return &Error{Domain: URLErrorDomain, Code: code, Message: urlErrors[code]}
}

// Codes of URLErrorDomain.
const (
	URLBad            = -1000
	URLTimedOut       = -1001
	URLNoHost         = -1003
	URLNoConnection   = -1004
	URLConnectionLost = -1005
	URLOffline        = -1009
	URLNoTrust        = -1202
)

var urlErrors = map[int]string{
	URLBad:            "bad URL",
	URLTimedOut:       "The request timed out.",
	URLNoHost:         "A server with the specified hostname could not be found.",
	URLNoConnection:   "Could not connect to the server.",
	URLConnectionLost: "The network connection was lost.",
	URLOffline:        "The Internet connection appears to be offline.",
	URLNoTrust: "The certificate for this server is invalid. You might be connecting to a server that is pretending to be " +
		"the intended one, which could put your confidential information at risk.",
}

// call is a request of an app whose answer it has not been told yet; its exported fields are what the Store keeps.
type call struct {
	Number int // of the request in the app
	ID     int // of the call in its process
	Since  time.Time
	Due    time.Time // when the app is told; valid with an Answer
	Answer *answer

	flight *flight
}

// answer is how a call went.
type answer struct {
	Status int
	Type   string
	Body   string
	Code   int // of URLErrorDomain; zero is an answer
	Error  string
}

// flight is a call on its way: answer may be read when landed is closed.
type flight struct {
	landed chan struct{}
	cancel context.CancelFunc
	answer answer
	at     time.Time
}

// maxCalls bounds how many calls of a process can be under way.
const maxCalls = 64

// webTime is how long an answer takes in a world whose time only requests let pass: how long it really took must not
// decide what is seen.
const webTime = 250 * time.Millisecond

// Request implements app.Stage.
func (s stage) Request(r *app.Request) {
	if len(s.Calls) >= maxCalls {
		return
	}
	s.LastCall++
	c := &call{Number: r.Number, ID: s.LastCall, Since: s.now}
	s.Calls = append(s.Calls, c)
	if r.Busy != "" {
		s.Values[r.Busy] = true
	}
	address := r.URL.Expand(s.Values)
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "":
		c.fails(URLBad)
	case u.Scheme == app.Scheme:
		s.pretend(c, r.Method, "/"+strings.TrimPrefix(u.Path, "/"))
	case s.on.toggle("airplane") || s.on.world.web == nil:
		c.fails(URLOffline)
	default:
		q := WebRequest{Method: r.Method, URL: address, Body: r.Body.Expand(s.Values), Proxy: s.proxy(u), Roots: s.on.Settings.Roots}
		q.Headers = []WebHeader{{"User-Agent", fmt.Sprintf("%s/%s %s", s.bundle.Name, s.bundle.Build, networkStack)}, {"Accept", "*/*"}}
		for _, h := range r.Headers {
			q.Headers = append(q.Headers, WebHeader{h.Name, h.Value.Expand(s.Values)})
		}
		c.flight = s.on.world.fly(s.on, q, r.Timeout)
	}
}

// networkStack is what URLSession calls itself in every request. assumed.
const networkStack = "CFNetwork/3826.500.111.2.2 Darwin/24.5.0"

// fails ends a call that never leaves the device.
func (c *call) fails(code int) {
	e := URLError(code)
	c.Due, c.Answer = c.Since, &answer{Code: e.Code, Error: e.Message}
}

// pretend answers a call inside the app.
func (s stage) pretend(c *call, method, path string) {
	a := answer{Status: 404, Body: `{"error":"not found"}`, Type: "application/json"}
	wait := webTime
	if r := s.bundle.App.Reply(method, path); r != nil {
		a.Status, a.Body, wait = r.Status, r.Body.Expand(s.Values), r.After
	}
	c.Due, c.Answer = c.Since.Add(wait), &a
}

// fly sends a request while the world goes on.
func (w *World) fly(d *device, q WebRequest, limit time.Duration) *flight {
	ctx, cancel := context.WithTimeout(w.sky, limit)
	f := &flight{landed: make(chan struct{}), cancel: cancel}
	w.air.Go(func() {
		defer cancel()
		response, err := w.web.Fetch(ctx, q)
		f.answer = answer{Status: response.Status, Type: response.Type, Body: response.Body}
		if err != nil {
			f.answer = failure(ctx, err)
		}
		f.at = w.clock.Now()
		close(f.landed)
		w.mu.Lock()
		defer w.mu.Unlock()
		d.tell()
	})
	return f
}

// failure is err as an app is told.
func failure(ctx context.Context, err error) answer {
	e, known := errors.AsType[*Error](err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e = URLError(URLTimedOut)
	case !known || e.Domain != URLErrorDomain:
		e = URLError(URLConnectionLost)
	}
	return answer{Code: e.Code, Error: e.Message}
}

// due is when c has to be told to its app, and whether that is known. An answer that is there is taken.
func (c *call) due(driven bool, limit time.Duration) (time.Time, bool) {
	if c.Answer == nil && c.flight != nil {
		select {
		case <-c.flight.landed:
			c.Answer = &c.flight.answer
			c.Due = c.flight.at
			if driven {
				c.Due = c.Since.Add(webTime)
			}
			if driven && c.Answer.Code == URLTimedOut {
				c.Due = c.Since.Add(limit)
			}
		default:
			return c.Since.Add(webTime), driven
		}
	}
	return c.Due, c.Answer != nil
}

// nextCall is the call that is due first, with its time; nil if none is yet.
func (p *process) nextCall() (next *call, at time.Time) {
	for _, c := range p.Calls {
		due, known := c.due(p.on.world.driven, p.bundle.App.Requests[c.Number].Timeout)
		if known && (next == nil || due.Before(at)) {
			next, at = c, due
		}
	}
	return next, at
}

// land tells the app how a call went.
func (p *process) land(c *call, at, now time.Time) {
	if at.IsZero() {
		at = now
	}
	p.drop(c)
	r, a := p.bundle.App.Requests[c.Number], c.Answer
	stage{p, at}.logCall(c)
	assign(p.Values, r.Busy, false)
	assign(p.Values, r.Status, float64(a.Status))
	assign(p.Values, r.Text, a.Body)
	assign(p.Values, r.Error, a.Error)
	fill(p.Values, r.Fields, a.Body)
	steps := r.Do
	if a.Status < 200 || a.Status > 299 {
		steps = r.Else
	}
	p.use(steps, at)
}

func (p *process) drop(c *call) {
	for i, other := range p.Calls {
		if other == c {
			p.Calls = append(p.Calls[:i:i], p.Calls[i+1:]...)
			return
		}
	}
}

func assign(vars app.Vars, name string, value any) {
	if name != "" {
		vars[name] = value
	}
}

// logCall writes what URLSession writes about a task that has ended.
func (s stage) logCall(c *call) {
	task := fmt.Sprintf("Task <%s>.<%d>", uuid.Of("task", s.Bundle, fmt.Sprint(s.PID), fmt.Sprint(c.ID)), c.ID)
	how := app.Log{Level: "default", Subsystem: "com.apple.CFNetwork", Category: "Summary"}
	if c.Answer.Code != 0 {
		how.Level, how.Category = "error", "Default"
		s.Log(how, fmt.Sprintf("%s finished with error [%d] Error Domain=%s Code=%d %q", task, c.Answer.Code, URLErrorDomain, c.Answer.Code, c.Answer.Error))
		return
	}
	s.Log(how, fmt.Sprintf("%s finished successfully, status %d", task, c.Answer.Status))
}

// lose ends the calls of a process that another run of this program had under way. It happens whenever this run's
// clock begins.
func (p *process) lose() {
	for _, c := range p.Calls {
		if c.Answer == nil {
			c.fails(URLConnectionLost)
			c.Due = time.Time{}
		}
	}
}

// abandon lets go of the calls of a process that is no more.
func (p *process) abandon() {
	for _, c := range p.Calls {
		if c.flight != nil {
			c.flight.cancel()
		}
	}
	p.Calls = nil
}

// outside is what a world has under way outside of itself.
type outside struct {
	web    Web
	driven bool // time passes as requests ask for it
	sky    context.Context
	ground context.CancelFunc
	air    sync.WaitGroup
}
