package service

import (
	"bufio"
	"context"
	"net"

	"ios-agent/internal/virtualxcode/idbcompanion"
)

// companion registers the idb_companion of a process until the process ends.
func (s *Server) companion(ctx context.Context, conn net.Conn, in *bufio.Reader, udid string) {
	server := idbcompanion.New(idbcompanion.Options{World: s.World, UDID: udid, KeepsUp: s.Time == "request", Served: s.count})
	id := s.register(server)
	defer s.unregister(id)
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	go func() {
		select {
		case <-server.Gone():
			say(conn, reply{Crash: true})
		case <-ctx.Done():
		}
	}()
	if say(conn, reply{ID: id}) == nil {
		_, _ = in.ReadByte() // until the process ends it or disconnects
	}
}
