package rest

import (
	"net/http"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/text/brief"
)

// routes are the served routes, as operations declare them: "GET /api/v1/builds/{id}".
type routes []string

// longestPath is the maximum number of characters of a request's path in a fault.
const longestPath = 200

// unknown refuses a request for an unknown path, and names the nearest route.
func (all routes) unknown(w http.ResponseWriter, r *http.Request) {
	path := brief.Clip(r.URL.EscapedPath(), longestPath)
	no := fault.New(fault.UnknownOperation, "unknown route %s", path).WithHint("GET /openapi.json lists the routes")
	if near := all.near(r.Method, r.URL.Path); near != "" {
		no = no.With("nearest", near).WithHint("the nearest route is %s; GET /openapi.json lists all", near)
	}
	Fail(w, no)
}

// near is the route with the most similar path, with the request's method if possible; empty if none is similar.
func (all routes) near(method, path string) string {
	meant := map[string][]string{} // routes by their filled path
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

// bare is a path without the common prefix, which would make all paths similar.
func bare(path string) string { return strings.Trim(strings.TrimPrefix(path, "/api/v1"), "/") }

// filled is the path of a route, with the request's parts in the place of its parameters.
func filled(pattern, path string) string {
	given, parts := strings.Split(path, "/"), strings.Split(pattern, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") && i < len(given) && given[i] != "" {
			parts[i] = given[i]
		}
	}
	return strings.Join(parts, "/")
}

// NotAllowed refuses a request whose method is not in the list, such as "GET, POST".
func NotAllowed(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		Fail(w, fault.New(fault.MethodNotAllowed, "%s is called with %s, not with %s", r.URL.Path, allowed, brief.Clip(r.Method, longestPath)).
			WithHint("send it again with %s", allowed))
	}
}
