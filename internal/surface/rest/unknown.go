package rest

import (
	"net/http"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/text/brief"
)

// routes are those that are served, as an operation has them: "GET /api/v1/builds/{id}".
type routes []string

// longestPath is how much of a path is told: clients send any.
const longestPath = 200

// unknown refuses a request for a path that nothing is served at, and names the route that may be meant.
func (all routes) unknown(w http.ResponseWriter, r *http.Request) {
	path := brief.Clip(r.URL.EscapedPath(), longestPath)
	no := fault.New(fault.UnknownOperation, "there is no route %s", path).WithHint("GET /openapi.json lists the routes")
	if near := all.near(r.Method, r.URL.Path); near != "" {
		no = no.With("nearest", near).WithHint("the nearest route is %s; GET /openapi.json lists all", near)
	}
	Fail(w, no)
}

// near is the route whose path is most like one, with the method if it has that; empty when none is like it.
func (all routes) near(method, path string) string {
	meant := map[string][]string{} // by what the path would be
	var paths []string
	for _, route := range all {
		_, pattern, _ := strings.Cut(route, " ")
		name := bare(filled(pattern, path))
		if meant[name] == nil {
			paths = append(paths, name)
		}
		meant[name] = append(meant[name], route)
	}
	near := nearest.To(bare(path), paths, 1)
	if len(near) == 0 {
		return ""
	}
	found := meant[near[0]]
	same := func(route string) bool { return strings.HasPrefix(route, method+" ") }
	if i := slices.IndexFunc(found, same); i >= 0 {
		return found[i]
	}
	return found[0]
}

// bare is a path without what all have in front, which would make all alike.
func bare(path string) string { return strings.Trim(strings.TrimPrefix(path, "/api/v1"), "/") }

// filled is the path of a route with the parts of a request where the route takes any.
func filled(pattern, path string) string {
	given, parts := strings.Split(path, "/"), strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") && i < len(given) && given[i] != "" {
			parts[i] = given[i]
		}
	}
	return strings.Join(parts, "/")
}

// NotAllowed refuses every method but those that are allowed, as "GET, POST".
func NotAllowed(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		Fail(w, fault.New(fault.MethodNotAllowed, "%s is called with %s, not with %s", r.URL.Path, allowed, brief.Clip(r.Method, longestPath)).
			WithHint("send it again with %s", allowed))
	}
}
