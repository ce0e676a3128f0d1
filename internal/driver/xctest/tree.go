package xctest

import (
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// screenOf turns what the agent saw into a screen. The roots of an agent's tree are one application element, or none
// when the app does not run, and SpringBoard's when it asks something.
func screenOf(o *agentwire.Observation) (*ui.Screen, error) {
	roots, err := o.Elements()
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "the agent's tree of %s cannot be read: %w", o.Bundle, err)
	}
	var root *ui.Node
	switch len(roots) {
	case 0:
	case 1:
		root = nodeOf(&roots[0])
	default:
		root = &ui.Node{Type: "Application", Made: true, Children: nodesOf(roots)}
		root.Frame = root.Children[0].Frame
	}
	screen := ui.NewScreen(o.Bundle, o.State, root)
	screen.Settled, screen.Truncated = o.Settled, int(o.Truncated)
	screen.Waited = time.Duration(o.WaitedMS) * time.Millisecond
	return screen, nil
}

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
