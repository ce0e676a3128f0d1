package mitm

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"ios-agent/internal/fault"
)

// errOwnPort says that a request for ios-agent itself came through its own proxy.
var errOwnPort = errors.New("that port is ios-agent's own: the proxy does not lead there")

// refuseOwn checks every address before it is connected to, so that no host name can evade the check.
func (p *Proxy) refuseOwn(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !p.own(at) {
		return nil
	}
	return errOwnPort
}

func (p *Proxy) own(at netip.AddrPort) bool {
	if !ofThisMachine(at.Addr()) {
		return false
	}
	_, ours := p.ports.Load(at.Port())
	return ours || p.Own != nil && p.Own(at)
}

func ofThisMachine(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() || a.IsUnspecified() {
		return true
	}
	addrs, _ := net.InterfaceAddrs() // without the addresses, only loopback is known
	for _, each := range addrs {
		if prefix, err := netip.ParsePrefix(each.String()); err == nil && prefix.Addr().WithZone("") == a {
			return true
		}
	}
	return false
}

// namesOwn checks the target for an upstream proxy, which may run on this machine.
func (p *Proxy) namesOwn(target string) bool {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		return false
	}
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		host = "127.0.0.1"
	}
	addr, err := netip.ParseAddr(host)
	number, portErr := strconv.ParseUint(port, 10, 16)
	return err == nil && portErr == nil && p.own(netip.AddrPortFrom(addr, uint16(number)))
}

// UpstreamError says that the upstream proxy refused to connect.
type UpstreamError struct {
	Proxy  string
	Status string
}

func (e *UpstreamError) Error() string {
	return fmt.Sprintf("the upstream proxy %s does not connect: %s", e.Proxy, e.Status)
}

func upstreamAnswer(at *url.URL, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return &UpstreamError{at.Host, answer.Status}
}

// byWayOf is the upstream proxy for a host; nil for servers on this machine, which no other machine can reach.
func byWayOf(upstream *url.URL, host string) *url.URL {
	addr, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback() {
		return nil
	}
	return upstream
}

// dial connects to a server for a tunnel, through the upstream proxy if one is set.
func (p *Proxy) dial(ctx context.Context, target string) (net.Conn, error) {
	return p.dialBy(ctx, p.route.Load(), target)
}

// dialBy is dial with a given route.
func (p *Proxy) dialBy(ctx context.Context, r *route, target string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(target)
	upstream := byWayOf(r.Upstream, host)
	if upstream == nil {
		return p.dialer.DialContext(ctx, "tcp", target)
	}
	conn, err := p.dialer.DialContext(ctx, "tcp", hostPort(upstream))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	through, err := through(ctx, conn, r, target)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return through, nil
}

// through connects to a server through the upstream proxy.
func through(ctx context.Context, conn net.Conn, r *route, target string) (net.Conn, error) {
	upstream := r.Upstream
	if upstream.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{RootCAs: r.roots, ServerName: upstream.Hostname()})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = secure
	}
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{}}
	if user := upstream.User; user != nil {
		password, _ := user.Password()
		ask.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := ask.Write(conn); err != nil {
		return nil, err
	}
	read := bufio.NewReader(conn)
	answer, err := http.ReadResponse(read, ask)
	if err != nil {
		return nil, err
	}
	if err := upstreamAnswer(upstream, answer); err != nil {
		return nil, err
	}
	early, _ := read.Peek(read.Buffered())
	return &tunnel{Conn: conn, early: early}, nil
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = defaultPort(u.Scheme)
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

func checkBypass(pattern string) error {
	host := strings.TrimPrefix(pattern, "*.")
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			host = ""
		} else {
			host = name
		}
	}
	if host == "" || strings.ContainsAny(host, "*/@ \t\r\n") {
		return fault.New(fault.InvalidInput, "invalid host to bypass: %q", pattern).
			WithHint("name hosts as shop.example, *.shop.example or shop.example:8443")
	}
	return nil
}

// bypasses reports whether the traffic from a place to a host is forwarded unopened.
func (p *Proxy) bypasses(at *place, host, port string) bool {
	return slices.ContainsFunc(p.route.Load().Bypass, func(pattern string) bool {
		return fitsHost(pattern, host, port) && (p.Bypasses == nil || p.Bypasses(at.client(), pattern))
	})
}

// fitsHost reports whether a host pattern, as checkBypass accepts it, matches a host and a port.
func fitsHost(pattern, host, port string) bool {
	host, name := strings.TrimSuffix(strings.ToLower(host), "."), strings.ToLower(pattern)
	if only, at, err := net.SplitHostPort(name); err == nil {
		if at != port {
			return false
		}
		name = only
	}
	below, wild := strings.CutPrefix(name, "*")
	return wild && strings.HasSuffix(host, below) || name == host
}
