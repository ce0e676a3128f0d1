package xctest

import (
	"context"
	"sync"
	"time"

	"ios-agent/internal/device"
)

// springboard is the app in front when nothing was launched.
const springboard = "com.apple.springboard"

// hands are a device as its agent drives it: eyes and fingers. Only the holder of the device's lane calls the methods, except Close
// and Info.
type hands struct {
	info       device.Info
	ground     ground
	connecting *device.Lane // one at a time connects

	mu     sync.Mutex // guards what others than the lane's holder may touch
	agent  *agent
	closed bool
	runner string          // the bundle id of the app in which the agent runs
	target string          // the app that was in front last: it is asked first
	still  string          // the digest of a settled look; empty once something may have changed the screen
	ended  map[string]bool // apps that we ended ourselves
}

// ground is what a simulator and a physical device do differently.
type ground interface {
	name() string // of the driver
	// replaces reports whether an agent that is lost or hangs is replaced without a question. Where it is not, others may change the
	// screen behind our back too.
	replaces() bool
	greeting() time.Duration // as Start has it
	// start starts an agent that looks at the target.
	start(ctx context.Context, target string) (*agent, error)
	// running tells which apps run, by bundle id.
	running(ctx context.Context) (map[string]int, error)
}

func newHands(info device.Info, on ground, runner string) *hands {
	return &hands{info: info, ground: on, runner: runner, connecting: device.NewLane(), target: springboard, ended: map[string]bool{}}
}

// Info describes the device as it was when it was opened.
func (h *hands) Info() device.Info { return h.info }

// Driver names the driver.
func (h *hands) Driver() string { return h.ground.name() }

// Close stops the agent, and does not wait long for it: who closes is leaving.
func (h *hands) Close() error {
	h.mu.Lock()
	a := h.agent
	h.agent, h.closed = nil, true
	h.mu.Unlock()
	if a == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return a.stop(ctx)
}

func (h *hands) looksAt() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.target
}

// inFront notes an app that is in front, or was launched and therefore should be.
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

// stir notes that something is done that may change the screen.
func (h *hands) stir() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.still = ""
}
