package op_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

type buildIn struct {
	Scheme string   `json:"scheme,omitempty" doc:"the scheme"`
	Args   []string `json:"args,omitempty" doc:"arguments"`
	Quiet  bool     `json:"quiet,omitempty" doc:"no warnings" default:"true"`
}

// TestMissingInputsAreCompletedBeforeDecoding: a completer sees the raw input, so that an empty list and an absent one
// differ, and a field's own default counts only when the completer has nothing.
func TestMissingInputsAreCompletedBeforeDecoding(t *testing.T) {
	complete := func(c *op.Call, fields []op.Field, given op.Input) (op.Completed, error) {
		done := op.Completed{Input: op.Input{
			"scheme": json.RawMessage(`"Shop"`), "args": json.RawMessage(`["-v"]`), "quiet": json.RawMessage("false"),
		}}
		for name, raw := range given {
			done.Input[name] = raw
		}
		if _, ok := given["scheme"]; !ok {
			done.Sources = map[string]string{"scheme": "session " + c.Session}
		}
		return done, nil
	}
	var got buildIn
	var sources map[string]string
	s := op.Spec{Name: "probe", Groups: []string{"test"}, Summary: "Look", Complete: complete}
	c := op.NewCatalogue([]op.Op{op.New(s, func(_ context.Context, c *op.Call, in buildIn) (struct{}, error) {
		got, sources = in, c.Sources
		return struct{}{}, nil
	})}, op.Options{})
	e := c.Run(t.Context(), "probe", op.Call{Session: "s"}, nil)
	if e.Error != nil || got.Scheme != "Shop" || len(got.Args) != 1 || got.Quiet || sources["scheme"] != "session s" {
		t.Errorf("%+v %v %v", got, sources, e.Error)
	}
	e = c.Run(t.Context(), "probe", op.Call{}, []byte(`{"args":[],"scheme":"Own"}`))
	if e.Error != nil || got.Scheme != "Own" || len(got.Args) != 0 || sources["scheme"] != "" {
		t.Errorf("%+v %v %v", got, sources, e.Error)
	}
	if e := c.Run(t.Context(), "probe", op.Call{}, []byte(`{"quiet":"perhaps"}`)); e.Error == nil || e.Error.Code != fault.InvalidInput {
		t.Errorf("a wrong value of the caller's was hidden by a default: %v", e.Error)
	}
}

func TestVerbAndRouteComeFromTheName(t *testing.T) {
	none := func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil }
	spec := func(name, family string) op.Spec {
		return op.Spec{Name: name, Family: family, Groups: []string{"test"}, Summary: "Look"}
	}
	hidden := spec("hidden_one", "")
	hidden.Verb, hidden.Route = op.None, op.None
	c := op.NewCatalogue([]op.Op{
		op.New(spec("tap", "xcode"), none), op.New(spec("tap", ""), none), op.New(spec("build_sim", "xcode"), none), op.New(hidden, none),
	}, op.Options{})
	for i, want := range [][3]string{
		{"xcode tap", "POST /api/v1/xcode/tap", ""}, {"tap", "POST /api/v1/core/tap", ""},
		{"xcode build-sim", "POST /api/v1/xcode/build_sim", "build-sim"}, {"", "", ""},
	} {
		if o := c.Ops()[i]; o.Verb != want[0] || o.Route != want[1] || strings.Join(o.Aliases, " ") != want[2] {
			t.Errorf("%s: verb %q, route %q, aliases %q, want %q", o.Name, o.Verb, o.Route, o.Aliases, want)
		}
	}
	if o := c.Ops()[2]; !o.Called("build-sim") || !o.Called("xcode build-sim") || c.Ops()[0].Called("tap") || c.Ops()[3].Called("") {
		t.Error("an operation is called by its verb and its aliases, and by nothing else")
	}
}
