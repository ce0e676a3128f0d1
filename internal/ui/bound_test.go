package ui

import "testing"

// A huge tree keeps its first elements, and says how many it lost.
func TestHugeTreeIsBounded(t *testing.T) {
	for _, size := range []int{10, MostNodes, MostNodes + 1, 40_000, 300_000} {
		root := at("Application", 0, 0, 400, 800)
		list := at("Table", 0, 0, 400, 800)
		root.Children = []*Node{list}
		for len(list.Children) < size-2 {
			list.Children = append(list.Children, at("Button", 0, 0, 40, 40))
		}
		last := at("Button", 0, 700, 40, 40)
		root.Children = append(root.Children, last)
		left := root.Bound()
		if kept, want := root.size(), min(size+1, MostNodes); kept != want || left != size+1-want {
			t.Errorf("of %d elements got %d kept and %d left out, want %d and %d", size+1, kept, left, want, size+1-want)
		}
	}
	for _, c := range []struct{ known, more, want int }{{0, 0, 0}, {-1, 0, -1}, {-1, 7, 7}, {3, 4, 7}} {
		if got := LeftOut(c.known, c.more); got != c.want {
			t.Errorf("LeftOut(%d, %d): got %d, want %d", c.known, c.more, got, c.want)
		}
	}
}

// A pile of elements at one place is not searched to its bottom for each of them: the topmost one covers all.
func TestCoverOfAPileIsFoundAtItsTop(t *testing.T) {
	root := at("Application", 0, 0, 400, 800)
	for range MostNodes - 1 {
		root.Children = append(root.Children, at("Button", 0, 0, 40, 40))
	}
	NewScreen("a", "running_foreground", root)
	top := root.Children[len(root.Children)-1]
	for i, n := range root.Children[:len(root.Children)-1] {
		if n.Covered() != top {
			t.Fatalf("element %d: got it covered by %v, want by the last", i, n.Covered())
		}
	}
	if top.Covered() != nil {
		t.Error("the last one is covered")
	}
}
