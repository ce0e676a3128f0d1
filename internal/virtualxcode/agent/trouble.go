package agent

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func (s *session) happens(name string) bool {
	_, yes := s.opts.TakeFault(name)
	return yes
}

// crash ends the agent's process. That takes a moment, in which it must not answer anyone.
func (s *session) crash() error {
	s.Kill()
	s.opts.Crash()
	return ErrCrashed
}

// trouble lets the faults happen that come before a request is carried out. It runs on the main thread: what hangs here
// hangs all requests.
func (s *session) trouble(ctx context.Context, acts bool) error {
	select {
	case <-s.killed:
		return ErrCrashed
	default:
	}
	if s.happens(flaw.AgentHang) {
		return s.hang(ctx)
	}
	if slow, yes := s.opts.TakeFault(flaw.AgentSlow); yes {
		if err := s.opts.Clock.Sleep(ctx, slow.Millis("ms")); err != nil {
			return err
		}
	}
	if !acts {
		return nil
	}
	if s.happens(flaw.AgentCrashBefore) {
		return s.crash()
	}
	if idle, yes := s.opts.TakeFault(flaw.AgentWaitsForIdle); yes {
		wait := world.Wait{Stable: 500 * time.Millisecond, Max: idle.Seconds("seconds")}
		_, err := s.opts.Screen.Observe(ctx, s.opts.UDID, s.target, wait)
		return err
	}
	return nil
}

// carryOut carries out a request. With a fault, an input ends in an exception, before or after it has happened.
func (s *session) carryOut(ctx context.Context, h handler, req agentwire.Request) (agentwire.Response, error) {
	if !h.acts {
		return h.run(s, ctx, req)
	}
	hit, yes := s.opts.TakeFault(flaw.AgentException)
	if yes && hit.Word("when") == "before" {
		return nil, errThrown
	}
	resp, err := h.run(s, ctx, req)
	if yes && err == nil {
		return nil, errThrown
	}
	return resp, err
}

var errThrown = errors.New("XCTest threw an exception: kAXErrorCannotComplete")

// hang does nothing until the agent is killed.
func (s *session) hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.killed:
		return ErrCrashed
	}
}

// oldBuild is the build that an outdated agent tells.
const oldBuild = "0.0.1-old"

// errOldAgent is how an agent that does not know version 2 answers a hello.
var errOldAgent = errors.New("decode error: invalid opcode 0x20")

// build is the build that the answer to a hello tells. An agent of version 1 does not know hello.
func (s *session) build() (string, error) {
	old, yes := s.opts.TakeFault(flaw.AgentOldBuild)
	switch {
	case !yes:
		return s.opts.Build, nil
	case old.Int("protocol") < agentwire.Version:
		s.authorise() // version 1 had no tokens
		return "", errOldAgent
	}
	return oldBuild, nil
}
