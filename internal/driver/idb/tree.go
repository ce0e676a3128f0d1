package idb

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/uiread"
)

// sight is one reading of the screen by a companion.
type sight struct {
	root    *ui.Node
	pid     uint64 // of the tree's app; 0: unknown
	left    int    // number of omitted elements; -1: some may be omitted
	focus   bool   // the tree shows which element has the focus
	guest   bool   // read inside the simulator: the elements that XCTest sees
	blocked bool   // a system alert hides all other elements
}

// keys are the attributes that the driver requests, by the companion's names. An older companion ignores them.
func keys() []string {
	return []string{"AXLabel", "AXValue", "AXUniqueId", "type", "role", "role_description", "subrole", "frame", "enabled", "traits",
		"placeholder", "hidden", "focused", "custom_actions", "pid"}
}

// document is the format COMPLETE: a tree and facts about the reading.
type document struct {
	Elements  json.RawMessage
	Backend   *string
	Truncated bool
	Modal     *struct{ Kind string }
}

// element is the part of an element that uiread does not read.
type element struct {
	PID uint64
}

// read parses the companion's answer in the requested format, or in the format of older ones: a list of all elements. It also limits the
// number of elements, which the companion does not do from outside.
func read(ctx context.Context, text string) (sight, error) {
	raw := []byte(text)
	var s sight
	var d document
	if err := json.Unmarshal(raw, &d); err == nil && d.Elements != nil {
		raw = d.Elements
		s.guest = d.Backend != nil && strings.HasPrefix(*d.Backend, "axbridge")
		s.blocked = d.Modal != nil && d.Modal.Kind == "system"
		if d.Truncated {
			s.left = -1
		}
	}
	tree, err := uiread.ReadSome(ctx, raw, device.MostNodes)
	if err != nil {
		return s, err
	}
	if s.root = joined(tree.Roots); s.root == nil {
		return s, fault.New(fault.AgentFailed, "the tree has no elements")
	}
	var first []element
	if json.Unmarshal(raw, &first) == nil && len(first) > 0 {
		s.pid = first[0].PID
	}
	s.focus = bytes.Contains(raw, []byte(`"focused"`))
	s.tidy(s.root)
	if !s.guest || s.blocked { // from outside, a composed view is one element, and a system alert hides the elements behind it
		s.left = -1
	}
	s.left = device.LeftOut(s.left, tree.Left)
	return s, nil
}

// joined turns a possibly flat list into one tree: its first element is the app.
func joined(roots []*ui.Node) *ui.Node {
	if len(roots) == 0 {
		return nil
	}
	if len(roots) > 1 {
		roots[0].Children = append(roots[0].Children, roots[1:]...)
	}
	return roots[0]
}

// tidy converts an element to XCTest's conventions.
func (s *sight) tidy(n *ui.Node) {
	traits, _ := n.Extra["traits"].([]any)
	has := func(trait string) bool { return slices.Contains(traits, any(trait)) }
	if s.guest && n.RawType != "" { // traits do not change its type
		n.Type = ui.TypeOf(n.RawType)
	}
	if has("IsEditing") {
		n.Focused, s.focus = true, true
	}
	n.Secure = n.Secure || has("SecureTextField")
	switch {
	case n.TakesText() && n.Value == n.Placeholder: // an empty field
		n.Value = ""
	case n.Type == "StaticText" && n.Value == n.Label:
		n.Value = ""
	}
	if n.Type == "Application" { // an app has the system's focus, not the keyboard's
		n.Focused = false
	}
	n.Extra, n.RawType = nil, ""
	for _, c := range n.Children {
		s.tidy(c)
	}
	n.Children = slices.DeleteFunc(n.Children, func(c *ui.Node) bool {
		return c.Identifier == "" && c.Label == "" && c.Value == "" && c.Frame.Empty() && len(c.Children) == 0
	})
}

// mostOpened is the maximum number of containers that are opened: each costs many requests, and a screen has a few bars.
const mostOpened = 40

// closed are the containers whose elements, when read from outside, only a read at their points shows.
func closed(root *ui.Node) (all []*ui.Node) {
	root.Walk(func(n *ui.Node) bool {
		bars := []string{"Group", "TabBar", "NavigationBar", "Toolbar"}
		if len(all) < mostOpened && len(n.Children) == 0 && !n.Frame.Empty() && slices.Contains(bars, n.Type) {
			all = append(all, n)
		}
		return true
	})
	return all
}

// within reports whether an element found at a point of a container lies in it.
func within(n, container *ui.Node) bool {
	c, f := container.Frame, n.Frame
	return f != c && !f.Empty() && f.X >= c.X-1 && f.Y >= c.Y-1 && f.X+f.W <= c.X+c.W+1 && f.Y+f.H <= c.Y+c.H+1
}
