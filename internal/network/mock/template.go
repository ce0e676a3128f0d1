package mock

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/network/flow"
)

// The language of templates: {{name}} is a value, {{{{ is {{. The language has no calls, no conditions and no files.
//
//	request.method  request.url  request.scheme  request.host  request.body
//	request.path    request.path.2 (its second part)   request.query  request.query.NAME   request.header.NAME
//	request.json    request.json.a.b  request.json.items.0
//	now (RFC 3339)  now.unix  now.unix_ms  now.http   uuid   counter (how often this rule answered, from 1)
//
// A value that the request lacks is empty.

// TemplateError is an error in a template, with its place.
type TemplateError struct {
	Offset, Line int
	Message      string
	Hint         string
}

func (e *TemplateError) Error() string {
	return fmt.Sprintf("the template is wrong at offset %d (line %d): %s", e.Offset, e.Line, e.Message)
}

// template is a list of texts and values. A nil template is the empty text.
type template []piece

type piece struct {
	text  string
	value value // nil for a text
	body  bool  // it reads the request's body
}

// moment is the input of values: a request, the number of the rule's answer, and the time.
type moment struct {
	flow *flow.Flow
	url  *url.URL // never nil
	hit  int
	now  time.Time
}

// value gives the value of a name: a string, or another JSON value; nil is missing.
type value func(m *moment) any

func parseTemplate(text string) (template, error) {
	var t template
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			t = append(t, piece{text: plain.String()})
			plain.Reset()
		}
	}
	for at := 0; at < len(text); {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			plain.WriteString(text[at:])
			break
		}
		plain.WriteString(text[at : at+open])
		at += open
		if strings.HasPrefix(text[at:], "{{{{") {
			plain.WriteString("{{")
			at += 4
			continue
		}
		p, length, err := parseValue(text, at)
		if err != nil {
			return nil, err
		}
		flush()
		t = append(t, p)
		at += length
	}
	flush()
	return t, nil
}

// parseValue reads the {{name}} at an offset, and returns its length.
func parseValue(text string, at int) (piece, int, error) {
	wrong := func(message, hint string) (piece, int, error) {
		return piece{}, 0, &TemplateError{Offset: at, Line: 1 + strings.Count(text[:at], "\n"), Message: message, Hint: hint}
	}
	end := strings.Index(text[at:], "}}")
	if end < 0 {
		return wrong("{{ is not closed by }}", "Write {{{{ for two literal braces.")
	}
	name := strings.TrimSpace(text[at+2 : at+end])
	p, hint := named(name)
	if p.value == nil {
		if len(name) > 80 {
			name = name[:80] + "…"
		}
		return wrong(fmt.Sprintf("unknown value %q", name), hint)
	}
	return p, end + 2, nil
}

// escape writes a text as a template that gives this text.
func escape(text string) string { return strings.ReplaceAll(text, "{{", "{{{{") }

// singles are the plain values; families are the values with a name after the last dot.
var singles = map[string]value{
	"request.method": func(m *moment) any { return m.flow.Request.Method },
	"request.url":    func(m *moment) any { return m.flow.Request.URL },
	"request.scheme": func(m *moment) any { return m.url.Scheme },
	"request.host":   func(m *moment) any { return m.url.Host },
	"request.path":   func(m *moment) any { return m.url.EscapedPath() },
	"request.query":  func(m *moment) any { return m.url.RawQuery },
	"request.body":   func(m *moment) any { return string(m.flow.Request.Body.Content) },
	"request.json":   func(m *moment) any { return m.json("") },
	"now":            func(m *moment) any { return m.now.UTC().Format("2006-01-02T15:04:05.000Z07:00") },
	"now.unix":       func(m *moment) any { return json.Number(strconv.FormatInt(m.now.Unix(), 10)) },
	"now.unix_ms":    func(m *moment) any { return json.Number(strconv.FormatInt(m.now.UnixMilli(), 10)) },
	"now.http":       func(m *moment) any { return m.now.UTC().Format(http.TimeFormat) },
	"uuid":           func(*moment) any { return newUUID() },
	"counter":        func(m *moment) any { return json.Number(strconv.Itoa(m.hit)) },
}

var families = map[string]func(m *moment, rest string) any{
	"request.path.":   (*moment).part,
	"request.query.":  func(m *moment, name string) any { return first(m.url.Query()[name]) },
	"request.header.": func(m *moment, name string) any { return m.flow.Request.Header.Get(name) },
	"request.json.":   (*moment).json,
}

func first(values []string) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

func named(name string) (piece, string) {
	if v, ok := singles[name]; ok {
		return piece{value: v, body: name == "request.body" || name == "request.json"}, ""
	}
	for prefix, of := range families {
		rest, is := strings.CutPrefix(name, prefix)
		if !is || rest == "" || prefix == "request.path." && !number(rest) {
			continue
		}
		return piece{value: func(m *moment) any { return of(m, rest) }, body: prefix == "request.json."}, ""
	}
	var known []string
	for n := range singles {
		known = append(known, n)
	}
	for n := range families {
		known = append(known, n+"NAME")
	}
	if near := nearest.To(name, known, 1); len(near) > 0 {
		return piece{}, fmt.Sprintf("Did you mean {{%s}}? Write {{{{ for two literal braces.", near[0])
	}
	return piece{}, "Values are request.path, request.query.NAME, request.header.NAME, request.json.a.b, request.body, now, uuid " +
		"and counter. Write {{{{ for two literal braces."
}

func number(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0
}

// part is the n-th part of the path, from 1.
func (m *moment) part(n string) any {
	all := strings.Split(strings.Trim(m.url.EscapedPath(), "/"), "/")
	i, _ := strconv.Atoi(n) // named has checked it
	if i > len(all) {
		return nil
	}
	if text, err := url.PathUnescape(all[i-1]); err == nil {
		return text
	}
	return all[i-1]
}

// json is a value in the request's body; the path has names, and indexes of items, between dots.
func (m *moment) json(path string) any {
	at, err := decodeJSON(m.flow.Request.Body.Content)
	if err != nil {
		return nil
	}
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, ".")
		switch v := at.(type) {
		case map[string]any:
			at = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// needsBody reports whether a template reads the request's body.
func (t template) needsBody() bool {
	for _, p := range t {
		if p.body {
			return true
		}
	}
	return false
}

func (t template) values() (n int) {
	for _, p := range t {
		if p.value != nil {
			n++
		}
	}
	return n
}

// text fills in the template. With inJSON, texts are escaped as between JSON quotes, so that no request can end the quotes.
func (t template) text(m *moment, inJSON bool) []byte {
	var b bytes.Buffer
	for _, p := range t {
		if p.value == nil {
			b.WriteString(p.text)
			continue
		}
		switch v := p.value(m).(type) {
		case nil:
		case string:
			if inJSON {
				quoted := encodeJSON(v)
				b.Write(quoted[1 : len(quoted)-1])
			} else {
				b.WriteString(v)
			}
		default:
			b.Write(encodeJSON(v))
		}
		if b.Len() > MostBody {
			b.Truncate(MostBody)
			break
		}
	}
	return b.Bytes()
}

// header fills in the template for a header line: no value can begin another line.
func (t template) header(m *moment) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return ' '
		}
		return r
	}, string(t.text(m, false)))
}

// jsonTemplate is JSON whose texts are templates. A text that consists of one value becomes that value, as a number or object too.
type jsonTemplate struct {
	tree   any // has a template in place of each text
	values int
	body   bool
}

func parseJSONTemplate(raw []byte) (jsonTemplate, error) {
	tree, err := decodeJSON(raw)
	if err != nil {
		return jsonTemplate{}, err
	}
	j := jsonTemplate{}
	j.tree, err = j.parse(tree)
	return j, err
}

func (j *jsonTemplate) parse(tree any) (any, error) {
	var err error
	switch v := tree.(type) {
	case string:
		t, err := parseTemplate(v)
		j.body, j.values = j.body || t.needsBody(), j.values+t.values()
		return t, err
	case []any:
		for i := range v {
			if v[i], err = j.parse(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = j.parse(v[k]); err != nil {
				return nil, err
			}
		}
	}
	return tree, nil
}

func (j jsonTemplate) text(m *moment) []byte { return encodeJSON(filled(j.tree, m)) }

func filled(tree any, m *moment) any {
	switch v := tree.(type) {
	case template:
		if len(v) == 1 && v[0].value != nil {
			return v[0].value(m)
		}
		return string(v.text(m, false))
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = filled(v[i], m)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = filled(v[k], m)
		}
		return out
	}
	return tree
}
