package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"ios-agent/internal/machine/docfile"
)

// document is JSON text that is edited where it lies: what an edit is not about keeps its bytes, its order, its comments
// and its layout, and what is added takes on the layout around it. The tree says where in the text everything is.
type document struct {
	text   []byte
	bom    string
	root   hujson.Value
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
	d := &document{text: bytes.Clone(rest)}
	if marked {
		d.bom = bom
	}
	if len(bytes.TrimSpace(rest)) == 0 {
		d.text = []byte("{}" + newlineOf(rest))
	}
	check := docfile.JSON
	if loose {
		check = docfile.JSONC
	}
	if err := check(d.text); err != nil {
		return nil, err
	}
	if err := d.parse(); err != nil {
		return nil, err
	}
	if _, is := d.root.Value.(*hujson.Object); !is {
		return nil, d.misshapen(&d.root, "the file", "an object")
	}
	d.layout = layoutOf(d.text, &d.root)
	return d, nil
}

// parse reads the text again. A comment must end with its line, also on the last one.
func (d *document) parse() (err error) {
	if d.root, err = hujson.Parse(append(bytes.Clone(d.text), '\n')); err == nil {
		return nil
	}
	p := &docfile.Problem{Line: 1, Message: "this is not JSON, neither plain nor with comments"}
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d,", &p.Line) // without its text, which quotes the file
	p.Line = min(p.Line, lineAt(d.text, len(d.text)))
	return p
}

func (d *document) bytes() []byte { return append([]byte(d.bom), d.text...) }

func layoutOf(text []byte, root *hujson.Value) layout {
	body := text[root.StartOffset:root.EndOffset]
	l := layout{newline: newlineOf(text), indent: "  ", comma: ", ", colon: ": "}
	members := root.Value.(*hujson.Object).Members
	if len(members) == 0 {
		return l
	}
	l.flat = !bytes.Contains(body, []byte("\n"))
	if l.flat && !bytes.Contains(body, []byte(`": `)) {
		l.comma, l.colon = ",", ":"
	}
	if pad, alone := padding(text, members[0].Name.StartOffset); alone && pad != "" {
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
	v, rest, err := d.find(path)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return d.grow(v, d.nest(rest, func(string, bool) string { return value }))
	case sameJSON(v, value):
		return nil
	}
	return d.splice(v.StartOffset, v.EndOffset, value)
}

// add appends a string to the list at a path, and makes the list and the objects on the way.
func (d *document) add(path []string, item string) error {
	v, rest, err := d.find(path)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return d.grow(v, d.nest(rest, func(pad string, flat bool) string { return d.wrap("[", quote(item), "]", pad, flat) }))
	case v.Value.Kind() != '[':
		return d.misshapen(v, strings.Join(path, "."), "a list")
	}
	return d.grow(v, func(string, bool) string { return quote(item) })
}

// lists reports whether the list at a path has one of the items.
func (d *document) lists(path, items []string) bool {
	v, rest, err := d.find(path)
	if err != nil || len(rest) > 0 {
		return false
	}
	list, is := v.Value.(*hujson.Array)
	return is && slices.ContainsFunc(list.Elements, func(e hujson.Value) bool {
		text, is := e.Value.(hujson.Literal)
		return is && text.Kind() == '"' && slices.Contains(items, text.String())
	})
}

// find walks as far along a path as there is something; rest is what is missing of it. Of two equal keys, readers believe the last.
func (d *document) find(path []string) (v *hujson.Value, rest []string, err error) {
	v = &d.root
	for i, key := range path {
		object, is := v.Value.(*hujson.Object)
		if !is {
			return v, nil, d.misshapen(v, strings.Join(path[:i], "."), "an object")
		}
		at := len(object.Members) - 1
		for at >= 0 && object.Members[at].Name.Value.(hujson.Literal).String() != key {
			at--
		}
		if at < 0 {
			return v, path[i:], nil
		}
		v = &object.Members[at].Value
	}
	return v, nil, nil
}

func (d *document) misshapen(v *hujson.Value, what, want string) error {
	return &docfile.Problem{Line: lineAt(d.text, v.StartOffset), Message: what + " is not " + want}
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
func (d *document) grow(v *hujson.Value, e entry) error {
	from, last, rest := lastOf(v)
	if last == nil {
		pad, _ := padding(d.text, v.StartOffset)
		inside := bytes.TrimSpace(rest) // a comment, or nothing
		flat := d.layout.flat && len(inside) == 0
		inner := e(pad+d.layout.indent, flat)
		if len(inside) > 0 {
			inner = string(inside) + d.layout.newline + pad + d.layout.indent + inner
		}
		return d.splice(v.StartOffset, v.EndOffset, d.wrap(string(d.text[v.StartOffset]), inner, string(d.text[v.EndOffset-1]), pad, flat))
	}
	end, trails := last.EndOffset+len(remark(rest)), false
	if before := last.AfterExtra; before != nil { // of a comma that trails
		trails = !bytes.Contains(before, []byte("\n"))
		end = last.EndOffset + len(remark(before))
		if trails {
			end = last.EndOffset + len(before) + len(",") + len(remark(rest))
		}
	}
	pad, alone := padding(d.text, from)
	added := d.layout.newline + pad + e(pad, false)
	if !alone && bytes.IndexByte(d.text[last.EndOffset:end], '/') < 0 {
		added = strings.TrimLeft(d.layout.comma, ",") + e("", true)
	}
	if trails { // it goes on trailing
		return d.splice(end, end, added+",")
	}
	return d.splice(last.EndOffset, end, ","+string(d.text[last.EndOffset:end])+added)
}

// lastOf is where the last member or item begins, its value, nil for an empty one, and the text before the closing bracket.
func lastOf(v *hujson.Value) (from int, last *hujson.Value, rest hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		rest = c.AfterExtra
		if n := len(c.Members); n > 0 {
			from, last = c.Members[n-1].Name.StartOffset, &c.Members[n-1].Value
		}
	case *hujson.Array:
		rest = c.AfterExtra
		if n := len(c.Elements); n > 0 {
			from, last = c.Elements[n-1].StartOffset, &c.Elements[n-1]
		}
	}
	return from, last, rest
}

// remark is the comments that follow a value on its line.
func remark(extra hujson.Extra) hujson.Extra {
	end := 0
	for i := 0; i < len(extra) && extra[i] != '\r' && extra[i] != '\n'; i++ {
		if extra[i] != '/' {
			continue
		}
		if extra[i+1] == '/' {
			return bytes.TrimRight(extra[:i+bytes.IndexByte(extra[i:], '\n')], "\r")
		}
		i += 2 + bytes.Index(extra[i+2:], []byte("*/")) + 1
		end = i + 1
	}
	return extra[:end]
}

func (d *document) splice(from, to int, with string) error {
	d.text = slices.Concat(d.text[:from], []byte(with), d.text[to:])
	return d.parse()
}

func sameJSON(v *hujson.Value, text string) bool {
	plain := v.Clone()
	plain.Minimize()
	var x, y any
	return json.Unmarshal(plain.Pack(), &x) == nil && json.Unmarshal([]byte(text), &y) == nil && reflect.DeepEqual(x, y)
}
