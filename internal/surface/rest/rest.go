// Package rest serves the catalogue over HTTP: a route an operation, input from the query for GET and from the body
// otherwise, the bare result with its meta as the answer, errors as {"detail", "error"}.
package rest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/session"
)

// SessionHeader names the client session.
const SessionHeader = "X-Session"

// maxBody bounds a request's body. Inputs are small; files travel by path.
const maxBody = 1 << 20

// Handler serves every operation that has a route.
func Handler(c *op.Catalogue) http.Handler {
	mux := http.NewServeMux()
	methods := map[string]string{}
	for _, o := range c.Ops() {
		if o.Route == "" {
			continue
		}
		mux.HandleFunc(o.Route, func(w http.ResponseWriter, r *http.Request) { serve(w, r, c, o) })
		methods[o.Path()] += o.Method() + " "
	}
	for path, allowed := range methods {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", allowed)
			Fail(w, fault.New(fault.MethodNotAllowed, "%s %s: the method is %s", r.Method, r.URL.Path, allowed))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		Fail(w, fault.New(fault.UnknownOperation, "there is no route %s", r.URL.Path))
	})
	return mux
}

func serve(w http.ResponseWriter, r *http.Request, c *op.Catalogue, o op.Op) {
	input, err := inputOf(w, r, o)
	if err != nil {
		Fail(w, err)
		return
	}
	name := r.Header.Get(SessionHeader)
	if name == "" {
		name = session.HTTP
	}
	e := c.Run(r.Context(), o.Name, op.Call{Session: name}, input)
	if e.Error != nil {
		fail(w, e)
		return
	}
	write(w, http.StatusOK, e.Body())
}

// inputOf reads the query for methods without a body. A repeated key is a list; which keys exist and what they mean is
// the operation's business.
func inputOf(w http.ResponseWriter, r *http.Request, o op.Op) ([]byte, error) {
	if o.Method() == http.MethodGet || o.Method() == http.MethodDelete {
		values := map[string]any{}
		for key, list := range r.URL.Query() {
			values[key] = list[0]
			if len(list) > 1 {
				values[key] = list
			}
		}
		return json.Marshal(values)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, fault.New(fault.TooLarge, "the body is larger than %d bytes", large.Limit)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "reading the body: %w", err)
	}
	return body, nil
}

// Fail answers with a fault.
func Fail(w http.ResponseWriter, err error) { fail(w, op.Failed(err, op.Meta{})) }

func fail(w http.ResponseWriter, e op.Envelope) {
	body := map[string]any{"detail": e.Error.Message, "error": e.Error, "meta": e.Meta}
	if len(e.Result) > 0 {
		body["result"] = e.Result
	}
	raw, err := json.Marshal(body)
	if err != nil {
		raw = []byte(`{"detail":"the error could not be encoded"}`)
	}
	write(w, e.Error.Code.Status(), raw)
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}
