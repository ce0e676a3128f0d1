package xctest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Observe reads the app in front; the agent does the waiting. A screen that was still at the last look, with no action since, counts as
// still without waiting.
func (h *hands) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	limits := limitsOf(w.Depth)
	if still := h.stillAt(); still != "" && h.ground.replaces() && w.Stable > 0 && w.Min == 0 && w.Unlike == "" {
		glance, err := h.look(ctx, &agentwire.Look{Limits: limits})
		if err != nil || glance.Digest == still {
			return h.screenOf(glance, err)
		}
	}
	sight, err := h.look(ctx, &agentwire.Look{Wait: waitOf(w), Limits: limits, Unlike: w.Unlike})
	if err == nil && sight.Settled && w.Stable > 0 {
		h.settled(sight)
	}
	return h.screenOf(sight, err)
}

// limitsOf are the limits of a tree: the driver's, which replace the defaults of the agent's protocol.
func limitsOf(depth int) agentwire.Limits {
	return agentwire.Limits{Depth: uint32(depth), Nodes: device.MostNodes}
}

func waitOf(w device.Wait) agentwire.Wait {
	return agentwire.Wait{StableMS: millis(w.Stable), MinMS: millis(w.Min), MaxMS: millis(w.Max), PatienceMS: millis(w.Patience)}
}

func millis(d time.Duration) uint32 { return uint32(d.Milliseconds()) }

func (h *hands) stillAt() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.still
}

// settled records a look at a still screen.
func (h *hands) settled(s *agentwire.Sight) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.still = s.Digest
}

// look reads the app in front. It lists the running apps, which starts a process, only when neither the last app nor SpringBoard is in
// front.
func (h *hands) look(ctx context.Context, req *agentwire.Look) (*agentwire.Sight, error) {
	sight, err := ask[*agentwire.Sight](ctx, h, req, reads)
	if err == nil && sight.Front == "" {
		running, failed := h.ground.running(ctx)
		if failed != nil {
			return nil, failed
		}
		delete(running, springboard) // the agent has already asked SpringBoard
		maps.DeleteFunc(running, func(bundleID string, _ int) bool { return h.isRunner(bundleID) })
		asked := *req
		asked.Candidates = cmp.Or(strings.Join(slices.Sorted(maps.Keys(running)), "\n"), springboard)
		sight, err = ask[*agentwire.Sight](ctx, h, &asked, reads)
	}
	if err != nil {
		return nil, err
	}
	if !h.ofAnApp(sight) {
		return nil, unsent(fault.New(fault.AgentFailed, "the agent on %s read its own runner instead of the app in front", h.info.Name))
	}
	h.inFront(sight.Front)
	return sight, nil
}

// ofAnApp reports whether a look shows the app in front and not the app in which the agent runs.
func (h *hands) ofAnApp(s *agentwire.Sight) bool { return s.Front != "" && !h.isRunner(s.Front) }

// screenOf turns the agent's answer into a screen. The roots of an agent's tree are one application element, and SpringBoard's when it
// covers the app.
func (h *hands) screenOf(s *agentwire.Sight, err error) (*ui.Screen, error) {
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(device.CheckFront("the agent", s.Front), device.CheckFront("the agent", s.Cover)); err != nil {
		return nil, err
	}
	roots, err := s.Elements()
	if err != nil {
		return nil, fault.New(fault.AgentFailed, "cannot read the agent's tree of %s: %w", s.Front, err)
	}
	var root *ui.Node
	switch len(roots) {
	case 0:
	case 1:
		root = nodeOf(&roots[0])
	default:
		root = &ui.Node{Type: "Application", Made: true, Children: nodesOf(roots)}
		root.Frame = root.Children[0].Frame
	}
	screen := ui.NewScreen(s.Front, s.State, root)
	screen.Settled, screen.Truncated, screen.Cover, screen.Digest = s.Settled, int(s.Truncated), s.Cover, s.Digest
	screen.Waited = time.Duration(s.WaitedMS) * time.Millisecond
	return screen, nil
}
