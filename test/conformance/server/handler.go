package main

import (
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/mcp"
)

// newHandler serves the fixtures at /mcp, as the daemon serves its operations there. Stateless answers every client the
// way newer ones expect, without sessions; then nothing can be asked of a client in the middle of a call.
//
// All clients share one server: the suite changes its lists in one request and listens for that in another.
func newHandler(stateless bool) http.Handler {
	server := newServer()
	open := func(*http.Request) *sdk.Server { return server }
	mux := http.NewServeMux()
	if stateless {
		mux.Handle("/mcp", mcp.Stateless(open))
	} else {
		mux.Handle("/mcp", mcp.Handler(open))
	}
	return mux
}

// newServer is the product's server for a catalogue of fixtures, with those added that no operation can play.
func newServer() *sdk.Server {
	catalogue := op.NewCatalogue(operations(), op.Options{})
	tools, err := mcp.Select(catalogue.Ops(), mcp.All)
	if err != nil {
		panic(err) // there are operations, so "all" names some
	}
	s := mcp.Server(mcp.Options{
		Version: "conformance", Catalogue: catalogue, Tools: tools, Caller: op.Local{Catalogue: catalogue},
		SDK: sdk.ServerOptions{CompletionHandler: complete, SubscribeHandler: subscribe, UnsubscribeHandler: unsubscribe},
	})
	addFixtures(s)
	return s
}

// addFixtures adds what goes beyond operations: content we never send, questions to the client, prompts, resources,
// lists that change.
func addFixtures(s *sdk.Server) {
	for _, t := range [][]fixture{contents(), talking(), questions(), inputs(), changes(s)} {
		for _, f := range t {
			s.AddTool(f.tool(), f.run)
		}
	}
	addPrompts(s)
	addResources(s)
}
