package appium

import (
	"context"
	"net"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
)

// OpenThrough is Open for a server that is reached by a function.
func (d *Driver) OpenThrough(info device.Info, at string, dial func(context.Context) (net.Conn, error)) device.Device {
	p, _ := d.Open(info, at).(*phone)
	p.client, p.wrong = webdriver.New(webdriver.Options{URL: at, Dial: dial})
	return p
}
