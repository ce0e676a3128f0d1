package desktop_test

import (
	"testing"

	"ios-agent/internal/desktop"
)

// TestOmittedSiblingsCountInElementIDs: elements that a source leaves out count in the ids of their siblings, as the seed has it.
func TestOmittedSiblingsCountInElementIDs(t *testing.T) {
	button := func(key string, shift int) *desktop.Node {
		return &desktop.Node{Role: "button", Title: "Play", Key: key, Shift: shift}
	}
	tree := func(shift int) *desktop.Tree {
		return &desktop.Tree{Windows: []*desktop.Node{{Role: "AXWindow", Title: "UITestApp", Children: []*desktop.Node{button("b", shift)}}}}
	}
	for shift, want := range map[int]string{0: "btn_c3b5", 1: "btn_c202"} { // the seed's vectors of places 0 and 1
		var names desktop.Names
		one := tree(shift)
		names.Name(one)
		if id := one.Windows[0].Children[0].ID; id != want {
			t.Errorf("shift %d: %s", shift, id)
		}
	}
}
