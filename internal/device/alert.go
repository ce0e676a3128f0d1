package device

import (
	"strings"

	"ios-agent/internal/ui"
)

// AlertIn is the topmost alert of a tree, or else its topmost sheet; nil without either.
func AlertIn(root *ui.Node) (found *ui.Node) {
	root.Walk(func(n *ui.Node) bool {
		if n.Type == "Alert" || n.Type == "Sheet" && (found == nil || found.Type != "Alert") {
			found = n
		}
		return true
	})
	return found
}

// ReadAlert is the content of an alert in a tree, with the points of its buttons.
func ReadAlert(box *ui.Node, source string) (a *Alert, places []ui.Point) {
	a = &Alert{Title: box.Label, Buttons: []string{}, Source: source}
	var texts []string
	box.Walk(func(n *ui.Node) bool {
		switch {
		case n.Type == "Button" && n.Label != "":
			a.Buttons, places = append(a.Buttons, n.Label), append(places, n.Frame.Centre())
			return false
		case n.Type == "StaticText" && n.Label != "" && n.Label != a.Title:
			texts = append(texts, n.Label)
		}
		return true
	})
	a.Text = strings.Join(texts, "\n")
	return a, places
}
