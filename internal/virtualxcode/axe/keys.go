package axe

import (
	"context"
	"io"
	"strconv"
	"strings"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/hid"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/tool"
)

func typeText(ctx context.Context, c call) error {
	sources := 0
	for _, given := range []bool{len(c.args.Words) > 0, c.args.Has("--stdin"), c.args.Has("--file")} {
		if given {
			sources++
		}
	}
	switch {
	case sources > 1:
		return swiftargs.Refuse("Please specify only one input source: text argument, --stdin, or --file.")
	case sources == 0:
		return swiftargs.Refuse("No input provided. Provide text as argument, or use --stdin, or --file.")
	}
	text, err := c.input()
	if err != nil {
		return err
	}
	for _, r := range text {
		if !hid.Types(r) {
			return tool.Refuse("No keycode found for character: '%c'", r)
		}
	}
	return c.within(ctx, func(string) error { return c.keyboard().Type(ctx, text) })
}

// maxInput is the maximum size of text from a file or standard input.
const maxInput = 1 << 20

// input returns the text to type, without its last line feed.
func (c call) input() (string, error) {
	if len(c.args.Words) > 0 {
		return c.args.Words[0], nil
	}
	if c.args.Has("--stdin") {
		data, err := io.ReadAll(io.LimitReader(c.Stdin, maxInput))
		return strings.TrimSuffix(string(data), "\n"), err
	}
	data, err := regularfile.Read(c.Path(c.args.Value("--file")), maxInput)
	if err != nil {
		return "", swiftargs.Refuse("Failed to read file '%s': The file “%s” couldn’t be opened because there is no such file.",
			c.args.Value("--file"), c.args.Value("--file"))
	}
	return string(data), nil
}

func pressKey(ctx context.Context, c call) error {
	if len(c.args.Words) == 0 {
		return swiftargs.Refuse("Missing expected argument '<keycode>'")
	}
	code, err := strconv.Atoi(c.args.Words[0])
	if err != nil {
		return swiftargs.Refuse("The value '%s' is invalid for '<keycode>'", c.args.Words[0])
	}
	if code < 0 || code > 255 {
		return swiftargs.Refuse("Keycode must be between 0 and 255.")
	}
	held, err := c.between("--duration", 0, 0, longest, "Duration must be between 0 and 10 seconds.")
	if err != nil {
		return err
	}
	return c.within(ctx, func(string) error {
		if err := c.keyboard().Press(ctx, code); err != nil {
			return err
		}
		return c.world.Sleep(ctx, seconds(held))
	})
}

// codes parses a list of key codes.
func codes(text, what, missing, bad string) (all []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, swiftargs.Refuse("Invalid %s: '%s'.", what, part)
		}
		if n < 0 || n > 255 {
			return nil, swiftargs.Refuse("%s Invalid keycode: %d", bad, n)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return nil, swiftargs.Refuse("%s", missing)
	}
	return all, nil
}

func pressKeys(ctx context.Context, c call) error {
	keys, err := codes(c.args.Value("--keycodes"), "keycodes", "At least one keycode must be provided.",
		"All keycodes must be between 0 and 255.")
	if err != nil {
		return err
	}
	if len(keys) > 100 {
		return swiftargs.Refuse("Key sequence must not exceed 100 keys.")
	}
	delay, err := c.between("--delay", 0.1, 0, 5, "Delay must not exceed 5 seconds.")
	if err != nil {
		return err
	}
	return c.within(ctx, func(string) error {
		for i, key := range keys {
			if err := c.keyboard().Press(ctx, key); err != nil {
				return err
			}
			if i == len(keys)-1 {
				break
			}
			if err := c.world.Sleep(ctx, seconds(delay)); err != nil {
				return err
			}
		}
		return nil
	})
}

func pressCombo(ctx context.Context, c call) error {
	held, err := codes(c.args.Value("--modifiers"), "modifier keycodes", "At least one modifier keycode must be provided.",
		"All modifier keycodes must be between 0 and 255.")
	if err != nil {
		return err
	}
	if len(held) > 8 {
		return swiftargs.Refuse("At most 8 modifier keycodes may be provided.")
	}
	key, err := strconv.Atoi(c.args.Value("--key"))
	if err != nil || key < 0 || key > 255 {
		return swiftargs.Refuse("Key must be between 0 and 255.")
	}
	return c.within(ctx, func(string) error { return c.keyboard().Press(ctx, key, held...) })
}

// buttons are the hardware buttons by name.
var buttons = map[string]func(hid.Device, context.Context) error{
	"home": hid.Device.Home, "lock": hid.Device.Button, "side-button": hid.Device.Button, "siri": hid.Device.Button,
	"apple-pay": hid.Device.Button,
}

func pressButton(ctx context.Context, c call) error {
	if len(c.args.Words) == 0 {
		return swiftargs.Refuse("Missing expected argument '<button>'")
	}
	press, known := buttons[c.args.Words[0]]
	if !known {
		return swiftargs.Refuse("The value '%s' is invalid for '<button>'. Please provide one of %s.", c.args.Words[0], choices(buttons))
	}
	held, err := c.between("--duration", 0, 0, longest, "Duration must be between 0 and 10 seconds.")
	if err != nil {
		return err
	}
	return c.within(ctx, func(string) error {
		if err := press(c.keyboard(), ctx); err != nil {
			return err
		}
		return c.world.Sleep(ctx, seconds(held))
	})
}
