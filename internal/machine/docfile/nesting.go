package docfile

import (
	"bytes"
	"strings"
)

// notation describes how a format writes brackets, strings and comments: brackets in a string or a comment do not count.
type notation struct {
	open, shut string
	between    string   // characters that separate values
	quotes     string   // characters that begin and end a string
	plain      string   // the quotes without escapes
	tripled    bool     // three quotes begin a string of several lines; other strings end with their line
	comments   []string // beginnings of comments, which end with their line
	block      bool     // also /* … */
}

var (
	jsonNotation  = notation{open: "[{", shut: "]}", between: ",", quotes: `"`}
	jsoncNotation = notation{open: "[{", shut: "]}", between: ",", quotes: `"`, comments: []string{"//"}, block: true}
	tomlNotation  = notation{open: "[{", shut: "]}", between: ",\n", quotes: `"'`, plain: `'`, tripled: true, comments: []string{"#"}}
	textNotation  = notation{open: "({", shut: ")}", between: ",;", quotes: `"`, comments: []string{"//"}, block: true}
)

// check refuses a text that is nested too deep or has too many values, without parsing it: parsers call themselves at every bracket. It
// reads a valid text as the parser does; in an invalid text, the parser stops at the error.
func (n notation) check(text []byte) error {
	depth, values := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(n.open, c) >= 0:
			depth++
			values++
		case strings.IndexByte(n.shut, c) >= 0:
			depth = max(0, depth-1)
		case strings.IndexByte(n.between, c) >= 0:
			values++
		default:
			i += max(0, n.skip(text[i:])-1)
		}
		if depth > maxDepth || values > maxNodes {
			return &Problem{lineAt(text, i), "too much, or nested too deep"}
		}
	}
	return nil
}

// skip is the length of the string or comment that begins here; 0 if none does.
func (n notation) skip(text []byte) int {
	for _, mark := range n.comments {
		if bytes.HasPrefix(text, []byte(mark)) {
			return until(text, 0, "\n")
		}
	}
	switch c := text[0]; {
	case n.block && bytes.HasPrefix(text, []byte("/*")):
		return until(text, 2, "*/")
	case strings.IndexByte(n.quotes, c) < 0:
		return 0
	case n.tripled && bytes.HasPrefix(text, []byte{c, c, c}):
		return n.quoted(text, 3)
	}
	return n.quoted(text, 1)
}

// quoted is the length of a string that begins and ends with the given number of quotes.
func (n notation) quoted(text []byte, quotes int) int {
	end, escapes := text[:quotes], strings.IndexByte(n.plain, text[0]) < 0
	for i := quotes; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case n.tripled && quotes == 1 && text[i] == '\n':
			return i
		case bytes.HasPrefix(text[i:], end):
			i += quotes
			for more := 0; quotes == 3 && more < 2 && i < len(text) && text[i] == text[0]; more++ {
				i++ // up to two more quotes belong to the string
			}
			return i
		}
	}
	return len(text)
}

func until(text []byte, from int, mark string) int {
	if i := bytes.Index(text[from:], []byte(mark)); i >= 0 {
		return from + i + len(mark)
	}
	return len(text)
}

func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}
