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

// troubleAside lets the faults happen that come before any request: an agent that hangs answers nobody.
func (s *session) troubleAside(ctx context.Context) error {
	select {
	case <-s.killed:
		return ErrCrashed
	default:
	}
	if _, silent := s.mainThread(); silent || s.happens(flaw.AgentHang) {
		s.stopsAnswering(true, time.Time{})
		return s.block(ctx, nil)
	}
	return nil
}

// trouble lets the faults happen that come before a request is carried out on the main queue: what hangs here hangs all of these.
func (s *session) trouble(ctx context.Context) error {
	if err := s.troubleAside(ctx); err != nil {
		return err
	}
	if !s.met {
		s.met = true
		if held, yes := s.opts.TakeFault(flaw.MainQueueHeld); yes {
			if err := s.opts.Clock.Sleep(ctx, held.Seconds("seconds")); err != nil {
				return err
			}
		}
	}
	if stuck, yes := s.opts.TakeFault(flaw.AgentStuck); yes {
		s.stopsAnswering(false, time.Now().Add(-stuck.Millis("stuck_ms")))
		return s.block(ctx, nil)
	}
	if stall, yes := s.opts.TakeFault(flaw.AgentStall); yes {
		if err := s.block(ctx, time.After(stall.Millis("ms"))); err != nil {
			return err
		}
	}
	if slow, yes := s.opts.TakeFault(flaw.AgentSlow); yes {
		return s.opts.Clock.Sleep(ctx, slow.Millis("ms"))
	}
	return nil
}

// beforeInput lets the faults happen that come before an input.
func (s *session) beforeInput(ctx context.Context, req agentwire.Request) error {
	if s.happens(flaw.AgentCrashBefore) {
		return s.crash()
	}
	if idle, yes := s.opts.TakeFault(flaw.AgentWaitsForIdle); yes {
		wait := world.Wait{Stable: 500 * time.Millisecond, Max: idle.Seconds("seconds")}
		_, err := s.watch(ctx, s.aimedAt(), wait)
		return err
	}
	if _, answers := req.(*agentwire.Alert); answers {
		return nil // what presses a button of the alert is not interrupted by it
	}
	return s.interrupted(ctx)
}

// interrupted dismisses an alert of the app before an input, as XCTest does by itself where nobody switches that off.
func (s *session) interrupted(ctx context.Context) error {
	hit, yes := s.opts.TakeFault(flaw.DismissesAlerts)
	if !yes || hit.Word("agents") == "public-only" && !s.opts.PublicOnly {
		return nil
	}
	o, err := s.watch(ctx, s.aimedAt(), world.Wait{})
	if err != nil || o.Root == nil {
		return err
	}
	box, _ := s.alertIn([]*world.Element{o.Root})
	if box == nil {
		return nil
	}
	_, buttons := describe(box)
	chosen, err := choose(&agentwire.Alert{Do: agentwire.DismissAlert}, buttons)
	if err != nil {
		return nil // there is nothing to press
	}
	return s.opts.Screen.Tap(ctx, s.opts.UDID, chosen.Frame.Centre())
}

// input carries out an input. With a fault it ends in an exception, before or after it has happened.
func (s *session) input(ctx context.Context, h handler, req agentwire.Request) (agentwire.Response, error) {
	if err := s.beforeInput(ctx, req); err != nil {
		return nil, err
	}
	hit, yes := s.opts.TakeFault(flaw.AgentException)
	if yes && hit.Word("when") == "before" {
		return nil, errThrown
	}
	if h.behind != 0 && s.behind(ctx) {
		return nil, faultf(h.behind, "app %s is not running in front", s.aimedAt())
	}
	resp, err := h.run(s, ctx, req)
	if yes && err == nil {
		return nil, errThrown
	}
	return resp, err
}

// afterInput lets the faults happen that come after an input that went well.
func (s *session) afterInput() error {
	if s.happens(flaw.AgentCrashAfterAct) {
		return s.crash()
	}
	s.dying = s.happens(flaw.AgentCrashAfterAnswer)
	return nil
}

var errThrown = errors.New("XCTest threw an exception: kAXErrorCannotComplete")

// stopsAnswering lets the main thread stop for good: without any sign, or stuck since a moment.
func (a *Agent) stopsAnswering(silent bool, since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silent, a.stuckSince = silent, since
}

// block does nothing until the agent is killed or, if there is an end, until then.
func (s *session) block(ctx context.Context, end <-chan time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.killed:
		return ErrCrashed
	case <-end:
		return nil
	}
}

// oldBuild is the build that an outdated agent tells.
const oldBuild = "0.0.1-old"

// errOldAgent is how an agent answers a hello or a greeting that its version does not know.
var errOldAgent = errors.New("decode error: invalid opcode")

// build is the build that the agent tells. An agent of version 1 knows neither hello nor the greeting, and has no tokens.
func (s *session) build() (string, error) {
	old, yes := s.opts.TakeFault(flaw.AgentOldBuild)
	if !yes {
		return s.opts.Build, nil
	}
	if old.Word("protocol") == "1" {
		s.authorise()
		return "", errOldAgent
	}
	return oldBuild, nil
}
