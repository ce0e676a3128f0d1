package wda

import (
	"errors"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// special maps W3C's code points of keys to characters.
var special = map[rune]string{
	0xE000: "", 0xE003: "\b", 0xE004: "\t", 0xE006: "\n", 0xE007: "\n", 0xE00C: "\x1b", 0xE00D: " ", 0xE05D: " ", 0xE017: "\x7f",
	0xE018: ";", 0xE019: "=", 0xE01A: "0", 0xE01B: "1", 0xE01C: "2", 0xE01D: "3", 0xE01E: "4", 0xE01F: "5", 0xE020: "6", 0xE021: "7",
	0xE022: "8", 0xE023: "9", 0xE024: "*", 0xE025: "+", 0xE026: ",", 0xE027: "-", 0xE028: ".", 0xE029: "/",
}

// keyed is a text with keys as the virtual keyboard accepts them. Escape and forward delete have no effect there.
func keyed(text string) string {
	var out strings.Builder
	for _, r := range text {
		if s, known := special[r]; known {
			out.WriteString(s)
			continue
		}
		out.WriteRune(r)
	}
	return strings.NewReplacer("\r", "\n", "\x1b", "", "\x7f", "").Replace(out.String())
}

// The flags of XCUIKeyModifierFlags.
const (
	flagShift = 1 << 1
	flagOther = 1<<2 | 1<<3 // control and option
	flagCmd   = 1 << 4
)

// named are the keys with a name in XCUIKeyboardKey.
var named = map[string]string{
	"XCUIKeyboardKeyDelete": "\b", "XCUIKeyboardKeyReturn": "\n", "XCUIKeyboardKeyEnter": "\n", "XCUIKeyboardKeyTab": "\t",
	"XCUIKeyboardKeySpace": " ", "XCUIKeyboardKeyEscape": "", "XCUIKeyboardKeyForwardDelete": "", "XCUIKeyboardKeyUpArrow": "",
	"XCUIKeyboardKeyDownArrow": "", "XCUIKeyboardKeyLeftArrow": "", "XCUIKeyboardKeyRightArrow": "", "XCUIKeyboardKeyHome": "",
	"XCUIKeyboardKeyEnd": "", "XCUIKeyboardKeyPageUp": "", "XCUIKeyboardKeyPageDown": "",
}

// pressKeys presses keys of a hardware keyboard, with modifiers.
func (c *call) pressKeys() (any, error) {
	list, ok := c.args["keys"].([]any)
	if !ok {
		return nil, invalid("The 'keys' argument must be an array")
	}
	if uuid := c.params["uuid"]; uuid != "0" {
		n, _, err := c.element()
		if err != nil {
			return nil, err
		}
		if !n.Focused {
			return nil, errors.New("neither the element nor any descendant has keyboard focus")
		}
	}
	for _, item := range list {
		key, flags := "", 0
		switch item := item.(type) {
		case string:
			key = item
		case map[string]any:
			key, ok = item["key"].(string)
			if !ok {
				return nil, invalid("All dictionaries of 'keys' array must have the 'key' item of type string")
			}
			f, _ := item["modifierFlags"].(float64)
			flags = int(f)
		default:
			return nil, invalid("All items of the 'keys' array must be either dictionaries or strings")
		}
		if err := c.press(key, flags); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (c *call) press(key string, flags int) error {
	text, known := named[key]
	if !known {
		text = key
	}
	switch {
	case flags&flagCmd != 0 && text == "a":
		if err := c.opts.World.SelectAll(c.ctx, c.opts.UDID); err != nil && !errors.Is(err, world.ErrNoFocus) {
			return err
		}
		return nil
	case flags&(flagCmd|flagOther) != 0:
		return nil
	case flags&flagShift != 0:
		text = strings.ToUpper(text)
	}
	return c.typeText(text)
}
