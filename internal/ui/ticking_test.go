package ui_test

import (
	"testing"

	"ios-agent/internal/ui"
)

// dial is a screen with a text, and whatever else.
func dial(id, label string, more ...*ui.Node) *ui.Screen {
	n := at(text(label), 200)
	n.Identifier = id
	return screen(app(append([]*ui.Node{bar("Watch"), n}, more...)...))
}

func TestOnlyATextThatGoesOnByItselfIsTicking(t *testing.T) {
	for _, c := range []struct {
		name                 string
		before, after, later *ui.Screen
		suspect, ticking     bool
	}{
		{"a counter", dial("n", "Count: 9"), dial("n", "Count: 10"), dial("n", "Count: 11"), true, true},
		{"a clock without an identifier", dial("", "12:00:58"), dial("", "12:00:59"), dial("", "12:01:00"), true, true},
		{"a count that rests", dial("n", "Cart: 0"), dial("n", "Cart: 1"), dial("n", "Cart: 1"), true, false},
		{"other words", dial("n", "Cart: 0"), dial("n", "Sold: 1"), dial("n", "Sold: 2"), false, false},
		{"something else, too", dial("n", "1"), dial("n", "2", button("Buy", 300)), dial("n", "3", button("Buy", 300)), false, false},
		{"something else, later", dial("n", "1"), dial("n", "2"), dial("n", "3", button("Buy", 300)), true, false},
		{"nothing", dial("n", "1"), dial("n", "1"), dial("n", "2"), false, false},
	} {
		refs := &ui.Refs{}
		if got := refs.Suspects(phone, c.before, c.after); got != c.suspect {
			t.Errorf("%s: suspected is %t", c.name, got)
		} else if got && refs.Ticking(phone, c.before, c.after, c.later) != c.ticking {
			t.Errorf("%s: ticking is %t", c.name, !c.ticking)
		}
	}
}

func TestATextThatRestedIsSuspectedAgainOnlyWhenItMoved(t *testing.T) {
	refs := &ui.Refs{}
	one, two, three := dial("n", "Cart: 1"), dial("n", "Cart: 2"), dial("n", "Cart: 3")
	refs.Ticking(phone, one, two, two)
	if refs.Suspects(phone, two, three) {
		t.Error("it rested, and is suspected")
	}
	if !refs.Suspects("another", two, three) {
		t.Error("it did not rest on another device")
	}
	refs.Drifted(phone, two, three)
	if !refs.Suspects(phone, three, dial("n", "Cart: 4")) {
		t.Error("it moved while nobody acted, and is trusted")
	}
}
