package mitm

import (
	"cmp"
	"time"

	"ios-agent/internal/network/flow"
)

// greeting is a handshake after which the app has not asked anything yet.
type greeting struct {
	proxy *Proxy
	place *place
	at    time.Time
}

// leftSoon is how soon an app leaves that does not want our certificate. Browsers open connections that they may not need, and keep them
// longer.
const leftSoon = 5 * time.Second

// leave tells of an app that ended its connection right after the handshake, without a request: who pins a certificate and looks at it only
// then says nothing else. It does nothing when the proxy itself ends.
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
