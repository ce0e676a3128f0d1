package ui

import (
	"fmt"
	"hash/fnv"
)

// Screen is one look at an app: the tree and what was known about the moment.
type Screen struct {
	App       string // bundle id
	State     string // running_foreground, …
	Root      *Node
	Truncated int  // elements the agent left out
	Settled   bool // false: still moving when the look ended

	nodes      []*Node // in document order
	byIdentity map[identity][]*Node
	hash       string
}

// NewScreen prepares a tree for questions: parents, visibility, covers, identities. The tree must not change after.
func NewScreen(app, state string, root *Node) *Screen {
	s := &Screen{App: app, State: state, Root: root, Settled: true, byIdentity: map[identity][]*Node{}}
	if root == nil {
		s.hash = "empty"
		return s
	}
	s.link(root, nil, root.Frame)
	s.cover()
	s.identify()
	s.hash = s.fingerprint()
	return s
}

// link numbers the nodes, sets parents and works out what lies within the screen.
func (s *Screen) link(n, parent *Node, clip Rect) {
	n.parent, n.order = parent, len(s.nodes)
	s.nodes = append(s.nodes, n)
	n.seen = n.Frame.Intersect(clip)
	if kinds[n.Type].clips {
		clip = n.seen
	}
	for _, c := range n.Children {
		s.link(c, n, clip)
	}
}

// Hash names what the screen shows, frames included: two looks with one hash showed the same.
func (s *Screen) Hash() string { return s.hash }

func (s *Screen) fingerprint() string {
	h := fnv.New64a()
	for _, n := range s.nodes {
		if kinds[n.Type].ambient {
			continue
		}
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%v%v%v%v\x00%v\x00", n.Type, n.Identifier, n.Label, n.Value, n.Disabled, n.Focused, n.Selected, len(n.Children), n.Frame)
	}
	return fmt.Sprintf("%08x", uint32(h.Sum64()^h.Sum64()>>32))
}

// Title is what the screen calls itself: the topmost modal's or navigation bar's label or identifier, else the app's
// name.
func (s *Screen) Title() string {
	if m := s.Modal(); m != nil && m.Name() != "" {
		return m.Name()
	}
	for i := len(s.nodes) - 1; i >= 0; i-- {
		if n := s.nodes[i]; n.Type == "NavigationBar" && n.Visible() && n.Name() != "" {
			return n.Name()
		}
	}
	if s.Root != nil && s.Root.Label != "" {
		return s.Root.Label
	}
	return s.App
}

// Modal is the topmost alert or sheet; nil when there is none.
func (s *Screen) Modal() *Node {
	return s.last(func(n *Node) bool { return modals[n.Type] && n.Visible() })
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

// worthShowing reports whether a line about n tells an agent something. The keys of a keyboard do not: the header says
// that it is up. The text inside a button repeats the button.
func (s *Screen) worthShowing(n *Node) bool {
	k := kinds[n.Type]
	switch {
	case n.underKeyboard(), !n.Visible(), n.onlyHolds():
		return false
	case k.interactive, k.frame && n.Name() != "":
		return true
	case n.repeatsParent():
		return false
	}
	return n.Label != "" || n.Value != "" || n.Identifier != "" && n.Type != "Application" && n.Type != "Window"
}

// onlyHolds: a row without a name, whose content speaks for itself.
func (n *Node) onlyHolds() bool {
	return n.Type == "Cell" && n.Name() == "" && len(n.Children) > 0
}

func (n *Node) underKeyboard() bool {
	for ; n != nil; n = n.parent {
		if n.Type == "Keyboard" {
			return true
		}
	}
	return false
}

// repeatsParent: a text that says what the button, cell or bar around it says already; and the application itself.
func (n *Node) repeatsParent() bool {
	if n.parent == nil {
		return true
	}
	return n.Type == "StaticText" && n.Value == "" && n.Label == n.parent.Name()
}
