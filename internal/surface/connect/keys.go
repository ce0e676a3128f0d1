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
// as a line break. What an element is called by may hold a line break; it is not typed.
func withoutKeys(input map[string]any) error {
	if input["submit"] == true {
		return fault.New(fault.Forbidden, "the policy denies to press keys, and submit presses return").WithHint("leave out submit")
	}
	for name := range input {
		if !query[name] && strings.ContainsFunc(text(input, name), isKey) {
			return fault.New(fault.Forbidden, "the policy denies to press keys, and a line break or tab in %s is one", name).
				WithHint("leave it out of the text")
		}
	}
	return nil
}

func isKey(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }
