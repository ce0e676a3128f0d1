package op

import (
	"context"
	"testing"

	"ios-agent/internal/fault"
)

// TestOperationsThatRunUnattendedRefuseServers: a client approves a verb with all its flags, so a flag that names a server is refused.
func TestOperationsThatRunUnattendedRefuseServers(t *testing.T) {
	type in struct {
		UDID string `json:"udid,omitempty" doc:"the device"`
	}
	look := New(Spec{Name: "look", Groups: []string{"ui"}, Summary: "Look", Short: []Short{
		{Flag: "wda-url", Default: "wdaUrl", Needs: "udid", Doc: "where it is", Elsewhere: "name it for the session"},
	}}, func(context.Context, *Call, in) (struct{}, error) { return struct{}{}, nil })
	raw := []byte(`{"wdaUrl":"http://x"}`)
	_, read := look.Read(raw)
	ran := NewCatalogue([]Op{look}, Options{}).Run(t.Context(), "look", Call{}, raw)
	if ran.Error == nil {
		t.Fatalf("Run = %s, want %s", ran.Text(), fault.Forbidden)
	}
	for name, err := range map[string]error{"Run": ran.Error, "Check": look.Check(&Call{}, raw), "Read": read} {
		if f := fault.From(err); err == nil || f.Code != fault.Forbidden || f.Hint != "name it for the session" {
			t.Errorf("%s = %v, want %s and how else to name the server", name, err, fault.Forbidden)
		}
	}
	for _, blank := range []string{`{"wdaUrl":null}`, `{"wdaUrl":""}`} {
		if err := look.Check(&Call{}, []byte(blank)); err != nil {
			t.Errorf("%s: %v, want it taken: nothing is named", blank, err)
		}
	}
	look.Hints = Executes
	if err := look.Check(&Call{}, raw); err != nil {
		t.Errorf("an operation that is asked about: %v, want it taken", err)
	}
}

// TestEmptyValueFulfilsARequirement: a pointer tells absent from empty, and an empty value takes a setting back. A blank of any other field
// counts as not given.
func TestEmptyValueFulfilsARequirement(t *testing.T) {
	type in struct {
		Only   *string   `json:"only,omitempty" doc:"the one host"`
		Bypass *[]string `json:"bypass,omitempty" doc:"hosts"`
		Name   string    `json:"name,omitempty" doc:"a name"`
	}
	set := New(Spec{Name: "set_it", Groups: []string{"network"}, Summary: "Set", Require: [][]string{{"only", "bypass", "name"}}},
		func(context.Context, *Call, in) (struct{}, error) { return struct{}{}, nil })
	for input, ok := range map[string]bool{
		`{"only":""}`: true, `{"bypass":""}`: true, `{"bypass":[]}`: true, `{"name":"x"}`: true,
		`{}`: false, `{"name":""}`: false, `{"only":null}`: false,
	} {
		if err := set.Check(&Call{}, []byte(input)); (err == nil) != ok {
			t.Errorf("%s: %v, want it taken: %v", input, err, ok)
		}
	}
}

// TestInputsThatReachCallForAQuestion: an operation with an input that sends requests elsewhere does not run unattended.
func TestInputsThatReachCallForAQuestion(t *testing.T) {
	type in struct {
		Upstream string `json:"upstream,omitempty" doc:"a proxy" reaches:"true"`
	}
	set := New(Spec{Name: "set_it", Groups: []string{"network"}, Summary: "Set"},
		func(context.Context, *Call, in) (struct{}, error) { return struct{}{}, nil })
	if set.Unattended() {
		t.Error("Unattended = true, want false")
	}
}
