package house_test

import (
	"regexp"
	"slices"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

var refsIn = regexp.MustCompile(`ref=(e[0-9]+)`)

// seen are the refs in an outline or a diff.
func seen(text string) (refs []string) {
	for _, m := range refsIn.FindAllStringSubmatch(text, -1) {
		refs = append(refs, m[1])
	}
	return refs
}

// TestRefsAreNotReusedAfterRestart: a ref of before a restart is expired after it, also when the new daemon has shown another screen
// first, and no number is given to two elements.
func TestRefsAreNotReusedAfterRestart(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("ada", drivertest.Conformance)
	before := seen(h.Must("ada", "snapshot", nil).Text())
	if len(before) < 5 {
		t.Fatalf("only %d refs are on the screen", len(before))
	}
	for round := range 2 {
		h.Restart()
		now := seen(h.Must("ada", "snapshot", nil).Text())
		for _, ref := range now {
			if slices.Contains(before, ref) {
				t.Errorf("restart %d: %s is given out again", round, ref)
			}
		}
		e := h.Call("ada", "tap_element", map[string]string{"ref": "@" + before[4]})
		if e.Error == nil || e.Error.Code != fault.RefExpired {
			t.Errorf("restart %d: tap @%s: %s", round, before[4], e.Text())
		}
		before = append(before, now...)
	}
	// A daemon that ended in order left no gap: long refs cost tokens.
	if last := before[len(before)-1]; len(last) > len("e999") {
		t.Errorf("three short lives led to %s", last)
	}
}

// TestRefsOfEachSessionBeginAtOne: another session's numbers begin at one.
func TestRefsOfEachSessionBeginAtOne(t *testing.T) {
	t.Parallel()
	h := house.New(t, house.Options{Implicit: -1})
	h.Boot("ada", drivertest.Conformance)
	ada, bob := seen(h.Must("ada", "snapshot", nil).Text()), seen(h.Must("bob", "snapshot", nil).Text())
	for name, refs := range map[string][]string{"ada": ada, "bob": bob} {
		if !slices.Contains(refs, "e1") {
			t.Errorf("the refs of %s: %v", name, refs)
		}
	}
}
