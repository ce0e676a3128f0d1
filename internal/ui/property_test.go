package ui_test

import (
	"fmt"
	"slices"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/uitree"
)

// TestRefsStayUniqueUnderManyChanges: over 100,000 changes no ref is ever given to a second element, none is given out twice on
// one screen, and none that still resolves finds an element it was not given for.
func TestRefsStayUniqueUnderManyChanges(t *testing.T) {
	changes := 100_000
	if testing.Short() {
		changes = 5_000
	}
	f := uitree.NewForest(1)
	refs := &ui.Refs{}
	given := map[string]int{}
	var order []string
	for done := 0; done < changes; {
		for range 1 + f.IntN(15) {
			f.Change()
			done++
		}
		root, serials := f.Draw()
		s := screen(root)
		for range min(4, len(order)) { // mostly the latest: the old ones are long gone
			ref := order[len(order)-1-f.IntN(min(len(order), 150))]
			n, err := refs.Resolve(ref, phone, s)
			switch {
			case err == nil && serials[n] != given[ref]:
				t.Fatalf("after %d changes: ref %s of %d now means %d, %s", done, ref, given[ref], serials[n], n.Describe())
			case err != nil && !fault.Is(err, fault.RefExpired):
				t.Fatal(err)
			}
		}
		taken := map[string]bool{}
		root.Walk(func(n *ui.Node) bool {
			ref := refs.Name(phone, s, n)
			old, known := given[ref]
			if taken[ref] || known && old != serials[n] {
				t.Fatalf("after %d changes: ref %s of %d is given to %d, %s", done, ref, old, serials[n], n.Describe())
			}
			if n2, err := refs.Resolve(ref, phone, s); err != nil || n2 != n { // on the screen it was given on
				t.Fatalf("after %d changes: ref %s does not find its own element: %v", done, ref, err)
			}
			taken[ref] = true
			if !known {
				given[ref] = serials[n]
				order = append(order, ref)
			}
			return true
		})
	}
	if len(order) < changes/20 {
		t.Errorf("only %d refs were given out: the test tests little", len(order))
	}
}

// TestDiffIsComplete: every element of two looks is in both, or came, or went; and what is in both is alike but for the changes.
func TestDiffIsComplete(t *testing.T) {
	f := uitree.NewForest(2)
	before, _ := f.Draw()
	for step := range 3000 {
		for range f.IntN(12) {
			f.Change()
		}
		after, _ := f.Draw()
		was, now := screen(before), screen(after)
		d := ui.Compare(was, now)
		stayed := map[*ui.Node]bool{}
		for _, n := range now.Nodes() {
			old := d.Partner[n]
			if (old == nil) != slices.Contains(d.Added, n) || stayed[old] && old != nil {
				t.Fatalf("step %d: %s is both new and known, or neither, or one of two", step, n.Describe())
			}
			stayed[old] = true
			if old != nil && !slices.Contains(d.Nodes(), n) && (old.Label != n.Label || old.Value != n.Value || old.Frame != n.Frame) {
				t.Fatalf("step %d: the change of %s is not told", step, n.Describe())
			}
		}
		for _, n := range was.Nodes() {
			if stayed[n] == slices.Contains(d.Removed, n) {
				t.Fatalf("step %d: %s is both gone and there, or neither", step, n.Describe())
			}
		}
		before = after
	}
	same := ui.Compare(screen(before), screen(before))
	if len(same.Added)+len(same.Removed)+len(same.Changed)+same.Moved > 0 {
		t.Errorf("a tree differs from itself: %+v", same)
	}
}

// TestRefsStayBounded: a session of many screens does not grow, and its oldest refs expire.
func TestRefsStayBounded(t *testing.T) {
	refs := &ui.Refs{}
	first := screen(app(bar("0"), button("Go", 100)))
	oldest := refs.Name(phone, first, find(t, first.Root, "Go"))
	sizes := []int{}
	for step := range 10_000 {
		s := screen(app(bar(fmt.Sprint(step)), button(fmt.Sprintf("Go %d", step), 100), button("Twin", 200), button("Twin", 300)))
		outline.Of(s, outline.Choice{}, phone, refs)
		refs.Remember(phone, s)
		if step%2500 == 2499 {
			sizes = append(sizes, refs.Size())
		}
	}
	if sizes[0] > 11_000 || slices.Max(sizes) > 11_000 {
		t.Errorf("the memory grows: %v", sizes)
	}
	if _, err := refs.Resolve(oldest, phone, first); reason(err) != "expired" {
		t.Errorf("the oldest ref: %v (%v)", err, reason(err))
	}
}
