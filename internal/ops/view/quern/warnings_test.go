package quern

import (
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/telemetry/builds"
)

// TestSimilarWarningsAreGrouped: what differs in few words is one group, under the message of the first.
func TestSimilarWarningsAreGrouped(t *testing.T) {
	for name, c := range map[string]struct {
		messages []string
		want     string // count and message, by semicolons
	}{
		"none":     {nil, ""},
		"equal":    {[]string{"unused variable", "unused variable"}, "2 unused variable"},
		"one of 5": {[]string{"variable 'a' was never used", "variable 'b c' was never used"}, "2 variable 'a' was never used"},
		"two of 5": {[]string{"a b c d e", "a b c x y"}, "1 a b c d e;1 a b c x y"},
		"3 of 10":  {[]string{"a b c d e f g h i j", "a b c d e f g x y z"}, "2 a b c d e f g h i j"},
		"other":    {[]string{"a b c d", "a b c"}, "1 a b c d;1 a b c"},
		"frequent": {[]string{"alone here", "x y z w", "x y z w"}, "2 x y z w;1 alone here"},
		"best fits": {
			[]string{"a b c d e f g h i j", "a b c d e f w x y z", "a b c d e f g x y z"}, "2 a b c d e f w x y z;1 a b c d e f g h i j",
		},
		// A word that stands for any already counts: groups do not grow into everything.
		"no chain":   {[]string{"a b c d", "a b c x", "a b y x"}, "2 a b c d;1 a b y x"},
		"apostrophe": {[]string{"it isn't so at all now", "it isn't so at all then"}, "2 it isn't so at all now"},
	} {
		var all []builds.Diagnostic
		for i, m := range c.messages {
			all = append(all, builds.Diagnostic{File: fmt.Sprintf("/p/F%d.swift", i), Message: m})
		}
		var got []string
		for _, g := range groups(all) {
			got = append(got, fmt.Sprintf("%d %s", g.Count, g.Message))
		}
		if strings.Join(got, ";") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWarningGroupListsAtMostFiveFiles: each once, by its last part, and not more than five.
func TestWarningGroupListsAtMostFiveFiles(t *testing.T) {
	var all []builds.Diagnostic
	for i := range 9 {
		all = append(all, builds.Diagnostic{File: fmt.Sprintf("/p/F%d.swift", i/2), Message: "same"}, builds.Diagnostic{Message: "same"})
	}
	got := groups(all)
	if len(got) != 1 || got[0].Count != 18 || strings.Join(got[0].Files, " ") != "F0.swift F1.swift F2.swift F3.swift F4.swift" {
		t.Errorf("%+v", got)
	}
}
