package ui

// Scrolls reports whether what lies outside the element's frame is only scrolled away.
func (n *Node) Scrolls() bool { return kinds[n.Type].clips }

// OnlyGroups reports whether the element is a container that says nothing which its content does not say.
func (n *Node) OnlyGroups() bool { return kinds[n.Type].plain }

// Behind reports whether an alert, a sheet or a menu takes every touch on the element.
func (s *Screen) Behind(n *Node) bool { return s.front.node != nil && s.front.hides(n) }
