// Package jsondoc reads JSON documents of which only a part is understood: the known fields are typed, all others are
// kept as they are and written out again. It knows no tool.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Extra holds the fields of an object that its type does not name, that have another type than expected, or that hold
// null or an empty value, each as it stood.
type Extra map[string]json.RawMessage

// MaxDepth is how deep a document may nest. Real ones stay below 60.
const MaxDepth = 500

// Into fills the fields of the struct that to points to, by their json tags. A field that does not fit is no error: it
// stays in extra. Structs below it that have a field Extra keep their own rest there.
func Into(b []byte, to any, extra *Extra) error { return into(b, reflect.ValueOf(to).Elem(), extra) }

func into(b []byte, v reflect.Value, extra *Extra) error {
	var m Extra
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	if m == nil {
		return errors.New("not a JSON object")
	}
	for i := range v.NumField() {
		if name := tag(v.Type().Field(i)); name != "" {
			m.take(name, v.Field(i), false)
		}
	}
	*extra = m.Rest()
	return nil
}

// Take moves one field out of an object to where it belongs, for a reader that cannot say by tags what it reads. A field
// of another type stays, and so does null; an empty value is taken. It reports whether it took the field.
func Take[T any](from Extra, key string, to *T) bool {
	return from.take(key, reflect.ValueOf(to).Elem(), true)
}

// Rest is what was not taken; nil when that is nothing.
func (e Extra) Rest() Extra {
	if len(e) == 0 {
		return nil
	}
	return e
}

func (e Extra) take(key string, to reflect.Value, evenEmpty bool) bool {
	raw, ok := e[key]
	if !ok {
		return false
	}
	fresh := reflect.New(to.Type())
	if string(raw) == "null" || fill(raw, fresh.Elem()) != nil || !evenEmpty && empty(fresh.Elem()) {
		return false
	}
	to.Set(fresh.Elem())
	delete(e, key)
	return true
}

// empty is what omitempty leaves out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

func tag(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// Body returns the JSON in b: frameworks and the tools themselves write lines before it, sometimes after it. It is nil
// when no line of the first twenty opens a document.
func Body(b []byte) []byte {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for range 20 {
		b = bytes.TrimLeft(b, " \t\r\n")
		if len(b) == 0 {
			return nil
		}
		if opens(b) {
			return b
		}
		_, rest, found := bytes.Cut(b, []byte("\n"))
		if !found {
			return nil
		}
		b = rest
	}
	return nil
}

// opens reports whether b begins a document, and not a line of a log that begins with a bracket.
func opens(b []byte) bool {
	rest := bytes.TrimLeft(b[1:], " \t\r\n")
	switch b[0] {
	case '{':
		return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
	case '[':
		return len(rest) > 0 && (rest[0] == '{' || rest[0] == ']' || rest[0] == '"')
	}
	return false
}

// Decode reads the one document in b, past the lines before it and without what follows it.
func Decode(b []byte, to any) error {
	body := Body(b)
	if body == nil {
		return errors.New("no JSON document")
	}
	if depth(body) > MaxDepth {
		return fmt.Errorf("nested deeper than %d", MaxDepth)
	}
	var first json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&first); err != nil {
		return err
	}
	return fill(first, reflect.ValueOf(to).Elem())
}

// depth is how deep the brackets outside of strings nest.
func depth(b []byte) int {
	deepest, at, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			at++
			deepest = max(deepest, at)
		case c == '}' || c == ']':
			at--
		}
	}
	return deepest
}
