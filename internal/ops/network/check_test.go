package network_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/hint"
	"ios-agent/internal/ops/network"
	"ios-agent/test/fakedevice"
)

// check is what a check of the shop says: the verdict, and the kinds of obstacles.
func (m *mac) check() (through string, kinds []string, got network.ProxyCheckOut, text string) {
	m.T.Helper()
	e := m.Must("proxy_check", `{"bundle_id":"com.example.shop"}`, &got)
	for _, o := range got.Obstacles {
		kinds = append(kinds, o.Kind)
	}
	return got.Through, kinds, got, e.Stdout
}

// TestProxyCheckNamesMissingSetupStep: each step of the set-up that is missing is told with the command that does the whole set-up.
func TestProxyCheckNamesMissingSetupStep(t *testing.T) {
	m := newMac(t, device.Booted)
	want := func(step, through, kind, mend string) {
		t.Helper()
		got, kinds, out, text := m.check()
		if got != through || kind != "" && !slices.Contains(kinds, kind) || !strings.Contains(text, mend) {
			t.Errorf("%s: got %s %q and\n%s\nwant %s because of %s, and %s", step, got, kinds, text, through, kind, mend)
		}
		if kind == "" && len(out.Obstacles) > 0 {
			t.Errorf("%s: got the obstacles %q, want none", step, kinds)
		}
	}
	setUp := hint.Do("proxy_launch", "bundle_id", "com.example.shop", "udid", fakedevice.UDID)
	want("no proxy", "no", "proxy_stopped", setUp)
	m.Must("proxy_start", `{}`, nil)
	want("not set", "no", "mac_proxy_not_set", setUp)
	m.Must("proxy_set", `{"system_proxy":true}`, nil)
	want("booted before", "no", "booted_before", setUp)
	m.Must("proxy_start", `{"system_proxy":true,"reboot":true,"device":"`+fakedevice.UDID+`"}`, nil)
	if m.sim.booted != "2026-02-03T04:05:06Z" || m.sim.trusts == "" {
		t.Errorf("it booted at %s and trusts %q, want it booted anew with our certificate", m.sim.booted, m.sim.trusts)
	}
	got, kinds, _, text := m.check()
	if got != "unknown" || len(kinds) > 0 ||
		!strings.Contains(text, "no request has reached the proxy yet") {
		t.Errorf("set up: got %s, %q and\n%s\nwant that no request came yet", got, kinds, text)
	}
	m.ask("GET", "/a", "")
	want("a request", "yes", "", "requests reach the proxy, 1 so far")
	m.Must("proxy_set", `{"only":"example.com"}`, nil)
	want("one host", "yes", "only_one_host_seen", hint.Do("proxy_set", "only", ""))
}

// TestProxyCheckSeparatesUntrustedFromPinned: a device that believed the certificate nowhere does not trust it; an app that refuses it for
// one host only pins the server's.
func TestProxyCheckSeparatesUntrustedFromPinned(t *testing.T) {
	m := newMac(t, device.Booted)
	m.Must("proxy_start", `{}`, nil)
	secure := func(host string, roots *x509.CertPool) {
		t.Helper()
		conn := m.connect(host + ":443")
		defer conn.Close()
		within := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: roots})
		if err := within.HandshakeContext(t.Context()); (err != nil) != (roots.Equal(x509.NewCertPool())) {
			t.Fatalf("the handshake for %s: %v", host, err)
		}
		if err := (&http.Request{Method: "GET", URL: &url.URL{Path: "/"}, Host: host}).Write(within); err == nil {
			_, _ = within.Read(make([]byte, 1000)) // the answer is that there is no such server
		}
	}
	secure("api.invalid", x509.NewCertPool())
	m.Must("wait_flow", `{"host":"api.invalid"}`, nil) // the proxy hears of it when the app does
	got, kinds, out, text := m.check()
	if got != "no" || !slices.Contains(kinds, "certificate_not_trusted") || out.Seen != 0 ||
		!strings.Contains(text, hint.Do("install_proxy_cert", "udid", fakedevice.UDID)) {
		t.Errorf("untrusted: got %s %q and\n%s", got, kinds, text)
	}
	var cert network.CertOut
	m.Must("proxy_cert", `{}`, &cert)
	pem, err := os.ReadFile(strings.Replace(cert.Path, m.dir+"/ca", m.dir+"/proxy/ca", 1))
	trusting := x509.NewCertPool()
	if err != nil || !trusting.AppendCertsFromPEM(pem) {
		t.Fatal("the certificate cannot be read", err)
	}
	secure("other.invalid", trusting)
	m.Must("wait_flow", `{"host":"other.invalid"}`, nil)
	got, kinds, _, text = m.check()
	if got != "yes" || !slices.Equal(kinds, []string{"certificate_pinned"}) ||
		!strings.Contains(text, "for api.invalid, which the device trusts") ||
		!strings.Contains(text, hint.Do("proxy_set", "bypass", []string{"api.invalid"})) {
		t.Errorf("pinned: got %s %q and\n%s", got, kinds, text)
	}
	m.Must("proxy_set", `{"bypass":["api.invalid"]}`, nil)
	m.connect("api.invalid:443").Close() // it goes by unseen
	if _, kinds, out, text = m.check(); !slices.Contains(kinds, "host_passed_on_unseen") ||
		!strings.Contains(text, "1 connection to api.invalid bypassed the proxy") {
		t.Errorf("bypassed: got %q, %+v and\n%s", kinds, out, text)
	}
	if len(text) > 1200 {
		t.Errorf("the answer has %d bytes, want at most 400 tokens", len(text))
	}
}

// connect is a connection to a server by way of the proxy.
func (m *mac) connect(target string) net.Conn {
	m.T.Helper()
	conn, err := net.Dial("tcp", m.proxy.Status().Listen)
	if err == nil {
		err = (&http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target}).Write(conn)
	}
	if err == nil {
		_, err = conn.Read(make([]byte, 1000))
	}
	if err != nil {
		m.T.Fatal(err)
	}
	return conn
}
