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
