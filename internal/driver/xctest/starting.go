package xctest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// starting is the start of a device's agent. It belongs to the device's hands: a start takes a minute on a busy Mac, and longer than a call
// has on a virtual machine. All callers that need the agent wait for the same start.
type starting struct {
	*work
	since time.Time
	err   error // read it only after done
}

// underWay is the start that has not ended yet, or nil.
func (h *hands) underWay() *starting {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.begun
}

// startAgent replaces the agent, if any, or joins the start that is under way.
func (h *hands) startAgent(ctx context.Context) (*agentwire.Client, error) {
	s, err := h.begin(ctx)
	if err != nil {
		return nil, err
	}
	return h.join(ctx, s)
}

func (h *hands) begin(ctx context.Context) (*starting, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, h.wasClosed()
	case h.begun != nil:
		return h.begun, nil
	}
	task, ctx := newWork(ctx)
	s := &starting{work: task, since: time.Now()}
	s.about = func(words string) string {
		return fmt.Sprintf("starting the agent on %s (%s): %s", h.info.Name, time.Since(s.since).Round(time.Second), words)
	}
	h.begun = s
	old := h.agent
	h.agent = nil
	go func() {
		defer close(s.done)
		defer s.cancel()
		s.err = h.replace(ctx, old)
	}()
	return s, nil
}

// replace ends an agent, if there is one, and starts another.
func (h *hands) replace(ctx context.Context, old *agent) error {
	if old != nil {
		_ = old.stop(ctx) // what it leaves, the start of the next one ends
	}
	a, err := h.ground.start(ctx, h.looksAt())
	h.mu.Lock()
	h.begun = nil
	unwanted := h.closed || ctx.Err() != nil
	if err == nil && !unwanted {
		h.agent = a
	}
	h.mu.Unlock()
	if !unwanted {
		return err
	}
	if a != nil {
		err = a.stop(context.WithoutCancel(ctx))
	}
	return errors.Join(h.wasClosed(), err)
}

func (h *hands) wasClosed() error {
	return fault.New(fault.Cancelled, "%s was closed or its agent was stopped during the start", h.info.Name)
}

// join waits for a start and turns the agent to the app in front. A caller that has to leave before learns how the start goes.
func (h *hands) join(ctx context.Context, s *starting) (*agentwire.Client, error) {
	if err := s.wait(ctx); err != nil {
		return nil, h.stillStarting(s, err)
	}
	if s.err != nil {
		return nil, s.err
	}
	a, _ := h.current()
	if a == nil {
		return nil, h.wasClosed()
	}
	if err := a.turn(ctx, h.looksAt()); err != nil { // an app was launched in the meantime
		return nil, fault.New(fault.AgentFailed, "cannot switch the agent on %s to %s: %w", h.info.Name, h.looksAt(), err)
	}
	return a.client(), nil
}

// retryAfter is how long a caller should wait before it asks again for an agent that starts.
const retryAfter = 10 * time.Second

// stillStarting is the fault for a caller whose time ended before the start did. A caller that left by itself gets its own error.
func (h *hands) stillStarting(s *starting, why error) error {
	if !errors.Is(why, context.DeadlineExceeded) {
		return fault.From(why)
	}
	took := time.Since(s.since).Round(time.Second)
	words, _ := s.said()
	words = cmp.Or(words, "it is being prepared")
	return fault.New(fault.AgentStarting, "the agent on %s has been starting for %s: %s", h.info.Name, took, words).
		WithHint("the start continues: try again in %s, or wait for it: %s", retryAfter, hint.Do("agent_start", "udid", h.info.UDID)).
		With("seconds", int(took.Seconds())).With("last", words).With("retry_after_seconds", int(retryAfter.Seconds()))
}
