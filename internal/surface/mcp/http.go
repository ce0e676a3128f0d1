package mcp

import (
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionTimeout ends the sessions of clients that left without closing them.
const sessionTimeout = time.Hour

// Clients of this version and later have no sessions: each of their requests stands alone.
const versionHeader, sessionless = "Mcp-Protocol-Version", "2026-07-28"

// SessionHeader names the session of a client that has one.
const SessionHeader = "Mcp-Session-Id"

// Handler serves MCP over HTTP to clients of every version. The SDK's handler either keeps sessions or takes the
// newest version; ours asks each request which of the two it needs.
//
// A session's events are kept for a while: a client whose connection broke comes back for the answer it missed.
func Handler(open func(*http.Request) *mcp.Server) http.Handler {
	sessions := mcp.NewStreamableHTTPHandler(open, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout,
		EventStore: mcp.NewMemoryEventStore(nil)})
	stateless := Stateless(open)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if KeepsSession(r) {
			sessions.ServeHTTP(w, r)
			return
		}
		stateless.ServeHTTP(w, r)
	})
}

// KeepsSession reports whether a request is of a client that has a session, or is about to get one.
func KeepsSession(r *http.Request) bool { return r.Header.Get(versionHeader) < sessionless }

// Stateless serves every request alone. A client cancels a call by closing its connection: there is no other way without a session.
func Stateless(open func(*http.Request) *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(open, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
}
