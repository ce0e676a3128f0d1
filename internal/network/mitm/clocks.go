package mitm

import (
	"crypto/tls"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"time"

	"ios-agent/internal/network/flow"
)

// clocks measure the parts of an exchange. The trace may still call them after the answer, for a connection that lost a race.
type clocks struct {
	mu                         sync.Mutex
	ended                      bool
	dns, connect, tls          time.Time
	dnsTook, connTook, tlsTook time.Duration
	sent, first                time.Time
	asked                      time.Time
}

func (c *clocks) trace(early func(int, textproto.MIMEHeader)) *httptrace.ClientTrace {
	c.asked = time.Now()
	return &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { c.begin(&c.dns) },
		DNSDone:           func(httptrace.DNSDoneInfo) { c.took(&c.dnsTook, &c.dns) },
		ConnectStart:      func(_, _ string) { c.begin(&c.connect) },
		ConnectDone:       func(_, _ string, _ error) { c.took(&c.connTook, &c.connect) },
		TLSHandshakeStart: func() { c.begin(&c.tls) },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { c.took(&c.tlsTook, &c.tls) },
		WroteRequest:      func(httptrace.WroteRequestInfo) { c.begin(&c.sent) },
		Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			if !c.ended {
				early(code, header)
			}
			return nil
		},
	}
}

func (c *clocks) begin(at *time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		*at = time.Now()
	}
}

func (c *clocks) took(d *time.Duration, from *time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended && !from.IsZero() {
		*d = time.Since(*from)
	}
}

// end ends the measuring: the answer's head has arrived, or will not come.
func (c *clocks) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended, c.first = true, time.Now()
}

func (c *clocks) into(t *flow.Timing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.DNS, t.Connect, t.TLS = inMillis(c.dnsTook), inMillis(c.connTook), inMillis(c.tlsTook)
	if !c.sent.IsZero() {
		t.Request = inMillis(c.sent.Sub(c.asked))
	}
	if !c.first.IsZero() {
		t.Response = inMillis(time.Since(c.first))
	}
}

func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
