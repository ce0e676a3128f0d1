// Package applejson prints JSON as Apple's encoders do: two spaces a level, a space on both sides of the colon, slashes
// escaped, an empty line in what is empty. encoding/json can do none of these.
//
// It knows no tool: the differences between tools are a Style.
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

// Ordered is an object whose members have an order of their own. The members of a map[string]any come sorted.
type Ordered interface {
	Members() iter.Seq2[string, any]
}

// Style is what differs between Apple's encoders. The zero value is NSJSONSerialization's.
type Style struct {
	PlainSlashes bool // slashes are not escaped
	ShortEmpty   bool // [] and {}, without the empty line
}

// Encode is v with a line feed at the end. v is made of Ordered, map[string]any, []any and what encoding/json takes as a
// string, a number, a bool or null.
func Encode(v any) string { return Style{}.Encode(v) }

// Encode is v, in s, with a line feed at the end.
func (s Style) Encode(v any) string {
	p := printer{Style: s, colon: " : ", breaks: true}
	p.write(v, "")
	return p.b.String() + "\n"
}

// Line is v, in s, on one line and without any white space.
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

// group writes what each calls item for, between its brackets.
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
		panic(fmt.Sprintf("a %T among JSON: %v", v, err)) // a mistake in a table of ours, never an input
	}
	if !p.PlainSlashes {
		text = escaped(text)
	}
	p.b.WriteString(text)
}

// Marshal is a Go value as encoding/json writes it, on one line, but with slashes escaped and without HTML escapes, as
// NSJSONSerialization does.
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
