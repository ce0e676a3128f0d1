package pattern_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

// What mitmproxy takes and we refuse, because it means something else than it looks like; testdata/witness.py has them.
var refused = []string{
	"orders&", "~m GET &", "& a", "a | | b", "~c 404abc", "a~q", `"a"b`, `a"b"`, "~tcp", "~marked", "~u a|~q", "a& b", "~u &", "! & a",
	"~c 9x",
}

// What mitmproxy refuses and we take, because it can mean only one thing.
var taken = []string{"(~q)", "(a b)"}

// TestPatternsMatchLikeMitmproxy: mitmproxy itself was asked about hundreds of patterns and said which of the flows they mean.
func TestPatternsMatchLikeMitmproxy(t *testing.T) {
	text, err := os.ReadFile("testdata/witness.json")
	if err != nil {
		t.Fatal(err)
	}
	var witness struct {
		Flows   []flow.Flow
		Answers []struct{ Pattern, Meant string }
	}
	if err := json.Unmarshal(text, &witness); err != nil {
		t.Fatal(err)
	}
	compared, left := 0, map[string]bool{}
	for _, one := range append(refused, taken...) {
		left[one] = true
	}
	for _, a := range witness.Answers {
		p, err := pattern.Parse(a.Pattern)
		if (err == nil) != (a.Meant != "") {
			if !left[a.Pattern] {
				t.Errorf("%s: mitmproxy says %q, ours %v", a.Pattern, a.Meant, err)
			}
			delete(left, a.Pattern)
			continue
		}
		if err != nil {
			continue
		}
		if got := meant(p, witness.Flows); got != a.Meant {
			t.Errorf("%s means %s, to mitmproxy %s", a.Pattern, got, a.Meant)
		}
		compared++
	}
	if compared < 300 {
		t.Errorf("only %d patterns were compared", compared)
	}
	for one := range left {
		t.Errorf("%s is no difference to mitmproxy", one)
	}
}

func meant(p *pattern.Pattern, flows []flow.Flow) string {
	var b strings.Builder
	for i := range flows {
		b.WriteByte("01"[map[bool]int{true: 1}[p.Match(&flows[i])]])
	}
	return b.String()
}
