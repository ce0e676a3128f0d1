package atspi

import (
	"context"
	"slices"
	"time"
	"unicode"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
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
// how long programs are given to see it.
const (
	spareKeys   = 8
	afterChange = 20 * time.Millisecond
	beforeUndo  = 150 * time.Millisecond // what is typed last must have been read by then; Chromium reads late
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
	row := k.syms[i*k.per : (i+1)*k.per]
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

// spares are keys that mean nothing.
func (k *keyboard) spares() (codes []byte) {
	if k.per == 0 {
		return nil
	}
	for i := len(k.syms)/k.per - 1; i >= 0 && len(codes) < spareKeys; i-- {
		if !slices.ContainsFunc(k.syms[i*k.per:(i+1)*k.per], func(s xproto.Keysym) bool { return s != 0 }) {
			codes = append(codes, k.first+byte(i))
		}
	}
	return codes
}

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

// typist presses keys, knows which are down, and has changed which.
type typist struct {
	a       *App
	d       *display
	k       *keyboard
	spares  []byte
	next    int
	changed map[byte]bool
	down    []byte
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
	return &typist{a: a, d: a.screen, k: k, spares: k.spares(), changed: map[byte]bool{}}, nil
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

// end lets go of everything, and gives the keys that were changed their old meaning, which is none. Programs must have seen what was typed
// by then; the process itself is asked, so that it has.
func (t *typist) end() error {
	t.letGo(0)
	err := t.d.sync()
	if len(t.changed) == 0 {
		return err
	}
	t.settle(context.Background(), beforeUndo)
	none := make([]xproto.Keysym, t.k.per)
	for code := range t.changed {
		xproto.ChangeKeyboardMapping(t.d.conn, 1, xproto.Keycode(code), byte(t.k.per), none)
	}
	if synced := t.d.sync(); err == nil {
		err = synced
	}
	return err
}

// settle waits until the process has seen what the server told it: a while, and until it has answered twice.
func (t *typist) settle(ctx context.Context, while time.Duration) {
	if pause(ctx, while) != nil {
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
	code = t.spares[t.next%len(t.spares)]
	t.next++
	row := slices.Repeat([]xproto.Keysym{xproto.Keysym(sym)}, t.k.per)
	if err := xproto.ChangeKeyboardMappingChecked(t.d.conn, 1, xproto.Keycode(code), byte(t.k.per), row).Check(); err != nil {
		return 0, false, t.a.display(err)
	}
	t.changed[code] = true
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
func (a *App) Press(ctx context.Context, c desktop.Chord, times int) (err error) {
	t, err := a.typist(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if ended := t.end(); err == nil {
			err = a.display(ended)
		}
	}()
	for range times {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.stroke(ctx, c.Key.Keysym(), c.Modifiers); err != nil {
			return err
		}
	}
	return nil
}

// Type types a text. What it cannot type is refused before anything is.
func (a *App) Type(ctx context.Context, s string) (err error) {
	for _, r := range s {
		if symOf(r) == 0 {
			return fault.New(fault.InvalidInput, "the character %q cannot be typed", r).With("field", "text").
				WithHint("leave it out, or press a key")
		}
	}
	t, err := a.typist(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if ended := t.end(); err == nil {
			err = a.display(ended)
		}
	}()
	for _, r := range s {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.stroke(ctx, symOf(r), 0); err != nil {
			return err
		}
	}
	return nil
}
