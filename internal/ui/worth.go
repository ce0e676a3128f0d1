package ui

import "strings"

// worthShowing reports whether a line about n tells an agent something. The keys of a keyboard do not: the header says
// that it is up. The text inside a button repeats the button.
func (s *Screen) worthShowing(n *Node) bool { return n.told && n.Visible() }

// Tells reports whether a line about the element tells an agent something where it can be seen.
func (n *Node) Tells() bool { return n.told }

// weigh decides for every node, parents first, whether a line about it would tell something if it could be seen.
func (s *Screen) weigh() {
	for _, n := range s.nodes {
		n.told = n.tells()
	}
	title := s.Title()
	for _, n := range s.nodes {
		if n.Type == "NavigationBar" && n.Name() == title && !n.holdsTold() {
			n.told = false // the header says its name, and there is nothing in it
		}
	}
}

// holdsTold reports whether something in the element gets a line.
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

// inStatusBar: the clock and the battery change by themselves and are nobody's to act on.
func (n *Node) inStatusBar() bool {
	for ; n != nil; n = n.parent {
		if n.Type == "StatusBar" {
			return true
		}
	}
	return false
}

// repeats: a text, picture or plain container that says what the nearest named element shown around it says already.
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

// echoes: a container whose label is only its content's labels in a row, as frameworks make them that read a whole
// view aloud. It is the content that can be acted on.
func (n *Node) echoes() bool {
	if n.Label == "" || len(n.Children) == 0 || n.Identifier != "" && n.Identifier != n.Label {
		return false
	}
	rest, parts, control := n.Label, 0, false
	for _, c := range n.Children {
		c.Walk(func(d *Node) bool {
			if d.Label == n.Label { // another such container, or the control that the name is of
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

// BlindWeb reports a web view whose page did not come with the tree. Saying nothing would look like an empty page.
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
