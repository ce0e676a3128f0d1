package xcodebuild

import (
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// scanner reads a file line by line and counts braces. It does not parse Swift: declarations must start a line, as formatters place
// them.
type scanner struct {
	source
	number, depth int
	types         []scope
	fn            *scope // the outermost enclosing function
	test          *testCase
	suite         string // display name of the next suite
	attribute     *string
}

// scope is a type or function with the depth of its braces.
type scope struct {
	name, display string
	xctest        bool
	depth         int
	function      function
	opened        bool
}

func scan(path, text string) source {
	s := scanner{source: source{path: path}}
	for line := range strings.Lines(text) {
		s.number++
		code, rest, marked := strings.Cut(strings.TrimRight(line, "\r\n"), markPrefix)
		s.line(code)
		if marked {
			s.mark(code, rest)
		}
		s.close()
	}
	s.lines = s.number
	return s.source
}

// line reads declarations and counts braces.
func (s *scanner) line(code string) {
	if m := ifHas(code, "@", attribute); m != nil {
		s.attributed(m[1], m[2])
	}
	bare := code
	if strings.Contains(code, `"`) {
		bare = stringLiteral.ReplaceAllString(code, `""`)
	}
	bare, _, _ = strings.Cut(bare, "//")
	s.declare(bare)
	if s.fn != nil && strings.TrimSpace(bare) != "" {
		s.fn.function.Executable = append(s.fn.function.Executable, s.number)
	}
	s.depth += strings.Count(bare, "{") - strings.Count(bare, "}")
	if s.fn != nil && strings.Contains(bare, "{") {
		s.fn.opened = true
	}
	for i := range s.types {
		s.types[i].opened = s.types[i].opened || strings.Contains(bare, "{")
	}
}

func (s *scanner) attributed(kind, inside string) {
	name := ""
	if m := displayName.FindStringSubmatch(inside); m != nil {
		name = m[1]
	}
	if kind == "Suite" {
		s.suite = name
		return
	}
	s.attribute = &inside
}

// ifHas matches a line only if it contains a word that every match has. Every build of an agent reads all of its lines, and most have
// no declaration.
func ifHas(line, word string, match *lazyregexp.Regexp) []string {
	if !strings.Contains(line, word) {
		return nil
	}
	return match.FindStringSubmatch(line)
}

// declare records types, functions and computed properties.
func (s *scanner) declare(bare string) {
	if s.fn != nil {
		return
	}
	fn, property := ifHas(bare, "func", funcDecl), ifHas(bare, "var", propertyDecl)
	switch {
	case fn != nil:
		s.begin(labels(fn[1], fn[2]))
		s.beginTest(strings.TrimSpace(fn[1]), labels(fn[1], fn[2]))
	case property != nil:
		s.begin(property[1] + ".getter")
	default:
		if m := typeDecl.FindStringSubmatch(bare); m != nil {
			s.types = append(s.types, scope{name: m[1], display: s.suite, xctest: strings.Contains(m[2], "XCTestCase"), depth: s.depth})
			s.suite = ""
		}
	}
}

func (s *scanner) begin(name string) {
	if n := len(s.types); n > 0 {
		name = s.types[n-1].name + "." + name
	}
	s.fn = &scope{depth: s.depth, function: function{Name: name, Line: s.number}}
}

func (s *scanner) beginTest(name, signature string) {
	t := testCase{File: s.path, Name: signature, SkipLine: s.number}
	var in scope
	if n := len(s.types); n > 0 {
		in = s.types[n-1]
		t.SuiteDisplay = in.display
		names := []string{}
		for _, o := range s.types {
			names = append(names, o.name)
		}
		t.Suite = strings.Join(names, "/")
	}
	switch {
	case s.attribute != nil:
		t.Swift, t.Arguments, t.Tags = true, arguments(*s.attribute), tags(*s.attribute)
		if m := displayName.FindStringSubmatch(*s.attribute); m != nil {
			t.Display = m[1]
		}
	case !in.xctest || !strings.HasPrefix(name, "test"):
		return
	}
	s.attribute = nil
	s.test = &t
}

// mark applies a special comment.
func (s *scanner) mark(code, rest string) {
	kind, text, _ := strings.Cut(rest, ":")
	kind, text = strings.TrimSpace(kind), strings.TrimSpace(text)
	if kind == "uncovered" && s.fn != nil {
		s.fn.function.Uncovered = true
	}
	switch {
	case kind == "error" || kind == "warning" || kind == "note" || kind == "analyze":
		s.issues = append(s.issues, newIssue(s.path, s.number, code, kind, text))
	case slices.Contains(troubleKinds, kind):
		s.troubles = append(s.troubles, trouble{kind, text, s.number, s.within()})
	case s.test != nil:
		s.test.mark(kind, text, failMark{s.number, len(code) - len(strings.TrimLeft(code, " \t")) + 1, text})
	}
}

// within is the enclosing function.
func (s *scanner) within() string {
	if s.fn == nil {
		return ""
	}
	return s.fn.function.Name
}

// mark applies a comment about its enclosing test.
func (t *testCase) mark(kind, text string, here failMark) {
	switch kind {
	case "fails":
		t.Fails = append(t.Fails, here)
	case "crashes":
		t.Crashes = &here
	case "passes":
		if t.Passes = 1; text != "" {
			t.Passes, _ = strconv.Atoi(text) // other text is ignored
		}
	case "skips":
		t.Skipped, t.Skips, t.SkipLine = true, text, here.Line
	case "expected":
		t.Fine, t.Expected = true, text
	case "takes":
		t.Takes = seconds(text)
	case "measures":
		t.Measures, t.MeasureLine = manySeconds(text), here.Line
	case "prints":
		t.Prints = append(t.Prints, text)
	case "warns":
		t.Warns = append(t.Warns, text)
	case "attaches":
		t.Attaches = append(t.Attaches, text)
	}
}

// close ends the scopes whose braces the line closes.
func (s *scanner) close() {
	if s.fn != nil && s.fn.opened && s.depth <= s.fn.depth {
		s.functions = append(s.functions, s.fn.function)
		if s.test != nil {
			s.tests = append(s.tests, *s.test)
		}
		s.fn, s.test = nil, nil
	}
	if s.fn != nil && s.depth < s.fn.depth { // a requirement of a protocol has no body
		s.fn, s.test = nil, nil
	}
	for n := len(s.types); n > 0 && s.types[n-1].opened && s.depth <= s.types[n-1].depth; n = len(s.types) {
		s.types = s.types[:n-1]
	}
}
