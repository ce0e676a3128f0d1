package wda

import (
	"net/http"
	"slices"
	"strings"
)

// alert returns the alert in front: SpringBoard's before the app's, or nil.
func (c *call) alert() (*node, error) {
	over, err := c.overlay()
	if err != nil {
		return nil, err
	}
	if over != nil {
		if box := boxIn(whole(over, nil, 0, 1000)); box != nil {
			return box, nil
		}
	}
	root, _, err := c.snapshot()
	if err != nil {
		return nil, err
	}
	return boxIn(root), nil
}

// boxIn returns an alert, or else a sheet.
func boxIn(root *node) *node {
	all := root.all()
	for _, kind := range []string{"Alert", "Sheet"} {
		if i := slices.IndexFunc(all, func(n *node) bool { return n.Type == kind }); i >= 0 {
			return all[i]
		}
	}
	return nil
}

func noAlert() error {
	return problem(http.StatusNotFound, "no such alert", "An attempt was made to operate on a modal dialog when one was not open")
}

// alertText is the text of the alert, without its buttons.
func (c *call) alertText() (any, error) {
	box, err := c.alert()
	if err != nil {
		return nil, err
	}
	if box == nil {
		return nil, noAlert()
	}
	var lines []string
	for _, n := range box.all() {
		if (n.Type == "StaticText" || n.Type == "TextView") && !n.inButton() {
			lines = append(lines, first(n.Label, n.value()))
		}
	}
	return strings.Join(lines, "\n"), nil
}

func (n *node) inButton() bool {
	for p := n.parent; p != nil; p = p.parent {
		if p.Type == "Button" {
			return true
		}
	}
	return false
}

func buttonsOf(box *node) (buttons []*node) {
	for _, n := range box.all() {
		if n.Type == "Button" {
			buttons = append(buttons, n)
		}
	}
	return buttons
}

func (c *call) alertButtons() (any, error) {
	box, err := c.alert()
	if err != nil {
		return nil, err
	}
	if box == nil {
		return nil, noAlert()
	}
	labels := []string{}
	for _, b := range buttonsOf(box) {
		labels = append(labels, b.Label)
	}
	return labels, nil
}

// answered presses a button: the named one, or by default the last button of an alert and the first of a sheet to accept, and the
// opposite to dismiss.
func answered(accepts bool) func(*call) (any, error) {
	return func(c *call) (any, error) {
		box, err := c.alert()
		if err != nil {
			return nil, err
		}
		if box == nil {
			return nil, noAlert()
		}
		buttons := buttonsOf(box)
		if len(buttons) == 0 {
			return nil, badState("Failed to find a button for alert: %s", box.Label)
		}
		chosen := buttons[0]
		if accepts == (box.Type == "Alert") {
			chosen = buttons[len(buttons)-1]
		}
		if name := c.text("name"); name != "" {
			i := slices.IndexFunc(buttons, func(b *node) bool { return b.Label == name || b.Identifier == name })
			if i < 0 {
				return nil, badState("Failed to find button with label '%s' for alert: %s", name, box.Label)
			}
			chosen = buttons[i]
		}
		return nil, c.opts.World.Tap(c.ctx, c.opts.UDID, chosen.Frame.Centre())
	}
}
