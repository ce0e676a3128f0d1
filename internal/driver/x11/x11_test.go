package x11

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"net"
	"slices"
	"testing"

	"github.com/jezek/xgb/xproto"
)

func authority(family uint16, fields ...string) (b []byte) {
	b = binary.BigEndian.AppendUint16(b, family)
	for _, f := range fields {
		b = binary.BigEndian.AppendUint16(b, uint16(len(f)))
		b = append(b, f...)
	}
	return b
}

func TestCookieInFindsCookieOfDisplay(t *testing.T) {
	const c1, c2, c3 = "0123456789abcdef", "fedcba9876543210", "ABCDEFGHIJKLMNOP"
	file := slices.Concat(authority(familyLocal, "other", "7", cookieName, c3), authority(familyLocal, "here", "7", "XDM-AUTHORIZATION-1", c3),
		authority(familyLocal, "here", "7", cookieName, "short"), authority(familyLocal, "here", "7", cookieName, c1), authority(familyWild,
			"", "", cookieName, c2))
	for number, want := range map[string]string{"7": c1, "8": c2} {
		if got := CookieIn(file, "here", number); string(got) != want {
			t.Errorf("display %s: %q", number, got)
		}
	}
	for n := range len(file) - 1 {
		CookieIn(file[:n], "here", "9") // cut off anywhere: no panic
	}
	if got := CookieIn(file[:len(file)-1], "here", "8"); got != nil {
		t.Errorf("a cut file: %q", got)
	}
}

// TestGreetingSendsOwnCookie: the first bytes to an X server have the process's cookie, whatever the library would send.
func TestGreetingSendsOwnCookie(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := &Authorized{Conn: ours, Cookie: []byte("0123456789abcdef")}
	go func() {
		c.Write([]byte("the library's own"))
		c.Write([]byte("next"))
		c.Close()
	}()
	var got bytes.Buffer
	got.ReadFrom(theirs)
	want := "l\x00\x0b\x00\x00\x00\x12\x00\x10\x00\x00\x00" + cookieName + "\x00\x00" + "0123456789abcdef" + "next"
	if got.String() != want {
		t.Errorf("%q", got.String())
	}
	if b := greeting(nil); len(b) != 12 {
		t.Errorf("without a cookie: %q", b)
	}
}

func TestAddressParsesDisplayNames(t *testing.T) {
	for name, want := range map[string][4]string{
		":77":                 {"unix", "/tmp/.X11-unix/X77", "", "77"},
		":0.1":                {"unix", "/tmp/.X11-unix/X0", "", "0"},
		"unix:3":              {"unix", "/tmp/.X11-unix/X3", "", "3"},
		"/tmp/launch/x:0":     {"unix", "/tmp/launch/x:0", "", "0"},
		"far.example:10.0":    {"tcp", "far.example:6010", "far.example", "10"},
		"tcp/far.example:2.0": {"tcp", "far.example:6002", "far.example", "2"},
	} {
		network, at, host, number, err := Address(name)
		if got := [4]string{network, at, host, number}; err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", ":", ":x", "nonsense", ":-1", ":99999"} {
		if _, _, _, _, err := Address(name); err == nil {
			t.Errorf("%q is a display", name)
		}
	}
}

func TestKeyboardFindsKeysForSymbols(t *testing.T) {
	// Keys 8 to 13: a A, 1 !, nothing, Return, q with one symbol, a second layout that has я on the key of a.
	k := &Keyboard{First: 8, Per: 4, Syms: []xproto.Keysym{'a', 'A', 0x6D1, 0x6F1, '1', '!', '1', '!', 0, 0, 0, 0, Return, 0, 0, 0, 'q',
		0, 0, 0, 0, 0, 0, 0}}
	for _, row := range []struct {
		sym   uint32
		code  byte
		shift bool
		ok    bool
	}{{'a', 8, false, true}, {'A', 8, true, true}, {'!', 9, true, true}, {Return, 11, false, true}, {'Q', 12, true, true}, {'z', 0,
		false, false}} {
		if code, shift, ok := k.Find(row.sym); code != row.code || shift != row.shift || ok != row.ok {
			t.Errorf("%#x: %d %v %v", row.sym, code, shift, ok)
		}
	}
	if got := k.Spares(); !slices.Equal(got, []byte{13, 10}) {
		t.Errorf("spare keys %v", got)
	}
	copy(k.Row(2), []xproto.Keysym{0x1004E16, 0x1004E16, 0x1004E16, 0x1004E16}) // 世, as we give it
	if got := k.Spares(); !slices.Equal(got, []byte{13, 10}) {
		t.Errorf("a key of ours is not given again: %v", got)
	}
	for _, row := range [][]xproto.Keysym{{0xF6, 0xF6, 0xF6, 0xF6, 0, 0, 0}, {0, 0, 0}} {
		if !IsSpare(row) {
			t.Errorf("%#x is a key in use", row)
		}
	}
	for _, row := range [][]xproto.Keysym{{0xF6, 0xD6, 0xF6, 0xD6}, {0xF6, 0, 0xF6, 0, 0, 0, 0}, {'a', 'a', 'a', 'a', 0, 0},
		{0xFFBE, 0xFFBE, 0xFFBE, 0xFFBE, 0, 0}, {0xF6}} {
		if IsSpare(row) {
			t.Errorf("%#x is spare", row)
		}
	}
	if code, shift, ok := k.Find(0x1004E16); code != 10 || shift || !ok {
		t.Errorf("世 is on key %d", code)
	}
	k.Group = 1
	if _, _, ok := k.Find('a'); ok {
		t.Error("the second layout has no a")
	}
	if code, _, ok := k.Find('1'); !ok || code != 9 {
		t.Errorf("1 is on key %d", code)
	}
	if _, _, ok := (&Keyboard{}).Find('a'); ok || (&Keyboard{}).Spares() != nil {
		t.Error("a keyboard without keys has one")
	}
	for r, want := range map[rune]uint32{'a': 'a', 'é': 0xE9, '世': 0x1004E16, '😀': 0x101F600, '\n': Return, '\t': Tab, 0: 0, 0x1B: 0,
		0x85: 0, 0xFFFD: 0} {
		if got := SymOf(r); got != want {
			t.Errorf("%q: %#x", r, got)
		}
	}
}

func TestPixelsReadsImageFormats(t *testing.T) {
	rgb := [3]uint32{0xFF0000, 0xFF00, 0xFF}
	for name, row := range map[string]struct {
		data []byte
		f    Format
	}{
		"32 little":   {[]byte{3, 2, 1, 9, 6, 5, 4, 9}, Format{32, 32, false, rgb}},
		"32 big":      {[]byte{9, 1, 2, 3, 9, 4, 5, 6}, Format{32, 32, true, rgb}},
		"24 and pads": {[]byte{3, 2, 1, 6, 5, 4, 0, 0}, Format{24, 32, false, rgb}},
	} {
		img, ok := Pixels(row.data, 2, 1, row.f)
		if !ok || img.At(0, 0) != (color.RGBA{1, 2, 3, 255}) || img.At(1, 0) != (color.RGBA{4, 5, 6, 255}) {
			t.Errorf("%s: %v %v", name, img, ok)
		}
	}
	if img, ok := Pixels([]byte{0x00, 0xF8, 0xE0, 0x07}, 2, 1, Format{16, 32, false, [3]uint32{0xF800, 0x7E0, 0x1F}}); !ok ||
		img.At(0, 0) != (color.RGBA{255, 0, 0, 255}) || img.At(1, 0) != (color.RGBA{0, 255, 0, 255}) {
		t.Errorf("16: %v %v", img, ok)
	}
	for name, f := range map[string]Format{"8 bits": {8, 32, false, rgb}, "no masks": {32, 32, false, [3]uint32{}}, "no pad": {32, 0,
		false, rgb}} {
		if _, ok := Pixels(make([]byte, 64), 2, 1, f); ok {
			t.Errorf("%s is read", name)
		}
	}
	if _, ok := Pixels([]byte{1, 2, 3}, 2, 1, Format{32, 32, false, rgb}); ok {
		t.Error("too few bytes are read")
	}
}
