package main

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"ios-agent/internal/machine/host"
)

// The load for proxies: answers of 1 KB over eight connections, in turns.
const (
	wireConns  = 8
	wireRounds = 9
	wireSize   = 1 << 10
	wireLarge  = 1 << 30
)

// wireProxy is a proxy in a process of its own.
type wireProxy struct {
	name     string
	address  string
	requests int // a round, for all connections
	running  *server
	rates    map[bool][]float64 // requests a second, by HTTP/2
	slowest  map[bool][]time.Duration
}

// wireBench has the server behind the proxies.
type wireBench struct {
	*lab
	origin *httptest.Server
	roots  string
}

func openWire(l *lab) (*wireBench, error) {
	answer, block := make([]byte, wireSize), make([]byte, 1<<16)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if r.URL.Path != "/large" {
			_, _ = w.Write(answer)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(wireLarge))
		for range wireLarge / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	roots := l.path("wire-roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &wireBench{lab: l, origin: s, roots: roots}, os.WriteFile(roots, text, 0o600)
}

// wiring is what our proxy costs: beside a bare goproxy, and what it takes in memory while a large body passes.
func wiring(ctx context.Context, l *lab) (figures []figure, err error) {
	b, err := openWire(l)
	if err != nil {
		return nil, err
	}
	defer b.origin.Close()
	ours, bare, err := b.both(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.running.Close(), bare.running.Close()) }()
	if err := b.race(ctx, ours, bare); err != nil {
		return nil, err
	}
	figures = b.besideBare(ours, bare)
	before, _ := residentMB(ours.running.process.PID)
	most, err := b.download(ctx, ours)
	figures = append(figures, figure{
		name: "proxy: memory that 1 GB through it takes", value: most - before, unit: megabytes, bound: 64, skipped: before == 0,
	})
	return figures, err
}

// both are we and our yardstick.
func (b *wireBench) both(ctx context.Context) (ours, bare *wireProxy, err error) {
	if ours, err = b.proxy(ctx, "ours"); err != nil {
		return nil, nil, err
	}
	if bare, err = b.proxy(ctx, "goproxy"); err != nil {
		return nil, nil, errors.Join(err, ours.running.Close())
	}
	return ours, bare, nil
}

func (b *wireBench) proxy(ctx context.Context, kind string) (*wireProxy, error) {
	running, err := b.serve(ctx, b.command("wireproxy", kind, b.path("wire-"+kind), b.roots))
	if err != nil {
		return nil, err
	}
	select {
	case line := <-running.lines:
		return newWireProxy(kind, string(line), 2000, running), nil
	case <-running.process.Done():
		_, err := running.process.Result()
		return nil, fmt.Errorf("wireproxy %s: %w", kind, err)
	case <-time.After(patience):
		return nil, errors.Join(fmt.Errorf("wireproxy %s does not start", kind), running.Close())
	}
}

func newWireProxy(name, address string, requests int, running *server) *wireProxy {
	return &wireProxy{
		name: name, address: address, requests: requests, running: running,
		rates: map[bool][]float64{}, slowest: map[bool][]time.Duration{},
	}
}

// mitmdump is Debian's.
func (b *wireBench) mitmdump(ctx context.Context, path string) (*wireProxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(address)
	running, err := b.serve(ctx, host.Cmd{
		Name: path, Dir: b.dir, Env: []string{b.mark, "HOME=" + b.dir},
		Args: []string{"-q", "-k", "--listen-host", "127.0.0.1", "--listen-port", port, "--set", "confdir=" + b.path("mitmproxy")},
	})
	if err != nil {
		return nil, err
	}
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			return newWireProxy("mitmdump", address, 200, running), conn.Close()
		}
	}
	return nil, errors.Join(errors.New("mitmdump does not start"), running.Close())
}

// race lets all proxies serve in turns, so that a busy machine is busy for all of them.
func (b *wireBench) race(ctx context.Context, proxies ...*wireProxy) error {
	for _, http2 := range []bool{false, true} {
		for round := range wireRounds + 1 {
			for _, p := range proxies {
				took, each, err := b.load(ctx, p, http2)
				if err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				if round > 0 { // the first one warms up
					p.rates[http2] = append(p.rates[http2], float64(len(each))/took.Seconds())
					p.slowest[http2] = append(p.slowest[http2], quantile(each, 0.99))
				}
			}
		}
	}
	return nil
}

// load asks over eight connections, each one request after the other. Connections are made before the clock runs.
func (b *wireBench) load(ctx context.Context, p *wireProxy, http2 bool) (took time.Duration, each []time.Duration, err error) {
	clients := make([]*http.Client, wireConns)
	for i := range clients {
		clients[i] = wireClient(p.address, http2)
		defer clients[i].CloseIdleConnections()
		if err := fetch(ctx, clients[i], b.origin.URL, http2); err != nil {
			return 0, nil, err
		}
	}
	samples, errs := make([][]time.Duration, wireConns), make([]error, wireConns)
	var wg sync.WaitGroup
	began := time.Now()
	for i, c := range clients {
		wg.Go(func() {
			for range p.requests / wireConns {
				at := time.Now()
				if errs[i] = fetch(ctx, c, b.origin.URL, http2); errs[i] != nil {
					return
				}
				samples[i] = append(samples[i], time.Since(at))
			}
		})
	}
	wg.Wait()
	took = time.Since(began)
	for _, s := range samples {
		each = append(each, s...)
	}
	return took, each, errors.Join(errs...)
}

func wireClient(address string, http2 bool) *http.Client {
	// Each proxy has an authority of its own, and none of them is what is measured.
	config := &tls.Config{InsecureSkipVerify: true}
	if !http2 {
		config.NextProtos = []string{"http/1.1"}
	}
	at := &url.URL{Scheme: "http", Host: address}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at), TLSClientConfig: config, ForceAttemptHTTP2: http2}}
}

func fetch(ctx context.Context, c *http.Client, from string, http2 bool) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && (n != wireSize || resp.StatusCode != http.StatusOK || (resp.ProtoMajor == 2) != http2) {
		err = fmt.Errorf("%s %s with %d bytes", resp.Proto, resp.Status, n)
	}
	return errors.Join(err, resp.Body.Close())
}

// download takes 1 GB through a proxy and is the most memory that it had.
func (b *wireBench) download(ctx context.Context, p *wireProxy) (most float64, err error) {
	c := wireClient(p.address, false)
	defer c.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.origin.URL+"/large", nil)
	if err != nil {
		return 0, err
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	for buffer, got := make([]byte, 1<<20), 0; got < wireLarge; {
		n, err := io.ReadFull(resp.Body, buffer)
		if got += n; err != nil {
			return most, err
		}
		if got%(16<<20) == 0 {
			mb, _ := residentMB(p.running.process.PID)
			most = max(most, mb)
		}
	}
	return most, nil
}

// leastRate is how much of a bare goproxy's requests a second ours serves, and slowestOfBare how many times longer the slowest of a hundred
// may take.
const leastRate, slowestOfBare = 0.75, 2

// besideBare compares requests a second and the 99th percentile with a bare goproxy.
func (b *wireBench) besideBare(ours, bare *wireProxy) []figure {
	figures := b.beside(ours, bare, 1/leastRate)
	for _, http2 := range []bool{false, true} {
		figures = append(figures, figure{
			name:  fmt.Sprintf("proxy: p99 of ours beside %s, HTTPS %s", bare.name, wireVersion(http2)),
			value: ratio(ours.slowest[http2], bare.slowest[http2]), unit: times, bound: slowestOfBare,
		})
	}
	return figures
}

// beside compares requests a second, round by round: what else the machine does is the same for both. bound is how many times more
// another may serve.
func (b *wireBench) beside(ours, other *wireProxy, bound float64) []figure {
	var figures []figure
	for _, http2 := range []bool{false, true} {
		var each []float64
		for i, rate := range other.rates[http2] {
			each = append(each, rate/ours.rates[http2][i])
		}
		figures = append(figures, figure{
			name:  fmt.Sprintf("proxy: requests/s of %s beside ours, HTTPS %s", other.name, wireVersion(http2)),
			value: median(each), unit: times, bound: bound,
		})
	}
	return figures
}

func wireVersion(http2 bool) string { return map[bool]string{false: "h1", true: "h2"}[http2] }

// wirePeers measures our proxy beside mitmdump and a bare goproxy, in one run.
func wirePeers(ctx context.Context, l *lab, path string, out io.Writer) (err error) {
	b, err := openWire(l)
	if err != nil {
		return err
	}
	defer b.origin.Close()
	ours, bare, err := b.both(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.running.Close(), bare.running.Close()) }()
	theirs, err := b.mitmdump(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, theirs.running.Close()) }()
	all := []*wireProxy{ours, bare, theirs}
	if err := b.race(ctx, all...); err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nproxy, 1 KB, 8 connections\th1 req/s\tp99 ms\th2 req/s\tp99 ms\tRSS MB\t")
	for _, p := range all {
		mb, _ := residentMB(p.running.process.PID)
		fmt.Fprintf(table, "%s\t%.0f\t%.1f\t%.0f\t%.1f\t%.0f\t\n", p.name, median(p.rates[false]), inMillis(median(p.slowest[false])),
			median(p.rates[true]), inMillis(median(p.slowest[true])), mb)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	figures := append(b.besideBare(ours, bare), b.beside(ours, theirs, 1.0/8)...)
	figures[len(figures)-1].bound = 1.0 / 6 // HTTP/2
	var broken []error
	for _, f := range figures {
		fmt.Fprintln(out, f)
		if f.breaks() {
			broken = append(broken, errors.New("over its bound: "+strings.TrimSpace(f.name)))
		}
	}
	return errors.Join(broken...)
}
