package wda

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

// route is one command.
type route struct {
	method  string
	parts   []string // the path after the session; a part with a colon is a parameter
	session bool     // needs a session, whose id precedes it in the path
	aside   bool     // answered while the main thread is busy
	looks   bool     // reads the tree
	do      func(*call) (any, error)
}

// call is one running command.
type call struct {
	*Server
	ctx     context.Context
	session *session // nil without a session
	params  map[string]string
	query   url.Values
	path    string
	args    map[string]any
}

// text is a text argument, or "".
func (c *call) text(name string) string {
	s, _ := c.args[name].(string)
	return s
}

// number is a numeric argument.
func (c *call) number(name string) (float64, bool) {
	n, ok := c.args[name].(float64)
	return n, ok
}

// find finds the route of a request and its parameters.
func (s *Server) find(c *call, r *http.Request) (route, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	inside := len(parts) >= 2 && parts[0] == "session"
	for _, h := range s.routes {
		rest := parts
		if h.session {
			if !inside {
				continue
			}
			rest = parts[2:]
		}
		params, fits := h.match(r.Method, rest)
		if !fits {
			continue
		}
		if c.params = params; h.session {
			c.params["session"] = parts[1]
		}
		return h, true
	}
	return route{}, false
}

func (h route) match(method string, parts []string) (map[string]string, bool) {
	if h.method != method || len(h.parts) != len(parts) {
		return nil, false
	}
	params := map[string]string{}
	for i, want := range h.parts {
		if name, is := strings.CutPrefix(want, ":"); is {
			params[name] = parts[i]
		} else if want != parts[i] {
			return nil, false
		}
	}
	return params, true
}

// table collects routes.
type table struct{ all []route }

func (t *table) add(method, path string, h route, do func(*call) (any, error)) {
	h.method, h.do = method, do
	if path = strings.Trim(path, "/"); path != "" {
		h.parts = strings.Split(path, "/")
	}
	t.all = append(t.all, h)
}

// in adds a command of a session.
func (t *table) in(method, path string, do func(*call) (any, error)) {
	t.add(method, path, route{session: true}, do)
}

// both adds a command that works with and without a session.
func (t *table) both(method, path string, do func(*call) (any, error)) {
	t.in(method, path, do)
	t.add(method, path, route{}, do)
}

const (
	get  = http.MethodGet
	post = http.MethodPost
	del  = http.MethodDelete
)

// routes are all commands.
func routes() []route {
	t := &table{}
	t.add(get, "/status", route{aside: true}, (*call).status)
	t.add(get, "/health", route{aside: true}, (*call).ok)
	t.add(get, "/wda/healthcheck", route{}, (*call).ok)
	t.add(post, "/session", route{}, (*call).newSession)
	t.in(get, "", (*call).describeSession)
	t.in(del, "", (*call).endSession)
	t.in(get, "/appium/settings", (*call).settings)
	t.in(post, "/appium/settings", (*call).setSettings)
	t.in(post, "/timeouts", (*call).ok)

	for _, h := range []route{{session: true, looks: true}, {looks: true}} {
		t.add(get, "/source", h, (*call).source)
		t.add(get, "/wda/accessibleSource", h, (*call).accessibleSource)
	}
	for _, h := range []route{{session: true, aside: true}, {aside: true}} {
		t.add(get, "/screenshot", h, (*call).screenshot)
	}
	t.in(post, "/actions", (*call).actions)
	t.in(del, "/actions", (*call).ok)
	elementRoutes(t)
	deviceRoutes(t)
	appRoutes(t)
	return t.all
}

func (c *call) ok() (any, error) { return nil, nil }
