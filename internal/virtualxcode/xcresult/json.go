package xcresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object and array are JSON before it is printed.
type (
	object = map[string]any
	array  = []any
)

// printer writes JSON as NSJSONSerialization does: a space before the colon, an empty line in what is empty. Keys are
// sorted, because theirs come in any order.
type printer struct {
	slashes bool // escape them, as the older commands do
	b       strings.Builder
}

// EncodeJSON is v, made of maps, slices and scalars, as Apple's tools print it.
func EncodeJSON(v any) string {
	var p printer
	p.write(v, "")
	return p.b.String() + "\n"
}

func (p *printer) write(v any, pad string) {
	switch v := v.(type) {
	case object:
		keys := slices.Sorted(maps.Keys(v))
		p.group('{', '}', len(keys), pad, func(i int, pad string) {
			p.scalar(keys[i])
			p.b.WriteString(" : ")
			p.write(v[keys[i]], pad)
		})
	case array:
		p.group('[', ']', len(v), pad, func(i int, pad string) { p.write(v[i], pad) })
	default:
		p.scalar(v)
	}
}

func (p *printer) group(open, end byte, n int, pad string, item func(int, string)) {
	p.b.WriteByte(open)
	for i := range n {
		p.b.WriteString("\n" + pad + "  ")
		item(i, pad+"  ")
		if i < n-1 {
			p.b.WriteByte(',')
		}
	}
	if n == 0 {
		p.b.WriteByte('\n')
	}
	p.b.WriteString("\n" + pad)
	p.b.WriteByte(end)
}

func (p *printer) scalar(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("a %T among JSON: %v", v, err)) // a wrong table of ours, never an input
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if p.slashes {
		text = strings.ReplaceAll(text, "/", `\/`)
	}
	p.b.WriteString(text)
}

// compact is v without any white space between its parts.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v) // into memory, of what write can print too
	return b.String()
}

// list makes an array of anything.
func list[T any](items []T, f func(T) any) array {
	out := array{}
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}
