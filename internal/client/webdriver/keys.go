package webdriver

import (
	"context"
	"slices"
)

// special maps the W3C's key characters to our names of keys.
var special = map[rune]string{
	'\uE003': "delete", '\uE004': "tab", '\uE006': "return", '\uE007': "return", '\uE00C': "escape", '\uE00D': "space",
	'\uE012': "left", '\uE013': "up", '\uE014': "right", '\uE015': "down", '\uE017': "forward-delete",
	'\uE011': "home", '\uE010': "end", '\uE00E': "page-up", '\uE00F': "page-down",
	'\b': "delete", '\u007F': "delete", '\n': "return", '\r': "return",
}

// modifier maps the W3C's characters of held keys to our names.
var modifier = map[rune]string{
	'\uE008': "shift", '\uE050': "shift", '\uE009': "control", '\uE051': "control", '\uE00A': "option", '\uE052': "option",
	'\uE03D': "command", '\uE053': "command",
}

// releases is the W3C's NULL key, which releases all modifiers.
const releases = '\uE000'

func isPrivate(r rune) bool { return r >= '\uE000' && r <= '\uF8FF' }

// press is a piece of typed input: text, or one key repeated.
type press struct {
	text      string
	key       string
	modifiers []string
	times     int
}

// presses splits a client's text into texts and keys.
func presses(text string) (out []press, err error) {
	var held []string
	for _, r := range text {
		name, isKey := special[r]
		mod, isModifier := modifier[r]
		switch {
		case r == releases:
			held = nil
		case isModifier && slices.Contains(held, mod):
			held = slices.DeleteFunc(slices.Clone(held), func(m string) bool { return m == mod })
		case isModifier:
			held = append(slices.Clone(held), mod)
		case isKey:
			out = pressed(out, press{key: name, modifiers: held, times: 1})
		case isPrivate(r):
			return nil, fail(invalidArgument, "the key %U is not supported", r).
				hinted("return, tab, delete, escape, space, the arrows, and shift, control, option and command are")
		case len(held) > 0 && !slices.Equal(held, []string{"shift"}):
			out = pressed(out, press{key: string(r), modifiers: held, times: 1})
		default:
			out = pressed(out, press{text: string(r)})
		}
	}
	return out, nil
}

// pressed adds a piece, and merges it with an equal one before.
func pressed(all []press, p press) []press {
	if len(all) > 0 {
		last := &all[len(all)-1]
		switch {
		case p.text != "" && last.text != "":
			last.text += p.text
			return all
		case p.key != "" && p.key == last.key && slices.Equal(p.modifiers, last.modifiers) && last.times < mostTimes:
			last.times++
			return all
		}
	}
	return append(all, p)
}

// mostTimes is the maximum number of repeats of a key in one call.
const mostTimes = 1000

// enter types into an element, or into the focused one if id is empty. A return at the end submits.
func (one *session) enter(ctx context.Context, id, text string) error {
	all, err := presses(text)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return nil
	}
	for i, target := 0, id; i < len(all); i, target = i+1, "" { // only the first piece has to find its field
		p := all[i]
		input := map[string]any{"text": p.text}
		if p.text != "" && i+2 == len(all) && all[i+1].submits() {
			input["submit"] = true
			i++
		}
		switch {
		case p.text != "" && target != "":
			input["scroll"] = true
			err = one.onElement(ctx, "type_text", target, input, nil)
		case p.text != "":
			err = one.on(ctx, "type_text", input, nil)
		case target != "":
			if err = one.onElement(ctx, "tap_element", target, map[string]any{"scroll": true}, nil); err == nil {
				err = one.press(ctx, p)
			}
		default:
			err = one.press(ctx, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p press) submits() bool { return p.key == "return" && p.times == 1 && len(p.modifiers) == 0 }

func (one *session) press(ctx context.Context, p press) error {
	input := map[string]any{"key": p.key, "times": p.times}
	if len(p.modifiers) > 0 {
		input["modifiers"] = p.modifiers
	}
	return one.on(ctx, "press_key", input, nil)
}
