package op

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// shrunk is a JSON document of at most so many bytes that has the shape of a larger one: its longest texts are cut, and its largest lists
// end earlier. Who reads it by its schema finds all members; a notice beside it says that it was cut.
func shrunk(raw []byte, most int) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	root, err := readNode(decoder)
	if err != nil {
		return raw
	}
	root.measure()
	for longest := most; root.size > most && longest > 256; longest /= 2 {
		root.cutTexts(longest / 2)
		root.measure()
	}
	for root.size > most {
		list := root.largest()
		if list == nil {
			break
		}
		list.halve(root.size - most)
		root.measure()
	}
	return root.appendTo(nil)
}

// node is a value of a document, with its members in their order.
type node struct {
	scalar  any      // nil with a kind: it is no scalar
	kind    byte     // '{', '[' or 0
	names   [][]byte // of an object's members, as JSON
	members []*node
	size    int
}

func readNode(d *json.Decoder) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, is := t.(json.Delim)
	if !is {
		return &node{scalar: t}, nil
	}
	n := &node{kind: byte(open)}
	for d.More() {
		if n.kind == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.names = append(n.names, scalarJSON(name))
		}
		one, err := readNode(d)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, one)
	}
	_, err = d.Token()
	return n, err
}

// manyNames is how many members an object has that is a table: what a result declares has fewer, and all of them stay.
const manyNames = 64

// measure works out how many bytes a value and its members take.
func (n *node) measure() int {
	if n.kind == 0 {
		if n.size == 0 {
			n.size = len(scalarJSON(n.scalar))
		}
		return n.size
	}
	n.size = 2
	for i, m := range n.members {
		n.size += m.measure() + 1
		if n.kind == '{' {
			n.size += len(n.names[i]) + 1
		}
	}
	return n.size
}

func scalarJSON(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// cutTexts cuts every text that takes more than so many bytes, and says in it how much is missing.
func (n *node) cutTexts(most int) {
	if text, is := n.scalar.(string); is && n.size > most {
		kept := strings.ToValidUTF8(text[:min(len(text), most*len(text)/n.size)], "")
		n.scalar, n.size = fmt.Sprintf("%s… %d bytes left out", kept, len(text)-len(kept)), 0
	}
	for _, m := range n.members {
		m.cutTexts(most)
	}
}

// largest is the list, or the table, that has the most bytes in more than one member; else in one.
func (n *node) largest() (found *node) {
	n.each(func(one *node) {
		list := one.kind == '[' && len(one.members) > 0 || one.kind == '{' && len(one.members) > manyNames
		if !list {
			return
		}
		many, before := len(one.members) > 1, found != nil && len(found.members) > 1
		if found == nil || many && !before || many == before && one.size > found.size {
			found = one
		}
	})
	return found
}

func (n *node) each(do func(*node)) {
	do(n)
	for _, m := range n.members {
		m.each(do)
	}
}

// halve takes members from the end, until so many bytes are gone or half of them is.
func (n *node) halve(bytes int) {
	keep := len(n.members)
	for least := keep / 2; keep > least && bytes > 0; keep-- {
		bytes -= n.members[keep-1].size
	}
	n.members = slices.Clip(n.members[:keep])
	if n.kind == '{' {
		n.names = n.names[:keep]
	}
}

func (n *node) appendTo(out []byte) []byte {
	if n.kind == 0 {
		return append(out, scalarJSON(n.scalar)...)
	}
	out = append(out, n.kind)
	for i, m := range n.members {
		if i > 0 {
			out = append(out, ',')
		}
		if n.kind == '{' {
			out = append(append(out, n.names[i]...), ':')
		}
		out = m.appendTo(out)
	}
	return append(out, n.kind+2) // in ASCII the closing ones follow two later
}
