package op_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// theirs is an input in the shape of others: a text that may be empty, and a value of any kind.
type theirs struct {
	ID    string          `json:"sessionId" doc:"the session" empty:"true" cli:"arg"`
	Value json.RawMessage `json:"value,omitempty" doc:"any value"`
}

type refusal struct {
	Says string `json:"says"`
}

func (r refusal) Refused() bool { return r.Says != "done" }

// TestForeignInputShapesAreAccepted: a value of any kind stays as it is, on a command line a number is one; a text that is required may be
// empty; an answer may tell that nothing was done.
func TestForeignInputShapesAreAccepted(t *testing.T) {
	o := op.New(op.Spec{Name: "probe", Groups: []string{"test"}, Summary: "Look", Describe: "Look at it."},
		func(_ context.Context, _ *op.Call, in theirs) (refusal, error) {
			if in.ID == "" {
				return refusal{"done"}, nil
			}
			return refusal{in.ID + " " + string(in.Value)}, nil
		})
	c := op.NewCatalogue([]op.Op{o}, op.Options{})
	for input, want := range map[string]string{
		`{"sessionId":"s","value":0.50}`:       "s 0.50",
		`{"sessionId":"s","value":"0.5"}`:      `s "0.5"`,
		`{"sessionId":"s","value":{"a":[1]}}`:  `s {"a":[1]}`,
		`{"session_id":"s","value":null}`:      "s ",
		`{"sessionId":"s","value":true}`:       "s true",
		`{"sessionId":"","value":"whatever "}`: "done",
	} {
		e := c.Run(t.Context(), "probe", op.Call{}, []byte(input))
		var got refusal
		if err := json.Unmarshal(e.Result, &got); err != nil || got.Says != want {
			t.Errorf("%s: %s, %v", input, e.Text(), err)
		}
		exit := map[bool]int{true: fault.ExitFailed, false: fault.ExitOK}[want != "done"]
		if e.Error != nil || e.Status != op.Success || e.Refused != (want != "done") || e.ExitCode() != exit {
			t.Errorf("%s: %+v, exit %d", input, e, e.ExitCode())
		}
	}
	if e := c.Run(t.Context(), "probe", op.Call{}, []byte(`{"value":1}`)); e.Error == nil || e.Error.Code != fault.InvalidInput {
		t.Errorf("without what is required: %s", e.Text())
	}
	for line, want := range map[string]string{
		"s --value 0.8": `{"sessionId":"s","value":0.8}`, "s --value -1e3": `{"sessionId":"s","value":-1e3}`,
		"s --value red": `{"sessionId":"s","value":"red"}`, "s --value 0x10": `{"sessionId":"s","value":"0x10"}`,
		"7 --value true": `{"sessionId":"7","value":"true"}`, "s --value NaN": `{"sessionId":"s","value":"NaN"}`,
	} {
		input, err := op.ParseArgs(o, strings.Fields(line))
		if raw, _ := json.Marshal(input); err != nil || string(raw) != want {
			t.Errorf("%s: %s, %v", line, raw, err)
		}
	}
	if raw, _ := json.Marshal(o.InputSchema().Properties["value"]); string(raw) != `{"description":"any value"}` {
		t.Errorf("%s", raw)
	}
}
