// Command wireproxy runs the proxy that the bench measures: our proxy, or a bare goproxy for comparison. It prints its address and runs
// until its input ends.
//
//	wireproxy ours|goproxy DIR ROOTS    DIR has the authority and the bodies, ROOTS is the certificate that servers show
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/elazarl/goproxy"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mitm"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: wireproxy ours|goproxy DIR ROOTS")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(kind, dir, rootsFile string) error {
	pem, err := os.ReadFile(rootsFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	ca, err := mitm.LoadCA(filepath.Join(dir, "ca"))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if kind == "goproxy" {
		err = bare(l, dir, roots)
	} else {
		err = ours(l, dir, ca, roots)
	}
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func ours(l net.Listener, dir string, ca *mitm.CA, roots *x509.CertPool) error {
	bodies := filepath.Join(dir, "bodies")
	if err := os.MkdirAll(bodies, 0o700); err != nil {
		return err
	}
	p, err := mitm.New(mitm.Options{CA: ca, Rules: pass{}, Tell: &writer{}, Bodies: bodies, Roots: roots})
	if err != nil {
		return err
	}
	go func() { _ = p.Serve(l) }() // until the process ends
	return nil
}

// pass lets everything pass.
type pass struct{}

func (pass) Look(*flow.Flow) flow.Look { return flow.Look{} }

func (pass) Request(context.Context, *flow.Flow) (flow.Verdict, error) { return flow.Verdict{}, nil }

func (pass) Response(context.Context, *flow.Flow) (flow.Verdict, error) { return flow.Verdict{}, nil }

// writer writes flows down, as whoever keeps them must.
type writer struct{ mu sync.Mutex }

func (w *writer) Tell(f flow.Flow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = json.NewEncoder(io.Discard).Encode(f)
}

// bare is goproxy with what one needs at least: an authority, certificates that are kept, HTTP/2.
func bare(l net.Listener, dir string, roots *x509.CertPool) error {
	cert, err := tls.LoadX509KeyPair(filepath.Join(dir, "ca", "ca.pem"), filepath.Join(dir, "ca", "ca-key.pem"))
	if err != nil {
		return err
	}
	p := goproxy.NewProxyHttpServer()
	p.AllowHTTP2 = true
	p.CertStore = &certs{byHost: map[string]*tls.Certificate{}}
	p.Tr = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64,
		DisableCompression: true}
	action := &goproxy.ConnectAction{Action: goproxy.ConnectMitm, TLSConfig: goproxy.TLSConfigFromCA(&cert)}
	p.OnRequest().HandleConnect(goproxy.FuncHttpsHandler(func(host string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		return action, host
	}))
	go func() {
		if err := http.Serve(l, p); !errors.Is(err, net.ErrClosed) {
			log.Print(err)
		}
	}()
	return nil
}

type certs struct {
	mu     sync.Mutex
	byHost map[string]*tls.Certificate
}

func (c *certs) Fetch(host string, make func() (*tls.Certificate, error)) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byHost[host] == nil {
		cert, err := make()
		if err != nil {
			return nil, err
		}
		c.byHost[host] = cert
	}
	return c.byHost[host], nil
}
