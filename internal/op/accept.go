package op

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// begin accepts a call and starts its watches. The caller must end the exchange, also when the call is refused.
func (c *Catalogue) begin(x *Exchange) (*Exchange, error) {
	x.Began, x.catalogue = time.Now(), c
	x.Call.ID, x.Call.exchange = "c"+strconv.FormatInt(c.calls.Add(1), 10), x
	err := c.accept(x)
	if x.Op == nil || !x.Op.Public {
		x.watched(c.o.Observers)
	}
	return x, err
}

// accept finds the operation, takes the session out of its input and checks its name. It refuses input that is not UTF-8 first, because
// decoders would silently replace its bad bytes.
func (c *Catalogue) accept(x *Exchange) error {
	call := x.Call
	o, err := c.Lookup(x.Name)
	if err == nil {
		x.Op, x.Name = &o, o.Name
	}
	if err == nil && !utf8.Valid(x.input) {
		err = fault.New(fault.InvalidInput, "%s: the input is not valid UTF-8", o.Name)
	}
	if err == nil {
		var wrong error
		call.Session, x.input, wrong = o.sessionOf(call.Session, x.input)
		call.Instead, x.input, err = o.insteadOf(x.input)
		call.Hints = o.Hints
		c.o.Secrets.AddEnv(call.Env)
		err = cmp.Or(wrong, checkSession(call.Session), checkRequest(call.Request), checkRequest(call.Parent), err)
	}
	if err != nil && checkSession(call.Session) != nil {
		call.Session = "" // so that no answer and no record contains the refused name
	}
	return err
}

const maxSession = 200

// checkSession refuses names that are long or not printable, because other clients see them in lists and logs, and on terminals.
func checkSession(name string) error {
	if utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxSession && !strings.ContainsFunc(name, unprintable) {
		return nil
	}
	return fault.New(fault.InvalidInput, "%.40q is not the name of a session", name).With("field", sessionKey).
		WithHint("name the session with at most %d printable characters", maxSession)
}

func checkRequest(id string) error {
	if len(id) <= maxSession && utf8.ValidString(id) && !strings.ContainsFunc(id, unprintable) {
		return nil
	}
	return fault.New(fault.InvalidInput, "the id of the request is too long or not printable").
		WithHint("use at most %d printable characters", maxSession)
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// sessionKey is the input that every operation accepts: the client session of the call.
const sessionKey = "session"

// sessionOf takes the client session out of the input. A session in the input wins over the surface's own.
func (o Op) sessionOf(session string, input []byte) (string, []byte, error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil {
		return session, input, nil
	}
	raw, ok := given[sessionKey]
	if !ok {
		return session, input, nil
	}
	delete(given, sessionKey)
	rest, err := json.Marshal(given)
	if err != nil {
		return session, input, nil
	}
	if scalar(raw) == "null" { // models write "null" as a text too
		return session, rest, nil
	}
	f := Field{Name: sessionKey, Kind: String}
	said, err := f.parseString(raw)
	if err != nil {
		return session, rest, invalid(o.Spec, f, err)
	}
	return cmp.Or(said.(string), session), rest, nil
}

// insteadOf takes values out of an input that replace defaults of the session for this call.
func (o Op) insteadOf(input []byte) (instead map[string]string, rest []byte, err error) {
	if !slices.ContainsFunc(o.Short, func(s Short) bool {
		return s.Default != "" && bytes.Contains(input, []byte(`"`+s.Default+`"`))
	}) {
		return nil, input, nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(input, &given) != nil {
		return nil, input, nil
	}
	instead = map[string]string{}
	for _, s := range o.Shorts() {
		raw, is := given[s.Default]
		if s.Default == "" || !is {
			continue
		}
		if delete(given, s.Default); string(raw) != "null" {
			instead[s.Default] = scalar(raw)
		}
		if o.Refuses(s) && instead[s.Default] != "" {
			return nil, input, fault.New(fault.Forbidden, "%s does not accept %s: it names a server that receives what is typed, and %s may "+
				"run without a question", o.Name, hint.Field(s.Flag), o.Name).With("field", s.Default).WithHint("%s", s.Elsewhere).
				WithDispatch(fault.NotDispatched)
		}
	}
	rest, err = json.Marshal(given)
	if err != nil {
		return nil, input, nil
	}
	return instead, rest, nil
}
