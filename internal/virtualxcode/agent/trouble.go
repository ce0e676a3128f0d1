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

// crash ends the agent's process. The end takes a moment, in which the agent must not answer.
func (s *session) crash() error {
	s.Kill()
	s.opts.Crash()
	return ErrCrashed
}

// troubleAside applies the faults that precede any request, such as an agent that hangs.
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

// trouble applies the faults that precede a request on the main queue: a hang here blocks all such requests.
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

// beforeInput applies the faults that precede an input.
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
		return nil // an input that presses a button of the alert does not trigger the dismissal
	}
	return s.interrupted(ctx)
}

// interrupted dismisses an alert of the app before an input, as XCTest does by default.
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
		return nil // without a button to press
	}
	return s.opts.Screen.Tap(ctx, s.opts.UDID, chosen.Frame.Centre())
}

// endsTest reports whether XCTest ends the test after an error.
func (s *session) endsTest(err error) bool {
	if fault(err).Code != agentwire.CodeException {
		return false // the agent refused the request before XCTest saw it
	}
	hit, yes := s.opts.TakeFault(flaw.FailedQueryEnds)
	return yes && (s.opts.PublicOnly || hit.Word("agents") == "all")
}

// input carries out an input. A fault turns it into an exception, before or after the input.
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

// afterInput applies the faults that follow a successful input.
func (s *session) afterInput() error {
	if s.happens(flaw.AgentCrashAfterAct) {
		return s.crash()
	}
	s.dying = s.happens(flaw.AgentCrashAfterAnswer)
	return nil
}

var errThrown = errors.New("XCTest threw an exception: kAXErrorCannotComplete")

// stopsAnswering blocks the main thread permanently: without pulses, or with pulses that report the time of the hang.
func (a *Agent) stopsAnswering(silent bool, since time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.silent, a.stuckSince = silent, since
}

// block waits until the agent is killed or, if the time is limited, until then.
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

// oldBuild is the build of an outdated agent.
const oldBuild = "0.0.1-old"

// errOldAgent is an agent's error for a hello or a greeting that its version does not know.
var errOldAgent = errors.New("decode error: invalid opcode")

// build is the agent's build. An agent of version 1 knows neither hello nor the greeting, and has no tokens.
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
