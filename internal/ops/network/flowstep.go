package network

import (
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
)

// ofStep narrows a filter to what went over the wire in a step, and until the next one on its device.
func (n *Network) ofStep(c *op.Call, f flow.Filter, step string) (flow.Filter, string, error) {
	from, to, id, device, err := n.d.Steps.TimesOf(c.Session, step, f.Device)
	f.Since, f.Until, f.Device = from, to, device
	return f, id, err
}
