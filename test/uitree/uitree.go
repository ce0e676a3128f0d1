// Package uitree makes small UI trees for tests of package ui and of the packages around it. Login is a whole screen; a Forest makes random
// trees of a seed.
package uitree

import (
	"testing"

	"ios-agent/internal/ui"
)

// Login is a small screen with what most screens have.
func Login() *ui.Node {
	return App(
		Bar("Sign in"),
		At(Text("Welcome"), 100),
		At(&ui.Node{Type: "TextField", Identifier: "email", Label: "Email"}, 150),
		At(&ui.Node{Type: "SecureTextField", Identifier: "password", Label: "Password", Secure: true}, 200),
		At(&ui.Node{Type: "Button", Identifier: "login", Label: "Log in", Disabled: true, Children: []*ui.Node{Text("Log in")}}, 250),
	)
}

// App is the tree of an app that shows the children.
func App(children ...*ui.Node) *ui.Node {
	whole := ui.Rect{W: 400, H: 800}
	return &ui.Node{Type: "Application", Label: "Shop", Frame: whole, Children: []*ui.Node{
		{Type: "Window", Frame: whole, Children: []*ui.Node{{Type: "Other", Frame: whole, Children: children}}},
	}}
}

// Bar is a navigation bar.
func Bar(title string) *ui.Node {
	return &ui.Node{Type: "NavigationBar", Identifier: title, Frame: ui.Rect{W: 400, H: 60}, Children: []*ui.Node{At(Text(title), 10)}}
}

// Text is a text without a place.
func Text(label string) *ui.Node { return &ui.Node{Type: "StaticText", Label: label} }

// Button is a button in the row at y.
func Button(label string, y float64) *ui.Node {
	return At(&ui.Node{Type: "Button", Label: label}, y)
}

// At puts an element, and all that is in it, into the row at y.
func At(n *ui.Node, y float64) *ui.Node {
	n.Frame = ui.Rect{X: 20, Y: y, W: 360, H: 40}
	for _, c := range n.Children {
		At(c, y)
	}
	return n
}

// Screen is a look at an app with this tree.
func Screen(root *ui.Node) *ui.Screen { return ui.NewScreen("com.shop", "running_foreground", root) }

// Find gives the node with a label or identifier.
func Find(t *testing.T, root *ui.Node, name string) *ui.Node {
	t.Helper()
	var found *ui.Node
	root.Walk(func(n *ui.Node) bool {
		if found == nil && (n.Identifier == name || n.Label == name) {
			found = n
		}
		return true
	})
	if found == nil {
		t.Fatalf("no %s in the tree", name)
	}
	return found
}
