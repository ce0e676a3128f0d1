package mitm_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

// connect opens a tunnel as an app does.
func (r *rig) connect(target string) net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.address)
	must(r.t, err)
	must(r.t, conn.SetDeadline(time.Now().Add(tooLong)))
	_, err = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	must(r.t, err)
	line, err := bufio.NewReaderSize(&one{conn}, 16).ReadString('\n')
	must(r.t, err)
	if !strings.HasPrefix(line, "HTTP/1.1 200 ") {
		r.t.Fatalf("%q", line)
	}
	for end := ""; end != "\r\n"; { // the empty line
		b := make([]byte, 2)
		_, err := io.ReadFull(conn, b)
		must(r.t, err)
		end = string(b)
	}
	return conn
}

// one reads byte by byte, so that nothing is read too much.
type one struct{ io.Reader }

func (o *one) Read(b []byte) (int, error) { return o.Reader.Read(b[:1]) }

// ask sends a request as it is and reads the body of the answer.
func ask(t *testing.T, conn net.Conn, request string) string {
	t.Helper()
	_, err := io.WriteString(conn, request)
	must(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(body)
}

// TestOtherProtocolsPassAsTunnel: other protocols than HTTP pass unchanged, whichever side speaks first, and are recorded as a tunnel.
func TestOtherProtocolsPassAsTunnel(t *testing.T) {
	r := open(t, nil)
	r.proxy.SetQuiet(50 * time.Millisecond)
	for _, greets := range []bool{false, true} {
		r.forget()
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer l.Close()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					if greets {
						_, _ = io.WriteString(conn, "220 hello\n")
					}
					_, _ = io.Copy(conn, conn)
				}()
			}
		}()
		conn := r.connect(l.Addr().String())
		read := bufio.NewReader(conn)
		want := "\x00binary\n"
		if greets {
			if line, err := read.ReadString('\n'); err != nil || line != "220 hello\n" {
				t.Fatalf("%q %v", line, err)
			}
			want = "EHLO\n"
		}
		_, err = io.WriteString(conn, want)
		must(t, err)
		if line, err := read.ReadString('\n'); err != nil || line != want {
			t.Fatalf("%q %v", line, err)
		}
		must(t, conn.(*net.TCPConn).CloseWrite())
		_, err = io.Copy(io.Discard, read)
		must(t, err)
		must(t, conn.Close())
		f := r.done()
		if f.Request.Method != "CONNECT" || f.Request.URL != "tcp://"+l.Addr().String() ||
			f.Request.Body.Size != int64(len(want)) || f.Response.Body.Size < int64(len(want)) {
			t.Errorf("%+v %+v", f.Request, f.Response)
		}
	}
}

// TestHTTPIsRecognizedFromSlowApp: one that says nothing for a while and then HTTP is understood.
func TestHTTPIsRecognizedFromSlowApp(t *testing.T) {
	r := open(t, believing)
	r.proxy.SetQuiet(time.Millisecond)
	connected := make(chan struct{}, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	s := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "late") }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				select {
				case connected <- struct{}{}:
				default:
				}
			}
		},
	}
	go func() { _ = s.Serve(l) }()
	defer s.Close()
	conn := r.connect(l.Addr().String())
	defer conn.Close()
	<-connected // the proxy asked who speaks first
	if got := ask(t, conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); got != "late" {
		t.Error(got)
	}
	if f := r.done(); f.Request.Method != "GET" {
		t.Errorf("%+v", f)
	}
}

// TestRefusedCertificateIsRecorded: the flow has the kind and the host, whether the app sends an alert or just leaves.
func TestRefusedCertificateIsRecorded(t *testing.T) {
	r := open(t, nil)
	conn := r.connect("pinned.example:443")
	err := tls.Client(conn, &tls.Config{ServerName: "pinned.example", RootCAs: x509.NewCertPool()}).Handshake()
	if err == nil {
		t.Fatal("an app without our authority is content")
	}
	must(t, conn.Close())
	f := r.failed()
	if f.Kind != flow.AppRefused || f.Error != "tls: the app refused our certificate for pinned.example" || f.TLS.Name != "pinned.example" ||
		f.Request.URL != "https://pinned.example/" {
		t.Errorf("%+v", f)
	}
	r.forget()
	conn = r.connect("leaves.example:443")
	errLeft := errors.New("left")
	config := &tls.Config{ServerName: "leaves.example", InsecureSkipVerify: true}
	config.VerifyConnection = func(tls.ConnectionState) error { return errors.Join(errLeft, conn.Close()) }
	if err := tls.Client(conn, config).Handshake(); !errors.Is(err, errLeft) {
		t.Fatal(err)
	}
	if f := r.failed(); f.Kind != flow.AppRefused || !strings.Contains(f.Error, "leaves.example") {
		t.Errorf("%+v", f)
	}
}

// TestBypassedHostsAreNotDecrypted: hosts that are passed on unopened show the app their own certificate and are only counted.
func TestBypassedHostsAreNotDecrypted(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "direct") }, false)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for i, pattern := range []string{"127.0.0.1", "127.0.0.1:" + port, "*.example"} {
		must(t, r.proxy.Set(mitm.Way{Bypass: []string{pattern}}))
		conn := r.connect(s.Listener.Addr().String())
		secure := tls.Client(conn, &tls.Config{ServerName: "a.example", InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		if got := ask(t, secure, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); got != "direct" {
			t.Error(got)
		}
		if shown := secure.ConnectionState().PeerCertificates[0]; !shown.Equal(s.Certificate()) {
			t.Errorf("%s: the app sees a certificate of %s", pattern, shown.Issuer)
		}
		must(t, secure.Close())
		total := int64(0)
		for _, n := range r.proxy.Figures().Bypassed {
			total += n
		}
		if total != int64(i+1) {
			t.Errorf("%v", r.proxy.Figures())
		}
	}
	must(t, r.proxy.Set(mitm.Way{Bypass: []string{"127.0.0.1:1", "other.example"}}))
	if _, body := r.get(r.client(false), s.URL); body != "direct" {
		t.Error(body)
	}
	if f := r.done(); f.TLS == nil {
		t.Errorf("%+v", f)
	}
	for _, f := range r.flows {
		if f.TLS == nil {
			t.Errorf("what was passed on is told: %+v", f)
		}
	}
	for _, wrong := range []string{"", "*", "a b", "https://x", "x:port"} {
		if err := r.proxy.Set(mitm.Way{Bypass: []string{wrong}}); err == nil {
			t.Errorf("%q is a host", wrong)
		}
	}
}

// TestBypassAppliesPerClient: a host that is not passed on for this client is opened.
func TestBypassAppliesPerClient(t *testing.T) {
	asked := make(chan string, 10)
	r := open(t, func(o *mitm.Options) {
		believing(o)
		o.Whose = func(net.Conn) flow.Client { return flow.Client{Simulator: "anns"} }
		o.Bypasses = func(c flow.Client, host string) bool {
			asked <- c.Simulator + " " + host
			return host == "*.1"
		}
	})
	s := r.server(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "direct") }, false)
	must(t, r.proxy.Set(mitm.Way{Bypass: []string{"127.0.0.1"}}))
	if _, body := r.get(r.client(false), s.URL); body != "direct" {
		t.Error(body)
	}
	if f := r.done(); f.TLS == nil {
		t.Errorf("the flow was not seen: %+v", f)
	}
	if got := <-asked; got != "anns 127.0.0.1" {
		t.Errorf("asked about %q, want the client and the host", got)
	}
	must(t, r.proxy.Set(mitm.Way{Bypass: []string{"127.0.0.1", "*.1"}}))
	conn := r.connect(s.Listener.Addr().String())
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	defer secure.Close()
	if got := ask(t, secure, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); got != "direct" || len(r.proxy.Figures().Bypassed) != 1 {
		t.Errorf("got %q and %+v, want it passed on", got, r.proxy.Figures())
	}
}

// TestConnectionFailuresHaveKindAndStatus: each has its kind, a status for the app and a sentence.
func TestConnectionFailuresHaveKindAndStatus(t *testing.T) {
	own, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer own.Close()
	r := open(t, func(o *mitm.Options) {
		o.Own = func(a netip.AddrPort) bool { return a.String() == own.Addr().String() }
	})
	bad := r.server(func(http.ResponseWriter, *http.Request) {}, false) // its certificate is not believed
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, gone.Close())
	rude, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer rude.Close()
	go func() {
		for {
			conn, err := rude.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1000))
			_ = conn.Close()
		}
	}()
	for _, c := range []struct {
		url    string
		kind   flow.TroubleKind
		status int
	}{
		{bad.URL, flow.ServerTLS, 502},
		{"http://" + gone.Addr().String(), flow.NoServer, 502},
		{"https://" + gone.Addr().String(), flow.NoServer, 502},
		{"http://" + rude.Addr().String(), flow.ServerGone, 502},
		{"https://" + rude.Addr().String(), flow.ServerGone, 502},
		{"http://" + own.Addr().String(), flow.OwnPort, 403},
		{"http://localhost:" + strings.Split(own.Addr().String(), ":")[1], flow.OwnPort, 403},
		{"http://" + r.address, flow.OwnPort, 403},
	} {
		r.forget()
		resp, body := r.get(r.client(false), c.url)
		f := r.failed()
		at, _ := url.Parse(c.url)
		if resp.StatusCode != c.status || f.Kind != c.kind || f.Response != nil ||
			!strings.Contains(body, f.Error) || !strings.Contains(f.Error, at.Port()) {
			t.Errorf("%s: %d %s %q %q", c.url, resp.StatusCode, f.Kind, f.Error, body)
		}
	}
	r.forget()
	if _, err := r.client(false).Get("https://" + own.Addr().String()); err == nil {
		t.Error("our own port is reached by CONNECT")
	}
	if f := r.failed(); f.Kind != flow.OwnPort {
		t.Errorf("%+v", f)
	}
}

// TestBrokenResponseIsNotTakenAsComplete: an app never takes a part for the whole.
func TestBrokenResponseIsNotTakenAsComplete(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			s := r.server(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				fmt.Fprint(w, "a part")
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}, http2)
			resp, err := r.client(http2).Get(s.URL)
			must(t, err)
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Error("the app has its answer")
			}
			must(t, resp.Body.Close())
			if f := r.failed(); f.Kind != flow.ServerGone || string(f.Response.Body.Content) != "a part" {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestServeRefusesNonLoopbackListener: other machines are not served unless somebody says so.
func TestServeRefusesNonLoopbackListener(t *testing.T) {
	r := open(t, nil)
	l, err := net.Listen("tcp", "0.0.0.0:0")
	must(t, err)
	var notHere *mitm.NotLoopbackError
	if err := r.proxy.Serve(l); !errors.As(err, &notHere) {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
