package connect

import (
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// pressesKeys reports whether an operation is there to press keys.
func pressesKeys(o op.Op) bool {
	return slices.Contains(o.Groups, "ui") && (hasField(o, "key") || hasField(o, "keys"))
}

// withoutKeys refuses input that presses a key on the way: return after a text, or a text with a character that is a key, such
// as a line break. What an element is called by may hold a line break; it is not typed. A key of the keyboard on the screen is a
// key too.
func withoutKeys(input map[string]any, l look) error {
	if input["submit"] == true {
		return fault.New(fault.Forbidden, "the policy denies to press keys, and submit presses return").WithHint("leave out submit")
	}
	for name := range input {
		if !query[name] && strings.ContainsFunc(text(input, name), isKey) {
			return fault.New(fault.Forbidden, "the policy denies to press keys, and a line break or tab in %s is one", name).
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
		return fault.New(fault.Forbidden, "the policy denies to press keys, and the keyboard on the screen has only those").
			WithHint("touch another element; hide_keyboard hides the keyboard")
	}
	return nil
}

func isKey(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }
