package agent

import (
	"cmp"
	"math"
	"slices"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// deepest is the maximum depth that a client may request: JSON readers fail on deeper nesting.
const deepest = 1000

// limits bound a tree; zero is the protocol's default.
type limits struct {
	depth, nodes uint32
	lenient      bool // unnamed containers with one child do not count
}

// lookLimits are the limits of version 3.
func lookLimits(l agentwire.Limits) limits {
	return limits{depth: cmp.Or(l.Depth, agentwire.LookDepth), nodes: l.Nodes, lenient: true}
}

// trimmer converts a tree of the world into a tree of the protocol.
type trimmer struct {
	depth   int
	nodes   int // remaining visits
	lenient bool
	level   int                     // present depth in the output
	left    uint32                  // number of nodes not visited
	kept    map[*world.Element]bool // if not nil: the nodes in the output
}

// treeOf returns no tree, the app's tree, or the app's tree with SpringBoard's tree over it. left is the number of nodes omitted by the
// limits.
func treeOf(roots []*world.Element, l limits) ([]agentwire.Element, uint32) {
	if len(roots) == 0 {
		return nil, 0
	}
	t := newTrimmer(l)
	return t.all(roots, 0), t.left
}

// elementOf is treeOf for a requested element, which is never pruned.
func elementOf(e *world.Element) (*agentwire.Element, uint32) {
	t := newTrimmer(limits{})
	t.nodes--
	el := element(e)
	el.Children = t.all(e.Children, 1)
	return &el, t.left
}

func newTrimmer(l limits) *trimmer {
	t := &trimmer{depth: agentwire.DefaultDepth, nodes: agentwire.DefaultNodes, lenient: l.lenient}
	if l.depth > 0 {
		t.depth = int(min(l.depth, deepest))
	}
	if l.nodes > 0 {
		t.nodes = int(l.nodes)
	}
	return t
}

// all converts siblings at a depth. It omits nodes beyond the limits and empty nodes.
func (t *trimmer) all(siblings []*world.Element, depth int) []agentwire.Element {
	kept := make([]agentwire.Element, 0, len(siblings))
	for _, e := range siblings {
		if depth >= t.depth || t.level >= deepest || t.nodes <= 0 {
			t.left += size(e)
			continue
		}
		t.nodes-- // counted before pruning, because the limit is for work done
		below := depth + 1
		if t.lenient && wraps(e) {
			below = depth
		}
		el := element(e)
		t.level++
		el.Children = t.all(e.Children, below)
		t.level--
		if named(e) || (e.Frame.W > 0 && e.Frame.H > 0) || len(el.Children) > 0 {
			kept = append(kept, el)
			if t.kept != nil {
				t.kept[e] = true
			}
		}
	}
	return kept
}

// wraps reports whether e is an unnamed container with one child.
func wraps(e *world.Element) bool {
	return len(e.Children) == 1 && !named(e) && slices.Contains([]string{"Other", "Group", "Window"}, e.Type)
}

// size returns the number of nodes of a tree, at any depth.
func size(root *world.Element) (n uint32) {
	for todo := []*world.Element{root}; len(todo) > 0; n++ {
		last := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], last.Children...)
	}
	return n
}

// element converts one node without its children.
func element(e *world.Element) agentwire.Element {
	el := agentwire.Element{
		Identifier: e.Identifier, Label: e.Label, Value: agentwire.Text(e.Value), Type: e.Type,
		Frame:    agentwire.Frame{X: finite(e.Frame.X), Y: finite(e.Frame.Y), Width: finite(e.Frame.W), Height: finite(e.Frame.H)},
		Selected: e.Selected, Focused: e.Focused, Placeholder: e.Placeholder, Secure: e.Secure,
	}
	if e.Disabled {
		el.Enabled = new(false)
	}
	return el
}

// finite replaces a number that JSON cannot encode: otherwise one odd frame would break the whole tree.
func finite(f float64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return 0
	}
	return f
}
