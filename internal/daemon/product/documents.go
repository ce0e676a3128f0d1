package product

import (
	"cmp"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
	"ios-agent/internal/surface/reference"
	"ios-agent/internal/surface/rest"
)

// Serving is how a client wants its tools.
type Serving struct {
	Tools       string // see mcp.Select
	Destructive bool   // call_tool may reach operations that may lose data
	Structured  bool   // every result is sent as JSON too
}

// MCP is a server of the catalogue's operations; the caller runs them.
func MCP(c *op.Catalogue, caller op.Caller, version string, how Serving) (*sdk.Server, error) {
	tools, err := mcp.Select(c.Ops(), how.Tools)
	if err != nil {
		return nil, err
	}
	return mcp.Server(mcp.Options{
		Version: version, Catalogue: c, Tools: tools, Caller: caller, Destructive: how.Destructive, Structured: how.Structured,
		Resources: []mcp.Resource{
			{URI: "ios-agent://guide", Name: "guide", Description: "How to work with ios-agent", Text: func() string { return reference.Guide(c) }},
			{
				URI: "ios-agent://troubleshooting", Name: "troubleshooting", Description: "What each fault means and what to do",
				Text: func() string { return reference.Troubleshooting(c) },
			},
		},
	}), nil
}

// Documents is what a daemon serves besides operations: MCP over HTTP and the OpenAPI document.
func (p *Product) Documents() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		raw, err := reference.OpenAPI(p.Catalogue, p.version)
		if err != nil {
			rest.Fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(raw)
	})
	mux.Handle("/mcp", mcp.Handler(p.remembering()))
	return mux
}

// remembering makes a server for each kind of request once: the SDK asks for one at every request, and to make its schemas
// takes most of the time.
func (p *Product) remembering() func(*http.Request) *sdk.Server {
	type kind struct {
		session string
		Serving
	}
	var mu sync.Mutex
	servers := map[kind]*sdk.Server{}
	return func(r *http.Request) *sdk.Server {
		query := r.URL.Query()
		k := kind{rest.Session(r), Serving{Tools: cmp.Or(query.Get("tools"), mcp.Default), Structured: query.Get("structured") == "true"}}
		mu.Lock()
		defer mu.Unlock()
		if s, ok := servers[k]; ok {
			return s
		}
		s, err := MCP(p.Catalogue, op.Local{Catalogue: p.Catalogue, Session: k.session}, p.version, k.Serving)
		if err != nil {
			return nil // the handler answers 400
		}
		if len(servers) >= mostServers {
			clear(servers) // names come from callers: remembering must not become a leak
		}
		servers[k] = s
		return s
	}
}

// mostServers is how many kinds of MCP request are remembered.
const mostServers = 64
