package rest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/surface/rest"
)

// TestFixedRouteWinsOverWildcard: a name among others is a route of its own, and other methods of it are refused by their name.
func TestFixedRouteWinsOverWildcard(t *testing.T) {
	type in struct {
		ID string `json:"id" doc:"which"`
	}
	spec := func(name, route string) op.Spec {
		return op.Spec{Name: name, Groups: []string{"x"}, Route: route, Summary: "Show"}
	}
	say := func(what string) func(context.Context, *op.Call, struct{}) (map[string]string, error) {
		return func(context.Context, *op.Call, struct{}) (map[string]string, error) {
			return map[string]string{"said": what}, nil
		}
	}
	h := rest.Handler(op.NewCatalogue([]op.Op{
		op.New(spec("show_one", "GET /builds/{id}"), func(_ context.Context, _ *op.Call, in in) (map[string]string, error) {
			return map[string]string{"said": in.ID}, nil
		}),
		op.New(spec("show_latest", "GET /builds/latest"), say("the latest")), op.New(spec("parse_one", "POST /builds/parse"), say("parsed")),
	}, op.Options{}))
	for request, want := range map[string]string{
		"GET /builds/b1": `"said":"b1"`, "GET /builds/latest": `"said":"the latest"`, "POST /builds/parse": `"said":"parsed"`,
		"POST /builds/latest": "is called with GET", "DELETE /builds/parse": "is called with POST", "PUT /builds/b1": "is called with GET",
		"GET /others": "unknown route /others",
	} {
		r := ask(t, h, request, "")
		text, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(text), want) || (r.StatusCode == http.StatusMethodNotAllowed) != (r.Header.Get("Allow") != "") {
			t.Errorf("%s: %d %s", request, r.StatusCode, text)
		}
	}
}

// TestEmptyResultIsNull: an operation without a result answers null, as the source systems do.
func TestEmptyResultIsNull(t *testing.T) {
	h := rest.Handler(op.NewCatalogue([]op.Op{op.New(
		op.Spec{Name: "show_none", Groups: []string{"x"}, Route: "GET /none", Summary: "Show", REST: op.REST{Body: 8}},
		func(context.Context, *op.Call, struct{}) (*struct{}, error) { return nil, nil },
	), op.New(
		op.Spec{Name: "take_little", Groups: []string{"x"}, Route: "POST /little", Summary: "Take", REST: op.REST{Body: 8}},
		func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil },
	)}, op.Options{}))
	r := ask(t, h, "GET /none", "")
	if text, err := io.ReadAll(r.Body); err != nil || string(text) != "null\n" || r.StatusCode != http.StatusOK {
		t.Errorf("%d %s %v", r.StatusCode, text, err)
	}
	if r := ask(t, h, "POST /little", `{"a":12345}`); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is larger than the operation's bound: %d", r.StatusCode)
	}
}
