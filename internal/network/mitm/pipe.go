package mitm

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"

	"ios-agent/internal/network/flow"
)

// tellTunnel records a CONNECT that failed.
func (p *Proxy) tellTunnel(at *place, target string, trouble flow.Trouble) {
	f := p.tunnelFlow(at, target)
	f.Trouble, f.State = trouble, flow.Failed
	if !p.Rules.Look(f).Hidden {
		p.Tell.Tell(*f)
	}
}

// tunnelFlow is the flow of an unopened tunnel: only its address is known.
func (p *Proxy) tunnelFlow(at *place, target string) *flow.Flow {
	to := "tcp://" + target
	if at.tls != nil {
		to = shorter(&url.URL{Scheme: "https", Host: target, Path: "/"}).String()
	}
	f := newFlow(at)
	f.TLS = at.tls
	f.Request = flow.Request{
		Method: "CONNECT", URL: to, Protocol: "HTTP/1.1", Header: flow.Header{{Name: "Host", Value: target}},
	}
	return f
}

// tellPiped forwards a tunnel unopened, because it does not contain HTTP, and records the number of bytes.
func (p *Proxy) tellPiped(t *tunnel, server net.Conn) {
	f := p.tunnelFlow(&t.place, t.place.target)
	hidden := p.Rules.Look(f).Hidden
	if !hidden {
		p.Tell.Tell(copyOf(f))
	}
	var sent, got atomic.Int64
	err := p.pipe(t, server, func(fromApp bool, n int64) {
		if fromApp {
			sent.Add(n)
		} else {
			got.Add(n)
		}
	})
	f.State, f.Timing.Total = flow.Done, since(f.Started)
	f.Request.Body.Size = sent.Load()
	if err != nil {
		f.State = flow.Failed
		f.Kind, f.Error, _ = p.explain(p.ctx, err, t.place.target)
	} else {
		f.Response = &flow.Response{Status: 200, Reason: "Connection established", Protocol: "HTTP/1.1", Body: flow.Body{Size: got.Load()}}
	}
	f.Request.Body.Cut, f.Request.Body.FileCut = f.Request.Body.Size > 0, f.Request.Body.Size > 0
	if f.Response != nil {
		f.Response.Body.Cut, f.Response.Body.FileCut = got.Load() > 0, got.Load() > 0
	}
	if !hidden {
		p.Tell.Tell(copyOf(f))
	}
}

// pipe copies bytes both ways until both sides have ended. The error comes from connecting to the server.
func (p *Proxy) pipe(app *tunnel, server net.Conn, count func(fromApp bool, n int64)) error {
	defer app.Close()
	if server == nil {
		var err error
		if server, err = p.dial(p.ctx, app.place.target); err != nil {
			return err
		}
	}
	defer server.Close()
	if count == nil {
		count = func(bool, int64) {}
	}
	var both sync.WaitGroup
	both.Go(func() { copyHalf(server, watched{app, app.place.conn}, func(n int64) { count(true, n) }) })
	copyHalf(watched{app, app.place.conn}, server, func(n int64) { count(false, n) })
	both.Wait()
	return nil
}

// watched is a connection whose requests the proxy cannot see: it is in use while bytes pass.
type watched struct {
	net.Conn
	conn *appConn
}

func (w watched) Read(b []byte) (int, error) {
	w.conn.used()
	return w.Conn.Read(b)
}

func (w watched) Write(b []byte) (int, error) {
	w.conn.used()
	return w.Conn.Write(b)
}

func (w watched) CloseWrite() error { return closeWrite(w.Conn) }

// copyHalf copies in one direction. It passes on an orderly end; a broken connection closes both.
func copyHalf(to, from net.Conn, count func(int64)) {
	n, err := io.Copy(to, from)
	count(n)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		_, _ = to.Close(), from.Close()
		return
	}
	_ = closeWrite(to)
}
