package xcode

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
)

// keys are the tools that type, and the one that taps several times.
func (v views) keys() []op.Op {
	return []op.Op{
		sim(v, uiTool("type_text", "Type text into an element, or into what has the focus", 0), v.typeText),
		sim(v, uiTool("key_press", "Press one key by its HID usage: 40 return, 42 backspace, 43 tab, 44 space", 0), v.keyPress),
		sim(v, uiTool("key_sequence", "Press keys one after the other, by their HID usages", 0), v.keySequence),
		sim(v, uiTool("batch", "Tap several elements in one call", 0), v.batch),
	}
}

// typeUIIn says what to type where.
type typeUIIn struct {
	simIn
	refIn
	Text    string `json:"text" doc:"the text"`
	Replace bool   `json:"replaceExisting,omitempty" doc:"replace what the field holds"`
}

func (v views) typeText(ctx context.Context, c *op.Call, in typeUIIn, on ops.Target) (ops.ActionOut, error) {
	entry := ops.TypeIn{Target: on, ElementIn: ops.ElementIn{Ref: in.Ref}, Text: in.Text, ActIn: patience()}
	if in.Replace {
		return v.core.Touch.Fill(ctx, c, entry)
	}
	return v.core.Touch.Type(ctx, c, entry)
}

// keyUIIn is one key.
type keyUIIn struct {
	simIn
	Code     int     `json:"keyCode" doc:"HID usage of the key on a US keyboard" min:"0" max:"255"`
	Duration float64 `json:"duration,omitempty" doc:"seconds to hold it; keys are pressed and let go here, so that this is only noted" min:"0" max:"10"`
}

// usages are the keys of a US keyboard by their HID usage, as our actions name them.
func usages() map[int]string {
	keys := map[int]string{
		40: "return", 41: "escape", 42: "delete", 43: "tab", 44: "space", 45: "-", 46: "=", 47: "[", 48: "]", 49: `\`, 51: ";", 52: "'", 53: "`", 54: ",", 55: ".", 56: "/",
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
	return "", fault.New(fault.Unsupported, "the key with the HID usage %d cannot be pressed", code).
		WithHint("4 to 29 are letters, 30 to 39 digits, 40 return, 41 escape, 42 backspace, 43 tab, 44 space, 79 to 82 the arrows; type_text types everything else")
}

func (v views) keyPress(ctx context.Context, c *op.Call, in keyUIIn, on ops.Target) (ops.ActionOut, error) {
	key, err := keyOf(in.Code)
	if err != nil {
		return ops.ActionOut{}, err
	}
	return v.core.Touch.Key(ctx, c, ops.KeyIn{PlainIn: ops.PlainIn{Target: on}, Key: key, Times: 1})
}

// keysUIIn are keys.
type keysUIIn struct {
	simIn
	Codes []string `json:"keyCodes" doc:"HID usages of the keys" items:"integer" min:"0" max:"255"`
	Delay float64  `json:"delay,omitempty" doc:"seconds between two keys" min:"0" max:"5"`
}

// mostKeys is how many keys one call presses.
const mostKeys = 100

func (v views) keySequence(ctx context.Context, c *op.Call, in keysUIIn, on ops.Target) (ops.ActionOut, error) {
	if len(in.Codes) == 0 || len(in.Codes) > mostKeys {
		return ops.ActionOut{}, fault.New(fault.InvalidInput, "key_sequence: between 1 and %d keys, not %d", mostKeys, len(in.Codes)).With("field", "keyCodes")
	}
	keys := make([]string, len(in.Codes))
	for i, text := range in.Codes {
		code, err := strconv.Atoi(text)
		if err != nil {
			return ops.ActionOut{}, fault.New(fault.InvalidInput, "key_sequence: %q is no number", text).With("field", "keyCodes")
		}
		if keys[i], err = keyOf(code); err != nil {
			return ops.ActionOut{}, err
		}
	}
	return v.core.Touch.Keys(ctx, c, ops.KeysIn{PlainIn: ops.PlainIn{Target: on}, Keys: keys}.Pausing(in.Delay))
}

// batchUIIn are taps.
type batchUIIn struct {
	simIn
	Steps []string `json:"steps" doc:"1 to 100 taps: {\"action\": \"tap\", \"elementRef\": \"e12\", \"preDelay\": 0, \"postDelay\": 0}" items:"object"`
	Cache string   `json:"axCache,omitempty" doc:"has no effect: every step looks again" enum:"perBatch,perStep,none" default:"perStep"`
	Wait  float64  `json:"waitTimeout,omitempty" doc:"seconds that an element may take to appear" min:"0" max:"60" default:"5"`
	Poll  float64  `json:"pollInterval,omitempty" doc:"has no effect: the wait ends as soon as the element is there" min:"0" max:"10"`
}

// batchStep is one of them.
type batchStep struct {
	Action string  `json:"action"`
	Ref    string  `json:"elementRef"`
	Before float64 `json:"preDelay"`
	After  float64 `json:"postDelay"`
}

// batchUIOut is what came of each.
type batchUIOut struct {
	Done  int             `json:"done"`
	Steps []ops.ActionOut `json:"steps"`

	total int
	fault *fault.Fault
}

// Text is one paragraph a step.
func (o batchUIOut) Text() string {
	text := fmt.Sprintf("%d of %d steps done", o.Done, o.total)
	for i, s := range o.Steps {
		text += fmt.Sprintf("\n%d. %s", i+1, s.Text())
	}
	return text
}

// Fault is that of the step that stopped it.
func (o batchUIOut) Fault() *fault.Fault { return o.fault }

// mostSteps is how many taps one call makes.
const mostSteps = 100

func (in batchUIIn) steps() ([]batchStep, error) {
	if len(in.Steps) == 0 || len(in.Steps) > mostSteps {
		return nil, fault.New(fault.InvalidInput, "batch: between 1 and %d steps, not %d", mostSteps, len(in.Steps)).With("field", "steps")
	}
	all := make([]batchStep, len(in.Steps))
	for i, text := range in.Steps {
		s := &all[i]
		if err := json.Unmarshal([]byte(text), s); err != nil {
			return nil, fault.New(fault.InvalidInput, "batch: step %d: %w", i+1, err).With("field", "steps")
		}
		if s.Action != "tap" || s.Ref == "" || s.Before < 0 || s.Before > 10 || s.After < 0 || s.After > 10 {
			return nil, fault.New(fault.InvalidInput, "batch: step %d is no {action: tap, elementRef} with delays of at most 10 seconds", i+1).With("field", "steps").
				WithHint("the core operation batch takes every verb")
		}
	}
	return all, nil
}

// batch stops at the first step that fails: what follows was meant for another screen. The refs are looked up when their
// turn comes; one whose element is gone by then is refused, never guessed.
func (v views) batch(ctx context.Context, c *op.Call, in batchUIIn, on ops.Target) (batchUIOut, error) {
	steps, err := in.steps()
	if err != nil {
		return batchUIOut{}, err
	}
	out := batchUIOut{Steps: []ops.ActionOut{}, total: len(steps)}
	for i, s := range steps {
		tap := ops.TapIn{Target: on, ElementIn: ops.ElementIn{Ref: s.Ref}, ActIn: ops.ActIn{Timeout: int(in.Wait * 1000)}}
		done, err := delayIn{s.Before, s.After}.around(ctx, func() (ops.ActionOut, error) { return v.core.Touch.Tap(ctx, c, tap) })
		if err != nil {
			out.fault = fault.From(err).With("step", i+1)
			return out, nil
		}
		out.Steps = append(out.Steps, done)
		if f := done.Fault(); f != nil {
			out.fault = f.With("step", i+1)
			return out, nil
		}
		out.Done++
	}
	return out, nil
}
