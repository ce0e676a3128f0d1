package agent

import (
	"context"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/world"
)

// stateUnknown is XCTest's state of an unknown app.
const stateUnknown = "unknown"

func (s *session) heartbeat(context.Context, *agentwire.Heartbeat) (agentwire.Response, error) {
	return &agentwire.OK{}, nil
}

// shutdown ends the agent's test after its answer.
func (s *session) shutdown(context.Context, *agentwire.Shutdown) (agentwire.Response, error) {
	s.leaving = true
	return &agentwire.OK{}, nil
}

func (s *session) setTarget(_ context.Context, m *agentwire.SetTarget) (agentwire.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = m.Bundle
	return &agentwire.OK{}, nil
}

// aimedAt is the target app.
func (a *Agent) aimedAt() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.target
}

func (s *session) getTargetInfo(ctx context.Context, _ *agentwire.GetTargetInfo) (agentwire.Response, error) {
	var info agentwire.AppInfo
	target := s.aimedAt()
	if s.opts.About != nil {
		info = s.opts.About(ctx, target)
	}
	info.Bundle, info.State = target, stateUnknown
	o, err := s.watch(ctx, target, world.Wait{})
	if err != nil && !passing(err) {
		return nil, err
	}
	if err == nil {
		info.State = string(o.State)
	}
	if info.DisplayName == "" && o.Root != nil {
		info.DisplayName = o.Root.Label
	}
	return agentwire.NewTargetInfo(info)
}

func (s *session) deviceUDID(context.Context, *agentwire.DeviceUDID) (agentwire.Response, error) {
	return &agentwire.Value{Text: text(s.opts.UDID)}, nil
}

func (s *session) screenshot(ctx context.Context, _ *agentwire.Screenshot) (agentwire.Response, error) {
	if s.opts.Screenshot == nil {
		return nil, faultf(agentwire.CodeUnsupported, "this agent takes no screenshots")
	}
	png, err := s.opts.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	return &agentwire.Image{PNG: png}, nil
}
