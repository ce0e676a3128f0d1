package daemon

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/surface/rest"
)

// guard admits only callers with the key, and no web page: a page on the internet can make a browser send requests to this port, but not
// with a loopback Host and without an Origin.
//
// A daemon that serves other machines accepts any Host: they may call it by any name.
func guard(key *Key, remote bool, public map[string]bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !remote && !loopback(r.Host):
			rest.Fail(w, fault.New(fault.Forbidden, "the Host %q is not a loopback address", r.Host))
		case !sameMachine(r.Header.Get("Origin")):
			rest.Fail(w, fault.New(fault.Forbidden, "requests from the web page %q are refused", r.Header.Get("Origin")))
		case !public[r.URL.Path] && !authorised(r, key):
			rest.Fail(w, fault.New(fault.Unauthorized, "Invalid or missing API key"))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// CheckListen refuses an address that other machines can reach, unless the caller allows remote clients.
func CheckListen(address string, remote bool) error {
	if address == "" || remote || loopback(address) {
		return nil
	}
	return fault.New(fault.Forbidden, "%s is reachable from other machines", address).
		WithHint("listen on 127.0.0.1, or allow remote clients with %s: every client with the key can then drive this machine's devices",
			hint.Field("allow_remote"))
}

func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func sameMachine(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && loopback(u.Host)
}

// authorised compares hashes in constant time: neither the key nor its length leaks through the clock.
func authorised(r *http.Request, key *Key) bool {
	given := r.Header.Get("X-API-Key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		given = bearer
	}
	want, err := key.Read()
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return err == nil && want != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
