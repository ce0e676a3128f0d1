package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// request is what both kinds of endpoint are sent, as far as it matters here.
type request struct {
	Messages []struct{ Content string }
	Tools    []json.RawMessage
}

// serve answers until it is killed.
func serve(rules []rule, kind, addressFile string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(addressFile, []byte("http://"+l.Addr().String()), 0o600); err != nil {
		return err
	}
	var asked atomic.Int32
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error": {"message": "busy"}}`, http.StatusTooManyRequests)
			return
		}
		var in request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 || len(in.Tools) != 1 {
			http.Error(w, fmt.Sprintf(`{"error": {"message": "what? %v"}}`, err), http.StatusBadRequest)
			return
		}
		prompt := in.Messages[len(in.Messages)-1].Content
		_, screen, _ := strings.Cut(prompt, "The screen now:")
		json.NewEncoder(w).Encode(shape(kind, r, answer(rules, screen)))
	}))
}

// shape wraps a decision as each kind of endpoint does; a wrong key is answered with nothing that could be one.
func shape(kind string, r *http.Request, decision string) any {
	if kind == "anthropic" && r.URL.Path == "/v1/messages" && r.Header.Get("X-Api-Key") == "key-of-a-test" {
		return map[string]any{"stop_reason": "tool_use", "content": []any{
			map[string]any{"type": "text", "text": "I will."},
			map[string]any{"type": "tool_use", "name": "act", "input": json.RawMessage(decision)},
		}}
	}
	if kind == "openai" && r.URL.Path == "/chat/completions" && r.Header.Get("Authorization") == "Bearer key-of-a-test" {
		call := map[string]any{"type": "function", "function": map[string]any{"name": "act", "arguments": decision}}
		return map[string]any{"choices": []any{map[string]any{"message": map[string]any{"tool_calls": []any{call}}}}}
	}
	return map[string]any{}
}
