package mcp

import (
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionTimeout ends the sessions of clients that disconnected without closing them.
const sessionTimeout = time.Hour

// The first protocol version without sessions: each request stands alone.
const versionHeader, sessionless = "Mcp-Protocol-Version", "2026-07-28"

// SessionHeader names the session of a client that has one.
const SessionHeader = "Mcp-Session-Id"

// Handler serves MCP over HTTP to clients of every version. The SDK's handler either keeps sessions or serves the newest version; this one
// chooses for each request.
//
// A session's events are kept for a while, so that a client with a broken connection gets the missed answer later.
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

// KeepsSession reports whether a request belongs to a session, or will start one.
func KeepsSession(r *http.Request) bool { return r.Header.Get(versionHeader) < sessionless }

// Stateless serves each request alone. Without a session, a client cancels a call by closing its connection.
func Stateless(open func(*http.Request) *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(open, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
}
