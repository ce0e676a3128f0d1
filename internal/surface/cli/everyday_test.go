package cli

import (
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
)

// TestEverydayVerbsExist: the first page of help names verbs of operations, and two commands that are none.
func TestEverydayVerbsExist(t *testing.T) {
	all := product.Catalogue().Ops()
	for _, part := range everyday {
		for word := range strings.FieldsSeq(part.verbs) {
			if !slices.ContainsFunc(all, func(o op.Op) bool { return o.Verb == word }) && word != "demo" && word != "init" {
				t.Errorf("%s: there is no verb %s", part.heading, word)
			}
		}
	}
}

// TestInsteadFlagsAcceptInputsOfVerb: the operation that a flag stands for exists and takes what the verb takes, and no input has the
// flag's name. What a verb's flag has to leave out says so (Op.Instead); launch --restart means nothing where each launch is a new one.
func TestInsteadFlagsAcceptInputsOfVerb(t *testing.T) {
	catalogue := product.Catalogue()
	left := []string{"launch_app restart"}
	seen := 0
	for _, o := range catalogue.Ops() {
		for _, i := range o.Instead {
			seen++
			other, err := catalogue.Lookup(i.Op)
			if err != nil {
				t.Fatalf("%s --%s: %v", o.Verb, i.Flag, err)
			}
			for _, f := range o.Fields() {
				has := func(of op.Field) bool { return of.Name == f.Name && of.Kind == f.Kind }
				if f.Flag() == i.Flag || !slices.ContainsFunc(other.Fields(), has) && !slices.Contains(left, o.Name+" "+f.Name) {
					t.Errorf("%s --%s: got no input %s of %s, want the inputs of the verb", o.Verb, i.Flag, f.Name, other.Name)
				}
			}
		}
	}
	if seen < 2 {
		t.Errorf("got %d flags of other operations, want those of run and launch", seen)
	}
}
