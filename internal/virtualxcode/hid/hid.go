// Package hid is the keyboard and the buttons that AXe and idb press on a simulator: the HID usages of a US keyboard, and their effect
// in the world. A Device types and presses. Keys pressed without a focus are lost without an error.
package hid

import (
	"context"
	"errors"
	"slices"

	"ios-agent/internal/virtualxcode/world"
)

// Usages of keys that do more than type a character.
const (
	keyA        = 4
	KeyShift    = 225
	shiftRight  = 229
	command     = 227
	commandTwin = 231
)

// characters maps a usage to the characters of its key, without and with shift.
func characters() map[int][2]rune {
	keys := map[int][2]rune{
		40: {'\n', '\n'}, 42: {'\b', '\b'}, 43: {'\t', '\t'}, 44: {' ', ' '}, 45: {'-', '_'}, 46: {'=', '+'}, 47: {'[', '{'},
		48: {']', '}'},
		49: {'\\', '|'}, 51: {';', ':'}, 52: {'\'', '"'}, 53: {'`', '~'}, 54: {',', '<'}, 55: {'.', '>'}, 56: {'/', '?'},
	}
	for i := range 26 {
		keys[keyA+i] = [2]rune{'a' + rune(i), 'A' + rune(i)}
	}
	for i, digit := range "1234567890" {
		keys[30+i] = [2]rune{digit, rune("!@#$%^&*()"[i])}
	}
	return keys
}

// Types reports whether the keyboard can type a character.
func Types(r rune) bool {
	for _, pair := range characters() {
		if r == pair[0] || r == pair[1] {
			return true
		}
	}
	return false
}

// Device is a simulator whose keys and buttons are pressed.
type Device struct {
	World *world.World
	UDID  string
}

// Press presses one key while others are held. A key without a character has no effect, except ⌘A, which selects.
func (d Device) Press(ctx context.Context, key int, held ...int) error {
	has := func(keys ...int) bool {
		return slices.ContainsFunc(held, func(k int) bool { return slices.Contains(keys, k) })
	}
	if has(command, commandTwin) {
		if key != keyA {
			return nil
		}
		return unheard(d.World.SelectAll(ctx, d.UDID))
	}
	pair, types := characters()[key]
	if !types {
		return nil
	}
	r := pair[0]
	if has(KeyShift, shiftRight) {
		r = pair[1]
	}
	return d.Type(ctx, string(r))
}

// Type types text.
func (d Device) Type(ctx context.Context, text string) error {
	return unheard(d.World.TypeText(ctx, d.UDID, text))
}

// Home presses the home button: the app in front goes to the background.
func (d Device) Home(ctx context.Context) error {
	_, err := d.World.Launch(ctx, d.UDID, world.SpringBoard, world.LaunchOptions{})
	return err
}

// Button presses any other button. The world has no lock screen, no Siri and no wallet, so the screen does not change. The device must
// exist.
func (d Device) Button(context.Context) error {
	_, err := d.World.Foreground(d.UDID)
	return err
}

// unheard drops the error of a missing focus.
func unheard(err error) error {
	if errors.Is(err, world.ErrNoFocus) || errors.Is(err, world.ErrFocusLost) {
		return nil
	}
	return err
}
