package wda

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
)

// server is a WebDriverAgent that is used, and our session on it.
type server struct {
	client  *webdriver.Client
	address string
	started *started // nil: somebody else started it

	mu      sync.Mutex // guards what follows
	session string     // empty: there is none
	depth   int        // how deep this session reads trees
	build   string     // of the server
	since   time.Time
}

// capabilities of our sessions: no app of its own, no waiting for idleness, nothing recorded, and no end of what runs with the session.
func capabilities() map[string]any {
	return map[string]any{
		"shouldWaitForQuiescence": false, "waitForIdleTimeout": 0, "eventloopIdleDelaySec": 0, "shouldTerminateApp": false,
		"disableAutomaticScreenshots": true, "maxTypingFrequency": 60,
	}
}

// usualDepth is how deep a tree is read: WebDriverAgent's own limit. Beyond some 60 levels XCTest fails.
const usualDepth = 50

// settings of our sessions, for speed and for what a look needs: exact frames and what the element in use is.
func settings() map[string]any {
	return map[string]any{
		"snapshotMaxDepth": usualDepth, "waitForIdleTimeout": 0, "animationCoolOffTimeout": 0, "shouldUseCompactResponses": false,
		"elementResponseAttributes": "type,rect,attribute/name", "includeNativeFrameInPageSource": true, "useFirstMatch": true,
		"defaultActiveApplication": auto,
	}
}

// auto lets WebDriverAgent find out which app is in front.
const auto = "auto"

// begin makes a session.
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

// readsTo reports whether trees are read to this depth.
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

// alive reports whether the server is there, as far as we know without asking it.
func (s *server) alive() bool { return s.started == nil || s.started.alive() }

// end ends our session, and the server if we started it.
func (s *server) end(ctx context.Context) error {
	if id := s.id(); id != "" && s.alive() {
		_ = s.client.EndSession(ctx, id) // a server that is gone has no session
	}
	s.client.Close()
	if s.started == nil {
		return nil
	}
	return s.started.stop(ctx)
}

// describe tells how the server is. The caller holds the phone's lock.
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
