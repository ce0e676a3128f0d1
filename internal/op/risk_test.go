package op

import (
	"context"
	"fmt"
	"strings"
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

// TestRiskyInputTypesPreventUnattendedRuns: an operation with an input of a risky type does not run unattended, whatever else it is; a
// pointer to one risks the same. A text, a number, a switch and a list of texts risk nothing.
func TestRiskyInputTypesPreventUnattendedRuns(t *testing.T) {
	for want, o := range map[Risk]Op{
		NamesFile:   riskOp[Path](),
		NamesServer: riskOp[Address](),
		Redirects:   riskOp[*Redirect](),
		RunsCode:    riskOp[Argv](),
		LosesData:   riskOp[Overwrite](),
		"":          riskOp[[]string](),
	} {
		if got := o.Fields()[0].Risk; got != want || o.Unattended() != (want == "") {
			t.Errorf("got the risk %q and Unattended = %v, want %q", got, o.Unattended(), want)
		}
	}
	for want, o := range map[Risk]Op{RunsCode: riskOp[Code](), LosesData: riskOp[Loss](), NamesServer: riskOp[parted](), "": riskOp[bool]()} {
		if got := o.Fields()[0].Risk; got != want {
			t.Errorf("got the risk %q, want %q", got, want)
		}
	}
}

// parted is an object of which one part names a server.
type parted Object

func (parted) Parts() any {
	return struct {
		Body string   `json:"body"`
		URL  *Address `json:"url"`
	}{}
}

func riskOp[T any]() Op {
	type in struct {
		Value T `json:"value,omitempty" doc:"a value"`
	}
	return New(Spec{Name: "set_it", Groups: []string{"network"}, Summary: "Set"},
		func(context.Context, *Call, in) (struct{}, error) { return struct{}{}, nil })
}

// TestTagCannotSetRisk: a declaration with the former tags panics and names the field.
func TestTagCannotSetRisk(t *testing.T) {
	type in struct {
		Upstream string `json:"upstream,omitempty" doc:"a proxy" reaches:"true"`
	}
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "upstream") && !strings.Contains(said, "Upstream") {
			t.Errorf("got %s, want a panic that names the field", said)
		}
	}()
	New(Spec{Name: "set_it", Groups: []string{"network"}, Summary: "Set"},
		func(context.Context, *Call, in) (struct{}, error) { return struct{}{}, nil }).Fields()
}
