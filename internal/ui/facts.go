package ui

// Scrolls reports whether what lies outside the element's frame is only scrolled away.
func (n *Node) Scrolls() bool { return kinds[n.Type].clips }

// Landmark reports whether the element is a container that says where on the screen one is, such as a list, a bar or a dialog.
func (n *Node) Landmark() bool { return kinds[n.Type].frame }

// Takes reports whether the element is an alert, a sheet, a popover or a menu, which takes every touch on the app.
func (n *Node) Takes() bool { return takers[n.Type] }

// Covered is what hides the element's centre; nil when nothing does.
func (n *Node) Covered() *Node { return n.covered }

// OnlyGroups reports whether the element is a container that says nothing which its content does not say.
func (n *Node) OnlyGroups() bool { return kinds[n.Type].plain }

// Behind reports whether an alert, a sheet or a menu takes every touch on the element.
func (s *Screen) Behind(n *Node) bool { return s.front.node != nil && s.front.hides(n) }
