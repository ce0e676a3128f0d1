package parse_test

import (
	"bytes"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/text/parse"
)

func starts(with string, certain int) func([]byte) int {
	return func(b []byte) int {
		if bytes.HasPrefix(b, []byte(with)) {
			return certain
		}
		return 0
	}
}

func TestFindPrefersMostCertainKind(t *testing.T) {
	kinds := parse.Kinds{
		{Name: "json", Sniff: starts("{", 10)}, {Name: "tree", Sniff: starts(`{"tree"`, 90)}, {Name: "other", Sniff: starts(`{"tree"`, 90)},
	}
	for input, want := range map[string]string{`{"tree":1}`: "tree", `{}`: "json"} {
		if k, err := kinds.Find("", []byte(input)); err != nil || k.Name != want {
			t.Errorf("%s is taken for %s, %v", input, k.Name, err)
		}
	}
	if k, err := kinds.Find("other", []byte("anything")); err != nil || k.Name != "other" {
		t.Errorf("a kind that was named: %s, %v", k.Name, err)
	}
	if _, err := kinds.Find("", []byte("hello")); !fault.Is(err, fault.ParseFailed) ||
		!strings.Contains(fault.From(err).Hint, "json, tree, other") {
		t.Errorf("nothing fits: %v", err)
	}
	if _, err := kinds.Find("tre", nil); !fault.Is(err, fault.InvalidInput) || !strings.Contains(fault.From(err).Hint, "did you mean tree?") {
		t.Errorf("a mistyped kind: %v", err)
	}
}
