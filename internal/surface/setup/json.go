package setup

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"ios-agent/internal/machine/docfile"
)

// document is JSON text that is edited where it lies: what an edit is not about keeps its bytes, its order and its
// layout, and what is added takes on the layout around it.
type document struct {
	text   []byte
	plain  []byte // the text with spaces for what JSON does not know: byte for byte at the same place
	loose  bool   // comments and trailing commas may be in it, as editors have them
	bom    string
	root   node
	layout layout
}

// layout is how a document is written.
type layout struct {
	newline string
	indent  string
	flat    bool // all of it on one line
	comma   string
	colon   string
}

// inJSON turns a function on a document into an edit.
func inJSON(change func(*document) error) func([]byte) ([]byte, error) {
	return inDocument(change, false)
}

// inJSONC is inJSON for files that may have comments and trailing commas; they stay.
func inJSONC(change func(*document) error) func([]byte) ([]byte, error) {
	return inDocument(change, true)
}

func inDocument(change func(*document) error, loose bool) func([]byte) ([]byte, error) {
	return func(before []byte) ([]byte, error) {
		d, err := openDocument(before, loose)
		if err == nil {
			err = change(d)
		}
		if err != nil {
			return nil, err
		}
		return d.bytes(), nil
	}
}

// openDocument reads a document whose root is an object. Nothing at all is taken for an empty one.
func openDocument(text []byte, loose bool) (*document, error) {
	rest, marked := bytes.CutPrefix(text, []byte(bom))
	d := &document{text: bytes.Clone(rest), loose: loose}
	if marked {
		d.bom = bom
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		d.text = []byte("{}" + newlineOf(rest))
	}
	d.blank()
	if err := docfile.JSON(d.plain); err != nil {
		return nil, err
	}
	d.rescan()
	if d.root.kind != '{' {
		return nil, d.misshapen(d.root, "the file", "an object")
	}
	d.layout = layoutOf(d.text, d.root)
	return d, nil
}

func (d *document) bytes() []byte { return append([]byte(d.bom), d.text...) }

func layoutOf(text []byte, root node) layout {
	body := text[root.start:root.end]
	l := layout{newline: newlineOf(text), indent: "  ", comma: ", ", colon: ": "}
	if len(root.parts) == 0 {
		return l
	}
	l.flat = !bytes.Contains(body, []byte("\n"))
	if l.flat && !bytes.Contains(body, []byte(`": `)) {
		l.comma, l.colon = ",", ":"
	}
	if pad, alone := padding(text, root.parts[0].from); alone && pad != "" {
		l.indent = pad
	}
	return l
}

// padding is the white space a line begins with, up to an offset in it, and whether there is nothing else before it.
func padding(text []byte, offset int) (pad string, alone bool) {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	before := text[start:offset]
	pad = string(before[:len(before)-len(bytes.TrimLeft(before, " \t"))])
	return pad, start > 0 && len(pad) == len(before)
}

// set gives the value at a path, as JSON, and makes the objects on the way. A value that means the same is not touched.
func (d *document) set(path []string, value string) error {
	n, rest, err := d.find(path)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		d.grow(n, d.nest(rest, func(string, bool) string { return value }))
	case !sameJSON(d.plain[n.start:n.end], []byte(value)):
		d.splice(n.start, n.end, value)
	}
	return nil
}

// add appends a string to the list at a path, and makes the list and the objects on the way.
func (d *document) add(path []string, item string) error {
	n, rest, err := d.find(path)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		d.grow(n, d.nest(rest, func(pad string, flat bool) string { return d.wrap("[", quote(item), "]", pad, flat) }))
	case n.kind != '[':
		return d.misshapen(n, strings.Join(path, "."), "a list")
	default:
		d.grow(n, func(string, bool) string { return quote(item) })
	}
	return nil
}

// lists reports whether the list at a path has one of the items.
func (d *document) lists(path, items []string) bool {
	n, rest, err := d.find(path)
	if err != nil || len(rest) > 0 || n.kind != '[' {
		return false
	}
	return slices.ContainsFunc(n.parts, func(p part) bool {
		var s string
		return json.Unmarshal(d.text[p.value.start:p.value.end], &s) == nil && slices.Contains(items, s)
	})
}

// find walks as far along a path as there is something; rest is what is missing of it.
func (d *document) find(path []string) (n node, rest []string, err error) {
	n = d.root
	for i, key := range path {
		if n.kind != '{' {
			return n, nil, d.misshapen(n, strings.Join(path[:i], "."), "an object")
		}
		p, ok := n.member(key)
		if !ok {
			return n, path[i:], nil
		}
		n = p.value
	}
	return n, nil, nil
}

func (d *document) misshapen(n node, what, want string) error {
	return &docfile.Problem{Line: lineAt(d.text, n.start), Message: what + " is not " + want}
}

// entry writes something new: on lines that begin with pad, or flat.
type entry func(pad string, flat bool) string

// nest writes a value below keys, of which all but the first are of objects that do not exist yet.
func (d *document) nest(keys []string, leaf entry) entry {
	return func(pad string, flat bool) string {
		value := leaf
		if len(keys) > 1 {
			value = func(pad string, flat bool) string {
				return d.wrap("{", d.nest(keys[1:], leaf)(pad+d.layout.indent, flat), "}", pad, flat)
			}
		}
		return quote(keys[0]) + d.layout.colon + value(pad, flat)
	}
}

func (d *document) wrap(open, inner, end, pad string, flat bool) string {
	if flat {
		return open + inner + end
	}
	return open + d.layout.newline + pad + d.layout.indent + inner + d.layout.newline + pad + end
}

// grow puts an entry at the end of an object or a list.
func (d *document) grow(n node, e entry) {
	if len(n.parts) == 0 {
		pad, _ := padding(d.text, n.start)
		inside := bytes.TrimSpace(d.text[n.start+1 : n.end-1]) // a comment, or nothing
		flat := d.layout.flat && len(inside) == 0
		inner := e(pad+d.layout.indent, flat)
		if len(inside) > 0 {
			inner = string(inside) + d.layout.newline + pad + d.layout.indent + inner
		}
		d.splice(n.start, n.end, d.wrap(string(d.text[n.start]), inner, string(d.text[n.end-1]), pad, flat))
		return
	}
	last := n.parts[len(n.parts)-1]
	after, comma := d.remarks(last.value.end)
	pad, alone := padding(d.text, last.from)
	added := d.layout.newline + pad + e(pad, false)
	if !alone && bytes.IndexByte(d.text[last.value.end:after], '/') < 0 {
		added = strings.TrimLeft(d.layout.comma, ",") + e("", true)
	}
	if comma { // one that trails stays one that trails
		d.splice(after, after, added+",")
		return
	}
	d.splice(last.value.end, after, ","+string(d.text[last.value.end:after])+added)
}

func (d *document) splice(from, to int, with string) {
	d.text = slices.Concat(d.text[:from], []byte(with), d.text[to:])
	d.blank()
	d.rescan()
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
