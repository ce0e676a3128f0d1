package x11

import (
	"unicode"

	"github.com/jezek/xgb/xproto"
)

// Symbols of keys (keysyms) for control characters of a text.
const (
	Return = 0xFF0D
	Tab    = 0xFF09
)

// SpareKeys is the number of keys without a symbol that are used in turn; a single key would change again before programs read it.
const SpareKeys = 8

// Keyboard is a server's table of key symbols.
type Keyboard struct {
	First byte
	Per   int
	Syms  []xproto.Keysym // per of each key
	Group int             // the layout in use
	Caps  bool            // caps lock is on
}

// of are the symbols of a key: plain, and with shift.
func (k *Keyboard) of(i int) (plain, shifted xproto.Keysym) {
	row := k.Row(i)
	at := func(n int) xproto.Keysym {
		if n < len(row) {
			return row[n]
		}
		return 0
	}
	g := 2 * k.Group
	if k.Group > 1 || at(g) == 0 && at(g+1) == 0 { // columns above the second layout have other meanings
		g = 0
	}
	plain, shifted = at(g), at(g+1)
	if shifted == 0 && plain < 0x100 && unicode.IsLower(rune(plain)) {
		shifted = xproto.Keysym(unicode.ToUpper(rune(plain))) // a single symbol stands for both
	}
	return plain, shifted
}

// Find returns the key for a symbol, and whether it needs shift.
func (k *Keyboard) Find(sym uint32) (code byte, shift, ok bool) {
	if k.Per == 0 {
		return 0, false, false
	}
	for i := range len(k.Syms) / k.Per {
		plain, shifted := k.of(i)
		if uint32(plain) == sym {
			return k.First + byte(i), false, true
		}
		if uint32(shifted) == sym && !ok {
			code, shift, ok = k.First+byte(i), true, true
		}
	}
	return code, shift, ok
}

// Spares are keys without a symbol, or with a symbol that this program assigned.
func (k *Keyboard) Spares() (codes []byte) {
	if k.Per == 0 {
		return nil
	}
	for i := len(k.Syms)/k.Per - 1; i >= 0 && len(codes) < SpareKeys; i-- {
		if IsSpare(k.Row(i)) {
			codes = append(codes, k.First+byte(i))
		}
	}
	return codes
}

// IsSpare reports whether a key has no symbols, or one symbol with and without shift and in a second layout, as keys have that this
// program assigned: the server keeps four of the given symbols. Usual keys have a character together with others only.
func IsSpare(row []xproto.Keysym) bool {
	sym := row[0]
	for i, s := range row {
		if s != sym && (i < 4 || s != 0) {
			return false
		}
	}
	return sym == 0 || len(row) > 1 && (sym >= 0xA0 && sym <= 0xFF || sym > 0x01000000)
}

func (k *Keyboard) Row(i int) []xproto.Keysym { return k.Syms[i*k.Per : (i+1)*k.Per] }

// SymOf is the symbol of a character; 0 for characters without a key.
func SymOf(r rune) uint32 {
	switch {
	case r == '\n':
		return Return
	case r == '\t':
		return Tab
	case unicode.IsControl(r) || r == unicode.ReplacementChar:
		return 0
	case r >= 0x20 && r <= 0x7E || r >= 0xA0 && r <= 0xFF:
		return uint32(r)
	}
	return 0x01000000 | uint32(r)
}
