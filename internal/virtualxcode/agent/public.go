package agent

import (
	"context"

	"ios-agent/internal/virtualxcode/world"
)

// publicScreen is a screen as XCTest's documented interface shows it, without the focus.
type publicScreen struct{ Screen }

// Observe hides the focus.
func (p publicScreen) Observe(ctx context.Context, udid, bundle string, w world.Wait) (world.Observation, error) {
	o, err := p.Screen.Observe(ctx, udid, bundle, w)
	o.Root, o.System = unfocused(o.Root), unfocused(o.System)
	return o, err
}

func unfocused(e *world.Element) *world.Element {
	if e == nil {
		return nil
	}
	c := *e
	c.Focused = false
	c.Children = make([]*world.Element, len(e.Children))
	for i, child := range e.Children {
		c.Children[i] = unfocused(child)
	}
	return &c
}
