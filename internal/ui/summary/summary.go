// Package summary describes a screen in quern's format: Of returns a Screen with prose, counts and the most useful actionable elements.
// Field names and texts are quern's and must not change.
package summary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/text/brief"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
)

// Screen is quern's get_screen_summary: prose, counts, and the actionable elements.
type Screen struct {
	Summary     string         `json:"summary"`
	Count       int            `json:"element_count"`
	Types       map[string]int `json:"element_types"`
	Interactive []Item         `json:"interactive_elements"`
	Truncated   bool           `json:"truncated"`
	Total       int            `json:"total_interactive_elements"`
	Most        int            `json:"max_elements"`
	UDID        string         `json:"udid"`
}

// Item is one element of a Screen.
type Item struct {
	Type       string      `json:"type"`
	Label      string      `json:"label"`
	Identifier string      `json:"identifier,omitempty"`
	Value      string      `json:"value,omitempty"`
	Frame      *flat.Frame `json:"frame,omitempty"`
	Inside     []string    `json:"inside,omitempty"` // the outermost first
}

// Of summarizes a screen. Most caps the list (0: unlimited). The bars at the edges and the back button are listed after it and do not
// count, so that a long list never pushes them out. With hierarchy each element names its containers.
func Of(s *ui.Screen, most int, hierarchy bool) Screen {
	out := Screen{Types: map[string]int{}, Interactive: []Item{}, Most: most}
	var items, chrome []*ui.Node
	for _, n := range s.Nodes() {
		out.Count++
		out.Types[n.Type]++
		switch {
		case onKeyboard(n) || !n.Visible() || n.OnlyHolds():
		case frames(n):
			chrome = append(chrome, n)
		case n.Interactive():
			items = append(items, n)
		}
	}
	out.Total = len(items)
	if out.Truncated = most > 0 && len(items) > most; out.Truncated {
		slices.SortStableFunc(items, func(a, b *ui.Node) int { return cmp.Compare(weight(b), weight(a)) })
		items = items[:most]
	}
	listed := append(items, chrome...)
	for _, n := range listed {
		out.Interactive = append(out.Interactive, itemOf(n, hierarchy))
	}
	out.Summary = prose(s, out.Types, listed)
	if hierarchy {
		for _, n := range listed {
			out.Summary += "\n- " + n.Type + " " + ui.Quote(n.Name()) + insideLine(n.Inside())
		}
	}
	return out
}

// frames reports whether an element is a bar or the way back. A button with "back" inside its label ("Feedback") is not; the back button's
// whole name is "back", or it is the first in the navigation bar.
func frames(n *ui.Node) bool {
	switch n.Type {
	case "TabBar", "NavigationBar", "Toolbar", "Tab":
		return true
	case "Button":
		if strings.EqualFold(n.Label, "back") || strings.EqualFold(n.Identifier, "back") || n.Identifier == "BackButton" {
			return true
		}
		bar := n.Parent()
		return bar != nil && bar.Type == "NavigationBar" && n.Frame.X-bar.Frame.X < bar.Frame.W/4 &&
			n.Frame.X+n.Frame.W/2 < bar.Frame.X+bar.Frame.W/2
	}
	return false
}

// weight ranks elements for a list that is too short.
func weight(n *ui.Node) int {
	switch {
	case n.TakesText(), n.Role() == "switch", n.Role() == "checkbox", n.Type == "Slider", n.Type == "PickerWheel":
		return 40
	case n.Role() == "button" && n.Identifier != "":
		return 60
	case n.Role() == "button":
		return 20
	}
	return 5
}

func itemOf(n *ui.Node, hierarchy bool) Item {
	item := Item{Type: n.Type, Label: n.Label, Identifier: n.Identifier, Value: n.Value}
	if !n.Unplaced {
		item.Frame = &flat.Frame{X: n.Frame.X, Y: n.Frame.Y, Width: n.Frame.W, Height: n.Frame.H}
	}
	if hierarchy {
		item.Inside = n.Inside()
	}
	return item
}

// prose describes the screen: its name, its most frequent types, its actionable elements and the values of its fields.
func prose(s *ui.Screen, types map[string]int, listed []*ui.Node) string {
	said := "Screen"
	if name := s.AppName(); name != "" {
		said = ui.Inline(name) + " screen"
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(types)), func(t string) bool { return t == "Application" })
	slices.SortStableFunc(names, func(a, b string) int { return types[b] - types[a] })
	var parts []string
	for _, name := range names[:min(4, len(names))] {
		parts = append(parts, brief.Count(types[name], strings.ToLower(name)))
	}
	if len(parts) > 0 {
		said += " with " + strings.Join(parts, ", ")
	}
	if more := len(names) - 4; more > 0 {
		said += ", and " + brief.Count(more, "more type")
	}
	said += "."
	var labels, values []string
	for _, n := range listed {
		if name := n.Name(); name != "" {
			labels = append(labels, ui.Inline(name))
		}
		if n.Value != "" && len(values) < 5 {
			values = append(values, fmt.Sprintf("%s: '%s'", ui.Inline(n.Name()), ui.Inline(n.Value)))
		}
	}
	if len(labels) > 0 {
		said += " Interactive elements: " + strings.Join(labels[:min(15, len(labels))], ", ")
		if more := len(labels) - 15; more > 0 {
			said += fmt.Sprintf(", and %d more", more)
		}
		said += "."
	}
	if len(values) > 0 {
		said += " Values: " + strings.Join(values, ", ") + "."
	}
	return said
}

// onKeyboard reports whether an element is a keyboard or belongs to one.
func onKeyboard(n *ui.Node) bool {
	for n != nil && n.Type != "Keyboard" {
		n = n.Parent()
	}
	return n != nil
}

// insideLine writes the containers on one line.
func insideLine(path []string) string {
	if len(path) == 0 {
		return ""
	}
	for i := range path {
		path[i] = ui.Inline(path[i])
	}
	return fmt.Sprintf(" (inside: %s)", strings.Join(path, " > "))
}
