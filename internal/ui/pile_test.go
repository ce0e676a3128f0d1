package ui

import "testing"

// A pile of elements at one place is not searched to its bottom for each of them: the topmost one covers all.
func TestStackedElementsAreCoveredByTopmost(t *testing.T) {
	root := at("Application", 0, 0, 400, 800)
	for range 5000 {
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
