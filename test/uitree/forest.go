package uitree

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ios-agent/internal/ui"
)

// thing is an element with a life: it keeps its serial number, which refs do not use, through all changes. Later things never reuse a
// name, because a reader could not distinguish them from the earlier ones. But things that appear together share names.
type thing struct {
	serial   int
	node     ui.Node
	twin     bool // another has its names; only where they are tells them apart
	children []*thing
}

// Forest grows and changes a tree at random.
type Forest struct {
	*rand.Rand
	root   *thing
	serial int
}

// NewForest is a forest that grows the same for the same seed.
func NewForest(seed uint64) *Forest {
	f := &Forest{Rand: rand.New(rand.NewPCG(seed, 7))}
	f.root = &thing{node: ui.Node{Type: "Application", Label: "Forest", Frame: ui.Rect{W: 400, H: 800}}}
	f.root.children = []*thing{{node: ui.Node{Type: "NavigationBar", Identifier: "Trees", Frame: ui.Rect{W: 400, H: 60}}}}
	return f
}

func (f *Forest) all() (things []*thing, parents []*thing) {
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
func (f *Forest) grow() []*thing {
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

// Change does one thing to the tree.
func (f *Forest) Change() {
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
	case what == 6: // a label changes; a thing with only a label becomes another thing
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

// Draw makes nodes of the things, and tells their serial numbers.
func (f *Forest) Draw() (*ui.Node, map[*ui.Node]int) {
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
