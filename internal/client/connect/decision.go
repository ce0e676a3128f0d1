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

// Decision is what a decider chose: an operation with its input, or one of the two ends.
type Decision struct {
	Action  string                     `json:"action"`
	Input   map[string]json.RawMessage `json:"input,omitempty"`
	Message string                     `json:"message,omitempty"` // for the ends: what was reached, or why not
	Why     string                     `json:"why,omitempty"`
}

// Malformed is an answer that holds no decision. The decider is told and asked again.
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
		return Decision{}, malformed(`the answer names no action; it looks like {"action": "tap_element", "input": {"ref": "@e1"}}`)
	}
	return d, nil
}

// mostProse is how many bytes are searched for a decision; in the worst case the search takes the square of that.
const mostProse = 64 << 10

// findDecision reads a decision out of a model's prose: the first object in it that is one.
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
	return Decision{}, malformed("the answer calls no tool and holds no JSON object with an action")
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

// read is the input as the operation understands it. Which device is meant is not the decider's to say.
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

// recorded is a decision as the transcript has it: what is typed into a secure field is hidden, as a text or key by key. Where it is
// not known which field was meant, it is hidden when any field on the screen is secure.
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

// characters are the keys that type something, as an answer names them; empty: there are only keys such as return.
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

// key is how the decider spelled an input; empty when it gave none.
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
	_ = json.Unmarshal(raw, &ref) // a value that is not a string is not a ref
	return ref
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
