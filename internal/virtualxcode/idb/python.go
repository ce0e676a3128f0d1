package idb

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// pair is a member of an object.
type pair struct {
	key   string
	value any
}

// python prints a value like Python's json.dumps: a blank after commas and colons, ASCII only.
func python(v any) string {
	switch v := v.(type) {
	case []pair:
		parts := make([]string, len(v))
		for i, p := range v {
			parts[i] = quote(p.key) + ": " + python(p.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = quote(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quote(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return "null"
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // marshalling a string cannot fail
	}
	var b strings.Builder
	for _, r := range strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(raw)) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
