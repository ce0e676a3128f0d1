package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// The decisions that end a run.
const (
	Done = "done"
	Fail = "fail"
)

// Decision is a decider's choice: an operation with its input, or the end of the run.
type Decision struct {
	Action  string                     `json:"action"`
	Input   map[string]json.RawMessage `json:"input,omitempty"`
	Message string                     `json:"message,omitempty"` // for the ends: the result, or the reason of the failure
	Why     string                     `json:"why,omitempty"`
}

// Malformed is an answer without a decision. The decider gets the error and is asked again.
type Malformed struct{ why string }

func (m *Malformed) Error() string { return m.why }

func malformed(format string, args ...any) error { return &Malformed{fmt.Sprintf(format, args...)} }

// ParseDecision reads a decision: one JSON object and nothing else.
func ParseDecision(text []byte) (Decision, error) {
	var d Decision
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&d); err != nil {
		return Decision{}, malformed("the answer is not a JSON object with an action: %v", err)
	}
	if decoder.More() {
		return Decision{}, malformed("the answer is more than one JSON object")
	}
	d.Action = strings.TrimSpace(d.Action)
	if d.Action == "" {
		return Decision{}, malformed(`the answer names no action; it must look like {"action": "tap_element", "input": {"ref": "@e1"}}`)
	}
	return d, nil
}

// mostProse is the maximum number of bytes that are searched for a decision: the cost of the search can grow with their square.
const mostProse = 64 << 10

// findDecision finds a decision in a model's prose: the first object that is a decision.
func findDecision(text string) (Decision, error) {
	text = text[:min(len(text), mostProse)]
	for at := strings.IndexByte(text, '{'); at >= 0; {
		var whole json.RawMessage
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&whole) == nil {
			if d, err := ParseDecision(whole); err == nil {
				return d, nil
			}
		}
		next := strings.IndexByte(text[at+1:], '{')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return Decision{}, malformed("the answer has neither a tool call nor a JSON object with an action")
}

// line is the decision as one line.
func (d Decision) line() string {
	if len(d.Input) == 0 {
		return d.Action
	}
	raw, err := json.Marshal(d.Input)
	if err != nil {
		return d.Action
	}
	return d.Action + " " + string(raw)
}

// read is the input for the operation. A decider cannot choose the device.
func (d Decision) read(o op.Op) (map[string]any, error) {
	raw, err := json.Marshal(d.Input)
	if err != nil {
		return nil, fault.New(fault.InvalidInput, "%s: %w", d.Action, err)
	}
	if d.Input == nil {
		raw = []byte("{}")
	}
	input, err := o.Read(raw)
	maps.DeleteFunc(input, func(name string, _ any) bool { return reserved(name) })
	return input, err
}

// recorded is a decision for the transcript: input into a secure field is hidden, both texts and single keys. If the field is unknown, the
// input is hidden when any field on the screen is secure.
func (d Decision) recorded(l look) *Decision {
	hide := l.at(refOf(d.Input[d.key("ref")]))
	if hide == nil {
		for i := range l.Elements {
			if l.Elements[i].Secure {
				hide = &l.Elements[i]
			}
		}
	}
	if hide == nil || !hide.Secure {
		return &d
	}
	d.Input = maps.Clone(d.Input)
	for _, name := range []string{"text", "key", "keys"} {
		if typed := d.key(name); typed != "" && (name == "text" || characters(d.Input[typed]) != "") {
			d.Input[typed], _ = json.Marshal(Redacted)
		}
	}
	return &d
}

// characters are the keys that type a character, by their names in an answer; empty if all keys are like return.
func characters(raw json.RawMessage) string {
	var keys []string
	if json.Unmarshal(raw, &keys) != nil {
		keys = []string{refOf(raw)}
	}
	if !slices.ContainsFunc(keys, func(k string) bool { return utf8.RuneCountInString(k) == 1 }) {
		return ""
	}
	return strings.Join(keys, " ")
}

// key is an input's name in the decider's spelling; empty if the decision lacks the input.
func (d Decision) key(name string) string {
	for key := range d.Input {
		if strings.EqualFold(key, name) {
			return key
		}
	}
	return ""
}

func refOf(raw json.RawMessage) string {
	var ref string
	_ = json.Unmarshal(raw, &ref) // other values are not refs
	return ref
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
