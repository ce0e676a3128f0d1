package deskapp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// screenOf makes a screen of a look: all windows of the process, the topmost last. The screen is as large as they are together, wherever
// they stand. It tells which element of the app each element of the screen is, and of which ones the screen has the id, as before
// says it had.
func screenOf(name string, t *desktop.Tree, before map[string]bool) (*ui.Screen, map[*ui.Node]string, map[string]bool) {
	root := &ui.Node{Type: "Application", Label: name, Identifier: name, Made: true}
	c := converter{keys: map[*ui.Node]string{}, alike: map[kin]int{}, before: before, named: map[string]bool{}}
	t.Walk(func(d *desktop.Node) bool {
		c.alike[kin{typeOf(d), d.Title}]++
		return true
	})
	for _, w := range t.Windows {
		if w.Bounds != nil && !w.Hidden {
			root.Frame = around(root.Frame, *w.Bounds)
		}
	}
	for _, w := range t.Windows {
		c.window = w.Bounds
		window := c.node(w, false)
		window.Identifier = w.ID // its title is not what it is known by: it often tells what is shown
		root.Children = append(root.Children, window)
	}
	s := ui.NewScreen(name, "running_foreground", root)
	s.Truncated, s.Digest = t.Left, s.Hash()
	return s, c.keys, c.named
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
	keys   map[*ui.Node]string
	window *ui.Rect        // the frame of the window at hand
	alike  map[kin]int     // how many there are
	before map[string]bool // the elements that had their id as identifier, by key
	named  map[string]bool // those that have it now
}

// kin are elements that only their place tells apart.
type kin struct{ kind, title string }

// identifier is the developer's name for an element. A control that has none, and is nameless or one of several, is known by its id: it
// is the same control then, whatever comes and goes around it. One that had its id keeps it.
func (c *converter) identifier(d *desktop.Node, kind string) string {
	if d.Identifier != "" || !controls[kind] || d.Title != "" && c.alike[kin{kind, d.Title}] == 1 && !c.before[d.Key] {
		return d.Identifier
	}
	c.named[d.Key] = true
	return d.ID
}

// controls are the types of elements that live as long as what they stand for. Rows and cells do not: lists use them again.
var controls = map[string]bool{
	"Button": true, "MenuButton": true, "PopUpButton": true, "DisclosureTriangle": true, "TextField": true, "SecureTextField": true,
	"TextView": true, "SearchField": true, "ComboBox": true, "Switch": true, "Toggle": true, "CheckBox": true, "RadioButton": true,
	"Slider": true, "Stepper": true, "ColorWell": true, "SegmentedControl": true, "Link": true, "Tab": true, "MenuItem": true,
	"MenuBarItem": true,
}

// node converts an element and all below it. loose says that it lies in something that may stand out of its window, as a menu does.
func (c *converter) node(d *desktop.Node, loose bool) *ui.Node {
	kind := typeOf(d)
	n := &ui.Node{
		Type: kind, Label: d.Title, Identifier: c.identifier(d, kind), Placeholder: d.Placeholder, Disabled: !d.Enabled, Focused: d.Focused,
		Selected: d.Selected, Hidden: d.Hidden, Unplaced: d.Bounds == nil, Actions: actions(d),
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
	c.keys[n] = d.Key
	for _, child := range d.Children {
		n.Children = append(n.Children, c.node(child, loose))
	}
	return n
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
