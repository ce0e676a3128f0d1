package mitm_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
)

// greet opens a tunnel and makes the handshake inside it as an app that trusts the proxy's authority.
func (r *rig) greet(target, name, protocol string) (raw net.Conn, secure *tls.Conn) {
	r.t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(r.ca.Certificate())
	raw = r.connect(target)
	secure = tls.Client(raw, &tls.Config{RootCAs: roots, ServerName: name, NextProtos: []string{protocol}})
	must(r.t, secure.Handshake())
	return raw, secure
}

// TestLeavingAfterHandshakeIsRecordedAsPinning: an app that checks the certificate only after the handshake, and then leaves, gives a
// failed flow whose error mentions pinning, however the app closes the connection.
func TestLeavingAfterHandshakeIsRecordedAsPinning(t *testing.T) {
	for _, protocol := range []string{"http/1.1", "h2"} {
		for how, leave := range map[string]func(net.Conn, *tls.Conn) error{
			"it says so":             func(_ net.Conn, secure *tls.Conn) error { return secure.Close() },
			"it ends the connection": func(raw net.Conn, _ *tls.Conn) error { return raw.Close() },
		} {
			t.Run(protocol+", "+how, func(t *testing.T) {
				r := open(t, nil)
				raw, secure := r.greet("192.0.2.1:443", "api.example", protocol)
				must(t, leave(raw, secure))
				f := r.failed()
				if f.Kind != flow.AppLeft || !strings.Contains(f.Error, "may pin the certificate of api.example") {
					t.Errorf("got %q %q, want %q", f.Kind, f.Error, flow.AppLeft)
				}
				if f.Request.Method != "CONNECT" || f.TLS == nil || f.TLS.Name != "api.example" {
					t.Errorf("got %s with TLS %+v, want a CONNECT with the requested name", f.Request.Method, f.TLS)
				}
			})
		}
	}
}

// TestLeavingAfterRequestIsNotPinning: an app that sent a request trusts the certificate.
func TestLeavingAfterRequestIsNotPinning(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, _ *http.Request) {}, false)
	raw, secure := r.greet(s.Listener.Addr().String(), "127.0.0.1", "http/1.1")
	ask(t, secure, "GET / HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\n\r\n")
	must(t, raw.Close())
	if f := r.done(); f.Kind != "" {
		t.Errorf("got %q, want no trouble", f.Kind)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.flows {
		if f.Kind == flow.AppLeft {
			t.Errorf("got %q, want no such flow", f.Error)
		}
	}
}
