package mitm

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
)

// serveOuter serves apps that use this proxy as a proxy.
func (p *Proxy) serveOuter(w http.ResponseWriter, r *http.Request) {
	at := placeFrom(r.Context())
	if at.client().Foreign { // turnAway answers it
		panic(http.ErrAbortHandler)
	}
	if r.Method != http.MethodConnect { // a tunnel is in use only while it has a request inside
		defer at.conn.serves()()
	}
	switch {
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Host == "":
		p.here(w, r)
	default:
		to := *r.URL
		to.User = nil
		p.pass(w, r, &to)
	}
}

// serveInner serves apps inside a tunnel, which address their server.
func (p *Proxy) serveInner(w http.ResponseWriter, r *http.Request) {
	at := placeFrom(r.Context())
	defer at.conn.serves()()
	at.conn.greeted.Store(nil) // a request means that the app trusts us
	if r.Method == http.MethodConnect {
		http.Error(w, "ios-agent proxy: CONNECT inside a CONNECT", http.StatusMethodNotAllowed)
		return
	}
	to := *r.URL
	to.Scheme, to.Host = "http", at.target
	if at.tls != nil {
		to.Scheme = "https"
		// An app that connects to an address may still name the server.
		if host, port, err := net.SplitHostPort(at.target); err == nil && at.tls.Name != "" {
			if _, isAddress := asAddress(host); isAddress {
				to.Host = net.JoinHostPort(at.tls.Name, port)
			}
		}
	}
	p.pass(w, r, shorter(&to))
}

// shorter omits a port that is the scheme's default.
func shorter(u *url.URL) *url.URL {
	if host, port, err := net.SplitHostPort(u.Host); err == nil && port == defaultPort(u.Scheme) {
		u.Host = host
		if _, isAddress := asAddress(host); isAddress && bytes.ContainsRune([]byte(host), ':') {
			u.Host = "[" + host + "]"
		}
	}
	return u
}

// here serves requests to the proxy itself: browsers and devices fetch its certificate from it.
func (p *Proxy) here(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/ca.cer":
		w.Header().Set("Content-Type", "application/x-x509-ca-cert")
		_, _ = w.Write(p.CA.DER())
	case "/ca.pem":
		w.Header().Set("Content-Type", "application/x-pem-file")
		_, _ = w.Write(p.CA.PEM())
	default:
		http.Error(w, "This is the proxy of ios-agent. Its certificate: /ca.cer or /ca.pem", http.StatusNotFound)
	}
}

func newFlow(at *place) *flow.Flow {
	return &flow.Flow{ID: flow.NewID(), Started: time.Now(), State: flow.Open, Client: at.client(), TLS: at.tls}
}

func since(t time.Time) float64 { return float64(time.Since(t).Microseconds()) / 1000 }

// exchange is one request on its way, and its answer back.
type exchange struct {
	p      *Proxy
	ctx    context.Context
	at     *place
	w      http.ResponseWriter
	in     *http.Request
	out    *http.Request
	names  []string // of the request's headers, in the app's order and spelling; nil: unknown
	look   flow.Look
	clocks clocks
	pace   pace

	asked             flow.Body // the request's body, if the rules requested it
	shown             portion   // memory of the bodies for the rules
	request, response *capture
	sending           *tee
	messages          messages

	mu      sync.Mutex // guards f after the request was sent, and that over ends the recording
	f       *flow.Flow
	opening *time.Timer
	told    bool // the flow was recorded as open
	over    bool
}

// pass takes a request to its destination, and the answer back.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, to *url.URL) {
	p.counts.requests.Add(1)
	at := placeFrom(r.Context())
	f := newFlow(at)
	names := at.heads.take(r)
	f.Request = flow.Request{Method: r.Method, URL: to.String(), Protocol: r.Proto, Header: ordered(r.Header, r.Host, names)}
	x := &exchange{p: p, ctx: r.Context(), at: at, w: w, in: r, f: f, names: names, shown: portion{of: &p.looks}}
	x.run(to)
}

func (x *exchange) run(to *url.URL) {
	defer x.shown.give()
	p, r, f := x.p, x.in, x.f
	x.out = &http.Request{
		Method: r.Method, URL: to, Host: r.Host, Header: onward(r.Header), ContentLength: r.ContentLength,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Trailer: r.Trailer,
	}
	if _, named := r.Header["User-Agent"]; !named {
		x.out.Header["User-Agent"] = nil // otherwise net/http sends its own
	}
	if hasToken(r.Header, "Te", "trailers") {
		x.out.Header.Set("Te", "trailers")
	}
	if isWebSocket(r.Header) && r.ProtoMajor == 1 {
		x.out.Header.Set("Connection", "Upgrade")
		x.out.Header.Set("Upgrade", "websocket")
	}
	x.look = p.Rules.Look(f)
	x.prepareBody()
	if x.look.Hidden {
		x.send()
		return
	}
	verdict, err := x.askRequest()
	if err != nil {
		x.fail(err)
		return
	}
	if verdict.Pace != nil && !x.slow(*verdict.Pace) {
		return
	}
	if verdict.Change != nil {
		if err := x.changeRequest(verdict.Change); err != nil {
			x.fail(err)
			return
		}
	}
	if verdict.Answer != nil {
		x.answer(verdict.Answer)
		return
	}
	x.send()
}

// prepareBody attaches the readers that see the request's body.
func (x *exchange) prepareBody() {
	r := x.in
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		x.out.Body, x.out.ContentLength = nil, 0
		return
	}
	if !x.look.Hidden {
		x.request = x.p.capture(x.f.ID + ".request")
	}
	x.sending = &tee{from: r.Body, seen: []func([]byte){x.request.add}}
	x.out.Body = x.sending
	if r.ProtoMajor == 1 && x.w != nil {
		_ = http.NewResponseController(x.w).EnableFullDuplex() // a server may answer before it has the whole request
	}
}

func (p *Proxy) capture(name string) *capture {
	return &capture{dir: p.Bodies, name: name, most: p.MostFile, p: p}
}

func (x *exchange) askRequest() (flow.Verdict, error) {
	if x.look.RequestBody && x.out.Body != nil {
		first, whole, again, err := x.shown.ahead(x.out.Body, x.p.MostLook)
		if err != nil {
			return flow.Verdict{}, err
		}
		x.out.Body = again
		x.asked = x.seen(x.in.Header.Get("Content-Encoding"), first, whole)
		x.f.Request.Body = x.asked
	}
	verdict, err := x.held(x.p.Rules.Request)
	x.f.Request.Body = flow.Body{} // finish records the body that was really sent
	return verdict, err
}

// held asks the rules and measures their time. An error means that the app or the proxy has ended; if the rules fail, the flow passes.
func (x *exchange) held(ask func(context.Context, *flow.Flow) (flow.Verdict, error)) (flow.Verdict, error) {
	began := time.Now()
	verdict, err := ask(x.ctx, x.f)
	if took := time.Since(began); took >= time.Millisecond {
		x.f.Timing.Held += float64(took.Microseconds()) / 1000
	}
	if err != nil && x.ctx.Err() == nil {
		x.p.Log.Warn("the rules failed, and the flow passes", "flow", x.f.ID, "error", err)
		return flow.Verdict{}, nil
	}
	return verdict, err
}

func (x *exchange) changeRequest(c *flow.Change) error {
	f, out := x.f, x.out
	f.Changed = true
	if c.Method != nil {
		out.Method = *c.Method
	}
	if c.URL != nil {
		to, err := url.Parse(*c.URL)
		if err != nil {
			return err
		}
		if to.Host != out.URL.Host {
			out.Host = to.Host
		}
		out.URL = to
	}
	change(out.Header, c)
	if host := c.Set.Get("Host"); host != "" {
		out.Host = host
		out.Header.Del("Host")
	}
	if c.Body != nil {
		x.drain()
		x.request = x.p.capture(f.ID + ".changed-request")
		body := *c.Body
		x.asked = flow.Body{Size: int64(len(body)), Content: body}
		x.sending = &tee{from: io.NopCloser(bytes.NewReader(body)), seen: []func([]byte){x.request.add}}
		out.Body, out.ContentLength = x.sending, int64(len(body))
		if len(body) == 0 {
			out.Body = nil
		}
	}
	shown := out.Header.Clone()
	if shown["User-Agent"] == nil {
		delete(shown, "User-Agent")
	}
	f.Request.Method, f.Request.URL, f.Request.Header = out.Method, out.URL.String(), ordered(shown, out.Host, x.names)
	return nil
}

// drain reads the rest of the request's body and discards it.
func (x *exchange) drain() {
	if x.out.Body != nil {
		_, _ = io.Copy(io.Discard, x.out.Body) // writing the answer detects an app that is gone
	}
}

// send sends the request to the server.
func (x *exchange) send() {
	route := x.p.route.Load()
	if byWayOf(route.Upstream, x.out.URL.Hostname()) != nil && x.p.namesOwn(hostPort(x.out.URL)) { // without an upstream, the dialer checks
		x.fail(errOwnPort)
		return
	}
	x.openSoon()
	x.out.Body = x.paced(x.out.Body, x.pace.Up)
	ctx := httptrace.WithClientTrace(x.ctx, x.clocks.trace(x.early))
	if x.look.Hidden {
		ctx = x.ctx
	}
	if x.names != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: x.order})
	}
	resp, err := route.transport(x.in.ProtoMajor, x.out.URL).RoundTrip(x.out.WithContext(ctx))
	x.clocks.end()
	if err != nil {
		if _, broken := x.sending.how(); broken != nil && x.p.ctx.Err() == nil {
			x.ended(flow.AppGone, "the app ended the connection while it sent its request", http.StatusBadRequest)
			return
		}
		x.fail(err)
		return
	}
	defer resp.Body.Close()
	x.receive(resp)
}

// order makes the connection send the request's headers as the app wrote them.
func (x *exchange) order(got httptrace.GotConnInfo) {
	if c, is := got.Conn.(*orderly); is {
		c.next(x.names)
	}
}

// early passes on an interim answer of a server, such as 103 Early Hints. 100 Continue stays on each side.
func (x *exchange) early(code int, header textproto.MIMEHeader) {
	if code == http.StatusContinue || x.w == nil {
		return
	}
	h := x.w.Header()
	for name, values := range header {
		h[name] = slices.Clone(values)
	}
	x.w.WriteHeader(code)
	clear(h)
}

// fail tells the app why its request could not be sent, and records it.
func (x *exchange) fail(err error) {
	kind, text, status := x.p.explain(x.ctx, err, hostPort(x.out.URL))
	x.ended(kind, text, status)
}

func (x *exchange) ended(kind flow.TroubleKind, text string, status int) {
	x.finish(flow.Failed, flow.Trouble{Kind: kind, Error: text})
	if x.w == nil {
		return
	}
	x.w.Header().Set("Ios-Agent-Trouble", string(kind))
	http.Error(x.w, "ios-agent proxy: "+text, status)
}

// openAfter is how long a request may take before it is recorded as open. Most end earlier, and are recorded once instead of twice.
const openAfter = 20 * time.Millisecond

func (x *exchange) openSoon() {
	if !x.look.Hidden {
		x.opening = time.AfterFunc(openAfter, x.tellOpen)
	}
}

// tellOpen records that the request is on its way, unless the flow was recorded already.
func (x *exchange) tellOpen() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.told && !x.over {
		x.tellLocked()
	}
}

// tell records the current state of the flow.
func (x *exchange) tell() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over && !x.look.Hidden {
		x.tellLocked()
	}
}

func (x *exchange) tellLocked() {
	x.told = true
	x.messages.into(x.f)
	x.p.Tell.Tell(copyOf(x.f))
}

// finish records the end of the flow, once.
func (x *exchange) finish(state flow.State, trouble flow.Trouble) {
	x.messages.stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.over = true
	if x.opening != nil {
		x.opening.Stop()
	}
	f := x.f
	f.State, f.Trouble = state, trouble
	if x.look.Hidden {
		return
	}
	if x.request != nil {
		coding := f.Request.Header.Get("Content-Encoding")
		f.Request.Body = x.request.finish(coding)
		if ended, _ := x.sending.how(); ended {
			f.Request.Trailer = fields(x.in.Trailer, "")
		}
	}
	if x.response != nil && f.Response != nil {
		f.Response.Body = x.response.finish(f.Response.Header.Get("Content-Encoding"))
	}
	x.messages.into(f)
	x.clocks.into(&f.Timing)
	f.Timing.Total = since(f.Started)
	x.p.Tell.Tell(copyOf(f))
}

// copyOf is a copy of a flow that shares no data that changes later: the Teller owns it.
func copyOf(f *flow.Flow) flow.Flow {
	c := *f
	c.Request.Header, c.Request.Trailer = slices.Clone(f.Request.Header), slices.Clone(f.Request.Trailer)
	c.Messages = slices.Clone(f.Messages)
	if f.Response != nil {
		r := *f.Response
		r.Header, r.Trailer = slices.Clone(r.Header), slices.Clone(r.Trailer)
		c.Response = &r
	}
	if f.TLS != nil {
		t := *f.TLS
		c.TLS = &t
	}
	return c
}
