package mitm

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"ios-agent/internal/network/flow"
)

// answer gives the app the answer of a mock. The request reaches no server.
func (x *exchange) answer(a *flow.Answer) {
	x.drain()
	x.f.Rule = a.Rule
	if !x.wait(a.Delay) {
		x.fail(x.ctx.Err())
		return
	}
	mocked := func(what string) flow.Trouble {
		return flow.Trouble{Kind: flow.MockedFault, Error: "the mock " + a.Rule + " " + what}
	}
	switch a.Fault {
	case flow.Reset:
		x.reset(mocked("reset the connection"))
	case flow.Timeout:
		x.tell()
		<-x.ctx.Done()
		x.finish(flow.Failed, mocked("never answered"))
		x.abort()
	case flow.Truncated:
		x.write(a, len(a.Body)/2)
		x.finish(flow.Failed, mocked("ended the connection in the middle of the answer"))
		x.abort()
	default:
		x.write(a, len(a.Body))
		x.finish(flow.Done, flow.Trouble{})
	}
}

// reset ends the connection without an answer.
func (x *exchange) reset(why flow.Trouble) {
	x.finish(flow.Failed, why)
	if x.at.conn != nil && x.in.ProtoMajor == 1 {
		x.at.conn.reset()
	}
	x.abort() // with HTTP/2, this resets the stream
}

// wait waits for d; it returns false when the app or the proxy ends first.
func (x *exchange) wait(d time.Duration) bool {
	if d <= 0 {
		return x.ctx.Err() == nil
	}
	return x.p.Wait(x.ctx, d)
}

func waitByClock(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// write writes the head and the first n bytes of the body.
func (x *exchange) write(a *flow.Answer, n int) {
	status := a.Status
	if status < 200 || status > 999 {
		status = http.StatusOK
	}
	header := http.Header{}
	for _, f := range a.Header {
		header.Add(f.Name, f.Value)
	}
	header.Del("Transfer-Encoding")
	if mayHaveBody(status) {
		header.Set("Content-Length", strconv.Itoa(len(a.Body)))
	} else {
		header.Del("Content-Length")
		n = 0
	}
	x.response = x.p.capture(x.f.ID + ".response")
	x.response.add(a.Body[:n])
	x.mu.Lock()
	x.f.Response = &flow.Response{
		Status: status, Reason: http.StatusText(status), Protocol: x.in.Proto, Header: fields(header, ""),
	}
	x.mu.Unlock()
	if x.w == nil || !x.wait(x.pace.down(int64(n))) {
		return
	}
	h := x.w.Header()
	for name, values := range header {
		h[name] = values
	}
	if _, there := h["Content-Type"]; !there {
		h["Content-Type"] = nil
	}
	x.w.WriteHeader(status)
	_, _ = x.w.Write(a.Body[:n]) // an app that has left needs no answer
	if n < len(a.Body) {
		_ = http.NewResponseController(x.w).Flush()
	}
}

func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}
