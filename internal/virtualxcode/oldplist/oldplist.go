// Package oldplist prints property lists in the old style of NSDictionary's description, which simctl and defaults use. The style has four
// spaces per level, and nested groups are indented by one more level. Encode prints a whole list.
package oldplist

import (
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/applejson"
)

// Encode returns v with a line feed at the end. v consists of applejson.Ordered, map[string]any, []any and scalars.
func Encode(v any) string {
	var b strings.Builder
	write(&b, v, 0)
	b.WriteByte('\n')
	return b.String()
}

func write(b *strings.Builder, v any, depth int) {
	indent := strings.Repeat("    ", depth)
	switch v := v.(type) {
	case applejson.Ordered:
		dictionary(b, v.Members(), indent, depth)
	case map[string]any:
		dictionary(b, func(yield func(string, any) bool) {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if !yield(key, v[key]) {
					return
				}
			}
		}, indent, depth)
	case []any:
		b.WriteString("(\n")
		for i, one := range v {
			b.WriteString(indent + "    ")
			write(b, one, depth+1)
			if i < len(v)-1 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + ")")
	default:
		b.WriteString(word(Scalar(v)))
	}
}

func dictionary(b *strings.Builder, members iter.Seq2[string, any], indent string, depth int) {
	b.WriteString("{\n")
	for key, value := range members {
		fmt.Fprintf(b, "%s    %s = %s", indent, word(key), inset(value, depth))
		write(b, value, depth+1)
		b.WriteString(";\n")
	}
	b.WriteString(indent + "}")
}

// Scalar returns a value that is not a group, as NSObject describes it.
func Scalar(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "1"
		}
		return "0"
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05 -0700")
	case []byte:
		return fmt.Sprintf("{length = %d, bytes = 0x%s}", len(v), hex.EncodeToString(v))
	}
	return fmt.Sprint(v)
}

// inset is the indentation of a nested group.
func inset(v any, depth int) string {
	switch v.(type) {
	case applejson.Ordered, map[string]any, []any:
		return strings.Repeat("    ", depth+1)
	}
	return ""
}

// word quotes words with characters other than letters, digits and underscores.
func word(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) < 0
	if plain {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}
