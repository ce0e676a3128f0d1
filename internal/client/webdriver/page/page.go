// Package page shows a screen to WebDriver clients: Of builds a Page from a snapshot, with the page source in XML and JSON and the
// strategies that find elements. It does not read devices; the server does.
package page

import (
	"math"
	"strconv"
	"strings"

	"ios-agent/internal/ui"
)

// Node is an element of a page, with its place in the tree.
type Node struct {
	ui.Element
	parent   *Node
	children []*Node
	index    int // among its siblings
}

// Page is one look at the screen.
type Page struct {
	ui.Snapshot
	root  *Node   // parent of the roots; not an element
	nodes []*Node // in document order
}

// Of builds a tree from a snapshot, which is a list.
func Of(shown ui.Snapshot) *Page {
	t := &Page{Snapshot: shown, root: &Node{}}
	byRef := make(map[string]*Node, len(t.Elements))
	for i := range t.Elements {
		n := &Node{Element: t.Elements[i]}
		t.nodes = append(t.nodes, n)
		byRef[n.Ref] = n
	}
	for _, n := range t.nodes {
		for _, ref := range n.Element.Children {
			if c := byRef[ref]; c != nil && c.parent == nil {
				c.parent, c.index = n, len(n.children)
				n.children = append(n.children, c)
			}
		}
	}
	for _, n := range t.nodes {
		if n.parent == nil {
			n.parent, n.index = t.root, len(t.root.children)
			t.root.children = append(t.root.children, n)
		}
	}
	return t
}

// ID is the element's id in the protocol.
func (n *Node) ID() string { return strings.TrimPrefix(n.Ref, "@") }

// name is the name in XCUITest's tools: the identifier, or else the label.
func (n *Node) name() string {
	if n.Identifier != "" {
		return n.Identifier
	}
	return n.Label
}

// IsVisible reports whether a part of the element is on the screen and not hidden.
func (n *Node) IsVisible() bool { return !n.Hidden && (n.Visible == nil || *n.Visible > 0) }

// value is WebDriverAgent's value: for an empty field, the placeholder.
func (n *Node) value() string {
	switch {
	case n.Value != nil && *n.Value != "":
		return *n.Value
	case n.isField():
		return n.Placeholder
	}
	return ""
}

// isField reports whether text is typed into the element.
func (n *Node) isField() bool {
	switch strings.TrimPrefix(n.Type, TypePrefix) {
	case "TextField", "SecureTextField", "SearchField", "TextView":
		return true
	}
	return false
}

// traits are the accessibility traits derived from type and state, by WebDriverAgent's names; empty: none is known.
func (n *Node) traits() string {
	var all []string
	switch kind := strings.TrimPrefix(n.Type, TypePrefix); kind {
	case "Button", "Link", "Image", "SearchField", "StaticText", "TabBar":
		all = append(all, kind)
	case "Key":
		all = append(all, "KeyboardKey")
	case "Slider", "Stepper", "PickerWheel":
		all = append(all, "Adjustable")
	}
	if n.Selected {
		all = append(all, "Selected")
	}
	if !n.Enabled {
		all = append(all, "NotEnabled")
	}
	return strings.Join(all, ", ")
}

// accessible is only known if the source of the tree reports it.
func (n *Node) accessible() (is, known bool) {
	for _, name := range []string{"accessible", "isAccessible"} {
		switch v := n.Extra[name].(type) {
		case bool:
			return v, true
		case string:
			return v == "true" || v == "1", true
		case float64:
			return v != 0, true
		}
	}
	return false, false
}

// Text is the element's value, or else its label.
func (n *Node) Text() string {
	if v := n.value(); v != "" {
		return v
	}
	return n.Label
}

// Box is a frame in whole points, as in XCUITest's tools.
type Box struct {
	Height int `json:"height"`
	Width  int `json:"width"`
	X      int `json:"x"`
	Y      int `json:"y"`
}

// BoxOf rounds a frame.
func BoxOf(r ui.Rect) Box {
	return Box{X: int(math.Floor(r.X)), Y: int(math.Floor(r.Y)), Width: int(math.Round(r.W)), Height: int(math.Round(r.H))}
}

// Box is the element's frame.
func (n *Node) Box() Box { return BoxOf(n.Frame) }

// attribute is a name and a value in the source.
type attribute struct{ name, value string }

// attributes are the attributes in the source, in its order. Attributes without a value are left out.
func (n *Node) attributes() []attribute {
	box := n.Box()
	out := make([]attribute, 0, 16)
	add := func(name, value string) { out = append(out, attribute{name, value}) }
	add("type", n.Type)
	if v := n.value(); v != "" || n.Value != nil {
		add("value", v)
	}
	if name := n.name(); name != "" {
		add("name", name)
	}
	if n.Label != "" {
		add("label", n.Label)
	}
	add("enabled", strconv.FormatBool(n.Enabled))
	add("visible", strconv.FormatBool(n.IsVisible()))
	if is, known := n.accessible(); known {
		add("accessible", strconv.FormatBool(is))
	}
	if n.Selected {
		add("selected", "true")
	}
	if n.Focused {
		add("focused", "true")
	}
	add("x", strconv.Itoa(box.X))
	add("y", strconv.Itoa(box.Y))
	add("width", strconv.Itoa(box.Width))
	add("height", strconv.Itoa(box.Height))
	add("index", strconv.Itoa(n.index))
	add("hittable", strconv.FormatBool(!n.OutOfReach()))
	if n.Placeholder != "" {
		add("placeholderValue", n.Placeholder)
	}
	return out
}

// Window is the screen in points.
func (t *Page) Window() ui.Rect {
	for _, n := range t.root.children {
		if n.Frame.W > 0 && n.Frame.H > 0 {
			return n.Frame
		}
	}
	return ui.Rect{}
}

// Landscape reports whether the screen is wider than high.
func (t *Page) Landscape() bool { w := t.Window(); return w.W > w.H }

// Front is the element of the app in front; nil when the screen shows none.
func (t *Page) Front() *Node {
	if len(t.root.children) == 0 {
		return nil
	}
	return t.root.children[0]
}

// Centre is the point in the middle of the element.
func (n *Node) Centre() ui.Point {
	return ui.Point{X: n.Frame.X + n.Frame.W/2, Y: n.Frame.Y + n.Frame.H/2}
}
