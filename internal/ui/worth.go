package ui

import "strings"

// worthShowing reports whether a line about n tells an agent something. The keys of a keyboard do not: the header says
// that it is up. The text inside a button repeats the button.
func (s *Screen) worthShowing(n *Node) bool { return n.Visible() && n.tells() }

// tells is worthShowing for an element that may be out of sight.
func (n *Node) tells() bool {
	k := kinds[n.Type]
	switch {
	case n.Made, n.underKeyboard(), n.onlyHolds():
		return false
	case n.interactive(), k.frame && n.Name() != "", n.blindWeb():
		return true
	case n.parent == nil && (n.Type == "Application" || n.Type == "Window"), n.repeats(), k.plain && n.echoes():
		return false
	}
	return n.says(n.Label) || n.says(n.Value) || n.says(n.Identifier) && n.Type != "Application" && n.Type != "Window"
}

func (n *Node) says(text string) bool { return strings.TrimSpace(text) != "" }

// onlyHolds: a row without a name, whose content speaks for itself.
func (n *Node) onlyHolds() bool {
	return n.Type == "Cell" && n.Name() == "" && len(n.Children) > 0 && len(n.Actions) == 0
}

func (n *Node) underKeyboard() bool {
	for ; n != nil; n = n.parent {
		if n.Type == "Keyboard" {
			return true
		}
	}
	return false
}

// repeats: a text, picture or plain container that says what the nearest named element around it says already.
func (n *Node) repeats() bool {
	k := kinds[n.Type]
	if n.Type != "StaticText" && n.Type != "Image" && !k.plain || n.Value != "" && n.Value != n.Label {
		return false
	}
	name := n.Name()
	for p := n.parent; p != nil; p = p.parent {
		if above := p.Name(); above != "" {
			return above == name && (p.Type != "Application" || n.Type != "StaticText")
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
	rest := n.Label
	for _, c := range n.Children {
		c.Walk(func(d *Node) bool {
			rest = strings.TrimLeft(rest, ", ")
			for _, text := range [...]string{d.Label, d.Identifier, d.Value} {
				if cut, ok := strings.CutPrefix(rest, text); ok && text != "" {
					rest = cut
					return false // its own content is in its label
				}
			}
			return true
		})
	}
	return strings.Trim(rest, ", ") == ""
}

// blindWeb: a web view whose page did not come with the tree. Saying nothing would look like an empty page.
func (n *Node) blindWeb() bool {
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
