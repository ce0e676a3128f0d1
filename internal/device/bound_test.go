package device

import (
	"testing"

	"ios-agent/internal/ui"
)

// A huge tree keeps its first elements, and says how many it lost.
func TestHugeTreeIsBounded(t *testing.T) {
	for _, many := range []int{10, MostNodes, MostNodes + 1, 40_000, 300_000} {
		root := &ui.Node{Type: "Application"}
		list := &ui.Node{Type: "Table"}
		root.Children = []*ui.Node{list}
		for len(list.Children) < many-2 {
			list.Children = append(list.Children, &ui.Node{Type: "Button"})
		}
		last := &ui.Node{Type: "Button"}
		root.Children = append(root.Children, last)
		left := Bound(root)
		if kept, want := size(root), min(many+1, MostNodes); kept != want || left != many+1-want {
			t.Errorf("of %d elements got %d kept and %d left out, want %d and %d", many+1, kept, left, want, many+1-want)
		}
	}
	for _, c := range []struct{ known, more, want int }{{0, 0, 0}, {-1, 0, -1}, {-1, 7, 7}, {3, 4, 7}} {
		if got := LeftOut(c.known, c.more); got != c.want {
			t.Errorf("LeftOut(%d, %d): got %d, want %d", c.known, c.more, got, c.want)
		}
	}
}
