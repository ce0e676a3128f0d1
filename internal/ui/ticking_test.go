package ui_test

import (
	"testing"
	"time"

	"ios-agent/internal/ui"
)

// dial is a screen with a text, and whatever else.
func dial(id, label string, more ...*ui.Node) *ui.Screen {
	n := at(text(label), 200)
	n.Identifier = id
	return screen(app(append([]*ui.Node{bar("Watch"), n}, more...)...))
}

// second is a clock's second after an input.
var second = ui.Span{From: time.Second, To: time.Second}

func TestOnlyContinuingTextIsTicking(t *testing.T) {
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
		pulse := refs.Suspect(phone, c.before, c.after, ui.Span{})
		if got := pulse != nil; got != c.suspect {
			t.Errorf("%s: suspected is %t", c.name, got)
		}
		if pulse == nil {
			continue
		}
		pulse.See(c.later, second)
		if ticking, _ := refs.Judge(pulse, c.later); ticking != c.ticking {
			t.Errorf("%s: ticking is %t", c.name, ticking)
		}
	}
}

func TestRestedTextIsSuspectedAgainAfterMoving(t *testing.T) {
	refs := &ui.Refs{}
	one, two, three := dial("n", "Cart: 1"), dial("n", "Cart: 2"), dial("n", "Cart: 3")
	refs.Judge(refs.Suspect(phone, one, two, ui.Span{}), two)
	if refs.Suspect(phone, two, three, ui.Span{}) != nil {
		t.Error("it rested, and is suspected")
	}
	if refs.Suspect("another", two, three, ui.Span{}) == nil {
		t.Error("it did not rest on another device")
	}
	refs.Drifted(phone, two, three)
	if refs.Suspect(phone, three, dial("n", "Cart: 4"), ui.Span{}) == nil {
		t.Error("it moved while nobody acted, and is trusted")
	}
}
