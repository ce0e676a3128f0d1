package ui

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Screen is one look at an app: the tree and what was known about the moment.
type Screen struct {
	App       string // bundle id of the app in front
	State     string // running_foreground, …
	Cover     string // bundle id of a system process that shows something over it; empty: none does
	Digest    string // by which the one who looked compares two looks; empty: it cannot
	Ended     string // an app that was shown before and does not run any more, and why; empty: none
	Root      *Node
	NoPage    string        // why the page of a web view is not shown; empty: all are, or nobody looked for one
	Truncated int           // elements the agent left out
	Unsure    bool          // who looked is not told all that lies over the app: what seems free may be covered
	Settled   bool          // false: still moving when the look ended
	Quiet     bool          // not settled, but still except for what never stops moving
	Waited    time.Duration // how long the look took, by the clock of who looked
	At        time.Time     // when it ended

	looked time.Duration // how long the session has looked at the device when it ended

	*tree
	grid *grid // nil for a screen that is remembered
}

// NewScreen prepares a tree for questions: parents, visibility, covers, identities. The tree must not change after.
func NewScreen(app, state string, root *Node) *Screen {
	s := &Screen{App: oneLine(app), State: state, Root: root, Settled: true, tree: &tree{}}
	if root == nil {
		s.hash = "empty"
		return s
	}
	s.link(root, nil, viewport(root))
	s.weigh()
	s.cover()
	s.identify()
	s.hash = s.fingerprint()
	s.bytes = s.measure()
	return s
}

// viewport is what can be seen at all: the frame of the outermost element that has one. A tree without any frame has
// no bounds.
func viewport(root *Node) Rect {
	for n := root; n != nil; n = n.Children[0] {
		if !n.Frame.Empty() {
			return n.Frame
		}
		if len(n.Children) == 0 {
			break
		}
	}
	const far = 1e9
	return Rect{-far, -far, 2 * far, 2 * far}
}

// link numbers the nodes, sets parents and works out what lies within the screen.
func (s *Screen) link(n, parent *Node, clip Rect) {
	n.parent, n.order, n.depth, n.covered, n.sheet = parent, int32(len(s.nodes)), 0, nil, ""
	if parent != nil {
		n.depth = parent.depth + 1
	}
	s.nodes = append(s.nodes, n)
	n.seen = n.Frame.Intersect(clip)
	if kinds[n.Type].clips && !n.Unplaced {
		clip = n.seen
	}
	for _, c := range n.Children {
		s.link(c, n, clip)
	}
}

// Nodes are all elements, in document order.
func (s *Screen) Nodes() []*Node {
	if s.Root != nil && s.Root.Made {
		return s.nodes[1:]
	}
	return s.nodes
}

// Rank is the place of a node among the elements with its type, identifier and label that have its source, in document order.
func (s *Screen) Rank(n *Node) (rank int) {
	for _, other := range s.Nodes() {
		if other == n {
			break
		}
		if other.Source == n.Source && other.Type == n.Type && other.Identifier == n.Identifier && other.Label == n.Label {
			rank++
		}
	}
	return rank
}

// Hash names what the screen shows, frames included: two looks with one hash showed the same.
func (s *Screen) Hash() string { return s.hash }

func (s *Screen) fingerprint() string {
	h := fnv.New64a()
	var line []byte
	for _, n := range s.nodes {
		if kinds[n.Type].ambient {
			continue
		}
		line = n.digest(line[:0])
		h.Write(line)
	}
	return fmt.Sprintf("%08x", uint32(h.Sum64()^h.Sum64()>>32))
}

// digest is what an element shows, for the screen's hash.
func (n *Node) digest(b []byte) []byte {
	for _, text := range [...]string{n.Type, n.Identifier, n.Label, n.Value, n.Placeholder} {
		b = append(append(b, text...), 0)
	}
	for _, state := range [...]bool{n.Disabled, n.Focused, n.Selected, n.Hidden} {
		b = strconv.AppendBool(b, state)
	}
	for _, edge := range [...]float64{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H, float64(len(n.Children))} {
		b = append(strconv.AppendFloat(b, edge, 'g', -1, 64), ' ')
	}
	return append(b, 0)
}

// Title is what the screen calls itself: the topmost modal's or navigation bar's label or identifier, else the app's
// name.
func (s *Screen) Title() string {
	if m := s.Modal(); m != nil && m.Name() != "" {
		return m.Name()
	}
	return s.barTitle(func(*Node) bool { return true })
}

// Beneath is the title of the app's own screen, whatever is presented over it.
func (s *Screen) Beneath() string { return s.barTitle(func(n *Node) bool { return !s.layered(n) }) }

func (s *Screen) barTitle(counts func(*Node) bool) string {
	if bar := s.last(func(n *Node) bool { return n.Type == "NavigationBar" && n.Visible() && n.Name() != "" && counts(n) }); bar != nil {
		return bar.Name()
	}
	if name := s.AppName(); name != "" {
		return name
	}
	return s.App
}

// AppName is what the app calls itself; empty when the tree does not say. SpringBoard's name is one space.
func (s *Screen) AppName() string {
	if s.Root == nil {
		return ""
	}
	for _, n := range append([]*Node{s.Root}, s.Root.Children...) {
		if n.Type == "Application" && strings.TrimSpace(n.Label) != "" {
			return n.Label
		}
	}
	return ""
}

// Modal is the topmost alert or sheet; nil when there is none.
func (s *Screen) Modal() *Node {
	return s.last(func(n *Node) bool { return modals[n.Type] && n.Visible() })
}

// Presented is what is presented over the app's own screen: the topmost alert or dialog, or the content of a sheet or popover. A page
// sheet has no type of its own: it is known by the dismiss region that UIKit lays beside its content. Nil when nothing is presented.
func (s *Screen) Presented() *Node {
	if m := s.Modal(); m != nil {
		return m
	}
	if i := slices.IndexFunc(s.front.content, (*Node).Visible); i >= 0 {
		return s.front.content[i]
	}
	return nil
}

// Keyboard is the on-screen keyboard; nil when it is down.
func (s *Screen) Keyboard() *Node {
	return s.last(func(n *Node) bool { return n.Type == "Keyboard" && n.Visible() })
}

// Focused is the element that takes what is typed; nil when none does.
func (s *Screen) Focused() *Node { return s.last(func(n *Node) bool { return n.Focused }) }

func (s *Screen) last(is func(*Node) bool) *Node {
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if is(s.nodes[i]) {
			return s.nodes[i]
		}
	}
	return nil
}
