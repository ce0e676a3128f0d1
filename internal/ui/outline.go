package ui

import (
	"fmt"
	"strings"
)

// Outline is what models read: a header, then one line an element that matters, nested as on the screen, in the
// grammar of Playwright's aria snapshots, which models have seen often.
func (s *Screen) Outline(device string, refs *Refs) string {
	var b strings.Builder
	b.WriteString(s.Header())
	if s.Root == nil {
		return b.String()
	}
	s.outline(&b, s.Root, 0, device, refs)
	return b.String()
}

// Header says in one line what is not in the tree: which screen, which app, what is in the way.
func (s *Screen) Header() string {
	parts := []string{"screen:" + s.hash, "title:" + Quote(s.Title()), "app:" + s.App}
	if s.Root == nil {
		parts = append(parts, "state:"+s.State)
	}
	if m := s.Modal(); m != nil {
		parts = append(parts, "modal:"+Quote(m.Name()))
	}
	if s.Keyboard() != nil {
		parts = append(parts, "keyboard:shown")
	}
	if s.Truncated > 0 {
		parts = append(parts, fmt.Sprintf("truncated:%d", s.Truncated))
	}
	if !s.Settled {
		parts = append(parts, "still-moving")
	}
	return strings.Join(parts, " ")
}

func (s *Screen) outline(b *strings.Builder, n *Node, depth int, device string, refs *Refs) {
	if s.worthShowing(n) {
		b.WriteString("\n" + strings.Repeat("  ", depth) + "- " + s.line(n, device, refs))
		depth++
	}
	for _, c := range n.Children {
		s.outline(b, c, depth, device, refs)
	}
}

// line is one element: role "name" [ref=e12] [states]: value
func (s *Screen) line(n *Node, device string, refs *Refs) string {
	return n.Describe() + " [ref=" + refs.Name(device, s, n) + "]" + n.states() + n.value()
}

func (n *Node) states() string {
	var b strings.Builder
	for _, state := range []struct {
		holds bool
		name  string
	}{
		{n.Disabled, "disabled"}, {n.Focused, "focused"}, {n.Selected, "selected"}, {n.Secure, "secure"},
		{n.Type == "TextView", "multiline"}, {n.covered != nil && kinds[n.Type].interactive, "covered"},
	} {
		if state.holds {
			b.WriteString(" [" + state.name + "]")
		}
	}
	return b.String()
}

func (n *Node) value() string {
	if n.Value == "" || n.Value == n.Label || n.Value == n.Placeholder {
		return ""
	}
	return ": " + Inline(n.Value)
}
