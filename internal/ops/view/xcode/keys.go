package xcode

import (
	"context"
	"strconv"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/xcode/macapp"
)

// keys are the tools that type.
func (v views) keys() []op.Op {
	return []op.Op{
		sim(v, uiTool(typeText, "Type text into an element or the focused one", 0), v.typeText),
		sim(v, uiTool(keyPress, "Press a key by its HID usage: 40 return, 42 backspace, 43 tab", 0), v.keyPress),
		sim(v, uiTool(keySequence, "Press several keys by their HID usages", 0), v.keySequence),
		sim(v, keyboardTool(toggleSoftwareKeyboard,
			"Show or hide the software keyboard of a simulator (Command-K)"), v.toggles(macapp.Software)),
		sim(v, keyboardTool(toggleConnectHardwareKeyboard,
			"Connect or disconnect the hardware keyboard of a simulator, which replaces the software keyboard"), v.toggles(macapp.Hardware)),
	}
}

func keyboardTool(row op.Spec, summary string) op.Spec {
	return taking(time.Minute, tool(row, summary, 0, inManagement))
}

// toggles switches a keyboard on or off.
func (v views) toggles(k macapp.Keyboard) func(context.Context, *op.Call, simIn, target.Target) (simOut, error) {
	return func(ctx context.Context, c *op.Call, _ simIn, on target.Target) (simOut, error) {
		done, err := v.core.Devices.Toggle(ctx, c, on, k)
		if err != nil {
			return simOut{}, err
		}
		return simOut{
			Message: "toggled the " + string(k) + " of " + done.Name, ID: done.UDID, Name: done.Name,
			NextSteps: []string{nextCall(snapshotUI, "simulatorId", done.UDID)},
		}, nil
	}
}

// typeUIIn is a text and the element to type it into.
type typeUIIn struct {
	simIn
	refIn
	Text    string `json:"text" doc:"the text" private:"true"`
	Replace bool   `json:"replaceExisting,omitempty" doc:"replace the field's text"`
}

func (v views) typeText(ctx context.Context, c *op.Call, in typeUIIn, on target.Target) (touch.ActionOut, error) {
	entry := touch.TypeIn{Target: on, ElementIn: target.ElementIn{Ref: in.Ref}, Text: in.Text, ActIn: patience()}
	if in.Replace {
		return v.core.Touch.Fill(ctx, c, entry)
	}
	return v.core.Touch.Type(ctx, c, entry)
}

// keyUIIn is one key.
type keyUIIn struct {
	simIn
	Code     int     `json:"keyCode" doc:"HID usage on a US keyboard" min:"0" max:"255"`
	Duration float64 `json:"duration,omitempty" doc:"ignored: keys are released at once" min:"0" max:"10" unit:"s"`
}

// usages are the keys of a US keyboard by HID usage, with the names that the core operations use.
func usages() map[int]string {
	keys := map[int]string{
		40: "return", 41: "escape", 42: "delete", 43: "tab", 44: "space",
		45: "-", 46: "=", 47: "[", 48: "]", 49: `\`, 51: ";", 52: "'", 53: "`", 54: ",", 55: ".", 56: "/",
		74: "home", 75: "page-up", 76: "forward-delete", 77: "end", 78: "page-down", 79: "right", 80: "left", 81: "down", 82: "up", 88: "return",
	}
	for i := range 26 {
		keys[4+i] = string(rune('a' + i))
	}
	for i, digit := range "1234567890" {
		keys[30+i] = string(digit)
	}
	return keys
}

func keyOf(code int) (string, error) {
	if name, known := usages()[code]; known {
		return name, nil
	}
	return "", fault.New(fault.Unsupported, "cannot press the key with the HID usage %d", code).
		WithHint("4 to 29 are letters, 30 to 39 digits, 40 return, 41 escape, 42 backspace, 43 tab, 44 space, 79 to 82 the arrows; "+
			"%s types any other character", nextCall(typeText, "text", "TEXT"))
}

func (v views) keyPress(ctx context.Context, c *op.Call, in keyUIIn, on target.Target) (touch.ActionOut, error) {
	key, err := keyOf(in.Code)
	if err != nil {
		return touch.ActionOut{}, err
	}
	return v.core.Touch.Key(ctx, c, touch.KeyIn{PlainIn: touch.PlainIn{Target: on}, Key: key, Times: 1})
}

// keysUIIn is a list of keys.
type keysUIIn struct {
	simIn
	Codes []string `json:"keyCodes" doc:"HID usages" items:"integer" min:"0" max:"255"`
	Delay float64  `json:"delay,omitempty" doc:"seconds between keys" min:"0" max:"5" unit:"s"`
}

// mostKeys is the maximum number of keys of one call.
const mostKeys = 100

func (v views) keySequence(ctx context.Context, c *op.Call, in keysUIIn, on target.Target) (touch.ActionOut, error) {
	if len(in.Codes) == 0 || len(in.Codes) > mostKeys {
		return touch.ActionOut{}, fault.New(fault.InvalidInput, "key_sequence: keyCodes must have 1 to %d keys, not %d", mostKeys, len(in.Codes)).
			With("field", "keyCodes")
	}
	keys := make([]string, len(in.Codes))
	for i, text := range in.Codes {
		code, err := strconv.Atoi(text)
		if err != nil {
			return touch.ActionOut{}, fault.New(fault.InvalidInput, "key_sequence: %q is not a number", text).With("field", "keyCodes")
		}
		if keys[i], err = keyOf(code); err != nil {
			return touch.ActionOut{}, err
		}
	}
	return v.core.Touch.Keys(ctx, c, touch.KeysIn{PlainIn: touch.PlainIn{Target: on}, Keys: keys}.Pausing(in.Delay))
}
