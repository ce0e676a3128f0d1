package terms_test

import (
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/text/terms"
)

// Words of one meaning are one term, whatever their ending.
func TestWordEndingsGiveSameTerm(t *testing.T) {
	for _, same := range []string{
		"swipe swipes swiped swiping Swipe", "tap taps tapped tapping", "log logs logged logging", "install installs installed",
		"crash crashes crashed", "device devices", "press presses pressed pressing", "copy copies", "type types typed typing",
	} {
		words := strings.Fields(same)
		for _, word := range words[1:] {
			if got, want := terms.Of(word), terms.Of(words[0]); !slices.Equal(got, want) {
				t.Errorf("%s is %v, %s is %v", word, got, words[0], want)
			}
		}
	}
	if got := terms.Of("start_sim_log_cap: what is the"); !slices.Equal(got, []string{"start", "sim", "log", "cap"}) {
		t.Errorf("%v", got)
	}
	if !slices.Contains(terms.Synonyms(terms.Of("ended")[0]), terms.Of("crash")[0]) {
		t.Error("an app that ended may have crashed")
	}
	if got := terms.Of(strings.Repeat("long ", 10_000)); len(got) > 400 {
		t.Errorf("%d terms of one text", len(got))
	}
}
