package ui

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Screen is one look at an app: the tree and the circumstances of the look.
type Screen struct {
	App       string // bundle id of the app in front
	State     string // running_foreground, …
	Cover     string // bundle id of a system process that covers it; empty: none
	Digest    string // the source's digest for comparing two looks; empty: none
	Ended     string // the app shown before, if it has exited, and why; empty: none
	Root      *Node
	NoPage    string        // why the page of a web view is missing; empty: all pages are present, or were not requested
	Truncated int           // elements the agent left out
	Unsure    bool          // the source cannot list all overlays: a seemingly free element may be covered
	Settled   bool          // false: still moving when the look ended
	Quiet     bool          // not settled, but still except for elements that never stop moving
	Waited    time.Duration // how long the look took, by the source's clock
	At        time.Time     // when it ended

	looked time.Duration // how long the session has looked at the device when it ended

	*tree
	grid *grid // nil for a remembered screen
}

// NewScreen computes parents, visibility, covers and identities of a tree. The tree must not change afterwards.
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

// viewport is the visible area: the frame of the outermost element that has one. A tree without any frame has no bounds.
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

// link numbers the nodes, sets parents and computes the visible part of each.
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

// Rank is the place of a node among the elements with the same source, type, identifier and label, in document order.
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

// Hash names the content of the screen, frames included: two looks with the same hash showed the same.
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

// digest is the visible content of an element, for the screen's hash.
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

// Title is the screen's title: the topmost modal's or navigation bar's label or identifier, else the app's name.
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

// AppName is the app's name; empty when the tree lacks it. SpringBoard's name is one space.
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

// Modal is the topmost alert or sheet, or nil.
func (s *Screen) Modal() *Node {
	return s.last(func(n *Node) bool { return modals[n.Type] && n.Visible() })
}

// Presented is the layer over the app's own screen: the topmost alert or dialog, or the content of a sheet or popover. A page sheet has no
// type of its own; the dismiss region that UIKit lays beside its content reveals it. Nil if the app shows its own screen.
func (s *Screen) Presented() *Node {
	if m := s.Modal(); m != nil {
		return m
	}
	if i := slices.IndexFunc(s.front.content, (*Node).Visible); i >= 0 {
		return s.front.content[i]
	}
	return nil
}

// Keyboard is the on-screen keyboard; nil when it is hidden.
func (s *Screen) Keyboard() *Node {
	return s.last(func(n *Node) bool { return n.Type == "Keyboard" && n.Visible() })
}

// Focused is the element that receives typed text, or nil.
func (s *Screen) Focused() *Node { return s.last(func(n *Node) bool { return n.Focused }) }

func (s *Screen) last(is func(*Node) bool) *Node {
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if is(s.nodes[i]) {
			return s.nodes[i]
		}
	}
	return nil
}
