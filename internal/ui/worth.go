package ui

import "strings"

// worthShowing reports whether a line about n helps an agent. Keys of a keyboard do not: the header says that the keyboard is shown. The
// text inside a button repeats the button.
func (s *Screen) worthShowing(n *Node) bool { return n.told && n.Visible() }

// Tells reports whether a line about the element would help an agent where the element is visible.
func (n *Node) Tells() bool { return n.told }

// weigh decides for every node, parents first, whether it deserves a line when visible.
func (s *Screen) weigh() {
	for _, n := range s.nodes {
		n.told = n.tells()
	}
	title := s.Title()
	for _, n := range s.nodes {
		if n.Type == "NavigationBar" && n.Name() == title && !n.holdsTold() {
			n.told = false // the header has its name, and it is empty
		}
	}
}

// holdsTold reports whether an element below gets a line.
func (n *Node) holdsTold() bool {
	for _, c := range n.Children {
		if c.told && c.Visible() || c.holdsTold() {
			return true
		}
	}
	return false
}

func (n *Node) tells() bool {
	k := kinds[n.Type]
	switch {
	case n.Made, n.underKeyboard(), n.OnlyHolds(), n.inStatusBar():
		return false
	case n.Interactive(), k.frame && n.Name() != "", n.BlindWeb():
		return true
	case n.parent == nil && (n.Type == "Application" || n.Type == "Window"), n.repeats(), k.plain && n.echoes():
		return false
	}
	return n.says(n.Label) || n.says(n.Value) || n.says(n.Identifier) && n.Type != "Application" && n.Type != "Window"
}

func (n *Node) says(text string) bool { return strings.TrimSpace(text) != "" }

// OnlyHolds reports a row without a name, whose content speaks for itself.
func (n *Node) OnlyHolds() bool {
	return n.Type == "Cell" && n.Name() == "" && len(n.Children) > 0 && len(n.Actions) == 0
}

func (n *Node) underKeyboard() bool { return n.keyboard() != nil }

// keyboard is the keyboard that the element is or belongs to; nil outside a keyboard.
func (n *Node) keyboard() *Node {
	for n != nil && n.Type != "Keyboard" {
		n = n.parent
	}
	return n
}

// inStatusBar reports whether the element belongs to the status bar: clock and battery change by themselves and cannot be acted on.
func (n *Node) inStatusBar() bool {
	for ; n != nil; n = n.parent {
		if n.Type == "StatusBar" {
			return true
		}
	}
	return false
}

// repeats reports a text, picture or plain container with the same name as the nearest named element shown around it.
func (n *Node) repeats() bool {
	k := kinds[n.Type]
	if n.Type != "StaticText" && n.Type != "Image" && !k.plain || n.Value != "" && n.Value != n.Label {
		return false
	}
	name := n.Name()
	for p := n.parent; p != nil; p = p.parent {
		if above := p.Name(); above != "" && p.told && p.Visible() {
			return (above == name || p.Value == name)
		}
	}
	return false
}

// echoes reports a container whose label only joins its content's labels, as frameworks produce for reading a whole view aloud. Its content
// is what an agent can act on.
func (n *Node) echoes() bool {
	if n.Label == "" || len(n.Children) == 0 || n.Identifier != "" && n.Identifier != n.Label {
		return false
	}
	rest, parts, control := n.Label, 0, false
	for _, c := range n.Children {
		c.Walk(func(d *Node) bool {
			if d.Label == n.Label { // another such container, or the control with that name
				control = control || d.Interactive()
				return true
			}
			rest = strings.TrimLeft(rest, ", ")
			for _, text := range [...]string{d.Label, d.Identifier, d.Value} {
				if cut, ok := strings.CutPrefix(rest, text); ok && text != "" {
					rest = cut
					parts++
					return false // its own content is in its label
				}
			}
			return true
		})
	}
	return control || parts > 1 && strings.Trim(rest, ", ") == ""
}

// BlindWeb reports a web view whose page is missing from the tree. Without a note it would look like an empty page.
func (n *Node) BlindWeb() bool {
	if n.Type != "WebView" {
		return false
	}
	blind := true
	n.Walk(func(d *Node) bool {
		blind = blind && (d == n || d.Type == "WebView" || d.Label == "" && d.Value == "" && !kinds[d.Type].interactive)
		return blind
	})
	return blind
}
