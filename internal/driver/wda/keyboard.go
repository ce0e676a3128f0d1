package wda

import (
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
)

var _ device.Keyboard = (*phone)(nil)

// field is the element with the keyboard focus. It is asked for first, because WebDriverAgent sends keys also without a focus, and loses
// them.
func (p *phone) field(ctx context.Context) (*element, error) {
	e, err := p.active(ctx)
	if err != nil {
		return nil, unsent(err)
	}
	if e == nil {
		return nil, fault.New(fault.NoFocus, "no element on %s has the keyboard focus", p.info.Name).WithDispatch(fault.NotDispatched)
	}
	return e, nil
}

// Type types into the element with the focus.
func (p *phone) Type(ctx context.Context, text string) error {
	if _, err := p.field(ctx); err != nil {
		return err
	}
	return p.send(ctx, act("/wda/keys", map[string]any{"value": strings.Split(text, "")}), nil)
}

// Clear empties the element with the focus.
func (p *phone) Clear(ctx context.Context) error {
	e, err := p.field(ctx)
	if err != nil {
		return err
	}
	return p.send(ctx, act(webdriver.Path("element", string(e.ID), "clear"), nil), nil)
}

// flags are XCTest's bits for the modifier keys.
var flags = map[string]int{"shift": 1 << 1, "control": 1 << 2, "option": 1 << 3, "command": 1 << 4}

// hardware are the keys that only a hardware keyboard has, by XCTest's names.
var hardware = map[string]string{
	"up": "XCUIKeyboardKeyUpArrow", "down": "XCUIKeyboardKeyDownArrow", "left": "XCUIKeyboardKeyLeftArrow",
	"right": "XCUIKeyboardKeyRightArrow", "home": "XCUIKeyboardKeyHome", "end": "XCUIKeyboardKeyEnd", "page-up": "XCUIKeyboardKeyPageUp",
	"page-down": "XCUIKeyboardKeyPageDown", "return": "XCUIKeyboardKeyReturn", "delete": "XCUIKeyboardKeyDelete",
	"tab": "XCUIKeyboardKeyTab", "space": "XCUIKeyboardKeySpace", "escape": "XCUIKeyboardKeyEscape",
	"forward-delete": "XCUIKeyboardKeyForwardDelete",
}

// plain are the keys that are sent as characters.
var plain = []string{"return", "delete", "tab", "space", "escape", "forward-delete"}

// mostPresses is the maximum number of presses of a key in one command.
const mostPresses = 1000

// Key presses a key: as a character if it has one, else as a key of a hardware keyboard.
func (p *phone) Key(ctx context.Context, name string, held []string, times int) error {
	value, known := webdriver.Key(name)
	mask := 0
	for _, m := range held {
		bit, ok := flags[m]
		if !ok {
			return fault.New(fault.InvalidInput, "unknown modifier key %q", m).WithHint("use shift, control, option or command").
				WithDispatch(fault.NotDispatched)
		}
		mask |= bit
	}
	if !known || times > mostPresses {
		return fault.New(fault.InvalidInput, "unknown key %q, or too many presses (%d)", name, times).
			WithHint("use a character or %s, at most %d times", strings.Join(webdriver.KeyNames(), ", "), mostPresses).
			WithDispatch(fault.NotDispatched)
	}
	if _, err := p.field(ctx); err != nil {
		return err
	}
	special, named := hardware[name]
	if mask == 0 && (!named || slices.Contains(plain, name)) {
		return p.perform(ctx, webdriver.Keys(slices.Repeat([]string{value}, max(times, 1))...))
	}
	if !named {
		special = name
	}
	keys := slices.Repeat([]any{map[string]any{"key": special, "modifierFlags": mask}}, max(times, 1))
	return p.send(ctx, act("/wda/element/0/keyboardInput", map[string]any{"keys": keys}), nil)
}
