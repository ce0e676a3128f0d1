package debugger

import (
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/fault"
)

// readOnly is a fault for an expression that may change something: that has a call, an assignment, a statement, or what LLDB's prompt
// would replace. What has none of these by its text and calls something all the same, such as an operator of C++, LLDB refuses where it
// may not run code.
func readOnly(field, text string) error {
	forbidden := func(format string, args ...any) error {
		return fault.New(fault.Forbidden, format, args...).With("field", field).
			WithHint("with side effects: `ios-agent debug lldb \"expression …\"`; one variable: `ios-agent debug set NAME VALUE`")
	}
	if strings.TrimSpace(text) == "" {
		return fault.New(fault.InvalidInput, "the %s is empty", field).With("field", field)
	}
	code := []rune(text)
	for i := 0; i < len(code); i++ {
		before, after := at(code, i-1), at(code, i+1)
		switch c := code[i]; {
		case c == '`' || c == '\n' || c == '\r' || c == ';' || c == '{' || c == '}' || c == '#':
			return forbidden("%.80q has %q: only expressions of one line without statements are evaluated here", text, c)
		case c == '"' || c == '\'':
			i = literalEnd(code, i)
		case c == after && (c == '+' || c == '-'):
			return forbidden("%.80q has %c%c: that changes a variable", text, c, c)
		case c == '=' && after == '=':
			i++
		case c == '=' && (before == '!' || (before == '<' || before == '>') && at(code, i-2) != before):
		case c == '=':
			return forbidden("%.80q has an assignment: that changes a variable", text)
		case c == '(' && calls(code[:i]):
			return forbidden("%.80q has a call: that runs code of the program", text)
		}
	}
	return nil
}

func at(code []rune, i int) rune {
	if i < 0 || i >= len(code) {
		return 0
	}
	return code[i]
}

// literalEnd is where the text or character that begins at i ends.
func literalEnd(code []rune, i int) int {
	for quote, end := code[i], i+1; end < len(code); end++ {
		switch code[end] {
		case '\\':
			end++
		case quote:
			return end
		}
	}
	return len(code)
}

// measures are what stands before a parenthesis as a function does, and calls nothing.
var measures = []string{"sizeof", "alignof"}

// calls reports whether a parenthesis after this begins the arguments of a call.
func calls(before []rune) bool {
	text := strings.TrimRightFunc(string(before), unicode.IsSpace)
	ofName := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }
	name := text[len(strings.TrimRightFunc(text, ofName)):]
	return name != "" && !slices.Contains(measures, name) || strings.HasSuffix(text, ">")
}
