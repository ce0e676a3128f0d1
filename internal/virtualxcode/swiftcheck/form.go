package swiftcheck

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Form checks what can be said about a Swift file without a compiler: brackets, strings, comments and #if. It returns the first error, with
// a note where that helps, and nothing for a file that may be valid. A slash can begin a regular expression or divide; a file is wrong only
// if it is wrong in both readings.
func Form(file, text string) []Issue {
	first := readForm(text, true)
	if len(first) == 0 || len(readForm(text, false)) == 0 {
		return nil
	}
	for i := range first {
		first[i].File = file
	}
	return first
}

// Limits for interpolations in interpolations, and for open brackets. A file with more is not checked.
const (
	mostNested = 100
	mostOpen   = 1000
)

// form reads a file from the beginning to the end.
type form struct {
	text    string
	at      int
	slashes bool   // a slash may begin a regular expression
	open    []open // brackets and #if
	nested  int
	before  string         // the last word or character before the current one, without spaces and comments
	found   []Issue        // nil: reads on
	places  map[string]int // the next places of texts, so that a long file is searched once
}

// open is a bracket or an #if without its end.
type open struct {
	char  byte // of the bracket; # is an #if
	at    int
	loose bool // an #if whose text is not Swift for every compiler
}

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// expected are the messages about brackets without an end, in the compiler's words.
var expected = map[byte]string{
	'(': "expected ')' in expression list", '[': "expected ']' in container literal expression",
	'{': "expected '}' at end of brace statement", '#': "expected #else or #endif at end of conditional compilation block",
}

func readForm(text string, slashes bool) []Issue {
	f := form{text: text, slashes: slashes, places: map[string]int{}}
	if strings.HasPrefix(text, "#!") {
		f.line()
	}
	f.code(-1)
	if n := len(f.open); n > 0 && f.found == nil {
		f.unclosed(f.open[n-1], len(strings.TrimRight(text, " \t\r\n")))
	}
	return f.found
}

// fail records the first error. Text that only some compilers read can have any form.
func (f *form) fail(at int, message string) {
	for _, o := range f.open {
		if o.loose {
			return
		}
	}
	if f.found == nil {
		f.found = []Issue{f.issue(at, "error", message)}
	}
}

func (f *form) issue(at int, severity, message string) Issue {
	before := f.text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	end := len(f.text)
	if i := strings.IndexByte(f.text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return Issue{Severity: severity, Message: message, Line: strings.Count(before, "\n") + 1, Column: at - start + 1,
		Text: strings.TrimRight(f.text[start:end], "\r")}
}

// unclosed records a bracket whose end is missing at a place.
func (f *form) unclosed(o open, at int) {
	if f.found != nil {
		return
	}
	f.fail(at, expected[o.char])
	if f.found != nil && o.char != '#' {
		f.found = append(f.found, f.issue(o.at, "note", fmt.Sprintf("to match this opening '%c'", o.char)))
	}
}

func (f *form) peek(n int) byte {
	if f.at+n < len(f.text) {
		return f.text[f.at+n]
	}
	return 0
}

func (f *form) has(s string) bool { return strings.HasPrefix(f.text[f.at:], s) }

// line goes to the end of the line.
func (f *form) line() string {
	rest := f.text[f.at:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	f.at += len(rest)
	return rest
}

// code reads until the bracket of an interpolation at a depth closes, or to the end of the file if the depth is negative.
func (f *form) code(depth int) {
	for f.at < len(f.text) && f.found == nil {
		c := f.text[f.at]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			f.at++
			if c == '\n' {
				f.conflict()
			}
		case f.has("//"):
			f.line()
		case f.has("/*"):
			f.comment()
		case c == '"':
			f.str(0)
		case c == '#':
			f.hash()
		case c == '`':
			f.quotedName()
		case f.has("<#"):
			f.placeholder()
		case c == '/' && f.slashes && f.regex():
			f.before = "/"
		case len(f.open) > mostOpen:
			f.found = []Issue{} // ends the reading
		case strings.IndexByte("([{", c) >= 0:
			f.open = append(f.open, open{char: c, at: f.at})
			f.step(1)
		case strings.IndexByte(")]}", c) >= 0:
			f.close(c)
			if f.step(1); len(f.open) <= depth {
				return
			}
		case wordByte(c):
			f.word()
		default:
			f.step(1)
		}
	}
}

// step goes over characters of the code.
func (f *form) step(n int) {
	f.before = f.text[f.at : f.at+n]
	f.at += n
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

func (f *form) word() string {
	end := f.at
	for end < len(f.text) && wordByte(f.text[end]) {
		end++
	}
	f.step(end - f.at)
	return f.before
}

// close ends the innermost bracket.
func (f *form) close(c byte) {
	n := len(f.open)
	if n == 0 || f.open[n-1].char == '#' {
		f.fail(f.at, fmt.Sprintf("extraneous '%c' at top level", c))
		return
	}
	if o := f.open[n-1]; closing[o.char] != c {
		f.unclosed(o, f.at)
	}
	f.open = f.open[:n-1]
}

// comment skips a comment, which can contain comments.
func (f *form) comment() {
	start, depth := f.at, 0
	for f.at < len(f.text) {
		switch {
		case f.has("/*"):
			depth++
			f.at += 2
		case f.has("*/"):
			f.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			f.at++
		}
	}
	f.fail(start, "unterminated '/*' comment")
}

// quotedName skips a name in backticks, which can have any characters.
func (f *form) quotedName() {
	rest := f.text[f.at+1:]
	if i := strings.IndexAny(rest, "`\n"); i >= 0 && rest[i] == '`' {
		f.step(i + 2)
		return
	}
	f.step(1)
}

// next is the first place of a text from a place on, or the end of the file.
func (f *form) next(from int, text string) int {
	at, known := f.places[text]
	if !known || at < from {
		if at = strings.Index(f.text[from:], text); at < 0 {
			at = len(f.text)
		} else {
			at += from
		}
		f.places[text] = at
	}
	return at
}

// placeholder skips an editor's placeholder, <#name#>.
func (f *form) placeholder() {
	if end := f.next(f.at, "#>"); end < f.next(f.at, "\n") {
		f.step(end + 2 - f.at)
		return
	}
	f.step(1)
}

// conflict finds the mark of a merge at the beginning of a line. The compiler's column is that of the second character.
func (f *form) conflict() {
	if f.has("<<<<<<< ") && f.next(f.at, "\n>>>>>>> ") < len(f.text) {
		f.fail(f.at+1, "source control conflict marker in source file")
	}
}

// hash reads what begins with #: a raw string, a regular expression, or a word.
func (f *form) hash() {
	n := 0
	for f.peek(n) == '#' {
		n++
	}
	switch next := f.peek(n); {
	case next == '"':
		f.str(n)
	case next == '/' && f.rawRegex(n):
		f.before = "/"
	case n == 1 && wordByte(next):
		start := f.at
		f.at++
		f.directive(start, f.word())
	default:
		f.step(n)
	}
}

// directive follows #if, #elseif, #else and #endif. The brackets of each part are balanced.
func (f *form) directive(start int, name string) {
	if name == "if" {
		f.open = append(f.open, open{char: '#', at: start, loose: loose(f.line())})
		return
	}
	if name != "elseif" && name != "else" && name != "endif" {
		return // a macro
	}
	at := len(f.open) - 1
	for at >= 0 && f.open[at].char != '#' {
		at--
	}
	if at < 0 {
		f.fail(start, "unexpected conditional compilation block terminator")
		return
	}
	if at < len(f.open)-1 {
		f.unclosed(f.open[len(f.open)-1], start)
	}
	if f.open = f.open[:at+1]; name == "endif" {
		f.open = f.open[:at]
	} else if name == "elseif" {
		f.open[at].loose = f.open[at].loose || loose(f.line())
	}
}

// loose reports whether a compiler skips the text below a condition without reading it.
func loose(condition string) bool {
	for _, word := range []string{"swift", "compiler", "hasFeature", "hasAttribute", "$"} {
		if strings.Contains(condition, word) {
			return true
		}
	}
	return false
}

// str reads a string with a number of # around it.
func (f *form) str(hashes int) {
	start, fence := f.at, strings.Repeat("#", hashes)
	f.at += hashes
	quotes := `"`
	if f.has(`"""`) && !f.endsHere(fence) {
		quotes = `"""`
	}
	f.at += len(quotes)
	end, escape := quotes+fence, `\`+fence
	for f.at < len(f.text) && f.found == nil {
		switch {
		case f.has(end):
			f.at += len(end)
			f.before = `"`
			return
		case f.has(escape):
			f.at += len(escape)
			f.escaped()
		case f.text[f.at] == '\n' && quotes == `"`:
			f.fail(start, "unterminated string literal")
			return
		default:
			f.at++
		}
	}
	f.fail(start, "unterminated string literal")
}

// endsHere reports whether three quotes after a # begin a string of one line, such as #"""#.
func (f *form) endsHere(fence string) bool {
	return fence != "" && f.next(f.at+2, `"`+fence) < f.next(f.at+2, "\n")
}

// escaped reads what follows a backslash in a string.
func (f *form) escaped() {
	switch f.peek(0) {
	case '(':
		if f.nested++; f.nested > mostNested {
			f.found = []Issue{} // ends the reading
			return
		}
		f.open = append(f.open, open{char: '(', at: f.at})
		f.step(1)
		f.code(len(f.open) - 1)
		f.nested--
	case '\n', 0:
	default:
		f.at++
	}
}

// operands are what a value follows, so that a slash after it begins a regular expression.
var operands = map[string]bool{
	"": true, "return": true, "in": true, "case": true, "where": true, "if": true, "while": true, "switch": true, "try": true,
	"await": true, "throw": true, "else": true, "guard": true, "is": true, "as": true,
}

// regex skips a regular expression between slashes, which is on one line, and reports whether there is one.
func (f *form) regex() bool {
	if !operands[f.before] && strings.IndexAny(f.before, "([{,=:;!&|?<>+-*%^~") != 0 || strings.IndexByte(" \t\r\n", f.peek(1)) >= 0 {
		return false
	}
	depth := 0
	for i := f.at + 1; i < len(f.text) && f.text[i] != '\n'; i++ {
		switch f.text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		case '/':
			f.at = i + 1
			return true
		}
	}
	return false
}

// rawRegex skips a regular expression between #/ and /#, and reports whether there is one.
func (f *form) rawRegex(hashes int) bool {
	start := f.at + hashes + 1
	end, line := f.next(start, "/"+strings.Repeat("#", hashes)), f.next(start, "\n")
	if end == len(f.text) || end > line && strings.TrimSpace(f.text[start:line]) != "" {
		return false
	}
	f.at = end + 1 + hashes
	return true
}
