package ui

import (
	"strings"
	"time"
	"unicode"
)

// Snapshot is the specification's JSON form of a screen: a flat list, children by ref.
type Snapshot struct {
	ID        string    `json:"id"`
	App       string    `json:"app"`
	Cover     string    `json:"covered_by,omitempty"` // bundle id of the system process that shows something over the app
	Ended     string    `json:"ended,omitempty"`      // an app that was shown before and has ended, and why
	Screen    string    `json:"screen"`
	Timestamp string    `json:"timestamp"`
	Keyboard  bool      `json:"keyboard"`
	Settled   bool      `json:"settled"`
	Truncated int       `json:"truncated"` // elements left out; -1: some, nobody knows how many
	Elements  []Element `json:"elements"`
	Actions   []Action  `json:"actions_available"`
}

// Element is one element of a Snapshot. Extra is what the source of the tree said beyond that, verbatim.
type Element struct {
	Ref         string         `json:"ref"`
	Type        string         `json:"type"`
	RawType     string         `json:"raw_type,omitempty"`
	Role        string         `json:"role"`
	Label       string         `json:"label"`
	Identifier  string         `json:"identifier"`
	Value       *string        `json:"value"`
	Placeholder string         `json:"placeholder,omitempty"`
	Frame       Rect           `json:"frame"`
	Hittable    bool           `json:"hittable"`
	Enabled     bool           `json:"enabled"`
	Visible     *int           `json:"visible_percent,omitempty"` // absent: all of it
	Focused     bool           `json:"focused,omitempty"`
	Selected    bool           `json:"selected,omitempty"`
	Secure      bool           `json:"secure,omitempty"`
	Hidden      bool           `json:"hidden,omitempty"`
	Unplaced    bool           `json:"unplaced,omitempty"`
	Actions     []string       `json:"custom_actions,omitempty"`
	Children    []string       `json:"children"`
	Extra       map[string]any `json:"extra,omitempty"`
}

// Action is something the runtime can do with an element now.
type Action struct {
	Name     string `json:"name"`
	Target   string `json:"target"`
	Keyboard string `json:"keyboard,omitempty"`
}

// typePrefix makes a short type name the one Apple's tools print.
const typePrefix = "XCUIElementType"

// Snapshot writes the screen down for programs: every node, strings verbatim.
func (s *Screen) Snapshot(device string, refs *Refs, at time.Time) Snapshot {
	out := Snapshot{
		ID: s.hash, App: s.App, Cover: s.Cover, Ended: s.Ended, Screen: s.Title(), Timestamp: at.UTC().Format(time.RFC3339),
		Keyboard: s.Keyboard() != nil, Settled: s.Settled, Truncated: s.Truncated,
		Elements: []Element{}, Actions: []Action{},
	}
	names := make([]string, len(s.nodes)) // by order, each made once
	for _, n := range s.nodes {
		if !n.Made {
			names[n.order] = "@" + refs.Name(device, s, n)
		}
	}
	for _, n := range s.Nodes() {
		out.Elements = append(out.Elements, n.element(names))
		if !n.Hittable() || !n.interactive() {
			continue
		}
		out.Actions = append(out.Actions, Action{Name: "tap", Target: names[n.order]})
		if n.TakesText() {
			out.Actions = append(out.Actions, Action{Name: "type", Target: names[n.order], Keyboard: s.keyboardOf(n)})
		}
	}
	return out
}

func (n *Node) element(names []string) Element {
	e := Element{
		Ref: names[n.order], Type: typePrefix + n.Type, RawType: n.RawType, Role: n.Role(),
		Label: n.Label, Identifier: n.Identifier, Placeholder: n.Placeholder, Frame: n.Frame,
		Hittable: n.Hittable(), Enabled: !n.Disabled, Focused: n.Focused, Selected: n.Selected, Secure: n.Secure,
		Hidden: n.Hidden, Unplaced: n.Unplaced, Actions: n.Actions, Extra: n.Extra, Children: []string{},
	}
	if n.Value != "" {
		e.Value = &n.Value
	}
	if percent := n.VisiblePercent(); percent < 100 {
		e.Visible = &percent
	}
	for _, c := range n.Children {
		e.Children = append(e.Children, names[c.order])
	}
	return e
}

// keyboardOf is the keyboard typing into a field would meet. Only the one on the screen tells that it has nothing but
// digits.
func (s *Screen) keyboardOf(n *Node) string {
	if board := s.Keyboard(); board != nil && n.Focused && takesText[n.Type] == "text" && board.onlyDigits() {
		return "number"
	}
	return takesText[n.Type]
}

func (n *Node) onlyDigits() bool {
	digits := 0
	letters := false
	n.Walk(func(k *Node) bool {
		name := k.Name()
		switch {
		case k.Type != "Key":
		case len(name) == 1 && strings.ContainsAny(name, "0123456789"):
			digits++
		case strings.IndexFunc(name, unicode.IsLetter) >= 0 && len([]rune(name)) == 1:
			letters = true
		}
		return true
	})
	return digits == 10 && !letters
}
