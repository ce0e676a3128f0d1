package network

import (
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
)

// ofStep limits a filter to the requests from a step until the next step on its device.
func (n *Network) ofStep(c *op.Call, f flow.Filter, step string) (flow.Filter, string, error) {
	from, to, id, device, err := n.d.Steps.TimesOf(c.Session, step, f.Device)
	f.Since, f.Until, f.Device = from, to, device
	return f, id, err
}
