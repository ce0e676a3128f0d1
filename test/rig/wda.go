package rig

import (
	"context"
	"net"
	"sync"

	"ios-agent/internal/driver/wda"
	"ios-agent/internal/virtualxcode"
)

// WDA are the options of a driver that finds a WebDriverAgent on every simulator of a world, through pipes. Dialling restarts an agent
// that has ended, as an external supervisor would. The driver waits in the world's time.
func WDA(w *virtualxcode.World) wda.Options {
	o := wda.Options{URLs: map[string]string{}, Clock: w}
	servers := &wdas{running: map[string]*virtualxcode.WDA{}}
	for _, d := range w.Devices() {
		o.URLs[d.UDID] = "http://127.0.0.1:8100" // nobody listens there
	}
	o.Dial = func(_ context.Context, udid string, _ int) (net.Conn, error) { return servers.dial(w, udid) }
	return o
}

// wdas are the servers that run, by the device they are on.
type wdas struct {
	mu      sync.Mutex
	running map[string]*virtualxcode.WDA
}

func (s *wdas) dial(w *virtualxcode.World, udid string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	server := s.running[udid]
	if server == nil || server.Ended() {
		server = virtualxcode.NewWDA(w, udid)
		s.running[udid] = server
	}
	here, there := net.Pipe()
	go server.Serve(context.Background(), there) // it ends when the client closes its end
	return here, nil
}
