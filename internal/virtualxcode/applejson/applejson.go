// Package applejson prints JSON like Apple's encoders: two spaces per level, a space on both sides of the colon, escaped slashes, an
// empty line in an empty group. encoding/json can do none of these. Encode prints a document; a Style holds the differences between
// tools. It must not know any tool.
package applejson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Ordered is an object whose members have their own order. Members of a map[string]any are sorted.
type Ordered interface {
	Members() iter.Seq2[string, any]
}

// Style holds the differences between Apple's encoders. The zero value is NSJSONSerialization's.
type Style struct {
	PlainSlashes bool // slashes stay unescaped
	ShortEmpty   bool // [] and {}, without the empty line
}

// Encode returns v with a line feed at the end. v consists of Ordered, map[string]any, []any and the values that encoding/json prints
// as a string, a number, a bool or null.
func Encode(v any) string { return Style{}.Encode(v) }

// Encode returns v in style s, with a line feed at the end.
func (s Style) Encode(v any) string {
	p := printer{Style: s, colon: " : ", breaks: true}
	p.write(v, "")
	return p.b.String() + "\n"
}

// Line returns v in style s, on one line and without white space.
func (s Style) Line(v any) string {
	p := printer{Style: s, colon: ":"}
	p.write(v, "")
	return p.b.String()
}

type printer struct {
	Style
	colon  string
	breaks bool // lines
	b      strings.Builder
}

func (p *printer) write(v any, pad string) {
	switch v := v.(type) {
	case Ordered:
		p.object(v.Members(), pad)
	case map[string]any:
		p.object(sorted(v), pad)
	case []any:
		p.group('[', ']', pad, func(item func()) {
			for _, one := range v {
				item()
				p.write(one, pad+"  ")
			}
		})
	default:
		p.scalar(v)
	}
}

func sorted(v map[string]any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !yield(key, v[key]) {
				return
			}
		}
	}
}

func (p *printer) object(members iter.Seq2[string, any], pad string) {
	p.group('{', '}', pad, func(item func()) {
		for key, value := range members {
			item()
			p.scalar(key)
			p.b.WriteString(p.colon)
			p.write(value, pad+"  ")
		}
	})
}

// group writes the items of a group between its brackets.
func (p *printer) group(open, end byte, pad string, each func(item func())) {
	p.b.WriteByte(open)
	n := 0
	each(func() {
		if n > 0 {
			p.b.WriteByte(',')
		}
		p.newline(pad + "  ")
		n++
	})
	switch {
	case n > 0:
		p.newline(pad)
	case !p.ShortEmpty:
		p.newline("")
		p.newline(pad)
	}
	p.b.WriteByte(end)
}

func (p *printer) newline(pad string) {
	if p.breaks {
		p.b.WriteString("\n" + pad)
	}
}

func (p *printer) scalar(v any) {
	text, err := plain(v)
	if err != nil {
		panic(fmt.Sprintf("a %T among JSON: %v", v, err)) // a mistake in one of our tables, never in an input
	}
	if !p.PlainSlashes {
		text = escaped(text)
	}
	p.b.WriteString(text)
}

// Marshal returns a Go value on one line, as encoding/json writes it, but with escaped slashes and without HTML escapes, like
// NSJSONSerialization.
func Marshal(v any) (string, error) {
	text, err := plain(v)
	return escaped(text), err
}

func escaped(text string) string { return strings.ReplaceAll(text, "/", `\/`) }

func plain(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
