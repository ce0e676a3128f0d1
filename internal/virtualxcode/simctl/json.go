package simctl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The real tool's JSON comes from NSJSONSerialization: two spaces a level, a space before the colon, slashes
// escaped, an empty line in what is empty. encoding/json can do none of these, and maps would lose the order.

// object is a JSON object with an order.
type object []member

type member struct {
	key   string
	value any
}

// array is a JSON array.
type array []any

// encode is v as the real tool writes it, with a line feed at the end.
func encode(v any) string {
	var b strings.Builder
	encodeAt(&b, v, 0)
	b.WriteByte('\n')
	return b.String()
}

func encodeAt(b *strings.Builder, v any, depth int) {
	switch v := v.(type) {
	case object:
		group(b, '{', '}', len(v), depth, func(i int) {
			encodeScalar(b, v[i].key)
			b.WriteString(" : ")
			encodeAt(b, v[i].value, depth+1)
		})
	case array:
		group(b, '[', ']', len(v), depth, func(i int) { encodeAt(b, v[i], depth+1) })
	default:
		encodeScalar(b, v)
	}
}

func group(b *strings.Builder, open, end byte, n, depth int, item func(int)) {
	const indent = "  "
	b.WriteByte(open)
	b.WriteByte('\n')
	for i := range n {
		b.WriteString(strings.Repeat(indent, depth+1))
		item(i)
		if i < n-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	if n == 0 {
		b.WriteByte('\n')
	}
	b.WriteString(strings.Repeat(indent, depth))
	b.WriteByte(end)
}

func encodeScalar(b *strings.Builder, v any) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		fmt.Fprintf(b, "%q", fmt.Sprint(v)) // a value json cannot take, which the lists here do not have
		return
	}
	b.WriteString(strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "/", `\/`))
}

// encodeLine is v on one line, as the log's ndjson style writes it.
func encodeLine(v any) string {
	var b strings.Builder
	lineOf(&b, v)
	return b.String()
}

func lineOf(b *strings.Builder, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			comma(b, i)
			encodeScalar(b, m.key)
			b.WriteByte(':')
			lineOf(b, m.value)
		}
		b.WriteByte('}')
	case array:
		b.WriteByte('[')
		for i, one := range v {
			comma(b, i)
			lineOf(b, one)
		}
		b.WriteByte(']')
	default:
		encodeScalar(b, v)
	}
}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}
