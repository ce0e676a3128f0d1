// Package jsondoc reads JSON documents of which only a part is known. Into fills the known fields of a struct; a field of type Extra keeps
// all others unchanged, and Encode writes them out again. The package does not know any tool.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Extra holds the fields of an object that its type does not name, that have an unexpected type, or that are null or empty, each unchanged.
type Extra map[string]json.RawMessage

// MaxDepth is the maximum nesting of a document. Real ones stay below 60.
const MaxDepth = 500

// Into fills the fields of the struct that to points to, by their json tags. A field of an unexpected type goes to extra instead of
// failing. Nested structs with a field Extra keep their own unknown fields there.
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

// Take moves one field out of an object to its place, for a reader that cannot use tags. A field of another type stays, and so does null;
// an empty value is taken. It reports whether it took the field.
func Take[T any](from Extra, key string, to *T) bool {
	return from.take(key, reflect.ValueOf(to).Elem(), true)
}

// Rest returns the remaining fields; nil if none remain.
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

// empty is the set of values that omitempty leaves out.
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

// Body returns the JSON in b: frameworks and the tools themselves write lines before it, sometimes after it. It is nil when none of the
// first twenty lines opens a document.
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

// opens reports whether b begins a document rather than a log line that begins with a bracket.
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

// Decode reads the one document in b, and skips the lines before and after it.
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

// depth is the maximum depth of the brackets outside of strings.
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
