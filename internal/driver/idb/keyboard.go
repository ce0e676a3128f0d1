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

// modifiers are the USB usages of the modifier keys.
var modifiers = map[string]uint64{"control": 224, "shift": 225, "option": 226, "command": 227}

// named are the USB usages of the keys that have a name.
var named = map[string]uint64{
	"return": 40, "enter": 40, "escape": 41, "delete": 42, "tab": 43, "space": 44, "home": 74, "page-up": 75, "forward-delete": 76,
	"end": 77, "page-down": 78, "right": 79, "left": 80, "down": 81, "up": 82,
}

// stroke is the key of a character, and whether shift is pressed.
type stroke struct {
	key   uint64
	shift bool
}

// strokes are the keys of a US keyboard by the characters that they type.
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

// mostKeys is the maximum length of a text and number of presses of a key: each takes up to four messages.
const mostKeys = 10000

// typing returns the key events for a text.
func typing(text string) (all events, err error) {
	if utf8.RuneCountInString(text) > mostKeys {
		return nil, refuse(fault.InvalidInput, "the text has more than %d characters", mostKeys).WithHint("type it in parts")
	}
	for _, r := range text {
		s, can := strokes[r]
		if !can {
			return nil, refuse(fault.Unsupported, "idb types with the keys of a US keyboard, which has no %s", ui.Quote(string(r))).
				WithHint("choose a driver that types any text: %s; or put the text on the pasteboard and paste it: %s",
					useXCTest, hint.Do("pasteboard", "text", "TEXT"))
		}
		if s.shift {
			all = append(all, key(s.key, modifiers["shift"])...)
		} else {
			all = append(all, key(s.key)...)
		}
	}
	return all, nil
}

// focused checks that keys have a target: without a focus the companion sends them and they are lost. If the companion does not report
// the focus, a keyboard on the screen is enough.
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
		return refuse(fault.NoFocus, "%s does not report the keyboard focus, and the screen shows no keyboard", p.who())
	}
	return refuse(fault.NoFocus, "no element on %s has the keyboard focus", p.info.Name)
}

// Type types into the element with the focus.
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

// Clear empties the element with the focus: ⌘A selects its text, and delete removes it.
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
		return refuse(fault.InvalidInput, "unknown key %q, or too many presses (%d)", name, times).
			WithHint("use a character of a US keyboard or %s, at most %d times", strings.Join(slices.Sorted(maps.Keys(named)), ", "), mostKeys)
	}
	for _, m := range held {
		k, is := modifiers[m]
		if !is {
			return refuse(fault.InvalidInput, "unknown modifier key %q", m).WithHint("use shift, control, option or command")
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
