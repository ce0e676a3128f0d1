package uiread

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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

// plain turns a value into what encoding/json writes.
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

// textOf is a value as the string it stands for: a string as it is, anything else as its JSON.
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

// deepest is how deep a document may nest. Real trees stay below a few hundred; what goes beyond is not one.
const deepest = 2000

// values reads JSON values one after the other. Tokens, because an error must say where, and a repeated key must not
// vanish.
type values struct {
	decoder *json.Decoder
	at      place
	objects int
}

func newValues(b []byte, at place) *values {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return &values{decoder: d, at: at}
}

// next gives the next value; io.EOF when there is none.
func (v *values) next() (any, error) { return v.value(0) }

func (v *values) value(depth int) (any, error) {
	token, err := v.decoder.Token()
	if err != nil {
		return nil, v.broken(err, depth)
	}
	if depth > deepest {
		return nil, v.at.fault(int(v.decoder.InputOffset()), fmt.Sprintf("it nests deeper than %d levels", deepest), v.objects)
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for v.decoder.More() {
			item, err := v.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		return list, v.end(depth)
	case json.Delim('{'):
		v.objects++
		o := object{}
		seen := map[string]int{}
		for v.decoder.More() {
			key, err := v.decoder.Token()
			if err != nil {
				return nil, v.broken(err, depth+1)
			}
			item, err := v.value(depth + 1)
			if err != nil {
				return nil, err
			}
			name := key.(string)
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, seen[name])
			}
			o = append(o, member{name, item})
		}
		return o, v.end(depth)
	case json.Delim(']'), json.Delim('}'):
		return nil, v.at.fault(int(v.decoder.InputOffset())-1, "a bracket closes nothing", v.objects)
	}
	return token, nil
}

func (v *values) end(depth int) error {
	if _, err := v.decoder.Token(); err != nil {
		return v.broken(err, depth+1)
	}
	return nil
}

func (v *values) broken(err error, depth int) error {
	var syntax *json.SyntaxError
	switch {
	case depth == 0 && errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return v.at.fault(len(v.at.whole), "the JSON is cut off: it ends inside an open value", v.objects)
	case errors.As(err, &syntax):
		return v.at.fault(int(syntax.Offset), "not JSON: "+syntax.Error(), v.objects)
	}
	return v.at.fault(int(v.decoder.InputOffset()), "not JSON: "+err.Error(), v.objects)
}
