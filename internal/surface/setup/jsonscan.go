package setup

import "encoding/json"

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
	s := scan{text: d.text}
	d.root = s.value()
}

// scan finds the places of values in text that is known to be valid.
type scan struct {
	text []byte
	at   int
}

// next gives the next byte that means something.
func (s *scan) next() byte {
	for {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			return c
		}
	}
}

func (s *scan) value() node {
	n := node{kind: s.next(), start: s.at}
	switch n.kind {
	case '{', '[':
		s.at++
		for c := s.next(); c != '}' && c != ']'; c = s.next() {
			n.parts = append(n.parts, s.part(n.kind == '{'))
		}
		s.at++
	case '"':
		s.str()
	default:
		s.scalar()
	}
	n.end = s.at
	return n
}

func (s *scan) part(member bool) part {
	p := part{from: s.at}
	if member {
		_ = json.Unmarshal(s.str(), &p.key) // it is valid
	}
	p.value = s.value()
	return p
}

func (s *scan) str() []byte {
	start := s.at
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.text[start:s.at]
}

// scalar is a number, true, false or null: it ends where anything else begins.
func (s *scan) scalar() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n', ',', ':', ']', '}':
			return
		}
		s.at++
	}
}
