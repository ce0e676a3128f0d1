package atspi

import (
	"context"
	"slices"
	"time"
	"unicode"

	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/driver/x11"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/pause"
	"ios-agent/internal/ui"
)

// Symbols of modifier keys (keysyms).
const (
	symShift   = 0xFFE1
	symControl = 0xFFE3
	symAlt     = 0xFFE9
)

// afterChange is how long programs get to notice the symbol of a spare key. A spare key keeps its symbol until the app is closed,
// because some programs, such as Chromium, read the symbols late.
const (
	afterChange = 20 * time.Millisecond
	// afterKeys gives a program time to read the keys. Qt performs a shortcut before the characters that came with it.
	afterKeys = 60 * time.Millisecond
)

func (d *display) keyboard() (*x11.Keyboard, error) {
	first, last := d.setup.MinKeycode, d.setup.MaxKeycode
	mapping := xproto.GetKeyboardMapping(d.conn, first, byte(last-first)+1)
	pointer := xproto.QueryPointer(d.conn, d.root)
	m, err := mapping.Reply()
	if err != nil {
		return nil, err
	}
	k := &x11.Keyboard{First: byte(first), Per: int(m.KeysymsPerKeycode), Syms: m.Keysyms}
	if p, err := pointer.Reply(); err == nil {
		k.Group, k.Caps = int(p.Mask>>13&3), p.Mask&xproto.ModMaskLock != 0
	}
	return k, nil
}

// typist presses keys, and knows which are down.
type typist struct {
	a      *App
	d      *display
	k      *x11.Keyboard
	spares []byte
	down   []byte
}

// lent are the keys whose symbols an app has set.
type lent struct {
	codes map[byte]bool
	next  int // the next spare key
}

// undo removes the symbols of the keys.
func (l *lent) undo(d *display) {
	if len(l.codes) == 0 {
		return
	}
	k, err := d.keyboard()
	if err != nil || k.Per == 0 {
		return
	}
	for code := range l.codes {
		if x11.IsSpare(k.Row(int(code - k.First))) { // another program may have set its own
			xproto.ChangeKeyboardMapping(d.conn, 1, xproto.Keycode(code), byte(k.Per), make([]xproto.Keysym, k.Per))
		}
	}
	_ = d.sync() // wait until it is done
}

// typist gives the process the keyboard.
func (a *App) typist(ctx context.Context) (*typist, error) {
	if _, err := a.see(ctx); err != nil {
		return nil, err
	}
	if err := a.front(ctx); err != nil {
		return nil, err
	}
	defer a.screen.within(longestX)()
	k, err := a.screen.keyboard()
	if err != nil {
		return nil, a.display(err)
	}
	return &typist{a: a, d: a.screen, k: k, spares: k.Spares()}, nil
}

// front makes sure that typed keys reach the process.
func (a *App) front(ctx context.Context) error {
	own, err := a.screen.windows(a.pid)
	if err != nil {
		return a.display(err)
	}
	active := a.screen.active()
	var top *xwindow
	for i := range own {
		if own[i].id == active {
			return a.free(ctx, own, true)
		}
		if own[i].viewable && !own[i].override {
			top = &own[i]
		}
	}
	if top == nil {
		return fault.New(fault.NoFocus, "process %d has no window on the screen for keys", a.pid).
			WithDispatch(fault.NotDispatched).WithHint("restore a window: all are closed or minimized")
	}
	if err := a.screen.raise(ctx, top.id); err != nil {
		return a.display(err)
	}
	return a.free(ctx, own, true)
}

func (t *typist) press(code byte) {
	t.d.fake(keyDown, code, ui.Point{})
	t.down = append(t.down, code)
}

// letGo releases the keys that are down from an index on, the last first.
func (t *typist) letGo(from int) {
	for i := len(t.down) - 1; i >= from; i-- {
		t.d.fake(keyUp, t.down[i], ui.Point{})
	}
	t.down = t.down[:from]
}

// end releases everything.
func (t *typist) end() error {
	defer t.d.within(longestX)()
	t.letGo(0)
	return t.d.sync()
}

// settle waits until the process has noticed the server's changes: a while, and until it has answered twice.
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

// key finds the key of a symbol, or gives the symbol to a spare key.
func (t *typist) key(ctx context.Context, sym uint32) (code byte, shift bool, err error) {
	if code, shift, ok := t.k.Find(sym); ok {
		letter := sym < 0x100 && unicode.IsLetter(rune(sym))
		return code, shift != (letter && t.k.Caps), nil
	}
	if len(t.spares) == 0 {
		return 0, false, fault.New(fault.Unsupported, "the keyboard of display %s has no key for symbol %#x, and no spare key", t.d.name, sym).
			WithHint("set the text of the element instead of typing it")
	}
	code = t.spares[t.a.lent.next%len(t.spares)]
	t.a.lent.next++
	row := slices.Repeat([]xproto.Keysym{xproto.Keysym(sym)}, t.k.Per)
	if err := xproto.ChangeKeyboardMappingChecked(t.d.conn, 1, xproto.Keycode(code), byte(t.k.Per), row).Check(); err != nil {
		return 0, false, t.a.display(err)
	}
	if t.a.lent.codes == nil {
		t.a.lent.codes = map[byte]bool{}
	}
	t.a.lent.codes[code] = true
	copy(t.k.Row(int(code-t.k.First)), row)
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
		code, _, ok := t.k.Find(h.sym)
		if !ok {
			return nil, fault.New(fault.Unsupported, "the keyboard of display %s has no key with symbol %#x", t.d.name, h.sym).
				WithHint("configure a usual keyboard for the X server")
		}
		codes = append(codes, code)
	}
	return codes, nil
}

// stroke presses a key together with others, and releases all.
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

// Type types a text. It refuses the text before the first key if a character cannot be typed.
func (a *App) Type(ctx context.Context, s string) error {
	for _, r := range s {
		if x11.SymOf(r) == 0 {
			return fault.New(fault.InvalidInput, "cannot type the character %q", r).With("field", "text").
				WithHint("omit it, or press a key")
		}
	}
	return a.strokes(ctx, func(stroke func(uint32, desktop.Modifiers) error) error {
		for _, r := range s {
			if err := stroke(x11.SymOf(r), 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// strokes gives the process the keyboard while do strokes keys. All keys are released at the end, even after an error.
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
