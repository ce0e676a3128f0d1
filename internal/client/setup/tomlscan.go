package setup

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"ios-agent/internal/machine/docfile"
)

// found is what a TOML text has, in order.
type found struct {
	headers []header
	pairs   []pair
}

// header begins a section.
type header struct {
	path       []string
	start, end int
	list       bool // [[…]]
}

// pair is a key and its value, those within inline tables included.
type pair struct {
	path       []string // from the root
	table      int      // the section it is in; -1 before the first
	from       int      // where the key begins
	start, end int      // of the value
	means      string   // strings and lists of strings, however spelled, as quote spells them
}

func (f found) pair(path []string) (pair, bool) {
	i := slices.IndexFunc(f.pairs, func(p pair) bool { return slices.Equal(p.path, path) })
	if i < 0 {
		return pair{}, false
	}
	return f.pairs[i], true
}

func (f found) header(path []string) (int, bool) {
	i := slices.IndexFunc(f.headers, func(h header) bool { return !h.list && slices.Equal(h.path, path) })
	return i, i >= 0
}

// scanTOML finds the places of keys and values.
func scanTOML(text []byte) (found, error) {
	if err := docfile.TOML(text); err != nil {
		return found{}, err
	}
	rest := bytes.TrimPrefix(text, []byte(bom))
	s := tomlScan{text: text, skipped: len(text) - len(rest)}
	s.parser.Reset(rest)
	for s.parser.NextExpression() {
		switch e := s.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			s.header(e)
		default:
			s.keyValue(e, s.section())
		}
	}
	var wrong *unstable.ParserError
	if err := s.parser.Error(); errors.As(err, &wrong) {
		return found{}, &docfile.Problem{Line: lineAt(text, s.offset(wrong.Highlight)), Message: "this is not TOML that can be read"}
	} else if err != nil {
		return found{}, err
	}
	return s.found, nil
}

// tomlScan reads the parser's nodes, which last until its next expression.
type tomlScan struct {
	text    []byte
	skipped int // bytes before what the parser sees
	parser  unstable.Parser
	found
}

func (s *tomlScan) offset(part []byte) int { return s.skipped + int(s.parser.Range(part).Offset) }

// section is the table that the keys belong to which come now.
func (s *tomlScan) section() []string {
	if len(s.headers) == 0 {
		return nil
	}
	return s.headers[len(s.headers)-1].path
}

// key reads the parts of a key, and where it begins and ends.
func (s *tomlScan) key(n *unstable.Node) (path []string, from, to int) {
	for parts := n.Key(); parts.Next(); {
		part := parts.Node()
		if path == nil {
			from = s.skipped + int(part.Raw.Offset)
		}
		to = s.skipped + int(part.Raw.Offset+part.Raw.Length)
		path = append(path, string(part.Data))
	}
	return path, from, to
}

func (s *tomlScan) header(n *unstable.Node) {
	path, from, to := s.key(n)
	h := header{path: path, list: n.Kind == unstable.ArrayTable}
	h.start = bytes.LastIndexByte(s.text[:from], '[') // white space at most lies between it and the key
	h.end = to + bytes.IndexByte(s.text[to:], ']') + 1
	if h.list {
		h.start--
		h.end++
	}
	s.headers = append(s.headers, h)
}

func (s *tomlScan) keyValue(n *unstable.Node, below []string) {
	path, from, to := s.key(n)
	p := pair{path: slices.Concat(below, path), table: len(s.headers) - 1, from: from}
	after := s.text[to+bytes.IndexByte(s.text[to:], '=')+1:]
	p.start = len(s.text) - len(bytes.TrimLeft(after, " \t"))
	p.end = s.skipped + int(n.Raw.Offset+n.Raw.Length)
	i := len(s.pairs)
	s.pairs = append(s.pairs, p) // before those in it
	if means := s.means(n.Value(), p.path); means != "" {
		s.pairs[i].means = means
	} else {
		s.pairs[i].means = string(s.text[p.start:p.end])
	}
}

// means says what a value is, and finds the pairs in it. It is "" for an inline table.
func (s *tomlScan) means(n *unstable.Node, path []string) string {
	switch n.Kind {
	case unstable.String:
		return quote(string(n.Data))
	case unstable.InlineTable:
		for members := n.Children(); members.Next(); {
			s.keyValue(members.Node(), path)
		}
		return ""
	case unstable.Array:
		var items []string
		// Nothing within a list has a path from the root: its tables get a path that we never ask for.
		for list := n.Children(); list.Next(); {
			items = append(items, s.means(list.Node(), append(slices.Clone(path), "\x00")))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return string(n.Data)
}
