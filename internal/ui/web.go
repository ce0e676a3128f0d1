package ui

// BlindWebs are the web views in sight whose pages did not come with the tree. Of views in each other it is the outermost.
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

// WithPages is the same look with the pages of web views, which were told of by another way. Two such looks are compared by what they
// show: the digest of who looked says nothing of pages. The screen itself is of no use after.
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

// Native is the nearest element around n, or n itself, that accessibility told of; nil: none.
func (n *Node) Native() *Node {
	for n != nil && n.Source != "" {
		n = n.parent
	}
	return n
}
