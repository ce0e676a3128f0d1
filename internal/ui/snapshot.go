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
	Keyboard  bool      `json:"keyboard_shown"`
	Settled   bool      `json:"settled"`
	Truncated int       `json:"truncated"` // number of elements left out; -1: an unknown number
	Elements  []Element `json:"elements"`
	Actions   []Action  `json:"actions_available"`
}

// Element is one element of a Snapshot. Extra holds further facts from the source of the tree, verbatim.
type Element struct {
	Ref         string         `json:"ref"`
	Type        string         `json:"type"`
	RawType     string         `json:"raw_type,omitempty"`
	Source      string         `json:"source,omitempty"` // web: read from the page of a web view, not from accessibility
	Role        string         `json:"role"`
	Label       string         `json:"label"`
	Identifier  string         `json:"identifier"`
	Value       *string        `json:"value"`
	Placeholder string         `json:"placeholder,omitempty"`
	Frame       Rect           `json:"frame"`
	Hittable    *bool          `json:"hittable"` // null: unknown
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

// OutOfReach reports whether a tap is known not to reach the element.
func (e Element) OutOfReach() bool { return e.Hittable != nil && !*e.Hittable }

// Action is an action that the runtime offers for an element now.
type Action struct {
	Name     string `json:"name"`
	Target   string `json:"target"`
	Keyboard string `json:"keyboard,omitempty"`
}

// typePrefix turns a short type name into the name that Apple's tools print.
const typePrefix = "XCUIElementType"

// TypeName is the element's type in Apple's spelling, as every JSON answer has it.
func (n *Node) TypeName() string { return typePrefix + n.Type }

// Snapshot is the screen as data for programs: every node, strings verbatim.
func (s *Screen) Snapshot(device string, refs *Refs, at time.Time) Snapshot {
	return s.SnapshotOf(s.Nodes(), device, refs, at)
}

// SnapshotOf is Snapshot of some of the screen's nodes.
func (s *Screen) SnapshotOf(nodes []*Node, device string, refs *Refs, at time.Time) Snapshot {
	out := Snapshot{
		ID: s.hash, App: s.App, Cover: s.Cover, Ended: s.Ended, Screen: s.Title(), Timestamp: at.UTC().Format(time.RFC3339),
		Keyboard: s.Keyboard() != nil, Settled: s.Settled, Truncated: s.Truncated,
		Elements: []Element{}, Actions: []Action{},
	}
	told := map[*Node]bool{} // the nodes and their children: each needs a ref
	for _, n := range nodes {
		told[n] = true
		for _, c := range n.Children {
			told[c] = true
		}
	}
	names := make([]string, len(s.nodes)) // by order, each made once
	for _, n := range s.nodes {
		if told[n] && !n.Made {
			names[n.order] = "@" + refs.Name(device, s, n)
		}
	}
	for _, n := range nodes {
		e := n.element(names)
		if reached := n.Exposed(); !reached || !s.Unsure {
			e.Hittable = &reached
		}
		out.Elements = append(out.Elements, e)
		out.Actions = append(out.Actions, s.actionsOn(n, names[n.order])...)
	}
	return out
}

// actionsOn are the actions possible on an element now. A tap needs a reachable centre; a scrolling element can be swiped.
func (s *Screen) actionsOn(n *Node, ref string) (actions []Action) {
	add := func(names ...string) {
		for _, name := range names {
			actions = append(actions, Action{Name: name, Target: ref})
		}
	}
	if n.Hittable() && n.Interactive() {
		add("tap", "double_tap", "long_press")
		if n.TakesText() {
			actions = append(actions, Action{Name: "type", Target: ref, Keyboard: s.keyboardOf(n)})
			add("fill", "clear")
		}
		if adjustable[n.Type] {
			add("set_value")
		}
	}
	if kinds[n.Type].clips && n.Visible() && n.covered == nil {
		add("swipe", "scroll_to")
	}
	return actions
}

// adjustable are the types whose value can be set directly.
var adjustable = map[string]bool{"Slider": true, "Switch": true, "Toggle": true, "PickerWheel": true}

func (n *Node) element(names []string) Element {
	e := Element{
		Ref: names[n.order], Type: n.TypeName(), RawType: n.RawType, Source: n.Source, Role: n.Role(),
		Label: n.Label, Identifier: n.Identifier, Placeholder: n.Placeholder, Frame: n.Frame,
		Enabled: !n.Disabled, Focused: n.Focused, Selected: n.Selected, Secure: n.Secure,
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

// keyboardOf is the keyboard for typing into a field. Only a keyboard on the screen shows that it has nothing but digits.
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
