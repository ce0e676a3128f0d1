// Package rest serves the catalogue over HTTP: a route an operation, input from the path, from the query for GET and
// from the body otherwise; the bare result with its meta as the answer, errors as {"detail", "error"}. Streams are SSE.
package rest

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
)

// SessionHeader names the client session.
const SessionHeader = "X-Session"

// RequestHeader is the client's id of a request that may be repeated; see op.Repeatable.
const RequestHeader = "Idempotency-Key"

// maxBody bounds a request's body. Inputs are small; files travel by path.
const maxBody = 1 << 20

// Handler serves every operation that has a route.
func Handler(c *op.Catalogue) http.Handler {
	mux := http.NewServeMux()
	s := server{c, wording.Routes(c)}
	methods := map[string][]string{}
	for _, o := range c.Ops() {
		if o.Route == "" {
			continue
		}
		mux.HandleFunc(o.Route, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, o) })
		methods[o.Path()] = append(methods[o.Path()], o.Method())
	}
	for _, path := range slices.Sorted(maps.Keys(methods)) {
		allowed := strings.Join(methods[path], ", ")
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", allowed)
			Fail(w, fault.New(fault.MethodNotAllowed, "%s is called with %s, not with %s", r.URL.Path, allowed, r.Method))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		Fail(w, fault.New(fault.UnknownOperation, "there is no route %s", r.URL.Path))
	})
	return mux
}

// server answers requests in the words of HTTP.
type server struct {
	*op.Catalogue
	voice wording.Voice
}

func (s server) serve(w http.ResponseWriter, r *http.Request, o op.Op) {
	input, err := inputOf(w, r, o)
	if err != nil {
		Fail(w, err)
		return
	}
	if o.Streams() {
		s.stream(w, r, o, input)
		return
	}
	e := s.voice.Envelope(s.Run(r.Context(), s.ID(o), callOf(r), input), input)
	switch {
	case e.Error == nil && o.Picture && len(e.Images) > 0:
		writePicture(w, e.Images[0])
	case e.Error == nil:
		write(w, http.StatusOK, e.Body())
	case o.AsksBack && e.Error.Code.Question():
		askBack(w, e)
	default:
		fail(w, e)
	}
}

// askBack answers a call that fits several things as the source systems do: not an error, but a list to choose from.
func askBack(w http.ResponseWriter, e op.Envelope) {
	raw, err := json.Marshal(map[string]any{
		"status": "ambiguous", "message": e.Error.Message, "matches": e.Error.Details["candidates"], "error": e.Error, "meta": e.Meta,
	})
	if err != nil {
		Fail(w, err)
		return
	}
	write(w, http.StatusOK, raw)
}

func callOf(r *http.Request) op.Call {
	return op.Call{Session: Session(r), Request: r.Header.Get(RequestHeader)}
}

// Session is the client session of a request.
func Session(r *http.Request) string {
	if name := r.Header.Get(SessionHeader); name != "" {
		return name
	}
	return session.HTTP
}

// inputOf reads a request's input. Which keys exist and what they mean is the operation's business.
func inputOf(w http.ResponseWriter, r *http.Request, o op.Op) ([]byte, error) {
	var input []byte
	var err error
	if o.Method() == http.MethodGet || o.Method() == http.MethodDelete {
		input, err = queryOf(r)
	} else {
		input, err = bodyOf(w, r)
	}
	if err != nil {
		return nil, err
	}
	return withPath(input, r, o)
}

// queryOf reads the query; a repeated key is a list. What cannot be read is refused: left out or mended, it would mean something else.
func queryOf(r *http.Request) ([]byte, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "the query cannot be read: %w", err)
	}
	values := map[string]any{}
	for key, list := range query {
		if !utf8.ValidString(key + strings.Join(list, "")) {
			return nil, fault.New(fault.InvalidInput, "the query is not valid UTF-8")
		}
		values[key] = list[0]
		if len(list) > 1 {
			values[key] = list
		}
	}
	return json.Marshal(values)
}

func bodyOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
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

// withPath adds the inputs that the path names. One that is given again is refused: the two values could differ.
func withPath(input []byte, r *http.Request, o op.Op) ([]byte, error) {
	named := map[string]json.RawMessage{}
	for _, f := range o.Fields() {
		value := r.PathValue(f.Name)
		if !utf8.ValidString(value) {
			return nil, fault.New(fault.InvalidInput, "%s: %s in the path is not valid UTF-8", o.Name, f.Name).With("field", f.Name)
		}
		if value != "" {
			named[f.Name], _ = json.Marshal(value)
		}
	}
	if len(named) == 0 {
		return input, nil
	}
	given := map[string]json.RawMessage{}
	if len(input) > 0 {
		if err := json.Unmarshal(input, &given); err != nil {
			return nil, fault.New(fault.InvalidInput, "%s: the input is not a JSON object: %w", o.Name, err)
		}
	}
	for name, value := range named {
		if _, twice := given[name]; twice {
			return nil, fault.New(fault.InvalidInput, "%s: %s is in the path and must not be given again", o.Name, name).With("field", name)
		}
		given[name] = value
	}
	return json.Marshal(given)
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

func writePicture(w http.ResponseWriter, i op.Image) {
	w.Header().Set("Content-Type", i.MIME)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(i.Data)
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}
