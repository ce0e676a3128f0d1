package mitm_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

// tooLong ends what hangs. Nothing here takes long.
const tooLong = 60 * time.Second

// rig is a proxy in front of servers of this test.
type rig struct {
	t       *testing.T
	proxy   *mitm.Proxy
	ca      *mitm.CA
	address string
	bodies  string
	*heard
	*rules
}

// heard are the flows that were told.
type heard struct {
	t     *testing.T
	mu    sync.Mutex
	flows []flow.Flow
	more  chan struct{}
}

func (h *heard) Tell(f flow.Flow) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.flows = append(h.flows, f)
	close(h.more)
	h.more = make(chan struct{})
}

// wait waits for a flow.
func (h *heard) wait(what string, is func(flow.Flow) bool) flow.Flow {
	h.t.Helper()
	end := time.After(tooLong)
	for {
		h.mu.Lock()
		for _, f := range h.flows {
			if is(f) {
				h.mu.Unlock()
				return f
			}
		}
		more := h.more
		h.mu.Unlock()
		select {
		case <-more:
		case <-end:
			h.t.Fatalf("no flow that is %s in %+v", what, h.flows)
		}
	}
}

func (h *heard) done() flow.Flow {
	h.t.Helper()
	return h.wait("done", func(f flow.Flow) bool { return f.State == flow.Done })
}

func (h *heard) failed() flow.Flow {
	h.t.Helper()
	return h.wait("failed", func(f flow.Flow) bool { return f.State == flow.Failed })
}

func (h *heard) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.flows = nil
}

// rules do what a test says.
type rules struct {
	look     flow.Look
	request  func(context.Context, *flow.Flow) (flow.Verdict, error)
	response func(context.Context, *flow.Flow) (flow.Verdict, error)
}

func (r *rules) Look(*flow.Flow) flow.Look { return r.look }

func (r *rules) Request(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	if r.request == nil {
		return flow.Verdict{}, nil
	}
	return r.request(ctx, f)
}

func (r *rules) Response(ctx context.Context, f *flow.Flow) (flow.Verdict, error) {
	if r.response == nil {
		return flow.Verdict{}, nil
	}
	return r.response(ctx, f)
}

// open starts a proxy; set may change its options.
func open(t *testing.T, set func(*mitm.Options)) *rig {
	t.Helper()
	ca, err := mitm.LoadCA(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, ca: ca, bodies: t.TempDir(), heard: &heard{t: t, more: make(chan struct{})}, rules: &rules{}}
	o := mitm.Options{CA: ca, Rules: r.rules, Tell: r.heard, Bodies: r.bodies, Roots: x509.NewCertPool()}
	if set != nil {
		set(&o)
	}
	if r.proxy, err = mitm.New(o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- r.proxy.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), tooLong)
		defer cancel()
		if err := errors.Join(r.proxy.Close(ctx), <-served); err != nil {
			t.Error(err)
		}
		nothingLeft(t)
	})
	return r
}

// nothingLeft wants that no goroutine of the proxy is there.
func nothingLeft(t *testing.T) {
	t.Helper()
	var stacks string
	for end := time.Now().Add(tooLong); time.Now().Before(end); runtime.Gosched() {
		buffer := make([]byte, 1<<20)
		stacks = string(buffer[:runtime.Stack(buffer, true)])
		if !strings.Contains(strings.ReplaceAll(stacks, "mitm_test", ""), "network/mitm.") {
			return
		}
	}
	t.Errorf("left behind:\n%s", stacks)
}

// server is a server that the proxy believes. Protocols are those that it speaks.
func (r *rig) server(h http.HandlerFunc, http2 bool) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = http2
	s.StartTLS()
	r.t.Cleanup(s.Close)
	return s
}

// believing are options for a proxy that believes servers of httptest.
func believing(o *mitm.Options) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	o.Roots.AddCert(s.Certificate())
}

// client is an app that uses the proxy and trusts it.
func (r *rig) client(http2 bool) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(r.ca.Certificate())
	transport := &http.Transport{
		Proxy:              http.ProxyURL(&url.URL{Scheme: "http", Host: r.address}),
		TLSClientConfig:    &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2:  http2,
		DisableCompression: true,
	}
	if !http2 {
		transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	r.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get asks and reads the whole answer.
func (r *rig) get(c *http.Client, url string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.do(c, req)
}

func (r *rig) do(c *http.Client, req *http.Request) (*http.Response, string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	defer cancel()
	resp, err := c.Do(req.WithContext(ctx))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(body)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
