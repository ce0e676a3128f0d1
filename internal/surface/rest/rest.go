// Package rest serves the catalogue over HTTP. Handler gives every operation with a route: its input comes from the path, for GET from the
// query, and otherwise from the body. The answer is the bare result with its meta; errors are {"detail", "error"}; streams are server-sent
// events. The package does not check keys or addresses: its caller does.
package rest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
)

// SessionHeader names the client session.
const SessionHeader = "X-Session"

// RequestHeader is the client's id of a repeatable request; see op.Repeatable.
const RequestHeader = "Idempotency-Key"

// maxBody bounds a request's body, unless the operation has its own limit. Inputs are small; files are passed by path.
const maxBody = 1 << 20

// Handler serves every operation that has a route.
func Handler(c *op.Catalogue) http.Handler {
	mux := http.NewServeMux()
	s := server{c, wording.Routes(c)}
	methods, all := map[string][]string{}, routes{}
	for _, o := range c.Ops() {
		if o.Route == "" {
			continue
		}
		for _, route := range append([]string{o.Route}, o.Also...) {
			mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, o) })
			method, path, _ := strings.Cut(route, " ")
			methods[path] = append(methods[path], method)
			all = append(all, route)
		}
	}
	others := http.NewServeMux() // by path alone: GET /builds/{id} and /builds/latest of any method conflict in one mux
	for _, path := range slices.Sorted(maps.Keys(methods)) {
		others.HandleFunc(path, NotAllowed(strings.Join(methods[path], ", ")))
	}
	others.HandleFunc("/", all.unknown)
	mux.Handle("/", others)
	return mux
}

// Public are the paths that need no key.
func Public(c *op.Catalogue) map[string]bool {
	paths := map[string]bool{}
	for _, o := range c.Ops() {
		for _, route := range append([]string{o.Route}, o.Also...) {
			if _, path, _ := strings.Cut(route, " "); o.Public {
				paths[path] = true
			}
		}
	}
	return paths
}

// server answers requests.
type server struct {
	*op.Catalogue
	voice wording.Voice
}

func (s server) serve(w http.ResponseWriter, r *http.Request, o op.Op) {
	input, err := inputOf(w, r, o)
	if err != nil {
		s.fail(w, err)
		return
	}
	if o.Streams() {
		s.stream(w, r, o, input)
		return
	}
	call := callOf(r)
	call.Alone = o.Family != op.Core // the route is another product's
	e := s.voice.Envelope(s.Run(r.Context(), s.ID(o), call, input), input)
	if e.Error == nil && o.Picture && len(e.Images) > 0 {
		writePicture(w, e.Images[0])
		return
	}
	if e.Error == nil && o.Download {
		writeFile(w, e.Result)
		return
	}
	status, body := Answer(o, e, input)
	write(w, status, body)
}

// Answer is the response to a call with this input.
func Answer(o op.Op, e op.Envelope, input []byte) (status int, body []byte) {
	switch {
	case e.Error == nil && string(e.Result) == "null": // no result: answer as the source systems do
		return http.StatusOK, e.Result
	case e.Error == nil:
		return http.StatusOK, e.Body()
	case o.AsksBack && e.Error.Code.Question():
		return http.StatusOK, encode(asksBack(e))
	}
	status, failure := o.Status(e.Error, input), failed(e)
	if o.Statuses != nil && status == o.Statuses.Misfit {
		failure["detail"] = []misfit{misfitOf(o, o.Misfit(input), e.Error.Message)}
	}
	return status, encode(failure)
}

// asksBack answers an ambiguous call as the source systems do: with a list to choose from instead of an error.
func asksBack(e op.Envelope) map[string]any {
	return map[string]any{
		"status": "ambiguous", "message": e.Error.Message, "matches": e.Error.Details["candidates"], "error": e.Error, "meta": e.Meta,
	}
}

// misfit is the body that Python servers send for an input that breaks their schema.
type misfit struct {
	Type  string          `json:"type"`
	At    []string        `json:"loc"`
	Said  string          `json:"msg"`
	Given json.RawMessage `json:"input"`
}

func misfitOf(o op.Op, wrong *op.MisfitError, said string) misfit {
	m := misfit{Type: wrong.Kind, At: []string{"body"}, Said: said, Given: json.RawMessage("null")}
	if bodiless(o) {
		m.At = []string{"query"}
	}
	if wrong.Field != "" {
		m.At = append(m.At, wrong.Field)
	}
	if given := string(wrong.Given); given != "" && strings.Contains(said, given) { // else it is too long, or hidden
		m.Given = wrong.Given
	}
	return m
}

// bodiless reports whether the input is in the query.
func bodiless(o op.Op) bool { return o.Method() == http.MethodGet || o.Method() == http.MethodDelete }

func callOf(r *http.Request) op.Call {
	return op.Call{Session: Session(r), Client: Client(r), Request: r.Header.Get(RequestHeader)}
}

// Client is the client's program: the first word of the User-Agent, without its version.
func Client(r *http.Request) string {
	first, _, _ := strings.Cut(r.UserAgent(), " ")
	return cmp.Or(first, "http")
}

// Session is the client session of a request.
func Session(r *http.Request) string {
	if name := r.Header.Get(SessionHeader); name != "" {
		return name
	}
	return session.HTTP
}

// inputOf reads a request's input. The operation itself checks keys and values.
func inputOf(w http.ResponseWriter, r *http.Request, o op.Op) ([]byte, error) {
	var input []byte
	var err error
	if bodiless(o) {
		input, err = queryOf(r)
	} else {
		input, err = bodyOf(w, r, cmp.Or(o.Body, maxBody))
	}
	if err != nil {
		return nil, err
	}
	return withPath(input, r, o)
}

// queryOf reads the query; a repeated key is a list. An unreadable query is refused: dropping or repairing a part would change its meaning.
func queryOf(r *http.Request) ([]byte, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "cannot read the query: %w", err)
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

func bodyOf(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most { // refuse before reading
		w.Header().Set("Connection", "close")
		return nil, tooLarge(most)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, tooLarge(most)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "cannot read the body: %w", err)
	}
	return body, nil
}

func tooLarge(most int64) error {
	return fault.New(fault.TooLarge, "the body is larger than %d bytes", most)
}

// withPath adds the inputs from the path. An input that the body repeats is refused: the two values could differ.
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
			return nil, fault.New(fault.InvalidInput, "%s: the input is not a JSON object: %w", o.Name, fault.OfJSON(err))
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

// Fail answers with a fault of a request that reached no operation. Operation names in its text stay as they are.
func Fail(w http.ResponseWriter, err error) {
	refuse(w, fault.From(err).Said(hint.Plain))
}

// fail answers with a fault, rendered for HTTP.
func (s server) fail(w http.ResponseWriter, err error) { refuse(w, s.voice.Fault(fault.From(err))) }

func refuse(w http.ResponseWriter, f *fault.Fault) {
	write(w, f.Code.Status(), encode(failed(op.Failed(f, op.Meta{}))))
}

func failed(e op.Envelope) map[string]any {
	body := map[string]any{"detail": e.Error.Message, "error": e.Error, "meta": e.Meta}
	if len(e.Result) > 0 {
		body["result"] = e.Result
	}
	return body
}

func encode(body map[string]any) []byte {
	raw, err := json.Marshal(body)
	if err != nil {
		return []byte(`{"detail":"the error could not be encoded"}`)
	}
	return raw
}

func writePicture(w http.ResponseWriter, i op.Image) {
	w.Header().Set("Content-Type", i.MIME)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(i.Data)
}

// writeFile sends the result's file. The file's name comes from the daemon, never from the request.
func writeFile(w http.ResponseWriter, result json.RawMessage) {
	var file op.Download
	err := json.Unmarshal(result, &file)
	data, wrong := base64.StdEncoding.DecodeString(file.Data)
	if err := cmp.Or(err, wrong); err != nil {
		Fail(w, fault.New(fault.Internal, "cannot read the answer's file: %w", err))
		return
	}
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	writePicture(w, op.Image{MIME: file.MIME, Data: data})
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
}
