package xctest

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/device"
)

// springboard is the app in front as long as no app was launched.
const springboard = "com.apple.springboard"

// hands drive a device through its agent: they read the screen and send input. Only the holder of the device's lane calls the methods,
// except Close and Info.
type hands struct {
	info       device.Info
	ground     ground
	connecting *device.Lane // one caller at a time connects

	mu     sync.Mutex // guards the fields that callers without the lane use
	agent  *agent
	begun  *starting // the start of an agent that is under way
	closed bool
	runner string          // bundle id of the app in which the agent runs
	target string          // the app that was last in front: the agent reads it first
	still  string          // digest of a settled screen; "" once something may have changed the screen
	ended  map[string]bool // apps that the driver ended
}

// ground is the difference between a simulator and a physical device.
type ground interface {
	name() string // the driver's name
	// replaces reports whether a lost or hanging agent is replaced without asking. Where it is false, other people may change the screen
	// too.
	replaces() bool
	greeting() time.Duration // see Start.Greeting
	// start starts an agent that looks at the target, and reports its progress through the context.
	start(ctx context.Context, target string) (*agent, error)
	// running lists the running apps by bundle id.
	running(ctx context.Context) (map[string]int, error)
}

func newHands(info device.Info, on ground, runner string) *hands {
	return &hands{info: info, ground: on, runner: runner, connecting: device.NewLane(), target: springboard, ended: map[string]bool{}}
}

// Info describes the device at the time it was opened.
func (h *hands) Info() device.Info { return h.info }

// Driver is the driver's name.
func (h *hands) Driver() string { return h.ground.name() }

// Close stops the agent, or its start, and waits a short time for it, because the daemon is leaving.
func (h *hands) Close() error {
	h.mu.Lock()
	a, s := h.agent, h.begun
	h.agent, h.closed = nil, true
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	if s != nil {
		s.cancel()
		_ = s.wait(ctx)
	}
	if a == nil {
		return nil
	}
	return a.stop(ctx)
}

func (h *hands) looksAt() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.target
}

// inFront stores the app that is in front, or that was launched and should be.
func (h *hands) inFront(bundleID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target = bundleID
	delete(h.ended, bundleID)
}

// isRunner reports whether an app is the one in which the agent runs.
func (h *hands) isRunner(bundleID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return bundleID == h.runner
}

// stir records an action that may change the screen.
func (h *hands) stir() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.still = ""
}
