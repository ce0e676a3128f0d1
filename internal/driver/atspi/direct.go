package atspi

import (
	"context"
	"strings"

	"github.com/godbus/dbus/v5"
)

// GTK 3 answers a press before it acts, but acts inside of the call: while a dialog that the press opened is on the screen, the program
// hears nothing else on that connection. GTK programs also listen on a socket of their own: each press gets its own connection there,
// and the bus connection stays free for looks.

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

// hangUp ends the connection of the last press. The press is done all the same.
func (p *application) hangUp() {
	if p.direct != nil {
		p.direct.close()
		p.direct = nil
	}
}

// dialDirect connects to a program's own socket, where no bus assigns names.
func dialDirect(_ context.Context, address string, more ...dbus.ConnOption) (*dbus.Conn, error) {
	conn, err := dbus.Dial(address, more...)
	if err != nil {
		return nil, err
	}
	return conn, conn.Auth(nil)
}
