package atspi

import (
	"context"
	"slices"
	"time"
	"unicode"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Symbols of keys (keysyms) that are held.
const (
	symShift   = 0xFFE1
	symControl = 0xFFE3
	symAlt     = 0xFFE9
	symReturn  = 0xFF0D
	symTab     = 0xFF09
)

// spareKeys is how many keys without a symbol get one in turn; one alone is changed again before programs have seen it. afterChange is
// how long programs are given to see it. A key keeps what it got until the app is closed: what was typed is read when its program likes,
// Chromium reads late.
const (
	spareKeys   = 8
	afterChange = 20 * time.Millisecond
	// afterKeys lets a program take the keys from the display. Qt carries out a shortcut before the characters that came with it.
	afterKeys = 60 * time.Millisecond
)

// keyboard is what the keys of a server mean.
type keyboard struct {
	first byte
	per   int
	syms  []xproto.Keysym // per of each key
	group int             // the layout in use
	caps  bool            // caps lock is on
}

func (d *display) keyboard() (*keyboard, error) {
	first, last := d.setup.MinKeycode, d.setup.MaxKeycode
	mapping := xproto.GetKeyboardMapping(d.conn, first, byte(last-first)+1)
	pointer := xproto.QueryPointer(d.conn, d.root)
	m, err := mapping.Reply()
	if err != nil {
		return nil, err
	}
	k := &keyboard{first: byte(first), per: int(m.KeysymsPerKeycode), syms: m.Keysyms}
	if p, err := pointer.Reply(); err == nil {
		k.group, k.caps = int(p.Mask>>13&3), p.Mask&xproto.ModMaskLock != 0
	}
	return k, nil
}

// of are the symbols of a key: plain, and with shift.
func (k *keyboard) of(i int) (plain, shifted xproto.Keysym) {
	row := k.row(i)
	at := func(n int) xproto.Keysym {
		if n < len(row) {
			return row[n]
		}
		return 0
	}
	g := 2 * k.group
	if k.group > 1 || at(g) == 0 && at(g+1) == 0 { // columns above the second layout mean other things
		g = 0
	}
	plain, shifted = at(g), at(g+1)
	if shifted == 0 && plain < 0x100 && unicode.IsLower(rune(plain)) {
		shifted = xproto.Keysym(unicode.ToUpper(rune(plain))) // one symbol alone stands for both
	}
	return plain, shifted
}

// find is the key that makes a symbol, and whether shift is held for it.
func (k *keyboard) find(sym uint32) (code byte, shift, ok bool) {
	if k.per == 0 {
		return 0, false, false
	}
	for i := range len(k.syms) / k.per {
		plain, shifted := k.of(i)
		if uint32(plain) == sym {
			return k.first + byte(i), false, true
		}
		if uint32(shifted) == sym && !ok {
			code, shift, ok = k.first+byte(i), true, true
		}
	}
	return code, shift, ok
}

// spares are keys that mean nothing, or what one of us gave them.
func (k *keyboard) spares() (codes []byte) {
	if k.per == 0 {
		return nil
	}
	for i := len(k.syms)/k.per - 1; i >= 0 && len(codes) < spareKeys; i-- {
		if isSpare(k.row(i)) {
			codes = append(codes, k.first+byte(i))
		}
	}
	return codes
}

// isSpare reports whether a key has no symbols, or one that it has with shift too and in a second layout, as a key has that we gave it to:
// the server keeps four of what we give. Usual keys have a character beside others only.
func isSpare(row []xproto.Keysym) bool {
	sym := row[0]
	for i, s := range row {
		if s != sym && (i < 4 || s != 0) {
			return false
		}
	}
	return sym == 0 || len(row) > 1 && (sym >= 0xA0 && sym <= 0xFF || sym > 0x01000000)
}

func (k *keyboard) row(i int) []xproto.Keysym { return k.syms[i*k.per : (i+1)*k.per] }

// symOf is the symbol of a character; 0 for those that no key makes.
func symOf(r rune) uint32 {
	switch {
	case r == '\n':
		return symReturn
	case r == '\t':
		return symTab
	case unicode.IsControl(r) || r == unicode.ReplacementChar:
		return 0
	case r >= 0x20 && r <= 0x7E || r >= 0xA0 && r <= 0xFF:
		return uint32(r)
	}
	return 0x01000000 | uint32(r)
}

// typist presses keys, and knows which are down.
type typist struct {
	a      *App
	d      *display
	k      *keyboard
	spares []byte
	down   []byte
}

// lent are the keys that an app gave a meaning.
type lent struct {
	codes map[byte]bool
	next  int // the spare key whose turn it is
}

// undo gives the keys their old meaning, which is none.
func (l *lent) undo(d *display) {
	if len(l.codes) == 0 {
		return
	}
	k, err := d.keyboard()
	if err != nil || k.per == 0 {
		return
	}
	for code := range l.codes {
		if isSpare(k.row(int(code - k.first))) { // somebody may have given it another
			xproto.ChangeKeyboardMapping(d.conn, 1, xproto.Keycode(code), byte(k.per), make([]xproto.Keysym, k.per))
		}
	}
	_ = d.sync() // it ends
}

// typist gives the process the keyboard.
func (a *App) typist(ctx context.Context) (*typist, error) {
	if _, err := a.see(ctx); err != nil {
		return nil, err
	}
	if err := a.front(ctx); err != nil {
		return nil, err
	}
	k, err := a.screen.keyboard()
	if err != nil {
		return nil, a.display(err)
	}
	return &typist{a: a, d: a.screen, k: k, spares: k.spares()}, nil
}

// front sees to it that what is typed goes to the process.
func (a *App) front(ctx context.Context) error {
	own, err := a.screen.windows(a.pid)
	if err != nil {
		return a.display(err)
	}
	active := a.screen.active()
	var top *xwindow
	for i := range own {
		if own[i].id == active {
			return nil
		}
		if own[i].viewable && !own[i].override {
			top = &own[i]
		}
	}
	if top == nil {
		return fault.New(fault.NoFocus, "process %d has no window on the screen that could take keys", a.pid).
			WithDispatch(fault.NotDispatched).WithHint("look at its windows: all are closed or minimized")
	}
	return a.display(a.screen.raise(ctx, top.id))
}

func (t *typist) press(code byte) {
	t.d.fake(keyDown, code, ui.Point{})
	t.down = append(t.down, code)
}

// letGo releases what is down from a place on, the last first.
func (t *typist) letGo(from int) {
	for i := len(t.down) - 1; i >= from; i-- {
		t.d.fake(keyUp, t.down[i], ui.Point{})
	}
	t.down = t.down[:from]
}

// end lets go of everything.
func (t *typist) end() error {
	t.letGo(0)
	return t.d.sync()
}

// settle waits until the process has seen what the server told it: a while, and until it has answered twice.
func (t *typist) settle(ctx context.Context, while time.Duration) {
	if pause.For(ctx, while) != nil {
		return
	}
	for _, p := range t.a.names {
		for range 2 {
			if _, err := t.a.bus.call(ctx, p.root, accessible+".GetRole"); err != nil {
				return
			}
		}
	}
}

// key is where a symbol is, on the keyboard or on a spare key that gets it.
func (t *typist) key(ctx context.Context, sym uint32) (code byte, shift bool, err error) {
	if code, shift, ok := t.k.find(sym); ok {
		letter := sym < 0x100 && unicode.IsLetter(rune(sym))
		return code, shift != (letter && t.k.caps), nil
	}
	if len(t.spares) == 0 {
		return 0, false, fault.New(fault.Unsupported, "the keyboard of display %s has no key for symbol %#x, and no spare one", t.d.name, sym).
			WithHint("set the text of the element instead of typing it")
	}
	code = t.spares[t.a.lent.next%len(t.spares)]
	t.a.lent.next++
	row := slices.Repeat([]xproto.Keysym{xproto.Keysym(sym)}, t.k.per)
	if err := xproto.ChangeKeyboardMappingChecked(t.d.conn, 1, xproto.Keycode(code), byte(t.k.per), row).Check(); err != nil {
		return 0, false, t.a.display(err)
	}
	if t.a.lent.codes == nil {
		t.a.lent.codes = map[byte]bool{}
	}
	t.a.lent.codes[code] = true
	copy(t.k.row(int(code-t.k.first)), row)
	t.settle(ctx, afterChange)
	return code, false, ctx.Err()
}

// held are the keys of modifiers. Command is Control here.
func (t *typist) held(m desktop.Modifiers) (codes []byte, err error) {
	for _, h := range []struct {
		bits desktop.Modifiers
		sym  uint32
	}{{desktop.Control | desktop.Command, symControl}, {desktop.Option, symAlt}, {desktop.Shift, symShift}} {
		if m&h.bits == 0 {
			continue
		}
		code, _, ok := t.k.find(h.sym)
		if !ok {
			return nil, fault.New(fault.Unsupported, "the keyboard of display %s has no key with symbol %#x", t.d.name, h.sym).
				WithHint("give the X server a usual keyboard")
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// stroke presses a key with others held, and lets all go.
func (t *typist) stroke(ctx context.Context, sym uint32, m desktop.Modifiers) error {
	code, shift, err := t.key(ctx, sym)
	if err != nil {
		return err
	}
	if shift {
		m |= desktop.Shift
	}
	held, err := t.held(m)
	if err != nil {
		return err
	}
	from := len(t.down)
	for _, h := range held {
		t.press(h)
	}
	t.press(code)
	t.letGo(from)
	return nil
}

// Press presses a chord.
func (a *App) Press(ctx context.Context, c desktop.Chord, times int) error {
	return a.strokes(ctx, func(stroke func(uint32, desktop.Modifiers) error) error {
		for range times {
			if err := stroke(c.Key.Keysym(), c.Modifiers); err != nil {
				return err
			}
		}
		return nil
	})
}

// Type types a text. What it cannot type is refused before anything is.
func (a *App) Type(ctx context.Context, s string) error {
	for _, r := range s {
		if symOf(r) == 0 {
			return fault.New(fault.InvalidInput, "the character %q cannot be typed", r).With("field", "text").
				WithHint("leave it out, or press a key")
		}
	}
	return a.strokes(ctx, func(stroke func(uint32, desktop.Modifiers) error) error {
		for _, r := range s {
			if err := stroke(symOf(r), 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// strokes gives the process the keyboard while do strokes keys. All are let go at the end, however that comes.
func (a *App) strokes(ctx context.Context, do func(stroke func(sym uint32, m desktop.Modifiers) error) error) (err error) {
	t, err := a.typist(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if ended := t.end(); err == nil {
			err = a.display(ended)
		}
		t.settle(ctx, afterKeys)
	}()
	return do(func(sym uint32, m desktop.Modifiers) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return t.stroke(ctx, sym, m)
	})
}
