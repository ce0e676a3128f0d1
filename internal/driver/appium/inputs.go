package appium

import (
	"context"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
)

var (
	_ device.Keyboard = (*phone)(nil)
	_ device.Rotation = (*phone)(nil)
	_ device.Buttons  = (*phone)(nil)
)

func (p *phone) perform(ctx context.Context, inputs ...webdriver.Input) error {
	return p.tell(ctx, "/actions", webdriver.Perform(inputs...))
}

// focused is the element with the keyboard focus.
func (p *phone) focused(ctx context.Context) (webdriver.Element, error) {
	var e webdriver.Element
	err := p.ask(ctx, webdriver.Get("/element/active"), &e)
	if webdriver.Is(err, webdriver.NoSuchElement) {
		return "", unsent(fault.NoFocus, "no element on the screen has the focus: %w", err)
	}
	return e, p.lost(err, false)
}

// enter sends a text to the element with the focus.
func (p *phone) enter(ctx context.Context, text string) error {
	e, err := p.focused(ctx)
	if err != nil {
		return err
	}
	return p.tell(ctx, webdriver.Path("element", string(e), "value"), map[string]any{"text": text, "value": strings.Split(text, "")})
}

// Type types into the element with the focus.
func (p *phone) Type(ctx context.Context, text string) error { return p.enter(ctx, text) }

// Clear empties the element with the focus.
func (p *phone) Clear(ctx context.Context) error {
	e, err := p.focused(ctx)
	if err != nil {
		return err
	}
	return p.tell(ctx, webdriver.Path("element", string(e), "clear"), nil)
}

// keys are the characters that XCTest uses for keys without a character, by the driver's names.
var keys = map[string]string{
	"return": "\n", "enter": "\n", "tab": "\t", "space": " ", "delete": "\b", "forward-delete": "\x7f", "escape": "\x1b",
	"up": "\uf700", "down": "\uf701", "left": "\uf702", "right": "\uf703", "home": "\uf729", "end": "\uf72b", "page-up": "\uf72c",
	"page-down": "\uf72d",
}

// flags are XCTest's bits of modifier keys, by the driver's names.
var flags = map[string]int{"shift": 1 << 1, "control": 1 << 2, "option": 1 << 3, "command": 1 << 4}

// Key presses a key. With modifiers the server needs a hardware keyboard on the device, and fails without one.
func (p *phone) Key(ctx context.Context, name string, held []string, times int) error {
	key, known := keys[name]
	if !known && len([]rune(name)) == 1 {
		key, known = name, true
	}
	if !known {
		return unsent(fault.InvalidInput, "unknown key %q", name).
			WithHint("use one character, or a name such as return, delete, tab or escape")
	}
	bits := 0
	for _, m := range held {
		if flags[m] == 0 {
			return unsent(fault.InvalidInput, "unknown modifier key %q", m).WithHint("use shift, control, option or command")
		}
		bits |= flags[m]
	}
	if bits == 0 {
		return p.enter(ctx, strings.Repeat(key, max(times, 1)))
	}
	var presses []any
	for range max(times, 1) {
		presses = append(presses, map[string]any{"key": key, "modifierFlags": bits})
	}
	return p.lost(p.mobile(ctx, "keys", map[string]any{"keys": presses}, nil, true), true)
}

// turns are the server's orientations by the driver's names. The two without a W3C word are angles.
var turns = map[string]struct {
	word  string
	angle int
}{
	"portrait": {"PORTRAIT", 0}, "landscape-left": {"LANDSCAPE", 0}, "landscape-right": {"", 90}, "portrait-upside-down": {"", 180},
}

// Rotate turns the device.
func (p *phone) Rotate(ctx context.Context, to string) error {
	turn, known := turns[to]
	switch {
	case !known:
		return unsent(fault.InvalidInput, "unknown orientation %q", to).
			WithHint("use portrait, portrait-upside-down, landscape-left or landscape-right")
	case turn.word != "":
		return p.tell(ctx, "/orientation", map[string]any{"orientation": turn.word})
	}
	return p.tell(ctx, "/rotation", map[string]any{"x": 0, "y": 0, "z": turn.angle})
}

// Press presses a hardware button.
func (p *phone) Press(ctx context.Context, button string, hold time.Duration) error {
	name := strings.ReplaceAll(button, "-", "")
	if name == "lock" {
		return p.lost(p.mobile(ctx, "lock", nil, nil, true), true)
	}
	args := map[string]any{"name": name}
	if hold > 0 {
		args["durationSeconds"] = hold.Seconds()
	}
	return p.lost(p.mobile(ctx, "pressButton", args, nil, true), true)
}
