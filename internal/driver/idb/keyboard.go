package idb

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

var _ device.Keyboard = (*phone)(nil)

// The usages of the keys that are held.
var modifiers = map[string]uint64{"control": 224, "shift": 225, "option": 226, "command": 227}

// named are the usages of the keys that have a name.
var named = map[string]uint64{
	"return": 40, "enter": 40, "escape": 41, "delete": 42, "tab": 43, "space": 44, "home": 74, "page-up": 75, "forward-delete": 76,
	"end": 77, "page-down": 78, "right": 79, "left": 80, "down": 81, "up": 82,
}

// stroke is the key of a character, and whether shift is held.
type stroke struct {
	key   uint64
	shift bool
}

// strokes are the keys of a US keyboard, by what they type.
var strokes = func() map[rune]stroke {
	all := map[rune]stroke{'\n': {40, false}, '\t': {43, false}, ' ': {44, false}}
	for i := range uint64(26) {
		all['a'+rune(i)], all['A'+rune(i)] = stroke{4 + i, false}, stroke{4 + i, true}
	}
	row := func(first uint64, plain, shifted string) {
		for i, r := range plain {
			all[r], all[rune(shifted[i])] = stroke{first + uint64(i), false}, stroke{first + uint64(i), true}
		}
	}
	row(30, "1234567890", "!@#$%^&*()")
	row(45, "-=[]\\", "_+{}|")
	row(51, ";'`,./", ":\"~<>?")
	return all
}()

// key is a press of a key.
func key(code uint64, held ...uint64) events {
	var all events
	for _, k := range held {
		all = append(all, press(&idbwire.HIDPressAction{Key: &idbwire.HIDKey{Keycode: k}}, idbwire.Down))
	}
	a := &idbwire.HIDPressAction{Key: &idbwire.HIDKey{Keycode: code}}
	all = append(all, press(a, idbwire.Down), press(a, idbwire.Up))
	for _, k := range slices.Backward(held) {
		all = append(all, press(&idbwire.HIDPressAction{Key: &idbwire.HIDKey{Keycode: k}}, idbwire.Up))
	}
	return all
}

// mostKeys bounds a text, and the presses of a key: each is up to four messages.
const mostKeys = 10000

// typing are the keys of a text.
func typing(text string) (all events, err error) {
	if utf8.RuneCountInString(text) > mostKeys {
		return nil, refuse(fault.InvalidInput, "a text of more than %d characters", mostKeys).WithHint("type it in parts")
	}
	for _, r := range text {
		s, can := strokes[r]
		if !can {
			return nil, refuse(fault.Unsupported, "idb types with the keys of a US keyboard, which has no %s", ui.Quote(string(r))).
				WithHint("choose a driver that types any text: %s; or put the text on the pasteboard and paste it: %s",
					driveWith("xctest"), hint.Do("pasteboard", "text", "TEXT"))
		}
		if s.shift {
			all = append(all, key(s.key, modifiers["shift"])...)
		} else {
			all = append(all, key(s.key)...)
		}
	}
	return all, nil
}

// focused makes sure that keys arrive somewhere: the companion sends them also when nothing has the focus, and they are lost. One that
// does not tell the focus is believed where a keyboard is on the screen.
func (p *phone) focused(ctx context.Context) error {
	s, err := p.see(ctx)
	if err != nil {
		return unsent(err)
	}
	found, board := false, false
	s.root.Walk(func(n *ui.Node) bool {
		found = found || n.Focused
		board = board || n.Type == "Key" || n.Type == "Keyboard"
		return !found
	})
	switch {
	case found || !s.focus && board:
		return nil
	case !s.focus:
		return refuse(fault.NoFocus, "%s does not tell what has the keyboard focus, and no keyboard is on the screen", p.who())
	}
	return refuse(fault.NoFocus, "nothing on %s has the keyboard focus", p.info.Name)
}

// Type types into what has the focus.
func (p *phone) Type(ctx context.Context, text string) error {
	all, err := typing(text)
	if err != nil {
		return err
	}
	if err := p.focused(ctx); err != nil {
		return err
	}
	return p.perform(ctx, all)
}

// Clear empties what has the focus: all of it is selected with ⌘A, and deleted.
func (p *phone) Clear(ctx context.Context) error {
	if err := p.focused(ctx); err != nil {
		return err
	}
	return p.perform(ctx, append(key(strokes['a'].key, modifiers["command"]), key(named["delete"])...))
}

// Key presses a key.
func (p *phone) Key(ctx context.Context, name string, held []string, times int) error {
	code, known := named[name]
	var down []uint64
	if r, size := utf8.DecodeRuneInString(name); !known && size == len(name) {
		var s stroke
		if s, known = strokes[r]; s.shift {
			down = append(down, modifiers["shift"])
		}
		code = s.key
	}
	if !known || times > mostKeys {
		return refuse(fault.InvalidInput, "there is no key %q, or %d presses of it are too many", name, times).
			WithHint("a character of a US keyboard, or %s; at most %d times", strings.Join(slices.Sorted(maps.Keys(named)), ", "), mostKeys)
	}
	for _, m := range held {
		k, is := modifiers[m]
		if !is {
			return refuse(fault.InvalidInput, "%q is no modifier key", m).WithHint("shift, control, option or command")
		}
		if !slices.Contains(down, k) {
			down = append(down, k)
		}
	}
	if err := p.focused(ctx); err != nil {
		return err
	}
	var all events
	for range max(times, 1) {
		all = append(all, key(code, down...)...)
	}
	return p.perform(ctx, all)
}
