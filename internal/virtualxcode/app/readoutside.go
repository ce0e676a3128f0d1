package app

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// askStep reads a service, or a mapping with a service and the steps for the answers.
func (r *reader) askStep(n ast.Node, depth int) Step {
	a := r.newAsk()
	if _, ok := mappingEntries(n); !ok {
		r.into(&a.Service, "ask")(n)
	} else {
		r.mapping(n, "ask", keys{
			"for": r.into(&a.Service, "for"), "reason": r.text(&a.Reason, "reason"), "into": r.into(&a.Into, "into"),
			"do": r.steps(&a.Do, depth+1), "else": r.steps(&a.Else, depth+1),
		})
	}
	if !known(a.Service) || a.Service == "paste" {
		services := slices.DeleteFunc(Services(), func(s string) bool { return s == "paste" })
		r.fail(n, "unknown permission %q of ask: known are %s", a.Service, strings.Join(services, ", "))
	}
	r.wants(n, "into", a.Into, "")
	return a
}

func (r *reader) newAsk() *Ask {
	a := &Ask{Number: len(r.app.Asks)}
	r.app.Asks = append(r.app.Asks, a)
	return a
}

// pasteStep reads the steps for the pasteboard, for which the system may ask first.
func (r *reader) pasteStep(n ast.Node, depth int) Step {
	a := r.newAsk()
	a.Service = "paste"
	r.mapping(n, "paste", keys{
		"into": r.into(&a.Paste, "into"), "do": r.steps(&a.Do, depth+1), "else": r.steps(&a.Else, depth+1),
	})
	if a.Paste == "" {
		r.fail(n, "paste needs into: the variable that takes the text")
	}
	r.wants(n, "into", a.Paste, "")
	return a
}

// Limits for the duration of a request.
const (
	defaultTimeout = 60 // seconds, the default of URLSession
	longestTimeout = 600
)

func (r *reader) requestStep(n ast.Node, depth int) Step {
	q := &Request{Number: len(r.app.Requests), Method: http.MethodGet}
	r.app.Requests = append(r.app.Requests, q)
	seconds := float64(defaultTimeout)
	r.mapping(n, "request", keys{
		"method": r.into(&q.Method, "method"), "url": r.text(&q.URL, "url"), "body": r.text(&q.Body, "body"),
		"headers": func(n ast.Node) { r.headers(n, q) }, "timeout": r.number(&seconds, "timeout"),
		"busy": r.into(&q.Busy, "busy"), "status": r.into(&q.Status, "status"), "text": r.into(&q.Text, "text"),
		"error": r.into(&q.Error, "error"), "json": func(n ast.Node) { r.fields(n, q) },
		"do": r.steps(&q.Do, depth+1), "else": r.steps(&q.Else, depth+1),
	})
	if q.URL == "" {
		r.fail(n, "request needs a url")
	}
	if !slices.Contains(methods, q.Method) {
		r.fail(n, "unknown method %q of request: known methods are %s", q.Method, strings.Join(methods, ", "))
	}
	if !(seconds > 0 && seconds <= longestTimeout) {
		r.fail(n, "timeout of request must be more than 0 and at most %d seconds", longestTimeout)
		seconds = defaultTimeout
	}
	q.Timeout = time.Duration(seconds * float64(time.Second))
	r.wants(n, "busy", q.Busy, false)
	r.wants(n, "status", q.Status, 0.0)
	r.wants(n, "text", q.Text, "")
	r.wants(n, "error", q.Error, "")
	return q
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodOptions}

func (r *reader) headers(n ast.Node, q *Request) {
	r.each(n, "headers", func(name string, _, value ast.Node) {
		h := Header{Name: name}
		r.text(&h.Value, "a header")(value)
		q.Headers = append(q.Headers, h)
	})
}

// fields may set variables of any type: values of the wrong type are dropped.
func (r *reader) fields(n ast.Node, q *Request) {
	r.each(n, "json", func(path string, at, value ast.Node) {
		f := Field{Path: path}
		r.into(&f.Var, "json")(value)
		q.Fields = append(q.Fields, f)
		r.later = append(r.later, func() { r.variable(at, f.Var) })
	})
}

// server reads the app's own answers, under keys such as "POST /orders".
func (r *reader) server(n ast.Node) {
	r.each(n, "server", func(key string, at, value ast.Node) {
		reply := Reply{Status: http.StatusOK}
		status, seconds := 200.0, 0.3
		var ok bool
		if reply.Method, reply.Path, ok = strings.Cut(key, " "); !ok || !slices.Contains(methods, reply.Method) ||
			!strings.HasPrefix(reply.Path, "/") {
			r.fail(at, "server needs a method and a path such as POST /orders, not %q", key)
		}
		r.mapping(value, "an answer of server", keys{
			"status": r.number(&status, "status"), "body": r.text(&reply.Body, "body"), "seconds": r.number(&seconds, "seconds"),
		})
		if !(status >= 100 && status <= 599) || !(seconds >= 0 && seconds <= longestTimeout) {
			r.fail(value, "an answer of server has a status from 100 to 599, and comes within %d seconds", longestTimeout)
			return
		}
		reply.Status, reply.After = int(status), time.Duration(seconds*float64(time.Second))
		r.app.Server = append(r.app.Server, reply)
	})
}

func (r *reader) writeStep(n ast.Node) Step {
	var w Write
	r.mapping(n, "write", keys{
		"file": r.text(&w.File, "file"), "text": r.text(&w.Text, "text"), "append": r.boolean(&w.Append, "append"),
	})
	r.checkFile(n, "write", w.File)
	return w
}

func (r *reader) readStep(n ast.Node) Step {
	var s Read
	r.mapping(n, "read", keys{"file": r.text(&s.File, "file"), "into": r.into(&s.Into, "into")})
	r.checkFile(n, "read", s.File)
	if s.Into == "" {
		r.fail(n, "read needs into: the variable that takes the text")
	}
	r.wants(n, "into", s.Into, "")
	return s
}

func (r *reader) checkFile(at ast.Node, what string, file Text) {
	if !LocalFile(string(file)) {
		r.fail(at, "%s needs a file inside the data folder, such as Documents/notes.txt, not %q", what, file)
	}
}
