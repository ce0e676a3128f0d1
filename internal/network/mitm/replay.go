package mitm

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/network/flow"
)

// Do sends a request again for a session, in the same way as requests of apps: the rules decide, and it is recorded as a new flow.
// repeats is the id of the original flow. Do returns after the answer. The error is about the request itself; the result of sending is in
// the flow.
func (p *Proxy) Do(ctx context.Context, r flow.Request, repeats, session string) (flow.Flow, error) {
	if !p.open.enter(&p.wg) {
		return flow.Flow{}, fault.New(fault.StateFailed, "the proxy was ended").WithHint("start the proxy, then try again")
	}
	defer p.wg.Done()
	in, err := p.again(r, repeats)
	if err != nil {
		return flow.Flow{}, err
	}
	p.counts.requests.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	at := &place{client: func() flow.Client {
		return flow.Client{Process: "ios-agent", Session: session, Unknown: "sent again by ios-agent"}
	}}
	f := newFlow(at)
	f.Repeats = repeats
	names := make([]string, len(r.Header))
	for i, line := range r.Header {
		names[i] = line.Name
	}
	f.Request = flow.Request{Method: in.Method, URL: in.URL.String(), Protocol: in.Proto, Header: ordered(in.Header, in.Host, names)}
	x := &exchange{p: p, ctx: ctx, at: at, in: in, f: f, names: names, shown: portion{of: &p.looks}}
	x.run(in.URL)
	x.mu.Lock()
	defer x.mu.Unlock()
	return copyOf(x.f), nil
}

// again builds the request of a flow again: the same body and headers, except the headers of the transfer.
func (p *Proxy) again(r flow.Request, repeats string) (*http.Request, error) {
	to, err := url.Parse(r.URL)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, fault.New(fault.InvalidInput, "cannot replay the request of flow %s to %q", repeats, r.URL).
			WithHint("replay a request of HTTP or HTTPS")
	}
	body, err := p.bodyOf(r.Body, repeats)
	if err != nil {
		return nil, err
	}
	in := &http.Request{
		Method: r.Method, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	for _, f := range r.Header {
		switch {
		case strings.HasPrefix(f.Name, ":"), strings.EqualFold(f.Name, "Content-Length"), strings.EqualFold(f.Name, "Expect"):
		case strings.EqualFold(f.Name, "Host"):
			in.Host = f.Value
		default:
			in.Header.Add(f.Name, f.Value)
		}
	}
	if strings.HasPrefix(r.Protocol, "HTTP/2") {
		in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/2.0", 2, 0
	}
	if isWebSocket(in.Header) {
		return nil, fault.New(fault.InvalidInput, "cannot replay flow %s: it is a WebSocket", repeats).
			WithHint("replay a single request")
	}
	return in, nil
}

// bodyOf is a body byte for byte, as on the wire.
func (p *Proxy) bodyOf(b flow.Body, repeats string) ([]byte, error) {
	switch {
	case b.File == "" && !b.Cut && b.Coding == "":
		return b.Content, nil
	case b.File == "" || b.FileCut || p.Bodies == "" || b.File != filepath.Base(b.File):
		return nil, fault.New(fault.InvalidInput, "the stored body of flow %s is incomplete", repeats).
			WithHint("give the body to send")
	}
	data, err := regularfile.Read(filepath.Join(p.Bodies, b.File), p.MostFile)
	if err != nil {
		return nil, fault.New(fault.PathError, "cannot read the body of flow %s: %w", repeats, err).WithHint("give the body to send")
	}
	return data, nil
}
