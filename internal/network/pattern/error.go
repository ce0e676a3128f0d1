package pattern

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/fault"
)

// Error is an error in a pattern, with its place.
type Error struct {
	Text    string
	Offset  int // in bytes
	Message string
	Hint    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("the pattern is wrong at offset %d: %s\n%s", e.Offset, e.Message, e.Caret())
}

// Caret is the pattern with a line below it that points at the error. Characters that cannot be printed become spaces. A long pattern is
// cut around the error.
func (e *Error) Caret() string {
	const around = 60
	at := min(max(e.Offset, 0), len(e.Text))
	before, after := []rune(shown(e.Text[:at])), []rune(shown(e.Text[at:]))
	if len(before) > around {
		before = append([]rune("…"), before[len(before)-around:]...)
	}
	if len(after) > around {
		after = append(after[:around:around], '…')
	}
	return "  " + string(before) + string(after) + "\n  " + strings.Repeat(" ", len(before)) + "^"
}

func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

// Fault converts the error for a caller.
func (e *Error) Fault() *fault.Fault {
	return fault.New(fault.InvalidInput, "%w", e).WithHint("%s", e.Hint).With("offset", e.Offset).With("pattern", e.Text)
}
