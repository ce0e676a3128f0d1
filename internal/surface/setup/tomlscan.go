package setup

import (
	"slices"
	"strconv"
	"strings"
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

// scanTOML finds the places of keys and values. It is no judge of numbers and dates, but refuses what would make it
// mistake one place for another.
func scanTOML(text string) (found, error) {
	s := tomlScan{text: text}
	if strings.HasPrefix(text, bom) {
		s.at = len(bom)
	}
	for s.blank(); s.err == nil && s.at < len(text); s.blank() {
		if s.peek("[") {
			s.header()
		} else {
			s.keyValue(s.section())
		}
		s.endLine()
	}
	if s.err != nil {
		return found{}, s.err
	}
	return s.found, nil
}

// tomlScan remembers the first thing that is wrong and reads no further.
type tomlScan struct {
	text  string
	at    int
	depth int // of lists and inline tables
	err   error
	found
}

// mostDepth keeps a text from using up the stack.
const mostDepth = 1000

func (s *tomlScan) fail(what string) {
	if s.err == nil {
		s.err = &located{lineAt([]byte(s.text), s.at), what}
	}
	s.at = len(s.text)
}

func (s *tomlScan) peek(what string) bool { return strings.HasPrefix(s.text[s.at:], what) }

func (s *tomlScan) take(what string) bool {
	if !s.peek(what) {
		return false
	}
	s.at += len(what)
	return true
}

func (s *tomlScan) must(what string) {
	if s.err == nil && !s.take(what) {
		s.fail("here should be " + what)
	}
}

// skip passes bytes of a set.
func (s *tomlScan) skip(set string) {
	s.at += len(s.text[s.at:]) - len(strings.TrimLeft(s.text[s.at:], set))
}

func (s *tomlScan) space() { s.skip(" \t") }

// until passes bytes up to one of a set.
func (s *tomlScan) until(set string) {
	if i := strings.IndexAny(s.text[s.at:], set); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.text)
}

// blank passes white space, line ends and comments.
func (s *tomlScan) blank() {
	for {
		s.space()
		switch {
		case s.take("\n") || s.take("\r\n"):
		case s.peek("#"):
			s.until("\n")
		default:
			return
		}
	}
}

func (s *tomlScan) endLine() {
	s.space()
	if s.peek("#") {
		s.until("\n")
	}
	if s.err == nil && s.at < len(s.text) && !s.peek("\n") && !s.peek("\r\n") {
		s.fail("the line should end here")
	}
}

// section is where keys belong that come now.
func (s *tomlScan) section() []string {
	if len(s.headers) == 0 {
		return nil
	}
	return s.headers[len(s.headers)-1].path
}

func (s *tomlScan) header() {
	h := header{start: s.at}
	open, end := "[", "]"
	if s.peek("[[") {
		h.list, open, end = true, "[[", "]]"
	}
	s.must(open)
	h.path = s.key()
	s.must(end)
	h.end = s.at
	s.headers = append(s.headers, h)
}

func (s *tomlScan) keyValue(below []string) {
	p := pair{from: s.at, table: len(s.headers) - 1}
	p.path = slices.Concat(below, s.key())
	s.must("=")
	s.space()
	p.start = s.at
	i := len(s.pairs)
	s.pairs = append(s.pairs, p)
	p.means = s.value(p.path)
	p.end = s.at
	s.pairs[i] = p
}

// key is one name or several with dots between, and the space around it.
func (s *tomlScan) key() []string {
	var path []string
	for s.err == nil {
		s.space()
		path = append(path, s.keyPart())
		s.space()
		if !s.take(".") {
			break
		}
	}
	return path
}

func (s *tomlScan) keyPart() string {
	if s.peek(`"`) || s.peek("'") {
		return s.line()
	}
	start := s.at
	s.skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
	if s.at == start {
		s.fail("here should be a key")
	}
	return s.text[start:s.at]
}

// value passes a value and says what it means.
func (s *tomlScan) value(path []string) string {
	start := s.at
	s.depth++
	defer func() { s.depth-- }()
	switch {
	case s.depth > mostDepth:
		s.fail("this is nested too deeply")
	case s.take(`"""`):
		s.block(`"`, `\`)
	case s.take("'''"):
		s.block("'", "")
	case s.peek(`"`) || s.peek("'"):
		return quote(s.line())
	case s.take("["):
		return s.list(path)
	case s.take("{"):
		s.inline(path)
	default:
		s.scalar()
	}
	return s.text[min(start, s.at):s.at]
}

// line is a string that ends on its line; the text without its quotes.
func (s *tomlScan) line() string {
	mark := s.text[s.at : s.at+1]
	start := s.at
	for s.at++; ; s.at++ {
		switch {
		case s.at >= len(s.text) || s.peek("\n"):
			s.at = min(s.at, len(s.text))
			s.fail("a string does not end")
			return ""
		case s.take(mark):
			return plain(s.text[start:s.at])
		case s.peek(`\`) && mark == `"`:
			s.at++
		}
	}
}

// plain is what a string on one line says. One with escapes Go does not know stays as it is, which is like no other.
func plain(quoted string) string {
	if inner, literal := strings.CutPrefix(quoted, "'"); literal {
		return strings.TrimSuffix(inner, "'")
	}
	if s, err := strconv.Unquote(quoted); err == nil {
		return s
	}
	return quoted
}

// block passes the rest of a string of several lines; up to two more quotes may stand before the three that end it.
func (s *tomlScan) block(mark, escape string) {
	for ; s.at < len(s.text); s.at++ {
		switch {
		case escape != "" && s.peek(escape):
			s.at++
		case s.take(strings.Repeat(mark, 3)):
			for range 2 {
				s.take(mark)
			}
			return
		}
	}
	s.at = len(s.text)
	s.fail("a string does not end")
}

func (s *tomlScan) list(path []string) string {
	var items []string
	for s.blank(); s.err == nil && !s.take("]"); s.blank() {
		// Nothing within a list has a path from the root: its tables are found below a name no key can have.
		items = append(items, s.value(append(slices.Clone(path), "\x00")))
		s.blank()
		if !s.take(",") && !s.peek("]") {
			s.fail("here should be , or ]")
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// inline passes a table between braces. Line ends in it, which newer TOML allows, do no harm.
func (s *tomlScan) inline(path []string) {
	for s.blank(); s.err == nil && !s.take("}"); s.blank() {
		s.keyValue(path)
		s.blank()
		if !s.take(",") && !s.peek("}") {
			s.fail("here should be , or }")
		}
	}
}

func (s *tomlScan) scalar() {
	start := s.at
	s.until(",]}#\r\n")
	text := strings.TrimRight(s.text[start:s.at], " \t")
	if s.at = start + len(text); text == "" || strings.ContainsAny(text, "=\"'[{") {
		s.at = start
		s.fail("here should be a value")
	}
}
