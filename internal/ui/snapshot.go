package ui

import "time"

// Snapshot is the specification's JSON form of a screen: a flat list, children by ref.
type Snapshot struct {
	ID        string    `json:"id"`
	App       string    `json:"app"`
	Screen    string    `json:"screen"`
	Timestamp string    `json:"timestamp"`
	Keyboard  bool      `json:"keyboard"`
	Settled   bool      `json:"settled"`
	Truncated int       `json:"truncated"`
	Elements  []Element `json:"elements"`
	Actions   []Action  `json:"actions_available"`
}

// Element is one element of a Snapshot.
type Element struct {
	Ref         string   `json:"ref"`
	Type        string   `json:"type"`
	Role        string   `json:"role"`
	Label       string   `json:"label"`
	Identifier  string   `json:"identifier"`
	Value       *string  `json:"value"`
	Placeholder string   `json:"placeholder,omitempty"`
	Frame       Rect     `json:"frame"`
	Hittable    bool     `json:"hittable"`
	Enabled     bool     `json:"enabled"`
	Focused     bool     `json:"focused,omitempty"`
	Selected    bool     `json:"selected,omitempty"`
	Secure      bool     `json:"secure,omitempty"`
	Children    []string `json:"children"`
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
		ID: s.hash, App: s.App, Screen: s.Title(), Timestamp: at.UTC().Format(time.RFC3339),
		Keyboard: s.Keyboard() != nil, Settled: s.Settled, Truncated: s.Truncated,
		Elements: []Element{}, Actions: []Action{},
	}
	for _, n := range s.nodes {
		e := s.element(n, device, refs)
		out.Elements = append(out.Elements, e)
		if !n.Hittable() || !kinds[n.Type].interactive {
			continue
		}
		out.Actions = append(out.Actions, Action{Name: "tap", Target: e.Ref})
		if keyboard, ok := takesText[n.Type]; ok {
			out.Actions = append(out.Actions, Action{Name: "type", Target: e.Ref, Keyboard: keyboard})
		}
	}
	return out
}

func (s *Screen) element(n *Node, device string, refs *Refs) Element {
	e := Element{
		Ref: "@" + refs.Name(device, s, n), Type: typePrefix + n.Type, Role: n.Role(),
		Label: n.Label, Identifier: n.Identifier, Placeholder: n.Placeholder, Frame: n.Frame,
		Hittable: n.Hittable(), Enabled: !n.Disabled, Focused: n.Focused, Selected: n.Selected, Secure: n.Secure,
		Children: []string{},
	}
	if n.Value != "" {
		e.Value = &n.Value
	}
	for _, c := range n.Children {
		e.Children = append(e.Children, "@"+refs.Name(device, s, c))
	}
	return e
}
