package mitm

import (
	"cmp"
	"time"

	"ios-agent/internal/network/flow"
)

// greeting is a finished handshake before the app's first request.
type greeting struct {
	proxy *Proxy
	place *place
	at    time.Time
}

// leftSoon is the time in which an app that rejects our certificate leaves. Browsers open connections in advance, and keep them longer.
const leftSoon = 5 * time.Second

// leave records an app that closed its connection right after the handshake, without a request: an app that checks a pinned certificate
// only then gives no other sign. It does nothing when the proxy itself ends.
func (g *greeting) leave() {
	if g == nil || time.Since(g.at) > leftSoon {
		return
	}
	p := g.proxy
	if p.ctx.Err() != nil || !p.open.enter(&p.wg) {
		return
	}
	defer p.wg.Done()
	p.tellTunnel(g.place, g.place.target, flow.Trouble{
		Kind: flow.AppLeft,
		Error: "tls: the app ended the connection right after the handshake, without a request: it may pin the certificate of " +
			cmp.Or(g.place.tls.Name, g.place.target),
	})
}
