package connect

import (
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// pressesKeys reports whether the purpose of an operation is to press keys.
func pressesKeys(o op.Op) bool {
	return slices.Contains(o.Groups, "ui") && (hasField(o, "key") || hasField(o, "keys"))
}

// withoutKeys refuses input that presses a key indirectly: return after a text, a text with a character that is a key, such as a line
// break, or a key of the keyboard on the screen. A line break in an element's name is allowed, because the name is not typed.
func withoutKeys(input map[string]any, l look) error {
	if input["submit"] == true {
		return fault.New(fault.Forbidden, "the policy forbids key presses; submit presses Return").WithHint("leave out submit")
	}
	for name := range input {
		if !query[name] && strings.ContainsFunc(text(input, name), isKey) {
			return fault.New(fault.Forbidden, "the policy forbids key presses; a line break or tab in %s is one", name).
				WithHint("leave it out of the text")
		}
	}
	if len(l.ofType("Keyboard")) == 0 {
		return nil
	}
	touched, err := l.touched(input)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(touched, func(e *element) bool { return strings.HasSuffix(e.Type, "Keyboard") }) {
		return fault.New(fault.Forbidden, "the policy forbids key presses; touches on the keyboard press keys").
			WithHint("touch another element; hide_keyboard hides the keyboard")
	}
	return nil
}

func isKey(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }
