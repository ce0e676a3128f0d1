package appium

import (
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

var _ device.Alerts = (*phone)(nil)

// Alert reads the alert in front and answers it. The tree has its text and shows whether it is the system's or the app's.
func (p *phone) Alert(ctx context.Context, answer string) (*device.Alert, error) {
	g, err := p.glance(ctx, 0)
	if err != nil {
		return nil, err
	}
	over, err := p.over(ctx, g)
	if err != nil {
		return nil, err
	}
	found, source := device.AlertIn(g.root), g.Bundle
	if over != nil {
		found, source = device.AlertIn(over), springboard
	}
	none := unsent(fault.ElementNotFound, "no alert is open on %s", p.info.Name)
	switch {
	case found == nil && answer == "":
		return nil, nil
	case found == nil:
		return nil, none
	}
	told, _ := device.ReadAlert(found, source)
	if answer == "" {
		return told, nil
	}
	switch answer {
	case "accept", "dismiss":
		err = p.ask(ctx, webdriver.Act("/alert/"+answer, nil), nil)
	default:
		if err := offered(told, answer); err != nil {
			return told, err
		}
		err = p.mobile(ctx, "alert", map[string]any{"action": "accept", "buttonLabel": answer}, nil, true)
	}
	if webdriver.Is(err, webdriver.NoSuchAlert) {
		return nil, none // it closed by itself meanwhile
	}
	return told, p.lost(err, true)
}

// offered refuses a button that the alert does not have.
func offered(a *device.Alert, button string) error {
	if slices.Contains(a.Buttons, button) {
		return nil
	}
	return unsent(fault.ElementNotFound, "the alert has no button named %s", ui.Quote(button)).
		WithHint("press one of %s", strings.Join(a.Buttons, ", "))
}
