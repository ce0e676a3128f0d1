// Package shorter cuts a JSON document to a number of bytes and keeps its shape, so that a reader with the schema can still decode it.
package shorter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// JSON cuts a JSON document to a maximum number of bytes: it shortens the longest texts and drops items of the largest lists, from the end
// or, where the newest is last, from the beginning. All members of objects stay, except of objects that are tables.
func JSON(raw []byte, most int, newestLast ...string) json.RawMessage {
	if !json.Valid(raw) {
		return raw
	}
	root := (&reader{rest: raw}).node()
	for i, name := range root.names {
		root.members[i].newestLast = slices.Contains(newestLast, string(bytes.Trim(name, `"`)))
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
	return root.appendTo(make([]byte, 0, root.size))
}

// node is a value of a document with its members in their order. Names and scalars share the document's bytes.
type node struct {
	scalar  []byte
	kind    byte     // '{', '[' or 0
	names   [][]byte // names of an object's members
	members []*node
	size    int
	// newestLast marks a list whose end matters most: it is cut at its beginning.
	newestLast bool
}

// reader parses a valid document.
type reader struct{ rest []byte }

func (r *reader) node() *node {
	first := r.next()
	if first != '{' && first != '[' {
		return &node{scalar: r.scalar()}
	}
	n := &node{kind: first}
	for r.rest = r.rest[1:]; r.next() != first+2; { // in ASCII, a closing bracket is two after its opening one
		if r.rest[0] == ',' {
			r.rest = r.rest[1:]
			continue
		}
		if first == '{' {
			n.names = append(n.names, r.name())
		}
		n.members = append(n.members, r.node())
	}
	r.rest = r.rest[1:]
	return n
}

func (r *reader) next() byte {
	r.rest = bytes.TrimLeft(r.rest, " \t\r\n")
	return r.rest[0]
}

func (r *reader) name() []byte {
	name := r.scalar()
	r.next()
	r.rest = r.rest[1:] // the colon
	return name
}

func (r *reader) scalar() []byte {
	end := 0
	if r.rest[0] == '"' {
		for end = 1; r.rest[end] != '"'; end++ {
			if r.rest[end] == '\\' {
				end++
			}
		}
		end++
	} else if end = bytes.IndexAny(r.rest, ",]} \t\r\n"); end < 0 {
		end = len(r.rest)
	}
	value := r.rest[:end]
	r.rest = r.rest[end:]
	return value
}

// manyNames is the number of members from which an object counts as a table: declared results have fewer, and keep all of them.
const manyNames = 64

func (n *node) measure() int {
	if n.kind == 0 {
		n.size = len(n.scalar)
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

// cutTexts cuts every text with more than a number of bytes, and writes into the text how much is missing.
func (n *node) cutTexts(most int) {
	if n.kind == 0 && n.size > most && n.scalar[0] == '"' {
		n.scalar = shortText(n.scalar, most)
	}
	for _, m := range n.members {
		m.cutTexts(most)
	}
}

// shortText cuts a JSON text to about a number of bytes.
func shortText(whole []byte, most int) []byte {
	var text string
	if json.Unmarshal(whole, &text) != nil {
		return whole
	}
	kept := strings.ToValidUTF8(text[:min(len(text), most*len(text)/len(whole))], "")
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(fmt.Sprintf("%s… %d bytes left out", kept, len(text)-len(kept))) != nil {
		return whole
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// largest returns the list or table with the most bytes. It prefers a list with more than one member.
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

// halve drops members from the end, until the given number of bytes or half of the members is gone; from the beginning where the newest is
// last.
func (n *node) halve(bytes int) {
	if n.newestLast {
		slices.Reverse(n.members)
		defer func() { slices.Reverse(n.members) }()
	}
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
		return append(out, n.scalar...)
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
	return append(out, n.kind+2)
}
