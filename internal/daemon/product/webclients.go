package product

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"maps"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/op"
)

// webClients are the MCP clients over HTTP that name no session. Each has one of ours as long as its MCP session is open: two agents that
// share the daemon must not drive one device. The zero value gives back nothing.
type webClients struct {
	owners   *owners
	pool     *pool.Pool
	sessions *session.Store
	log      *slog.Logger

	mu    sync.Mutex
	known map[string]bool // the sessions of ours that are open
}

// webSession names the session of a client. Others read it when they meet a device that it holds: the id itself is the client's alone. No
// folder has a name with a colon (session.ForDir).
func webSession(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "mcp:" + hex.EncodeToString(sum[:6])
}

// attend calls each operation for the session of the client that asks.
func (w *webClients) attend(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if of, is := req.GetSession().(*sdk.ServerSession); is && of.ID() != "" {
			name := webSession(of.ID())
			w.opened(name, of)
			ctx = op.WithSession(ctx, name)
		}
		return next(ctx, method, req)
	}
}

// opened notes a session, which is given up when its client's has ended: by the client, or because nobody used it.
func (w *webClients) opened(name string, of *sdk.ServerSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known[name] {
		return
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	w.known[name] = true
	go func() {
		_ = of.Wait() // how it ended is the transport's business
		w.mu.Lock()
		open := w.known[name]
		delete(w.known, name)
		w.mu.Unlock()
		if open {
			w.giveUp(name)
		}
	}()
}

// Close gives up the sessions that are still open: no client can come back to one of them.
func (w *webClients) Close() error {
	w.mu.Lock()
	open := slices.Sorted(maps.Keys(w.known))
	w.known = nil
	w.mu.Unlock()
	for _, name := range open {
		w.giveUp(name)
	}
	return nil
}

// giveUp releases the devices of an ended session, and its choice of device. Its other resources end like every ended session's.
func (w *webClients) giveUp(name string) {
	if w.owners == nil {
		return
	}
	ctx := context.Background()
	for udid, l := range w.owners.held(ctx) {
		if l.Holder != name {
			continue
		}
		if _, err := w.pool.Release(ctx, lease.Who{Holder: name}, udid, ""); err != nil {
			w.log.Warn("a device of an MCP client that has left", "session", name, "udid", udid, "error", err)
		}
	}
	w.sessions.Get(name).Use(session.Choice{})
	w.owners.calls.Leave(name)
}
