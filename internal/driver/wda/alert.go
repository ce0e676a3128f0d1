package wda

import (
	"context"
	"slices"
	"strings"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
)

var _ device.Alerts = (*phone)(nil)

// alertText is the text of the alert in front, the system's before the app's; "" without an alert.
func (p *phone) alertText(ctx context.Context) (string, error) {
	var text string
	err := p.send(ctx, get("/alert/text"), &text)
	if webdriver.Is(err, webdriver.NoSuchAlert) {
		return "", nil
	}
	if err == nil && text == "" {
		text = " " // an alert without a text
	}
	return text, err
}

// Alert reads the alert in front and answers it.
func (p *phone) Alert(ctx context.Context, answer string) (*device.Alert, error) {
	alert, err := p.readAlert(ctx)
	if err != nil || answer == "" {
		return alert, err
	}
	none := fault.New(fault.ElementNotFound, "no alert is open on %s", p.info.Name).WithDispatch(fault.NotDispatched)
	if alert == nil {
		return nil, none
	}
	path, body := "/alert/accept", map[string]any{}
	switch {
	case answer == "dismiss":
		path = "/alert/dismiss"
	case answer == "accept":
	case !slices.Contains(alert.Buttons, answer):
		return nil, fault.New(fault.ElementNotFound, "the alert on %s has no button %q; it has %s", p.info.Name, answer,
			strings.Join(alert.Buttons, ", ")).WithDispatch(fault.NotDispatched)
	default:
		body["name"] = answer
	}
	if err := p.send(ctx, act(path, body), nil); err != nil {
		if webdriver.Is(err, webdriver.NoSuchAlert) {
			return nil, none
		}
		return nil, err
	}
	return alert, nil
}

// readAlert reads the alert in front: its texts and buttons from WebDriverAgent, its owner (system or app) from the tree.
func (p *phone) readAlert(ctx context.Context) (*device.Alert, error) {
	text, err := p.alertText(ctx)
	if err != nil || text == "" {
		return nil, err
	}
	a := &device.Alert{Buttons: []string{}, Source: springboard}
	err = p.send(ctx, get("/wda/alert/buttons"), &a.Buttons)
	if webdriver.Is(err, webdriver.NoSuchAlert) { // the alert has closed meanwhile
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.Title, a.Text, _ = strings.Cut(strings.TrimSpace(text), "\n")
	g, err := p.glance(ctx, 0)
	if err != nil {
		return nil, err
	}
	if shows(g.sight.root, text) {
		a.Source = g.app
	}
	return a, nil
}
