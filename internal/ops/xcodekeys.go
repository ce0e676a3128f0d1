package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// KeyUIIn is one key.
type KeyUIIn struct {
	SimIn
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

func (u *uiTools) keyPress(ctx context.Context, c *op.Call, in KeyUIIn) (UIOut, error) {
	key, err := keyOf(in.Code)
	if err != nil {
		return UIOut{}, err
	}
	_, target, err := on(ctx, u, c, in, func(in *KeyUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	out, err := u.hands.key(ctx, c, KeyIn{PlainIn: PlainIn{Target: target}, Key: key, Times: 1})
	return UIOut{ActionOut: out}, err
}

// KeysUIIn are keys.
type KeysUIIn struct {
	SimIn
	Codes []string `json:"keyCodes" doc:"HID usages of the keys" items:"integer" min:"0" max:"255"`
	Delay float64  `json:"delay,omitempty" doc:"seconds between two keys" min:"0" max:"5"`
}

// mostKeys is how many keys one call presses.
const mostKeys = 100

func (u *uiTools) keySequence(ctx context.Context, c *op.Call, in KeysUIIn) (UIOut, error) {
	if len(in.Codes) == 0 || len(in.Codes) > mostKeys {
		return UIOut{}, fault.New(fault.InvalidInput, "key_sequence: between 1 and %d keys, not %d", mostKeys, len(in.Codes)).With("field", "keyCodes")
	}
	keys := make([]string, len(in.Codes))
	for i, text := range in.Codes {
		code, err := strconv.Atoi(text)
		if err != nil {
			return UIOut{}, fault.New(fault.InvalidInput, "key_sequence: %q is no number", text).With("field", "keyCodes")
		}
		if keys[i], err = keyOf(code); err != nil {
			return UIOut{}, err
		}
	}
	_, target, err := on(ctx, u, c, in, func(in *KeysUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return UIOut{}, err
	}
	if in.Delay == 0 {
		out, err := u.hands.keys(ctx, c, KeysIn{PlainIn: PlainIn{Target: target}, Keys: keys})
		return UIOut{ActionOut: out}, err
	}
	var last UIOut
	for i, key := range keys {
		if i > 0 {
			if err := pause(ctx, in.Delay); err != nil {
				return last, err
			}
		}
		last.ActionOut, err = u.hands.key(ctx, c, KeyIn{PlainIn: PlainIn{Target: target}, Key: key, Times: 1})
		if err != nil {
			return last, err
		}
	}
	return last, nil
}

// BatchUIIn are taps.
type BatchUIIn struct {
	SimIn
	Steps []string `json:"steps" doc:"1 to 100 taps: {\"action\": \"tap\", \"elementRef\": \"e12\", \"preDelay\": 0, \"postDelay\": 0}" items:"object"`
	Cache string   `json:"axCache,omitempty" doc:"has no effect: every step looks again" enum:"perBatch,perStep,none" default:"perStep"`
	Wait  float64  `json:"waitTimeout,omitempty" doc:"seconds that an element may take to appear" min:"0" max:"60" default:"5"`
	Poll  float64  `json:"pollInterval,omitempty" doc:"has no effect: the wait ends as soon as the element is there" min:"0" max:"10"`
}

// BatchStep is one of them.
type BatchStep struct {
	Action string  `json:"action"`
	Ref    string  `json:"elementRef"`
	Before float64 `json:"preDelay"`
	After  float64 `json:"postDelay"`
}

// BatchUIOut is what came of each.
type BatchUIOut struct {
	Done  int         `json:"done"`
	Steps []ActionOut `json:"steps"`

	total int
	fault *fault.Fault
}

// Text is one paragraph a step.
func (o BatchUIOut) Text() string {
	text := fmt.Sprintf("%d of %d steps done", o.Done, o.total)
	for i, s := range o.Steps {
		text += fmt.Sprintf("\n%d. %s", i+1, s.Text())
	}
	return text
}

// Fault is that of the step that stopped it.
func (o BatchUIOut) Fault() *fault.Fault { return o.fault }

// mostSteps is how many taps one call makes.
const mostSteps = 100

func (in BatchUIIn) steps() ([]BatchStep, error) {
	if len(in.Steps) == 0 || len(in.Steps) > mostSteps {
		return nil, fault.New(fault.InvalidInput, "batch: between 1 and %d steps, not %d", mostSteps, len(in.Steps)).With("field", "steps")
	}
	all := make([]BatchStep, len(in.Steps))
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
func (u *uiTools) batch(ctx context.Context, c *op.Call, in BatchUIIn) (BatchUIOut, error) {
	steps, err := in.steps()
	if err != nil {
		return BatchUIOut{}, err
	}
	_, target, err := on(ctx, u, c, in, func(in *BatchUIIn) *SimIn { return &in.SimIn })
	if err != nil {
		return BatchUIOut{}, err
	}
	out := BatchUIOut{Steps: []ActionOut{}, total: len(steps)}
	for i, s := range steps {
		tap := TapIn{Target: target, ElementIn: ElementIn{Ref: s.Ref}, ActIn: ActIn{Timeout: int(in.Wait * 1000)}}
		done, err := DelayIn{s.Before, s.After}.around(ctx, func() (ActionOut, error) { return u.hands.tap(ctx, c, tap) })
		if err != nil {
			out.fault = fault.From(err).With("step", i+1)
			return out, nil
		}
		out.Steps = append(out.Steps, done.ActionOut)
		if f := done.Fault(); f != nil {
			out.fault = f.With("step", i+1)
			return out, nil
		}
		out.Done++
	}
	return out, nil
}
