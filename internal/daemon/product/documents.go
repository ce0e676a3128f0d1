package product

import (
	"cmp"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/reference"
	"ios-agent/internal/surface/rest"
)

// Serving is how a client wants its tools.
type Serving struct {
	Tools       string // see mcp.Select
	Workflows   string // of a set with workflows: those wanted, and single tools, by commas; empty: all
	Dynamic     bool   // of a set with workflows: only the tools that find others are listed at first
	Destructive bool   // call_tool may reach operations that may lose data
	Structured  bool   // every result is sent as JSON too
	Mistakes    string // what was wrong with the client's settings, a line each; every answer begins with it
}

// MCP is a server of the catalogue's operations; the caller runs them.
func MCP(c *op.Catalogue, caller op.Caller, version string, how Serving) (*sdk.Server, error) {
	o, err := how.Options(c)
	if err != nil {
		return nil, err
	}
	o.Version, o.Caller = version, caller
	return mcp.Server(o), nil
}

// Options are what a client that wants this is served, but for who runs its calls.
func (how Serving) Options(c *op.Catalogue) (mcp.Options, error) {
	manner := MannerOf(c, how.Tools)
	tools, err := mcp.Select(c.Ops(), strings.Join(append([]string{how.Tools}, manner.Also...), ","))
	if err != nil {
		return mcp.Options{}, err
	}
	o := mcp.Options{Catalogue: c, Tools: tools, Manner: manner, Destructive: how.Destructive, Structured: how.Structured}
	if how.Mistakes != "" {
		o.Mistakes = strings.Split(how.Mistakes, "\n")
	}
	if manner.Discovery != nil {
		manner.Discovery.All = tools
		var unknown []string
		o.Tools, unknown = how.wanted(tools, manner.Discovery)
		o.Mistakes = append(o.Mistakes, unknown...)
	}
	o.Manner.Instructions = onlyOf(c, o.Tools, manner.Instructions)
	return o, nil
}

// addressOf is where a request reached us: the port may be another than the usual one. A unix socket has none.
func addressOf(r *http.Request) string {
	if at, is := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); is {
		return "http://" + at.String()
	}
	return reference.Usual
}

// Documents is what a daemon serves besides operations: MCP over HTTP and the OpenAPI document.
func (p *Product) Documents() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		raw, err := reference.OpenAPI(p.Catalogue, p.version, addressOf(r))
		if err != nil {
			rest.Fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(raw)
	})
	mux.HandleFunc("/openapi.json", rest.NotAllowed("GET, HEAD"))
	servers := &servers{product: p}
	handler := mcp.Handler(servers.of)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get(mcp.SessionHeader) == "" && servers.sessions() >= mostSessions {
			rest.Fail(w, fault.New(fault.TooMany, "MCP session limit reached: %d are open", mostSessions).
				WithHint("end sessions that are done (DELETE); those not used for an hour end by themselves"))
			return
		}
		handler.ServeHTTP(w, r)
	})
	return mux
}

// The limits of MCP clients over HTTP. Clients choose their own names.
const (
	mostServers  = 64  // kinds of request that are remembered
	mostSessions = 256 // of clients that keep one
)

// servers make a server for each kind of request once: the SDK asks for one at every request, and to make its schemas takes most of
// the time.
type servers struct {
	product *Product

	mu    sync.Mutex
	known map[kind]*sdk.Server
}

type kind struct {
	session string // that the client names; empty: none
	keeps   bool   // the client has an MCP session
	Serving
}

// of is the server for a request; nil when the request asks for tools that are not there. The handler answers 400 then.
func (s *servers) of(r *http.Request) *sdk.Server {
	query := r.URL.Query()
	k := kind{r.Header.Get(rest.SessionHeader), mcp.KeepsSession(r),
		Serving{Tools: cmp.Or(query.Get("tools"), mcp.Default), Structured: query.Get("structured") == "true"}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := s.known[k]; ok {
		return server
	}
	catalogue := s.product.Catalogue
	server, err := MCP(catalogue, op.Local{Catalogue: catalogue, Session: rest.Session(r)}, s.product.version, k.Serving)
	if err != nil {
		return nil
	}
	if k.session == "" && k.keeps {
		server.AddReceivingMiddleware(s.product.web.attend)
	}
	if len(s.known) >= mostServers {
		maps.DeleteFunc(s.known, func(_ kind, idle *sdk.Server) bool { return open(idle) == 0 })
	}
	if s.known == nil {
		s.known = map[kind]*sdk.Server{}
	}
	s.known[k] = server
	return server
}

// sessions counts the sessions of all servers.
func (s *servers) sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, server := range s.known {
		n += open(server)
	}
	return n
}

func open(server *sdk.Server) (n int) {
	for range server.Sessions() {
		n++
	}
	return n
}
