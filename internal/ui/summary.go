package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/text/brief"
)

// ScreenSummary is quern's get_screen_summary: prose, counts, and the elements worth acting on.
type ScreenSummary struct {
	Summary     string         `json:"summary"`
	Count       int            `json:"element_count"`
	Types       map[string]int `json:"element_types"`
	Interactive []SummaryItem  `json:"interactive_elements"`
	Truncated   bool           `json:"truncated"`
	Total       int            `json:"total_interactive_elements"`
	Most        int            `json:"max_elements"`
	UDID        string         `json:"udid"`
}

// SummaryItem is one element of a ScreenSummary.
type SummaryItem struct {
	Type       string     `json:"type"`
	Label      string     `json:"label"`
	Identifier string     `json:"identifier,omitempty"`
	Value      string     `json:"value,omitempty"`
	Frame      *FlatFrame `json:"frame,omitempty"`
	Inside     []string   `json:"inside,omitempty"` // the outermost first
}

// Summarize tells a screen in words. Most caps the list (0 is no cap); the bars at the edges and the way back are
// listed after it and not counted, so that a long list never pushes them out. With hierarchy each element is said with
// what it lies in.
func (s *Screen) Summarize(most int, hierarchy bool) ScreenSummary {
	out := ScreenSummary{Types: map[string]int{}, Interactive: []SummaryItem{}, Most: most}
	var items, chrome []*Node
	for _, n := range s.Nodes() {
		out.Count++
		out.Types[n.Type]++
		switch {
		case n.underKeyboard() || !n.Visible() || n.OnlyHolds():
		case n.chrome():
			chrome = append(chrome, n)
		case n.Interactive():
			items = append(items, n)
		}
	}
	out.Total = len(items)
	if out.Truncated = most > 0 && len(items) > most; out.Truncated {
		slices.SortStableFunc(items, func(a, b *Node) int { return cmp.Compare(b.weight(), a.weight()) })
		items = items[:most]
	}
	listed := append(items, chrome...)
	for _, n := range listed {
		out.Interactive = append(out.Interactive, n.item(hierarchy))
	}
	out.Summary = s.prose(out.Types, listed)
	if hierarchy {
		for _, n := range listed {
			out.Summary += "\n- " + n.Type + " " + Quote(n.Name()) + insideLine(n.inside())
		}
	}
	return out
}

// chrome is what frames a screen and leads away from it. A button that merely has "back" in its label ("Feedback") is
// not the way back; that one is called so, or sits first in the navigation bar.
func (n *Node) chrome() bool {
	switch n.Type {
	case "TabBar", "NavigationBar", "Toolbar", "Tab":
		return true
	case "Button":
		if strings.EqualFold(n.Label, "back") || strings.EqualFold(n.Identifier, "back") || n.Identifier == "BackButton" {
			return true
		}
		bar := n.parent
		return bar != nil && bar.Type == "NavigationBar" && n.Frame.X-bar.Frame.X < bar.Frame.W/4 &&
			n.Frame.X+n.Frame.W/2 < bar.Frame.X+bar.Frame.W/2
	}
	return false
}

// weight is how much an element deserves a place in a list that is too short.
func (n *Node) weight() int {
	switch {
	case n.TakesText(), kinds[n.Type].role == "switch", kinds[n.Type].role == "checkbox", n.Type == "Slider", n.Type == "PickerWheel":
		return 40
	case kinds[n.Type].role == "button" && n.Identifier != "":
		return 60
	case kinds[n.Type].role == "button":
		return 20
	}
	return 5
}

func (n *Node) item(hierarchy bool) SummaryItem {
	item := SummaryItem{Type: n.Type, Label: n.Label, Identifier: n.Identifier, Value: n.Value}
	if !n.Unplaced {
		item.Frame = &FlatFrame{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H}
	}
	if hierarchy {
		item.Inside = n.inside()
	}
	return item
}

// prose says which screen it is, what it is made of, what can be acted on and what fields hold.
func (s *Screen) prose(types map[string]int, listed []*Node) string {
	said := "Screen"
	if name := s.AppName(); name != "" {
		said = Inline(name) + " screen"
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
			labels = append(labels, Inline(name))
		}
		if n.Value != "" && len(values) < 5 {
			values = append(values, fmt.Sprintf("%s: '%s'", Inline(n.Name()), Inline(n.Value)))
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
