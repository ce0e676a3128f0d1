package desktop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
)

// Chord is a key that is pressed while others are held.
type Chord struct {
	Key       Key
	Modifiers Modifiers
}

// Key is a key by its name in keys.
type Key string

// Modifiers are keys that are held, as the bits that CGEvent has for them.
type Modifiers uint64

// The modifiers.
const (
	Shift   Modifiers = 0x20000
	Control Modifiers = 0x40000
	Option  Modifiers = 0x80000
	Command Modifiers = 0x100000
)

// modifiers are the names of modifiers.
var modifiers = map[string]Modifiers{
	"shift": Shift, "ctrl": Control, "control": Control, "alt": Option, "option": Option, "cmd": Command, "command": Command,
}

// code is what a key is called below: by macOS, as the virtual key code of an ANSI keyboard, and by X, as a keysym.
type code struct {
	mac uint16
	x   uint32
}

// keys are the keys that can be pressed. Letters and digits of X are their characters.
var keys = map[Key]code{
	"a": {0x00, 'a'}, "s": {0x01, 's'}, "d": {0x02, 'd'}, "f": {0x03, 'f'}, "h": {0x04, 'h'}, "g": {0x05, 'g'}, "z": {0x06, 'z'},
	"x": {0x07, 'x'}, "c": {0x08, 'c'}, "v": {0x09, 'v'}, "b": {0x0B, 'b'}, "q": {0x0C, 'q'}, "w": {0x0D, 'w'}, "e": {0x0E, 'e'},
	"r": {0x0F, 'r'}, "y": {0x10, 'y'}, "t": {0x11, 't'}, "o": {0x1F, 'o'}, "u": {0x20, 'u'}, "i": {0x22, 'i'}, "p": {0x23, 'p'},
	"l": {0x25, 'l'}, "j": {0x26, 'j'}, "k": {0x28, 'k'}, "n": {0x2D, 'n'}, "m": {0x2E, 'm'},
	"1": {0x12, '1'}, "2": {0x13, '2'}, "3": {0x14, '3'}, "4": {0x15, '4'}, "5": {0x17, '5'}, "6": {0x16, '6'}, "7": {0x1A, '7'},
	"8": {0x1C, '8'}, "9": {0x19, '9'}, "0": {0x1D, '0'},
	"return": {0x24, 0xFF0D}, "tab": {0x30, 0xFF09}, "space": {0x31, 0x20}, "delete": {0x33, 0xFF08}, "escape": {0x35, 0xFF1B},
	"left": {0x7B, 0xFF51}, "right": {0x7C, 0xFF53}, "down": {0x7D, 0xFF54}, "up": {0x7E, 0xFF52},
	"f1": {0x7A, 0xFFBE}, "f2": {0x78, 0xFFBF}, "f3": {0x63, 0xFFC0}, "f4": {0x76, 0xFFC1}, "f5": {0x60, 0xFFC2}, "f6": {0x61, 0xFFC3},
	"f7": {0x62, 0xFFC4}, "f8": {0x64, 0xFFC5}, "f9": {0x65, 0xFFC6}, "f10": {0x6D, 0xFFC7}, "f11": {0x67, 0xFFC8}, "f12": {0x6F, 0xFFC9},
	"home": {0x73, 0xFF50}, "end": {0x77, 0xFF57}, "pageup": {0x74, 0xFF55}, "pagedown": {0x79, 0xFF56}, "forwarddelete": {0x75, 0xFFFF},
}

// otherNames of keys.
var otherNames = map[string]Key{"enter": "return", "backspace": "delete", "esc": "escape", "page_up": "pageup", "page_down": "pagedown"}

// MacCode is the key's virtual key code on macOS.
func (k Key) MacCode() uint16 { return keys[k].mac }

// Keysym is the key's symbol of X.
func (k Key) Keysym() uint32 { return keys[k].x }

// UnknownKeyError names a key that no keyboard here has.
type UnknownKeyError struct{ Name string }

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("unknown key: '%s'. Supported: a-z, 0-9, return, tab, space, delete, escape, arrow keys, f1-f12, "+
		"home, end, pageup, pagedown, forwarddelete", e.Name)
}

// KeyOf is the key with a name, in any case.
func KeyOf(name string) (Key, error) {
	lower := strings.ToLower(name)
	if k, is := otherNames[lower]; is {
		return k, nil
	}
	if _, is := keys[Key(lower)]; is {
		return Key(lower), nil
	}
	return "", &UnknownKeyError{name}
}

// ModifiersOf are the modifiers with these names, in any case.
func ModifiersOf(names []string) (all Modifiers, err error) {
	for _, name := range names {
		m, known := modifiers[strings.ToLower(name)]
		if !known {
			f := fault.New(fault.InvalidInput, "unknown modifier: '%s'", name).With("field", "modifiers")
			words := slices.Sorted(maps.Keys(modifiers))
			if near := nearest.To(name, words, 1); len(near) > 0 {
				return 0, f.WithHint("did you mean %s? there are cmd, shift, alt and ctrl", near[0])
			}
			return 0, f.WithHint("there are cmd, shift, alt and ctrl")
		}
		all |= m
	}
	return all, nil
}
