package setup

import (
	"bytes"
	"encoding/json"
)

// node is a value's place in the text.
type node struct {
	start, end int
	kind       byte // the first byte: { and [ have parts
	parts      []part
}

// part is a member of an object or an item of a list.
type part struct {
	key   string // of a member
	from  int    // where it begins: at the key of a member, at the value of an item
	value node
}

// member finds a key. Of two, readers believe the last.
func (n node) member(key string) (part, bool) {
	for i := len(n.parts) - 1; i >= 0; i-- {
		if n.parts[i].key == key {
			return n.parts[i], true
		}
	}
	return part{}, false
}

func (d *document) rescan() {
	s := scan{text: d.plain, Decoder: json.NewDecoder(bytes.NewReader(d.plain))}
	s.UseNumber() // one may be too large for a float64
	d.root = s.value()
}

// scan finds the places of values in text that is known to be valid.
type scan struct {
	text []byte
	*json.Decoder
}

// next is where the next thing begins.
func (s *scan) next() int {
	rest := s.text[s.InputOffset():]
	return len(s.text) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
}

func (s *scan) value() node {
	n := node{start: s.next()}
	n.kind = s.text[n.start]
	if open, _ := s.Token(); open == json.Delim('{') || open == json.Delim('[') {
		for s.More() {
			p := part{from: s.next()}
			if n.kind == '{' {
				key, _ := s.Token()
				p.key, _ = key.(string)
			}
			p.value = s.value()
			n.parts = append(n.parts, p)
		}
		_, _ = s.Token() // that closes it
	}
	n.end = int(s.InputOffset())
	return n
}
