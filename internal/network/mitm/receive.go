package mitm

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"ios-agent/internal/network/flow"
)

// receive takes the answer of a server to the app.
func (x *exchange) receive(resp *http.Response) {
	reason := strings.TrimSpace(strings.TrimPrefix(resp.Status, strconv.Itoa(resp.StatusCode)))
	x.mu.Lock()
	x.f.Response = &flow.Response{Status: resp.StatusCode, Reason: reason, Protocol: resp.Proto, Header: fields(resp.Header, "")}
	x.mu.Unlock()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		x.switchProtocols(resp)
		return
	}
	if !x.look.Hidden {
		x.response = x.p.capture(x.f.ID + ".response")
	}
	body := &tee{from: resp.Body, seen: []func([]byte){x.response.add}}
	resp.Body = x.paced(body, x.pace.Down)
	if !x.look.Hidden && (x.look.Response || x.look.ResponseBody) {
		answered, err := x.askResponse(resp)
		if err != nil {
			x.fail(err)
			return
		}
		if answered {
			return
		}
	}
	if !x.look.Hidden && isEvents(resp.Header) {
		x.watchEvents(body)
	}
	x.forward(resp)
}

// askResponse gives the answer to the rules, and applies their change. The rules may also answer in the server's place.
func (x *exchange) askResponse(resp *http.Response) (answered bool, err error) {
	x.tellOpen()                                       // from here on only this goroutine uses the flow
	if x.look.ResponseBody && !isEvents(resp.Header) { // a stream of events has no end to wait for
		first, whole, again, err := x.shown.ahead(resp.Body, x.p.MostLook)
		if err != nil {
			return false, err
		}
		resp.Body = again
		x.f.Response.Body = x.seen(resp.Header.Get("Content-Encoding"), first, whole)
	}
	x.f.Request.Body = x.asked
	verdict, err := x.held(x.p.Rules.Response)
	x.f.Request.Body, x.f.Response.Body = flow.Body{}, flow.Body{}
	if err != nil {
		return false, err
	}
	if verdict.Answer != nil {
		x.answer(verdict.Answer)
		return true, nil
	}
	if c := verdict.Change; c != nil {
		x.changeResponse(resp, c)
	}
	return false, nil
}

func (x *exchange) changeResponse(resp *http.Response, c *flow.Change) {
	x.f.Changed = true
	if c.Status != nil && *c.Status >= 200 && *c.Status <= 999 {
		resp.StatusCode = *c.Status
		x.f.Response.Status, x.f.Response.Reason = *c.Status, http.StatusText(*c.Status)
	}
	change(resp.Header, c)
	if c.Body != nil {
		x.response = x.p.capture(x.f.ID + ".changed-response")
		resp.Body = &tee{from: &joined{bytes.NewReader(*c.Body), resp.Body}, seen: []func([]byte){x.response.add}}
		resp.ContentLength = int64(len(*c.Body))
		resp.Header.Set("Content-Length", strconv.Itoa(len(*c.Body)))
	}
	x.f.Response.Header = fields(resp.Header, "")
}

// forward streams the answer to the app.
func (x *exchange) forward(resp *http.Response) {
	if x.w == nil { // a replayed flow has no client
		_, err := io.Copy(io.Discard, resp.Body)
		x.forwarded(resp, err, nil)
		return
	}
	h := x.w.Header()
	for name, values := range onward(resp.Header) {
		h[name] = values
	}
	for _, name := range []string{"Date", "Content-Type"} { // net/http would add its own
		if _, there := h[name]; !there {
			h[name] = nil
		}
	}
	for name := range resp.Trailer {
		h.Add("Trailer", name)
	}
	x.w.WriteHeader(resp.StatusCode)
	readErr, writeErr := x.copyBody(resp)
	x.forwarded(resp, readErr, writeErr)
}

// forwarded records the end of the answer, and passes it on.
func (x *exchange) forwarded(resp *http.Response, readErr, writeErr error) {
	switch {
	case readErr != nil:
		kind, text, _ := x.p.explain(x.ctx, readErr, hostPort(x.out.URL))
		x.finish(flow.Failed, flow.Trouble{Kind: kind, Error: text})
		x.abort()
	case writeErr != nil && x.p.ctx.Err() != nil:
		x.finish(flow.Failed, flow.Trouble{Kind: flow.ProxyEnded, Error: "the proxy was ended"})
		x.abort()
	case writeErr != nil:
		x.finish(flow.Failed, flow.Trouble{Kind: flow.AppGone, Error: "the app ended the connection before it had the whole answer"})
		x.abort()
	default:
		x.mu.Lock()
		x.f.Response.Trailer = fields(resp.Trailer, "")
		x.mu.Unlock()
		if x.w != nil {
			for name, values := range resp.Trailer {
				x.w.Header()[http.TrailerPrefix+name] = values
			}
		}
		x.finish(flow.Done, flow.Trouble{})
	}
}

// abort breaks the connection, or the stream: an app must not mistake a part for the whole.
func (x *exchange) abort() {
	if x.w != nil {
		panic(http.ErrAbortHandler)
	}
}

// buffers are reused: at a thousand requests a second they would be most of the garbage.
var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// copyBody flushes whenever the server pauses, so that no bytes wait in the proxy.
func (x *exchange) copyBody(resp *http.Response) (readErr, writeErr error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	flusher, _ := x.w.(http.Flusher)
	var total int64
	if flusher != nil && resp.ContentLength < 0 {
		flusher.Flush() // the server may wait for the app before it sends more
	}
	for {
		n, err := resp.Body.Read(*buffer)
		if n > 0 {
			total += int64(n)
			if _, writeErr := x.w.Write((*buffer)[:n]); writeErr != nil {
				return nil, writeErr
			}
			if flusher != nil && err == nil && n < len(*buffer) && total != resp.ContentLength {
				flusher.Flush()
			}
		}
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return err, nil
		}
	}
}

func isEvents(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "text/event-stream" && len(codings(h.Get("Content-Encoding"))) == 0
}
