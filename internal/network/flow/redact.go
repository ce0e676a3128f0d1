package flow

import (
	"net/url"
	"slices"
	"strings"

	"ios-agent/internal/fault/mask"
	"ios-agent/internal/text/lazyregexp"
)

// Names lists additional names to hide, and names of secrets to show. Upper and lower case are equal.
type Names struct {
	Hide, Show []string
}

// credentials are the headers with a secret value whose names contain no word such as token or key.
var credentials = []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "proxy-authenticate",
	"authentication-info", "x-csrf", "x-xsrf"}

// secret reports whether the value of a field with this name is hidden.
func (n Names) secret(name string) bool {
	same := func(other string) bool { return strings.EqualFold(name, other) }
	switch {
	case slices.ContainsFunc(n.Show, same):
		return false
	case slices.ContainsFunc(n.Hide, same), slices.ContainsFunc(credentials, same):
		return true
	}
	return mask.Named(name)
}

// Redacted is a copy of a flow without the values whose names mark them as secret: in headers, the query, JSON and forms. Hidden lists
// the removed values. The copy's bodies have no files, because the files are complete. The original is unchanged.
func Redacted(f Flow, names Names) Flow {
	r := &redactor{names: names, hidden: slices.Clone(f.Hidden)}
	f.Request.URL = r.url(f.Request.URL, "query ")
	f.Request.Header, f.Request.Trailer = r.header(f.Request.Header, "request"), r.header(f.Request.Trailer, "request")
	f.Request.Body = r.body(f.Request.Body, f.Request.Header.Get("Content-Type"), "request body ")
	if f.Response != nil {
		answer := *f.Response
		answer.Header, answer.Trailer = r.header(answer.Header, "response"), r.header(answer.Trailer, "response")
		answer.Body = r.body(answer.Body, answer.Header.Get("Content-Type"), "response body ")
		f.Response = &answer
	}
	f.Messages = slices.Clone(f.Messages)
	for i := range f.Messages {
		f.Messages[i].Data = r.text(f.Messages[i].Data, "message ")
	}
	f.Error, _ = mask.Credentials(f.Error)
	f.Hidden = r.hidden
	return f
}

// ShownURL is a URL without its secrets.
func ShownURL(text string) string { return new(redactor).url(text, "") }

type redactor struct {
	names  Names
	hidden []string
}

func (r *redactor) note(place string) {
	if !slices.Contains(r.hidden, place) {
		r.hidden = append(r.hidden, place)
	}
}

// header hides values. The scheme of an authorization and the names of cookies stay readable.
func (r *redactor) header(h Header, of string) Header {
	h = slices.Clone(h)
	for i, f := range h {
		shown := f.Value
		switch {
		case f.Value == "" || slices.ContainsFunc(r.names.Show, func(name string) bool { return strings.EqualFold(name, f.Name) }):
		case r.names.secret(f.Name):
			shown = hideValue(f)
		default:
			shown = r.url(f.Value, "")
		}
		if shown != f.Value {
			r.note(of + " header " + f.Name)
			h[i].Value = shown
		}
	}
	return h
}

func hideValue(f Field) string {
	switch strings.ToLower(f.Name) {
	case "authorization", "proxy-authorization":
		if scheme, _, ok := strings.Cut(f.Value, " "); ok && !strings.ContainsAny(scheme, "=,:") {
			return scheme + " " + mask.Hidden
		}
	case "cookie":
		parts := strings.Split(f.Value, ";")
		for i := range parts {
			parts[i] = hideCookie(parts[i])
		}
		return strings.Join(parts, ";")
	case "set-cookie":
		first, rest, more := strings.Cut(f.Value, ";")
		if more {
			return hideCookie(first) + ";" + rest
		}
		return hideCookie(first)
	}
	return mask.Hidden
}

func hideCookie(part string) string {
	name, _, ok := strings.Cut(part, "=")
	if !ok {
		return mask.Hidden
	}
	return name + "=" + mask.Hidden
}

// url hides the user and parts of the query, and of a fragment in the form of a query. A text that only contains URLs is handled too.
func (r *redactor) url(text, place string) string {
	rest := ""
	if start := strings.IndexAny(text, "?#"); start >= 0 {
		text, rest = text[:start], text[start:start+1]+r.pairs(text[start+1:], place)
	}
	shown, found := mask.Credentials(text)
	if len(found) > 0 && place != "" {
		r.note("url")
	}
	return shown + rest
}

// pairs hides the values of a form or a query.
func (r *redactor) pairs(text, place string) string {
	var out strings.Builder
	for len(text) > 0 {
		end := strings.IndexAny(text, "&;#?")
		if end < 0 {
			end = len(text)
		}
		name, value, ok := strings.Cut(text[:end], "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		switch {
		case !ok || value == "":
		case r.names.secret(strings.TrimSpace(plain)):
			if place != "" {
				r.note(place + plain)
			}
			value = mask.Hidden
		default:
			value = r.inPair(value, place)
		}
		out.WriteString(name)
		if ok {
			out.WriteString("=" + value)
		}
		if end < len(text) {
			out.WriteByte(text[end])
			end++
		}
		text = text[end:]
	}
	return out.String()
}

// inPair hides fields of JSON inside the value of a pair.
func (r *redactor) inPair(value, place string) string {
	plain, err := url.QueryUnescape(value)
	if err != nil || !strings.Contains(plain, `"`) {
		return value
	}
	of := &redactor{names: r.names, hidden: r.hidden}
	shown := of.fields(plain, place, 1)
	if shown == plain {
		return value
	}
	if place != "" {
		r.hidden = of.hidden
	}
	return url.QueryEscape(shown)
}

func (r *redactor) body(b Body, kind, place string) Body {
	b.File, b.FileCut = "", false
	if len(b.Content) == 0 {
		return b
	}
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	switch strings.TrimSpace(kind) {
	case "application/x-www-form-urlencoded":
		b.Content = []byte(r.pairs(string(b.Content), place))
	case "multipart/form-data":
		b.Content = r.parts(b.Content, place)
	default:
		b.Content = r.text(b.Content, place)
	}
	return b
}

// text hides fields of JSON anywhere in the text, and credentials recognized by their form. Binary content is unchanged.
func (r *redactor) text(content []byte, place string) []byte {
	if Binary(content) {
		return content
	}
	text := string(content)
	if strings.Contains(text, ":") {
		text = r.fields(text, place, 0)
	}
	shown, found := mask.Credentials(text)
	if len(found) > 0 {
		r.note(strings.TrimSpace(place))
	}
	if shown == string(content) {
		return content
	}
	return []byte(shown)
}

// Content is binary if more than one of leastSigns of its first bytes is a control character. In random bytes a tenth is.
const (
	mostSniffed = 8 << 10
	leastSigns  = 20 // one byte of these
)

// Binary tells pictures, archives and other binary content from text of any encoding. Searching binary content for names only costs time.
func Binary(content []byte) bool {
	first, signs := content[:min(len(content), mostSniffed)], 0
	for _, c := range first {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b {
			signs++
		}
	}
	return signs*leastSigns > len(first)
}

// valueLength is the length of the object or array at the beginning of a text; a value that is cut extends to the end.
func valueLength(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// part matches a field of a multipart form: its head, its name, its value up to the next boundary.
var part = lazyregexp.New(`(?s)(name="([^"]*)"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)(.*?)(\r?\n--|$)`)

func (r *redactor) parts(content []byte, place string) []byte {
	return part.ReplaceAllFunc(content, func(match []byte) []byte {
		m := part.FindSubmatch(match)
		if !r.names.secret(string(m[2])) || len(m[3]) == 0 {
			return match
		}
		r.note(place + string(m[2]))
		return slices.Concat(m[1], []byte(mask.Hidden), m[4])
	})
}
