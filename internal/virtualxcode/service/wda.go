package service

import (
	"cmp"
	"context"
	"errors"
	"net"

	"ios-agent/internal/virtualxcode/wda"
	"ios-agent/internal/virtualxcode/world"
)

// webDriverAgent makes a WebDriverAgent for a device. It calls crashed if the server ends by itself.
func (s *Server) webDriverAgent(ctx context.Context, udid string, crashed func()) *wda.Server {
	server := wda.New(wda.Options{World: s.World, UDID: udid, KeepsUp: s.Time == "request", Served: s.count})
	go func() {
		select {
		case <-server.Gone():
			if ctx.Err() == nil {
				crashed()
			}
		case <-ctx.Done():
		}
	}()
	return server
}

// wdaPort is WebDriverAgent's default port.
const wdaPort = "8100"

// RunWDA serves WebDriverAgent in a launched runner, on the port in its environment, until the runner or its device ends. If the port
// is taken it ends at once.
func (s *Server) RunWDA(r *world.TestRunner, udid string, env map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.clients.Go(func() {
		defer r.End()
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", cmp.Or(env["USE_PORT"], wdaPort)))
		if err != nil {
			s.Log.Info("WebDriverAgent cannot listen", "udid", udid, "error", err)
			return
		}
		ctx, end := context.WithCancel(s.ctx)
		defer end()
		server := s.webDriverAgent(ctx, udid, end)
		go s.dieWithDevice(ctx, udid, r, end)
		if err := server.Listen(ctx, listener); err != nil && !errors.Is(err, context.Canceled) {
			s.Log.Info("WebDriverAgent ended", "udid", udid, "error", err)
		}
	})
}
