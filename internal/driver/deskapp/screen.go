package deskapp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// screenOf makes a screen of a look: all windows of the process, the topmost last. The screen is as large as they are together, wherever
// they stand.
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

// around is the smallest frame that holds two.
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
	window *ui.Rect // the frame of the window at hand
}

// node converts an element and all below it. loose says that it lies in something that may stand out of its window, as a menu does.
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
	if n.Secure = n.Type == "SecureTextField"; n.Secure { // how much it holds may be seen, and no more
		n.Value = strings.Repeat("•", utf8.RuneCountInString(n.Value))
	}
	loose = loose || n.Type == "Menu" || n.Type == "Popover" || n.Type == "HelpTag"
	if d.Bounds != nil {
		n.Frame = *d.Bounds
		if !loose && c.window != nil && n.Frame.Intersect(*c.window).Empty() {
			n.Hidden = true // it is scrolled out of its window, though another one may be there
		}
	}
	if d.Bounds == nil && (d.Role == "AXCell" || d.Role == "AXRow") {
		n.Hidden = true // toolkits know no place of a row that is scrolled out
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

// open reports whether a menu is open in an element: it lies over what the tree has after it, as the text below a bar of menus.
func open(d *desktop.Node) bool {
	menu := strings.HasPrefix(d.Role, "AXMenu") && d.Role != "AXMenuBar"
	return slices.ContainsFunc(d.Children, func(c *desktop.Node) bool {
		return menu && !c.Hidden && c.Bounds != nil && !c.Bounds.Empty() || open(c)
	})
}

// repeats reports whether a child is only the text that the element is called by, as toolkits put one into each button.
func repeats(n, child *ui.Node) bool {
	return child.Type == "StaticText" && child.Label == n.Label && child.Identifier == "" && len(child.Children) == 0 &&
		len(child.Actions) == 0 && n.Type != "Window"
}

// typeOf is the type of an element. A window that keeps input from the others is a sheet: it is in front of them.
func typeOf(d *desktop.Node) string {
	name := ui.TypeOf(d.Role, d.Subrole)
	switch {
	case name == "Window" && d.Modal:
		return "Sheet"
	case name == "Window" && dialogs[d.Subrole]:
		return "Dialog"
	case name == "StatusBar": // of a window; that of a phone changes by itself and says nothing
		return "Group"
	case !ui.KnownType(d.Role):
		return "Other"
	}
	return name
}

var dialogs = map[string]bool{"AXDialog": true, "AXSystemDialog": true}

// actions are those that an element's type does not tell: that it can be pressed, and what only this app has.
func actions(d *desktop.Node) []string {
	return slices.DeleteFunc(slices.Clone(d.Actions), func(name string) bool {
		return strings.HasPrefix(name, "AX") && (name != desktop.Press || !pressable[typeOf(d)])
	})
}

// pressable are the types of which one does not expect that they can be pressed.
var pressable = map[string]bool{"StaticText": true, "Image": true, "Group": true, "Other": true, "Heading": true}
