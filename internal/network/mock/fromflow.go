package mock

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

// FlowError says why a flow cannot become a mock.
type FlowError struct {
	ID   string
	Why  string
	Hint string
}

func (e *FlowError) Error() string {
	return fmt.Sprintf("flow %s cannot become a mock: %s", e.ID, e.Why)
}

// Fault converts the error for a caller.
func (e *FlowError) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("%s", e.Hint)
}

// FromFlow makes a rule that repeats the server's answer to a flow's request, for its method, scheme, host and path with any query. It
// leaves out header lines that belong to one connection or one moment, cookies and other secrets.
func FromFlow(f *flow.Flow) (Rule, error) {
	wrong := func(why, hint string) (Rule, error) { return Rule{}, &FlowError{f.ID, why, hint} }
	r := f.Response
	u, err := url.Parse(f.Request.URL)
	switch {
	case err != nil || u.Host == "":
		return wrong("its URL is invalid", "Take another flow.")
	case r == nil || f.State == flow.Failed || f.State == flow.Held || f.State == flow.Open:
		return wrong("its answer is incomplete", "Take a flow that is done.")
	case r.Status < 200:
		return wrong(fmt.Sprintf("a mock cannot answer with its status %d", r.Status), "Take a flow with a status from 200 on.")
	case r.Body.Cut:
		return wrong("only the beginning of its body is stored",
			"Write the whole body into a file and name it as body_file in a folder of mocks.")
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	rule := Rule{
		ID: NewID(),
		Pattern: "~m " + pattern.Quote("^"+regexp.QuoteMeta(f.Request.Method)+"$") +
			" & ~u " + pattern.Quote("^"+regexp.QuoteMeta(u.String())+`(\?|$)`),
		Response: Response{Status: r.Status, Header: kept(r.Header)},
	}
	if utf8.Valid(r.Body.Content) {
		rule.Response.Body = escape(string(r.Body.Content))
	} else {
		rule.Response.Bytes = slices.Clone(r.Body.Content)
	}
	if err := Check(rule); err != nil {
		return Rule{}, err
	}
	return rule, nil
}

// dropped are headers of a connection, of a moment, and of an encoded body.
var dropped = []string{
	"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding",
	"upgrade",
	"date", "age", "expires", "content-length", "content-encoding", "content-md5", "digest", "alt-svc",
	"set-cookie", "set-cookie2", "www-authenticate", "authentication-info", "proxy-authentication-info",
}

// kept are the header lines that a mock repeats, as templates.
func kept(h flow.Header) flow.Header {
	out := repeated(h)
	for i := range out {
		out[i].Value = escape(out[i].Value)
	}
	return out
}

// repeated are the header lines of an answer that are still valid at another time, on another connection.
func repeated(h flow.Header) (out flow.Header) {
	own := strings.Split(strings.ToLower(h.Get("connection")), ",")
	for i := range own {
		own[i] = strings.TrimSpace(own[i])
	}
	for _, f := range h {
		name := strings.ToLower(f.Name)
		if slices.Contains(dropped, name) || slices.Contains(own, name) || mask.Named(name) || !flow.Token(name) {
			continue
		}
		value := strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == utf8.RuneError {
				return ' '
			}
			return r
		}, f.Value)
		out = append(out, flow.Field{Name: f.Name, Value: value})
	}
	return out
}
