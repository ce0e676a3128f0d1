package deskapp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// screenOf makes a screen from a look: all windows of the process, the topmost last. The screen covers all windows, wherever they are.
func screenOf(name string, t *desktop.Tree) *ui.Screen {
	root := &ui.Node{Type: "Application", Label: name, Key: name, Made: true}
	var c converter
	for _, w := range t.Windows {
		if w.Bounds != nil && !w.Hidden {
			root.Frame = around(root.Frame, *w.Bounds)
		}
	}
	for _, w := range t.Windows {
		c.window = w.Bounds
		root.Children = append(root.Children, c.node(w, false))
	}
	s := ui.NewScreen(name, "running_foreground", root)
	s.Truncated, s.Digest = t.Left, s.Hash()
	return s
}

// around is the smallest frame that holds two others.
func around(a, b ui.Rect) ui.Rect {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return ui.Rect{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

type converter struct {
	window *ui.Rect // the frame of the current window
}

// node converts an element and its descendants. loose means that it lies in a container that may extend out of its window, such as a
// menu.
func (c *converter) node(d *desktop.Node, loose bool) *ui.Node {
	n := &ui.Node{
		Type: typeOf(d), Label: d.Title, Identifier: d.Identifier, Key: d.Key, Given: d.ID, Placeholder: d.Placeholder, Disabled: !d.Enabled,
		Focused: d.Focused, Selected: d.Selected, Hidden: d.Hidden, Unplaced: d.Bounds == nil, Actions: actions(d),
	}
	if d.Value != nil {
		n.Value = *d.Value
	}
	if n.Type == "StaticText" && n.Label == "" {
		n.Label, n.Value = n.Value, ""
	}
	if n.Type == "Other" {
		n.RawType = d.Role
	}
	if n.Secure = n.Type == "SecureTextField"; n.Secure { // the length of a password may be seen, but not its text
		n.Value = strings.Repeat("•", utf8.RuneCountInString(n.Value))
	}
	loose = loose || n.Type == "Menu" || n.Type == "Popover" || n.Type == "HelpTag"
	if d.Bounds != nil {
		n.Frame = *d.Bounds
		if !loose && c.window != nil && n.Frame.Intersect(*c.window).Empty() {
			n.Hidden = true // it is scrolled out of its window, though another window may be there
		}
	}
	if d.Bounds == nil && (d.Role == "AXCell" || d.Role == "AXRow") {
		n.Hidden = true // toolkits do not know the place of a row that is scrolled out
	}
	var last []*ui.Node
	for _, child := range d.Children {
		switch below := c.node(child, loose); {
		case repeats(n, below):
		case open(child):
			last = append(last, below)
		default:
			n.Children = append(n.Children, below)
		}
	}
	n.Children = append(n.Children, last...)
	return n
}

// open reports whether an element has an open menu, which lies over later elements of the tree, such as the text below a menu bar.
func open(d *desktop.Node) bool {
	menu := strings.HasPrefix(d.Role, "AXMenu") && d.Role != "AXMenuBar"
	return slices.ContainsFunc(d.Children, func(c *desktop.Node) bool {
		return menu && !c.Hidden && c.Bounds != nil && !c.Bounds.Empty() || open(c)
	})
}

// repeats reports whether a child only repeats the element's label, as the text in each button of some toolkits.
func repeats(n, child *ui.Node) bool {
	return child.Type == "StaticText" && child.Label == n.Label && child.Identifier == "" && len(child.Children) == 0 &&
		len(child.Actions) == 0 && n.Type != "Window"
}

// typeOf is the type of an element. A modal window is a sheet: it is in front of the others.
func typeOf(d *desktop.Node) string {
	name := ui.TypeOf(d.Role, d.Subrole)
	switch {
	case name == "Window" && d.Modal:
		return "Sheet"
	case name == "Window" && dialogs[d.Subrole]:
		return "Dialog"
	case name == "StatusBar": // the window's; a phone's status bar changes by itself and is ignored
		return "Group"
	case !ui.KnownType(d.Role):
		return "Other"
	}
	return name
}

var dialogs = map[string]bool{"AXDialog": true, "AXSystemDialog": true}

// actions are the actions that an element's type does not imply: a press where it is unusual, and actions of this app only.
func actions(d *desktop.Node) []string {
	return slices.DeleteFunc(slices.Clone(d.Actions), func(name string) bool {
		return strings.HasPrefix(name, "AX") && (name != desktop.Press || !pressable[typeOf(d)])
	})
}

// pressable are the types whose elements are usually not pressable.
var pressable = map[string]bool{"StaticText": true, "Image": true, "Group": true, "Other": true, "Heading": true}
