package mitm

import (
	"maps"
	"net/http"
	"net/textproto"
	"strings"

	"ios-agent/internal/network/flow"
)

// hops are the headers for the next machine only.
var hops = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade",
}

// fields lists header lines whose order net/http has lost: sorted by name.
func fields(h http.Header, host string) flow.Header { return ordered(h, host, nil) }

// onward is the part of the headers that the next machine gets.
func onward(h http.Header) http.Header {
	to := make(http.Header, len(h)+2)
	maps.Copy(to, h)
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			delete(to, textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range hops {
		delete(to, name)
	}
	return to
}

// change applies a change to headers.
func change(h http.Header, c *flow.Change) {
	for _, name := range c.Remove {
		h.Del(name)
	}
	for _, f := range c.Set {
		h.Del(f.Name)
	}
	for _, f := range c.Set {
		h.Add(f.Name, f.Value)
	}
	if c.Body != nil {
		h.Del("Content-Encoding")
		h.Del("Content-Length")
	}
}

// hasToken finds a word in a comma-separated header; upper and lower case are equal.
func hasToken(h http.Header, name, word string) bool {
	for _, line := range h[name] {
		for each := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(each), word) {
				return true
			}
		}
	}
	return false
}

func isWebSocket(h http.Header) bool {
	return hasToken(h, "Connection", "upgrade") && strings.EqualFold(h.Get("Upgrade"), "websocket")
}
