package mitm_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

// upstream is another proxy: it wants a name and a password, and leads every CONNECT and request to one server.
func upstream(t *testing.T, to string) (at *url.URL, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var log []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		log = append(log, req.Method+" "+req.Host)
		mu.Unlock()
		if req.Header.Get("Proxy-Authorization") != "Basic bWU6c2VjcmV0" { // me:secret
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if req.Method != http.MethodConnect {
			fmt.Fprintf(w, "upstream has %s", req.URL)
			return
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			t.Error(err)
			return
		}
		app, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(app, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(server, app); _ = server.Close() }()
		go func() { _, _ = io.Copy(app, server); _ = app.Close() }()
	}))
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL)
	must(t, err)
	at.User = url.UserPassword("me", "secret")
	return at, func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(log, ", ") }
}

// TestUpstreamProxyCarriesAllTraffic: HTTPS, plain HTTP and other protocols go through the proxy of a company, with its password.
func TestUpstreamProxyCarriesAllTraffic(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, "server has ", req.Host) }, true)
	at, asked := upstream(t, s.Listener.Addr().String())
	must(t, r.proxy.Set(mitm.Way{Upstream: at}))
	if _, body := r.get(r.client(true), "https://example.com/"); body != "server has example.com" {
		t.Error(body)
	}
	if f := r.done(); f.Request.URL != "https://example.com/" || f.Request.Header.Get("Proxy-Authorization") != "" {
		t.Errorf("%+v", f.Request)
	}
	if _, body := r.get(r.client(true), s.URL); !strings.HasPrefix(body, "server has 127.0.0.1") {
		t.Error(body)
	}
	if _, body := r.get(r.client(true), "http://plain.example/x"); body != "upstream has http://plain.example/x" {
		t.Error(body)
	}
	if got := asked(); got != "CONNECT example.com:443, GET plain.example" {
		t.Error(got)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	at, _ = upstream(t, l.Addr().String())
	must(t, r.proxy.Set(mitm.Way{Upstream: at}))
	conn := r.connect("other.example:7")
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(tooLong)))
	_, err = io.WriteString(conn, "\x00not http\n")
	must(t, err)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "\x00not http\n" {
		t.Errorf("%q %v", line, err)
	}

	at.User = url.UserPassword("me", "wrong")
	must(t, r.proxy.Set(mitm.Way{Upstream: at}))
	r.forget()
	resp, body := r.get(r.client(true), "https://example.com/")
	if f := r.failed(); resp.StatusCode != 502 || f.Kind != flow.NoServer || !strings.Contains(body, "407") ||
		strings.Contains(body+f.Error, "wrong") {
		t.Errorf("%d %q %+v", resp.StatusCode, body, f)
	}
	for _, wrong := range []string{"ftp://x", "socks5://x", "http://"} {
		u, err := url.Parse(wrong)
		must(t, err)
		if r.proxy.Set(mitm.Way{Upstream: u}) == nil {
			t.Errorf("%s is a proxy", wrong)
		}
	}
}
