package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/text/lazyregexp"
)

// A small YAML writer for trees of scalar, []any and map[string]any. The library's writer would not fit: it writes whole documents, but
// here single entries go into a text that otherwise stays as its author wrote it, and they must look as people write them.

// bare matches text that needs no quotes in any version of YAML.
var bare = lazyregexp.New(`^[A-Za-z/]([A-Za-z0-9_./ -]*[A-Za-z0-9_/])?$`)

// reserved are words that some YAML reader does not read as text.
var reserved = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}

// toTree turns a normalised value into a tree.
func toTree(value any) any {
	switch v := value.(type) {
	case string:
		return scalar{Tag: docfile.TagText, Text: v}
	case bool:
		return scalar{Tag: docfile.TagBool, Text: fmt.Sprint(v)}
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = toTree(v[i])
		}
		return list
	case map[string]string:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = toTree(v[name])
		}
		return out
	}
	return value
}

// encodeEntry writes `key: value` in block style, indented, with a line break at the end.
func encodeEntry(indent int, key string, value any) string {
	head := strings.Repeat(" ", indent) + quote(key) + ":"
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 {
			return head + "\n" + encodeEntries(indent+2, v)
		}
	case []any:
		if len(v) > 0 {
			return head + "\n" + encodeItems(indent+2, v)
		}
	}
	return head + " " + inline(value) + "\n"
}

func encodeEntries(indent int, values map[string]any) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		b.WriteString(encodeEntry(indent, key, values[key]))
	}
	return b.String()
}

func encodeItems(indent int, items []any) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(strings.Repeat(" ", indent) + "- " + inline(item) + "\n")
	}
	return b.String()
}

// inline writes a value in one line.
func inline(value any) string {
	switch v := value.(type) {
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, quote(key)+": "+inline(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = inline(v[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return encodeScalar(value.(scalar))
}

func encodeScalar(s scalar) string {
	switch s.Tag {
	case docfile.TagNull:
		return "null"
	case docfile.TagText:
		return quote(s.Text)
	}
	return s.Text
}

func quote(text string) string {
	if bare.MatchString(text) && !slices.Contains(reserved, strings.ToLower(text)) {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a JSON string is a YAML one
	_ = e.Encode(text)     // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
