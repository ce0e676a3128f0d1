package xctest

import (
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/ui"
)

func nodesOf(elements []agentwire.Element) []*ui.Node {
	nodes := make([]*ui.Node, len(elements))
	for i := range elements {
		nodes[i] = nodeOf(&elements[i])
	}
	return nodes
}

func nodeOf(e *agentwire.Element) *ui.Node {
	return &ui.Node{
		Type: e.Type, Identifier: e.Identifier, Label: e.Label, Value: string(e.Value), Placeholder: e.Placeholder,
		Frame:    ui.Rect{X: e.Frame.X, Y: e.Frame.Y, W: e.Frame.Width, H: e.Frame.Height},
		Disabled: e.Disabled(), Selected: e.Selected, Focused: e.Focused,
		Secure:   e.Secure || e.Type == "SecureTextField",
		Children: nodesOf(e.Children),
	}
}
