package wda

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
)

// server is a WebDriverAgent in use, and the driver's session on it.
type server struct {
	client  *webdriver.Client
	address string
	started *started // nil: the driver did not start it

	mu      sync.Mutex // guards the fields below
	session string     // "" without a session
	depth   int        // depth of the trees that this session reads
	build   string     // of the server
	since   time.Time
}

// capabilities of the driver's sessions: no app of their own, no waiting for idleness, no recordings; the app stays open after the
// session.
func capabilities() map[string]any {
	return map[string]any{
		"shouldWaitForQuiescence": false, "waitForIdleTimeout": 0, "eventloopIdleDelaySec": 0, "shouldTerminateApp": false,
		"disableAutomaticScreenshots": true, "maxTypingFrequency": 60,
	}
}

// usualDepth is the depth of trees: WebDriverAgent's own limit. XCTest fails beyond some 60 levels.
const usualDepth = 50

// settings of the driver's sessions: speed, exact frames, and the attributes of the active element.
func settings() map[string]any {
	return map[string]any{
		"snapshotMaxDepth": usualDepth, "waitForIdleTimeout": 0, "animationCoolOffTimeout": 0, "shouldUseCompactResponses": false,
		"elementResponseAttributes": "type,rect,attribute/name", "includeNativeFrameInPageSource": true, "useFirstMatch": true,
		"defaultActiveApplication": auto,
	}
}

// auto makes WebDriverAgent find the app in front.
const auto = "auto"

// begin starts a session.
func (s *server) begin(ctx context.Context) error {
	made, err := s.client.NewSession(ctx, capabilities())
	if err != nil {
		return err
	}
	path := webdriver.Path("session", made.ID) + "/appium/settings"
	if _, err := s.client.Do(ctx, webdriver.Act(path, map[string]any{"settings": settings()})); err != nil {
		return err
	}
	status, err := s.client.Status(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.depth, s.build, s.since = made.ID, usualDepth, status.Build, time.Now()
	return nil
}

func (s *server) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session
}

func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = ""
}

// readsTo reports whether the session reads trees to this depth.
func (s *server) readsTo(depth int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.depth == depth
}

func (s *server) readTo(depth int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.depth = depth
}

// alive reports whether the server runs, as far as the driver knows without a request.
func (s *server) alive() bool { return s.started == nil || s.started.alive() }

// end ends the session, and the server if the driver started it.
func (s *server) end(ctx context.Context) error {
	if id := s.id(); id != "" && s.alive() {
		_ = s.client.EndSession(ctx, id) // a server that has ended has no session
	}
	s.client.Close()
	if s.started == nil {
		return nil
	}
	return s.started.stop(ctx)
}

// describe adds the server's state. The caller holds the phone's lock.
func (s *server) describe(state *device.AgentState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state.State, state.Build, state.Since = device.AgentIdle, s.build, s.since
	state.Port = portOf(s.address)
	if s.session != "" {
		state.State = device.AgentConnected
	}
	if s.started != nil {
		s.started.describe(state)
	}
}
