package world

import (
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/urlsession"
	"ios-agent/internal/virtualxcode/uuid"
)

// call is a request of an app with a pending answer; the Store keeps its exported fields.
type call struct {
	Number int // number of the request in the app
	ID     int // number of the call in its process
	Since  time.Time
	Due    time.Time // when the app gets the answer; valid with an Answer
	Answer *urlsession.Answer

	task *urlsession.Task // nil for a call that never left the device
}

// maxCalls is the maximum number of pending calls of a process.
const maxCalls = 64

// webTime is the duration of a request under RequestClock: the real duration must not change the screen.
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
		c.fails(urlsession.BadURL)
	case u.Scheme == app.Scheme:
		s.answerInApp(c, r.Method, "/"+strings.TrimPrefix(u.Path, "/"))
	case s.on.toggle("airplane") || s.on.world.session.Offline():
		c.fails(urlsession.Offline)
	default:
		q := urlsession.Request{Method: r.Method, URL: address, Body: r.Body.Expand(s.Values), Proxy: s.proxy(u),
			Roots: s.on.Settings.Roots, From: s.source()}
		q.Headers = []urlsession.Header{{Name: "User-Agent", Value: fmt.Sprintf("%s/%s %s", s.bundle.Name, s.bundle.Build, networkStack)},
			{Name: "Accept", Value: "*/*"}}
		for _, h := range r.Headers {
			q.Headers = append(q.Headers, urlsession.Header{Name: h.Name, Value: h.Value.Expand(s.Values)})
		}
		c.task = s.on.world.session.Send(q, r.Timeout, s.on.answered)
	}
}

// source is the app of a process and its device, with their folders.
func (s stage) source() urlsession.Source {
	w := s.on.world
	if !w.files || s.on.hardware != nil {
		return urlsession.Source{}
	}
	c := w.containers(s.on, s.bundle)
	if c.fill(s.bundle) != nil {
		return urlsession.Source{}
	}
	return urlsession.Source{Data: path.Join(w.folder(s.on), "data"), Program: path.Join(c.App, s.bundle.Executable)}
}

// networkStack is URLSession's part of the User-Agent. assumed.
const networkStack = "CFNetwork/3826.500.111.2.2 Darwin/24.5.0"

// fails ends a call that never leaves the device.
func (c *call) fails(code urlsession.Code) {
	a := urlsession.Failed(code)
	c.Due, c.Answer = c.Since, &a
}

// answered wakes the followers of d after an answer arrived.
func (d *device) answered() {
	d.world.mu.Lock()
	defer d.world.mu.Unlock()
	d.tell()
}

// answerInApp answers a call from the app's own definition.
func (s stage) answerInApp(c *call, method, path string) {
	a := urlsession.Answer{Status: 404, Body: `{"error":"not found"}`, Type: "application/json"}
	wait := webTime
	if r := s.bundle.App.Reply(method, path); r != nil {
		a.Status, a.Body, wait = r.Status, r.Body.Expand(s.Values), r.After
	}
	c.Due, c.Answer = c.Since.Add(wait), &a
}

// due is the time at which the app gets the answer of c, and whether it is known. It stores an answer that has arrived.
func (c *call) due(driven bool, limit time.Duration) (time.Time, bool) {
	if c.Answer == nil && c.task != nil {
		select {
		case <-c.task.Done():
			a, at := c.task.Answer()
			c.Answer, c.Due = &a, at
			if driven {
				c.Due = c.Since.Add(webTime)
			}
			if driven && a.Code == int(urlsession.TimedOut) {
				c.Due = c.Since.Add(limit)
			}
		default:
			return c.Since.Add(webTime), driven
		}
	}
	return c.Due, c.Answer != nil
}

// nextCall is the earliest call with its time, or nil.
func (p *process) nextCall() (next *call, at time.Time) {
	for _, c := range p.Calls {
		due, known := c.due(p.on.world.driven, p.bundle.App.Requests[c.Number].Timeout)
		if known && (next == nil || due.Before(at)) {
			next, at = c, due
		}
	}
	return next, at
}

// finish delivers the answer of a call to the app.
func (p *process) finish(c *call, at, now time.Time) {
	if at.IsZero() {
		at = now
	}
	p.drop(c)
	r, a := p.bundle.App.Requests[c.Number], c.Answer
	stage{p, at}.logCall(c)
	p.use(r.Answered(p.Values, a.Status, a.Body, a.Error), at)
}

func (p *process) drop(c *call) {
	for i, other := range p.Calls {
		if other == c {
			p.Calls = append(p.Calls[:i:i], p.Calls[i+1:]...)
			return
		}
	}
}

// logCall writes URLSession's log entry for a finished task.
func (s stage) logCall(c *call) {
	task := fmt.Sprintf("Task <%s>.<%d>", uuid.Of("task", s.Bundle, fmt.Sprint(s.PID), fmt.Sprint(c.ID)), c.ID)
	how := app.Log{Level: "default", Subsystem: "com.apple.CFNetwork", Category: "Summary"}
	if c.Answer.Code != 0 {
		how.Level, how.Category = "error", "Default"
		s.Log(how, fmt.Sprintf("%s finished with error [%d] Error Domain=%s Code=%d %q", task, c.Answer.Code, urlsession.Domain,
			c.Answer.Code, c.Answer.Error))
		return
	}
	s.Log(how, fmt.Sprintf("%s finished successfully, status %d", task, c.Answer.Status))
}

// failCalls fails the pending calls of the saved state, because they belonged to another run of this program.
func (p *process) failCalls() {
	for _, c := range p.Calls {
		if c.Answer == nil {
			c.fails(urlsession.ConnectionLost)
			c.Due = time.Time{}
		}
	}
}

// cancelCalls cancels the calls of a process that has ended.
func (p *process) cancelCalls() {
	for _, c := range p.Calls {
		if c.task != nil {
			c.task.Cancel()
		}
	}
	p.Calls = nil
}
