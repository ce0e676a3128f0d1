package idb

import (
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

var _ device.Alerts = (*phone)(nil)

// Alert reads the alert in front from the tree and answers it with a tap on one of its buttons: the companion has no command for alerts.
func (p *phone) Alert(ctx context.Context, answer string) (*device.Alert, error) {
	g, err := p.glance(ctx)
	if err != nil {
		return nil, err
	}
	box := device.AlertIn(g.root)
	switch {
	case box == nil && answer == "":
		return nil, nil
	case box == nil && !g.guest:
		return nil, refuse(fault.ElementNotFound, "%s found no alert: it reads the screen from outside, where alerts may have no name", p.who()).
			WithHint("read the screen and tap the alert's button: %s", hint.Do("snapshot"))
	case box == nil:
		return nil, refuse(fault.ElementNotFound, "no alert is open on %s", p.info.Name)
	}
	told, places := device.ReadAlert(box, g.app)
	if answer == "" {
		return told, nil
	}
	i := chosen(box, told.Buttons, answer)
	if i < 0 {
		return told, refuse(fault.ElementNotFound, "the alert on %s has no button named %s", p.info.Name, ui.Quote(answer)).
			WithHint("press one of %s", strings.Join(told.Buttons, ", "))
	}
	return told, p.Tap(ctx, places[i])
}

// chosen is the index of the button that an answer means; -1 without one. The button that agrees is last in an alert and first in a
// sheet.
func chosen(box *ui.Node, buttons []string, answer string) int {
	last, first := len(buttons)-1, 0
	if box.Type != "Alert" {
		last, first = first, last
	}
	switch {
	case len(buttons) == 0:
		return -1
	case answer == "accept":
		return last
	case answer == "dismiss":
		return first
	}
	return slices.Index(buttons, answer)
}
