package service

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"sync"
)

// port is a port of a physical device.
type port struct {
	udid   string
	number int
}

// firstPort is the port of an agent on a physical device without a fixed port.
const firstPort = 52100

// udid finds the device of an agent.
func (s *Server) udid(spec AgentSpec) (string, error) {
	if spec.On {
		p, err := s.World.FindPhysical(spec.UDID)
		return p.UDID, err
	}
	d, err := s.World.Find(spec.UDID)
	return d.UDID, err
}

// listen lets the agent of a physical device listen there. An agent on a simulator listens on this computer instead.
func (s *Server) listen(spec AgentSpec, a served) (port, error) {
	if !spec.On {
		return port{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := port{spec.UDID, spec.Port}
	for at.number == 0 || spec.Port == 0 && s.ports[at] != nil {
		at.number = max(firstPort, at.number+1)
	}
	if s.ports[at] != nil {
		return port{}, fmt.Errorf("port %d is in use", at.number)
	}
	s.ports[at] = a
	return at, nil
}

func (s *Server) unlisten(at port) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ports, at)
}

// onDevice connects to the agent that listens on a port of a physical device.
func (s *Server) onDevice(ctx context.Context, udid string, number int) (net.Conn, error) {
	s.mu.Lock()
	a := s.ports[port{udid, number}]
	s.mu.Unlock()
	if a == nil {
		return nil, fmt.Errorf("port %d is closed", number)
	}
	ours, theirs := net.Pipe()
	go func() { // the copy ends with the connection
		if err := a.Serve(ctx, ours); err != nil {
			s.Log.Info("agent stream ended", "udid", udid, "error", err)
		}
	}()
	return theirs, nil
}

// usbmux is one connection of a client of usbmuxd.
func (s *Server) usbmux(ctx context.Context, conn net.Conn, in *bufio.Reader, _ request) {
	s.mux.Serve(ctx, &buffered{conn, in})
}

// Usbmux connects to usbmuxd.
func (c Client) Usbmux(ctx context.Context) (net.Conn, error) {
	return c.send(ctx, request{Kind: kindUsbmux})
}

// listenUsbmux listens for clients of usbmuxd on a socket that only its owner may use, until the returned function is called. Our own
// tools need no socket, so a path that is too long for a socket excludes only other programs.
func (s *Server) listenUsbmux() (end func()) {
	if s.Usbmux == "" {
		return func() {}
	}
	_ = os.Remove(s.Usbmux) // a stale socket of a killed service: this service holds the lock
	l, err := net.Listen("unix", s.Usbmux)
	if err == nil {
		err = os.Chmod(s.Usbmux, 0o600)
	}
	if err != nil {
		s.Log.Warn("no socket for usbmuxd", "error", err)
		return func() {}
	}
	var clients sync.WaitGroup
	clients.Go(func() { s.mux.Listen(s.ctx, l) })
	return func() {
		s.stop()
		clients.Wait()
	}
}
