package house

import (
	"encoding/json"
	"maps"
	"strings"

	"ios-agent/internal/op"
)

// BadInput is one input nobody should send, and the code it must be refused with; an empty code means any, but the same
// everywhere.
type BadInput struct {
	Name, Input, Code string
}

const invalid = "INVALID_INPUT"

// BadInputs derives wrong inputs from an operation's own declaration: an operation added tomorrow is covered tomorrow.
func BadInputs(o op.Op) []BadInput {
	cases := []BadInput{
		{"unknown key", `{"no_such_key":1}`, invalid},
		{"not an object", `[1,2]`, invalid},
		{"not JSON", `{"a"`, invalid},
		{"invalid UTF-8", "{\"session\":\"\xff\xfe\"}", invalid},
	}
	valid := map[string]any{}
	for _, f := range o.Fields() {
		if f.Required {
			valid[f.Name] = "x"
			if f.Kind == op.File {
				valid[f.Name] = "/dev/null/no" // which not even root can make
			}
			cases = append(cases, BadInput{"missing " + f.Name, `{}`, invalid})
		} else if f.Name == "timeout" && f.Kind == op.Float {
			valid[f.Name] = 0.1 // what is accepted after all would be waited for
		}
	}
	with := func(name string, value any) string {
		input := maps.Clone(valid)
		input[name] = value
		raw, _ := json.Marshal(input)
		return string(raw)
	}
	for _, f := range o.Fields() {
		switch f.Kind {
		case op.Bool, op.Int, op.Float, op.Nested:
			cases = append(cases, BadInput{"words for " + f.Name, with(f.Name, "many"), invalid})
		case op.File:
			cases = append(cases, BadInput{"object for " + f.Name, with(f.Name, map[string]any{"a": 1}), invalid})
		default:
			strange := any(map[string]any{"a": 1})
			if f.Pairs {
				strange = []any{strange} // an object is one way to write pairs
			}
			cases = append(cases, BadInput{"object for " + f.Name, with(f.Name, strange), invalid},
				BadInput{"huge " + f.Name, with(f.Name, strings.Repeat("x", 10_000)), ""})
		}
		if f.Min != nil {
			cases = append(cases, BadInput{"small " + f.Name, with(f.Name, *f.Min-1), invalid})
		}
		if f.Max != nil {
			cases = append(cases, BadInput{"large " + f.Name, with(f.Name, *f.Max+1), invalid})
		}
		if len(f.Enum) > 0 {
			cases = append(cases, BadInput{"strange " + f.Name, with(f.Name, "strange"), invalid})
		}
	}
	for _, group := range o.Exclude {
		input := map[string]any{group[0]: "x", group[1]: "x"}
		raw, _ := json.Marshal(input)
		cases = append(cases, BadInput{"both of " + strings.Join(group, ", "), string(raw), invalid})
	}
	if len(o.Require) > 0 {
		cases = append(cases, BadInput{"none of " + strings.Join(o.Require[0], ", "), `{}`, invalid})
	}
	return cases
}
