package atspi

import (
	"context"
	"strings"

	"github.com/godbus/dbus/v5"
)

// Programs of GTK 3 answer a press first and do it then, still inside of the call: while a dialog is open that came of it, they hear
// nothing else on that connection. They listen themselves, too: each press gets a connection of its own there, and the one to the bus
// stays free for looking.

// pressesOver is the connection for a press.
func (a *App) pressesOver(ctx context.Context, to ref) *bus {
	p := a.names[to.bus]
	if p == nil || p.gtk4() || !strings.EqualFold(p.toolkit, "gtk") {
		return a.bus
	}
	p.hangUp()
	answer, err := a.bus.call(ctx, p.root, programOf+".GetApplicationBusAddress")
	if err != nil {
		return a.bus
	}
	address, _ := unwrapped(answer).(string)
	if !strings.HasPrefix(address, "unix:") {
		return a.bus
	}
	b, err := a.d.connectBy(ctx, dialDirect, address, nil)
	if err != nil {
		a.d.o.Log.Debug("no direct connection", "pid", a.pid, "err", err)
		return a.bus
	}
	p.direct = b
	return b
}

// hangUp ends the connection of the last press. What it was for is done all the same.
func (p *application) hangUp() {
	if p.direct != nil {
		p.direct.close()
		p.direct = nil
	}
}

// dialDirect connects to a program that listens itself: nobody gives out names there.
func dialDirect(_ context.Context, address string, more ...dbus.ConnOption) (*dbus.Conn, error) {
	conn, err := dbus.Dial(address, more...)
	if err != nil {
		return nil, err
	}
	return conn, conn.Auth(nil)
}
