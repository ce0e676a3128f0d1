package ui_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// thing is an element with a life: it keeps its serial number, which refs know nothing of, through all that happens to
// it. Names are not used again by things that come later: nothing could tell those from the ones that left. But things
// that come together share names.
type thing struct {
	serial   int
	node     ui.Node
	twin     bool // another has its names; only where they are tells them apart
	children []*thing
}

// forest grows and changes a tree at random.
type forest struct {
	*rand.Rand
	root   *thing
	serial int
}

func newForest(seed uint64) *forest {
	f := &forest{Rand: rand.New(rand.NewPCG(seed, 7))}
	f.root = &thing{node: ui.Node{Type: "Application", Label: "Forest", Frame: ui.Rect{W: 400, H: 800}}}
	f.root.children = []*thing{{node: ui.Node{Type: "NavigationBar", Identifier: "Trees", Frame: ui.Rect{W: 400, H: 60}}}}
	return f
}

func (f *forest) all() (things []*thing, parents []*thing) {
	var walk func(t, parent *thing)
	walk = func(t, parent *thing) {
		things, parents = append(things, t), append(parents, parent)
		for _, c := range t.children {
			walk(c, t)
		}
	}
	walk(f.root, nil)
	return things, parents
}

// grow makes things: one with a name of its own, one with a developer's name, two that share one of those, or two that
// nothing tells apart.
func (f *forest) grow() []*thing {
	f.serial++
	kind, name := []string{"Button", "Cell", "Other"}[f.IntN(3)], f.serial
	row := func(label, identifier string) *thing {
		f.serial++
		t := &thing{serial: f.serial, node: ui.Node{Type: kind, Label: label, Identifier: identifier}}
		t.node.Frame = ui.Rect{X: float64(f.IntN(300)), Y: float64(60 + f.IntN(700)), W: 80, H: 30}
		return t
	}
	label, identifier := fmt.Sprintf("Row %d", name), fmt.Sprintf("id-%d", name)
	switch f.IntN(6) {
	case 0:
		return []*thing{row(label, identifier)}
	case 1:
		return []*thing{row(label, identifier), row(label+" too", identifier)}
	case 2:
		return twins(row(label, ""), row(label, ""))
	case 3:
		return twins(row(label, identifier), row(label, identifier))
	}
	return []*thing{row(label, "")}
}

func twins(a, b *thing) []*thing {
	a.twin, b.twin = true, true
	return []*thing{a, b}
}

// change does one thing to the tree.
func (f *forest) change() {
	things, parents := f.all()
	pick := func() int { return 1 + f.IntN(len(things)-1) }
	switch what := f.IntN(10); {
	case len(things) < 8 || what < 3 && len(things) < 40:
		host := things[f.IntN(len(things))]
		host.children = slices.Insert(host.children, f.IntN(len(host.children)+1), f.grow()...)
	case what < 5 && len(things) > 2:
		i := pick()
		parents[i].children = slices.DeleteFunc(parents[i].children, func(t *thing) bool { return t == things[i] })
	case what == 5:
		f.Shuffle(len(f.root.children), func(i, j int) {
			f.root.children[i], f.root.children[j] = f.root.children[j], f.root.children[i]
		})
	case what == 6: // a label changes; what has only a label is another thing then
		t := things[pick()]
		f.serial++
		t.node.Label = fmt.Sprintf("Row %d", f.serial)
		if t.node.Identifier == "" {
			t.serial = f.serial
		}
	case what == 7:
		t := things[pick()]
		t.node.Value, t.node.Disabled, t.node.Focused = fmt.Sprint(f.IntN(3)), f.IntN(2) == 0, f.IntN(9) == 0
	case what == 8:
		things[pick()].node.Frame.Y += float64(f.IntN(40))
	default: // somewhere else in the tree
		i := pick()
		to := things[f.IntN(len(things))]
		if things[i].twin || inside(to, things[i]) {
			return
		}
		parents[i].children = slices.DeleteFunc(parents[i].children, func(t *thing) bool { return t == things[i] })
		to.children = append(to.children, things[i])
	}
}

func inside(t, of *thing) bool {
	return t == of || slices.ContainsFunc(of.children, func(c *thing) bool { return inside(t, c) })
}

// draw makes nodes of the things.
func (f *forest) draw() (*ui.Node, map[*ui.Node]int) {
	serials := map[*ui.Node]int{}
	var copyOf func(*thing) *ui.Node
	copyOf = func(t *thing) *ui.Node {
		n := t.node
		serials[&n] = t.serial
		for _, c := range t.children {
			n.Children = append(n.Children, copyOf(c))
		}
		return &n
	}
	return copyOf(f.root), serials
}

// TestRefsUnderManyChanges: over 100,000 changes no ref is ever given to a second element, none is given out twice on
// one screen, and none that still resolves finds an element it was not given for.
func TestRefsUnderManyChanges(t *testing.T) {
	changes := 100_000
	if testing.Short() {
		changes = 5_000
	}
	f := newForest(1)
	refs := &ui.Refs{}
	given := map[string]int{}
	var order []string
	for done := 0; done < changes; {
		for range 1 + f.IntN(15) {
			f.change()
			done++
		}
		root, serials := f.draw()
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
	f := newForest(2)
	before, _ := f.draw()
	for step := range 3000 {
		for range f.IntN(12) {
			f.change()
		}
		after, _ := f.draw()
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
		s.Outline(phone, refs)
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
