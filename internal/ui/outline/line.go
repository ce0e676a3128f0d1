package outline

import (
	"cmp"
	"fmt"
	"strings"

	"ios-agent/internal/apple/bundleid"
	"ios-agent/internal/ui"
)

// Header summarizes in one line the facts outside the tree: the screen, the app and any obstacle. If an app has exited, a line before it
// says so.
func Header(s *ui.Screen) string {
	parts := []string{"screen:" + s.Hash(), "title:" + ui.Quote(s.Title())}
	switch name := s.AppName(); {
	case s.App != "":
		parts = append(parts, "app:"+bundleid.Shown(s.App))
	case name != "" && name != s.Title():
		parts = append(parts, "app:"+ui.Quote(name))
	}
	if s.Root == nil {
		parts = append(parts, "state:"+cmp.Or(s.State, "no elements"))
	}
	if m := s.Modal(); m != nil {
		parts = append(parts, "modal:"+ui.Quote(m.Name()))
	}
	if s.Keyboard() != nil {
		parts = append(parts, "keyboard:shown")
	}
	switch {
	case s.Truncated > 0:
		parts = append(parts, fmt.Sprintf("truncated:%d", s.Truncated))
	case s.Truncated < 0:
		parts = append(parts, "truncated:unknown")
	}
	if s.Unsure {
		parts = append(parts, "covers:unknown")
	}
	if !s.Settled {
		parts = append(parts, "still-moving")
	}
	if s.Ended != "" {
		return s.Ended + "\n" + strings.Join(parts, " ")
	}
	return strings.Join(parts, " ")
}

// line is one element: role "name" [ref=e12] [states]: value
func line(s *ui.Screen, n *ui.Node, device string, refs *ui.Refs, full bool) string {
	ref := " [ref=" + refs.Name(device, s, n) + "]" + states(n)
	if !full || !ui.Cut(n.Name()) && !ui.Cut(n.Value) {
		return n.Describe() + ref + value(n)
	}
	whole := n.Role() + ref
	if name := n.Name(); name != "" {
		whole = n.Role() + " " + ui.QuoteWhole(name) + ref
	}
	if value(n) != "" {
		whole += ": " + ui.QuoteWhole(n.Value)
	}
	return whole
}

func states(n *ui.Node) string {
	var b strings.Builder
	for _, state := range [...]struct {
		holds bool
		name  string
	}{
		{n.Disabled, "disabled"}, {n.Focused, "focused"}, {n.Selected, "selected"}, {n.Secure, "secure"},
		{n.Type == "TextView", "multiline"}, {n.Covered() != nil && n.Interactive(), "covered"},
		{n.BlindWeb(), "content hidden"}, {n.Hidden, "hidden"}, {!n.Hidden && !n.Visible(), "off-screen"},
	} {
		if state.holds {
			b.WriteString(" [" + state.name + "]")
		}
	}
	if percent := n.VisiblePercent(); percent > 0 && percent < 50 && n.Interactive() {
		fmt.Fprintf(&b, " [%d%% visible]", percent)
	}
	return b.String()
}

func value(n *ui.Node) string {
	if strings.TrimSpace(n.Value) == "" || n.Value == n.Label || n.Value == n.Placeholder {
		return ""
	}
	return ": " + ui.Inline(n.Value)
}
