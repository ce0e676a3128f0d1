package simctl

import (
	"fmt"
	"strings"
)

// The real tool prints property lists as NSDictionary describes itself: the old style, four spaces a level, and a value
// that is a group of its own pushed in by as much again.

func oldPlist(v any) string {
	var b strings.Builder
	plistAt(&b, v, 0)
	b.WriteByte('\n')
	return b.String()
}

func plistAt(b *strings.Builder, v any, depth int) {
	indent := strings.Repeat("    ", depth)
	switch v := v.(type) {
	case object:
		b.WriteString("{\n")
		for _, m := range v {
			fmt.Fprintf(b, "%s    %s = %s", indent, plistWord(m.key), inset(m.value, depth))
			plistAt(b, m.value, depth+1)
			b.WriteString(";\n")
		}
		b.WriteString(indent + "}")
	case array:
		b.WriteString("(\n")
		for i, one := range v {
			b.WriteString(indent + "    ")
			plistAt(b, one, depth+1)
			if i < len(v)-1 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString(indent + ")")
	default:
		b.WriteString(plistWord(fmt.Sprint(v)))
	}
}

// inset is the room before a value that is a group.
func inset(v any, depth int) string {
	switch v.(type) {
	case object, array:
		return strings.Repeat("    ", depth+1)
	}
	return ""
}

// plistWord quotes what is not only letters, digits and underscores.
func plistWord(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) < 0
	if plain {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}
