package service

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"net"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// AddFault arms a fault.
func (c Client) AddFault(ctx context.Context, f flaw.Fault) error {
	_, err := c.ask(ctx, request{Kind: kindFaultAdd, Fault: f})
	return err
}

// ClearFaults disarms the faults of one name, or all faults if name is empty.
func (c Client) ClearFaults(ctx context.Context, name string) error {
	_, err := c.ask(ctx, request{Kind: kindFaultClear, Fault: flaw.Fault{Name: name}})
	return err
}

// TakeFaults reports which of some faults happen now, with their details, and counts each as one occurrence. The device "" means no
// specific device.
func (c Client) TakeFaults(ctx context.Context, udid string, names ...string) (map[string]map[string]string, error) {
	r, err := c.ask(ctx, request{Kind: kindFaultTake, Fault: flaw.Fault{Device: udid}, Names: names})
	return r.Taken, err
}

// SetChaos starts or stops chaos.
func (c Client) SetChaos(ctx context.Context, to flaw.Chaos) error {
	_, err := c.ask(ctx, request{Kind: kindChaos, Chaos: to})
	return err
}

// SetProfile selects a profile, or none with "".
func (c Client) SetProfile(ctx context.Context, name string) error {
	_, err := c.ask(ctx, request{Kind: kindProfile, Names: []string{name}})
	return err
}

// Sleep advances the devices' time.
func (c Client) Sleep(ctx context.Context, d time.Duration) error {
	conn, err := c.send(ctx, request{Kind: kindSleep, For: d})
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var r reply
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	return nil
}

func (s *Server) addFault(_ context.Context, conn net.Conn, _ *bufio.Reader, req request) {
	answer(conn, s.World.AddFault(req.Fault))
}

func (s *Server) clearFaults(_ context.Context, conn net.Conn, _ *bufio.Reader, req request) {
	answer(conn, s.World.ClearFaults(req.Fault.Name))
}

func (s *Server) takeFaults(_ context.Context, conn net.Conn, _ *bufio.Reader, req request) {
	r := reply{Taken: map[string]map[string]string{}}
	for _, name := range req.Names {
		if hit, yes := s.World.TakeFault(req.Fault.Device, name); yes {
			r.Taken[name] = hit.Values()
		}
	}
	say(conn, r)
}

func (s *Server) chaos(_ context.Context, conn net.Conn, _ *bufio.Reader, req request) {
	if !req.Chaos.On {
		req.Chaos = flaw.Chaos{}
	}
	answer(conn, s.World.SetChaos(req.Chaos))
}

func (s *Server) profile(_ context.Context, conn net.Conn, _ *bufio.Reader, req request) {
	answer(conn, s.World.SetProfile(strings.Join(req.Names, "")))
}

// sleep ends early if the client disconnects.
func (s *Server) sleep(ctx context.Context, conn net.Conn, in *bufio.Reader, req request) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		in.ReadByte()
		cancel()
	}()
	answer(conn, s.Clock.Sleep(ctx, req.For))
}

func (s *Server) describeFaults(st *Status) {
	st.Profile = s.World.Profile()
	st.Faults = append(st.Faults, s.World.Faults()...)
	if c := s.World.Chaos(); c.On {
		c.Seen = nil // only the stream itself needs it
		st.Chaos = &c
	}
}

// dieWithDevice calls die when the agent's device shuts down or its test runner is terminated.
func (s *Server) dieWithDevice(ctx context.Context, udid string, runner *world.TestRunner, die func()) {
	for up := false; ; {
		changed := s.World.Changed()
		d, err := s.World.Find(udid)
		if up && (err != nil || d.State != world.Booted) {
			die()
			return
		}
		up = err == nil && d.State == world.Booted
		select {
		case <-changed:
		case <-runner.Terminated():
			die()
			return
		case <-ctx.Done():
			return
		}
	}
}
