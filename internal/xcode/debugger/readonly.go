package debugger

import (
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// readOnly is a fault for an expression that may change the program: one with a call, an assignment, a statement, or a character that
// LLDB's prompt replaces. The text does not show every call, such as that of a C++ operator: LLDB itself refuses these, because
// Evaluate forbids it to run code.
func readOnly(field, text string) error {
	forbidden := func(format string, args ...any) error {
		return fault.New(fault.Forbidden, format, args...).With("field", field).
			WithHint("%s allows side effects; %s changes one variable", anyExpression(), hint.Do("debug_set", "variable", "NAME", "value", "VALUE"))
	}
	if strings.TrimSpace(text) == "" {
		return fault.New(fault.InvalidInput, "the %s is empty", field).With("field", field)
	}
	code := []rune(text)
	for i := 0; i < len(code); i++ {
		before, after := at(code, i-1), at(code, i+1)
		switch c := code[i]; {
		case c == '`' || c == '\n' || c == '\r' || c == ';' || c == '{' || c == '}' || c == '#':
			return forbidden("%.80q has %q: an expression must be one line without statements", text, c)
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

// literalEnd is the end of the string or character literal that begins at i.
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

// measures are the operators that look like a call.
var measures = []string{"sizeof", "alignof"}

// calls reports whether a parenthesis after this begins the arguments of a call.
func calls(before []rune) bool {
	text := strings.TrimRightFunc(string(before), unicode.IsSpace)
	ofName := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }
	name := text[len(strings.TrimRightFunc(text, ofName)):]
	return name != "" && !slices.Contains(measures, name) || strings.HasSuffix(text, ">")
}
