package uiread

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// object is a JSON object with its keys in order.
type object []member

type member struct {
	key   string
	value any // nil, bool, json.Number, string, []any or object
}

func (o object) get(key string) (any, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

func (o object) has(keys ...string) bool {
	for _, key := range keys {
		if _, ok := o.get(key); ok {
			return true
		}
	}
	return false
}

// plain converts a value to a form for encoding/json.
func plain(v any) any {
	switch v := v.(type) {
	case object:
		m := make(map[string]any, len(v))
		for _, p := range v {
			m[p.key] = plain(p.value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plain(v[i])
		}
		return list
	}
	return v
}

// textOf is a value as text: a string unchanged, anything else as its JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(plain(v)); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// deepest is the maximum nesting of a document. Real trees stay below a few hundred levels.
const deepest = 2000

// values reads JSON values one after the other. It replaces encoding/json, because an error must name its place, a repeated key must not
// vanish, the order of keys matters, and every look at a device reads a tree.
type values struct {
	text    []byte
	pos     int
	at      place
	objects int
	bound   *bound
	kept    int  // number of stored values
	nodes   int  // number of stored elements: objects at the top or in a list
	left    int  // number of skipped elements
	skips   bool // count only, do not store
}

func newValues(b []byte, at place, within *bound) *values {
	return &values{text: b, at: at, bound: within}
}

// next returns the next value; io.EOF at the end.
func (v *values) next() (any, error) {
	element := v.space() == '{'
	if v.pos == len(v.text) {
		return nil, io.EOF
	}
	item, _, err := v.part(0, element)
	return item, err
}

// part reads a value of a document. Beyond the bound, values are only counted. An element is an object at the top or in a list.
func (v *values) part(depth int, element bool) (item any, keep bool, err error) {
	skipped, nodes := v.skips, 0
	if element {
		nodes = v.nodes
	}
	v.skips = skipped || v.bound.full(nodes, v.kept)
	keep = !v.skips
	switch {
	case !keep && element:
		v.left++
	case element:
		v.nodes++
	}
	if keep {
		v.kept++
	}
	item, err = v.value(depth)
	v.skips = skipped
	if !keep {
		return nil, false, err
	}
	return item, true, err
}

// rest is the unread part of the text.
func (v *values) rest() []byte { return v.text[v.pos:] }

// space skips white space and returns the next byte; 0 at the end.
func (v *values) space() byte {
	for ; v.pos < len(v.text); v.pos++ {
		switch c := v.text[v.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (v *values) broken(problem string) error {
	if v.pos >= len(v.text) {
		return v.at.fault(len(v.text), "the JSON is cut off: it ends inside an open value", v.objects)
	}
	return v.at.fault(v.pos, "not JSON: "+problem, v.objects)
}

func (v *values) value(depth int) (any, error) {
	if depth > deepest {
		return nil, v.at.fault(v.pos, fmt.Sprintf("it nests deeper than %d levels", deepest), v.objects)
	}
	if err := v.bound.step(); err != nil {
		return nil, err
	}
	switch c := v.space(); {
	case c == '{':
		return v.object(depth)
	case c == '[':
		return v.list(depth)
	case c == '"':
		return v.string()
	case c == '-' || '0' <= c && c <= '9':
		return v.number()
	}
	for word, value := range words {
		if bytes.HasPrefix(v.rest(), []byte(word)) {
			v.pos += len(word)
			return value, nil
		}
		if bytes.HasPrefix([]byte(word), v.rest()) {
			v.pos = len(v.text) // the beginning of a word, and no more
		}
	}
	return nil, v.broken("a value is missing here")
}

var words = map[string]any{"true": true, "false": false, "null": nil}

// items reads the values between brackets, separated by commas, and the closing bracket.
func (v *values) items(closing byte, item func() error) error {
	v.pos++
	if v.space() == closing {
		v.pos++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		switch v.space() {
		case ',':
			v.pos++
		case closing:
			v.pos++
			return nil
		default:
			return v.broken(fmt.Sprintf("a comma or %c is missing here", closing))
		}
	}
}

func (v *values) list(depth int) (any, error) {
	list := []any{}
	err := v.items(']', func() error {
		item, keep, err := v.part(depth+1, v.space() == '{')
		if keep {
			list = append(list, item)
		}
		return err
	})
	return list, err
}

func (v *values) object(depth int) (any, error) {
	v.objects++
	var o object
	if !v.skips {
		o = make(object, 0, 8)
	}
	err := v.items('}', func() error {
		if v.space() != '"' {
			return v.broken("a key is missing here")
		}
		key, err := v.string()
		if err != nil {
			return err
		}
		if v.space() != ':' {
			return v.broken("a colon is missing here")
		}
		v.pos++
		item, keep, err := v.part(depth+1, false)
		if keep {
			o = append(o, member{key, item})
		}
		return err
	})
	o.numberRepeated()
	return o, err
}

// numberRepeated renames repeated keys of an object, so that none hides another.
func (o object) numberRepeated() {
	const few = 32 // searching a short list is faster than building a map
	seen := map[string]int{}
	for i := range o {
		if len(o) <= few && !o[:i].has(o[i].key) {
			continue
		}
		if seen[o[i].key]++; len(o) <= few && seen[o[i].key] == 1 {
			seen[o[i].key]++ // the first one was skipped
		}
		if n := seen[o[i].key]; n > 1 {
			o[i].key = fmt.Sprintf("%s#%d", o[i].key, n)
		}
	}
}

// string reads a quoted text.
func (v *values) string() (string, error) {
	start := v.pos
	plain := true
	for v.pos++; v.pos < len(v.text); v.pos++ {
		switch c := v.text[v.pos]; {
		case c == '"':
			v.pos++
			if plain {
				return string(v.text[start+1 : v.pos-1]), nil
			}
			var s string
			if err := json.Unmarshal(v.text[start:v.pos], &s); err != nil {
				v.pos = start
				return "", v.broken("a text with a broken escape")
			}
			return s, nil
		case c == '\\':
			plain = false
			v.pos++
		case c < 0x20:
			return "", v.broken("a control character in a text")
		}
	}
	v.pos = len(v.text)
	return "", v.broken("")
}

// numberPattern is JSON's grammar of numbers.
var numberPattern = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// number reads a number and keeps its spelling.
func (v *values) number() (any, error) {
	start := v.pos
	digits := true
	for ; v.pos < len(v.text); v.pos++ {
		c := v.text[v.pos]
		if '0' <= c && c <= '9' {
			continue
		}
		if c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		digits = false
	}
	text := v.text[start:v.pos]
	if digits && (len(text) == 1 || text[0] != '0') || numberPattern.Match(text) {
		return json.Number(text), nil
	}
	if v.pos < len(v.text) {
		v.pos = start
	}
	return nil, v.broken("a broken number")
}
