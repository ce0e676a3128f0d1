package ui

// BlindWebs are the visible web views whose pages are missing from the tree. Of nested views only the outermost counts.
func (s *Screen) BlindWebs() (blind []*Node) {
	if s == nil || s.Root == nil {
		return nil
	}
	s.Root.Walk(func(n *Node) bool {
		if n.BlindWeb() && n.Visible() {
			blind = append(blind, n)
			return false
		}
		return true
	})
	return blind
}

// WithPages is the same look with the pages of web views, which come from another source. Its Digest is empty, because the source's digest
// does not cover pages. The receiver must not be used afterwards.
func (s *Screen) WithPages(pages map[*Node][]*Node) *Screen {
	for view, page := range pages {
		for _, n := range page {
			n.Walk(func(n *Node) bool { n.Source = SourceWeb; return true })
		}
		view.Children = append(view.Children, page...)
	}
	with := NewScreen(s.App, s.State, s.Root)
	made := *s
	made.tree, made.grid, made.Digest = with.tree, with.grid, ""
	return &made
}

// Native is n or its nearest ancestor that accessibility reported, or nil.
func (n *Node) Native() *Node {
	for n != nil && n.Source != "" {
		n = n.parent
	}
	return n
}
