package xctest

import (
	"context"
	"errors"
	"fmt"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// effect says whether a request may be repeated when it may have arrived: a read may, an input may not. A guarded input may be refused
// because the screen has changed.
type effect int

const (
	reads effect = iota
	acts
	guards
)

// ask sends one request and recovers from a lost agent: it closes the stream, connects again or restarts the agent, and repeats the
// request once. It never repeats an input that may have arrived.
func ask[R agentwire.Response](ctx context.Context, h *hands, req agentwire.Request, e effect) (answer R, err error) {
	for attempt := 1; ; attempt++ {
		client, err := h.connect(ctx)
		if err != nil {
			return answer, unsent(err)
		}
		answer, err := agentwire.Ask[R](ctx, client, req)
		var lost *agentwire.SendError
		if !errors.As(err, &lost) {
			return answer, agentFault(err, e)
		}
		if lost.AgentGone() && h.ground.replaces() {
			h.dropAgent()
		} else {
			h.disconnect()
		}
		switch {
		case lost.Acted:
			return answer, errActed
		case e != reads && lost.Sent:
			return answer, fault.New(fault.OutcomeUnknown, "the agent on %s was lost before it confirmed the input: %w", h.info.Name, lost).
				WithDispatch(fault.MaybeDispatched)
		case ctx.Err() != nil:
			return answer, unsent(ctx.Err())
		case attempt == 2:
			return answer, unsent(h.lostTwice(lost))
		}
	}
}

// lostTwice is the fault of an agent that was lost again at the repeated request. Where the driver does not restart agents, its hint
// says how to start one.
func (h *hands) lostTwice(lost error) error {
	f := fault.New(fault.AgentFailed, "the agent on %s was lost twice: %w", h.info.Name, lost)
	if h.ground.replaces() {
		return f
	}
	return f.WithHint("stop it and start another: %s, then %s", hint.Do("agent_stop", "udid", h.info.UDID),
		hint.Do("agent_start", "udid", h.info.UDID))
}

// connect returns a connection to the device's agent: the one in use, a new one to the running agent, or, where agents are replaced
// without asking, one to a new agent. A second caller waits until the first has connected.
func (h *hands) connect(ctx context.Context) (*agentwire.Client, error) {
	return h.connected(ctx, h.ground.replaces())
}

func (h *hands) connected(ctx context.Context, mayStart bool) (client *agentwire.Client, err error) {
	if s := h.underWay(); s != nil {
		return h.join(ctx, s)
	}
	err = h.connecting.Do(ctx, func() error {
		client, err = h.reach(ctx, mayStart)
		return err
	})
	return client, err
}

func (h *hands) reach(ctx context.Context, mayStart bool) (*agentwire.Client, error) {
	a, closed := h.current()
	if closed {
		return nil, fault.New(fault.Cancelled, "%s was closed", h.info.Name)
	}
	if a == nil || !a.process.Alive() { // children of a dead process may still answer on its stream, but the driver cannot watch them
		if !mayStart {
			return nil, h.absent(a, nil)
		}
		return h.startAgent(ctx)
	}
	if a.client() != nil && a.turn(ctx, h.looksAt()) == nil {
		return a.client(), nil
	}
	hello, cancel := context.WithTimeout(ctx, h.ground.greeting())
	err := a.greet(hello, h.looksAt())
	cancel()
	switch {
	case err == nil:
		return a.client(), nil
	case ctx.Err() != nil: // the caller has no time left, which proves nothing about the agent
		return nil, fmt.Errorf("no greeting from the agent on %s: %w", h.info.Name, ctx.Err())
	case !mayStart:
		return nil, h.absent(a, err)
	}
	return h.startAgent(ctx)
}

// absent is the fault of a device without an answering agent, where agents start only on request. why is nil when no agent runs.
func (h *hands) absent(a *agent, why error) error {
	f := fault.New(fault.AgentNotRunning, "no agent runs on %s", h.info.Name)
	switch {
	case why != nil:
		f = fault.New(fault.AgentNotRunning, "the agent on %s does not answer: %w", h.info.Name, why)
	case a != nil:
		f = fault.New(fault.AgentNotRunning, "the agent on %s has ended: %s", h.info.Name, a.process.LastOutput())
	}
	if a != nil && a.process.Spool != "" {
		f = f.With("log", a.process.Spool)
	}
	return f.WithHint("unlock the device and start the agent: %s; %s checks the device", hint.Do("agent_start", "udid", h.info.UDID),
		hint.Do("doctor", "device", h.info.UDID))
}

func (h *hands) current() (a *agent, closed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.agent, h.closed
}

// disconnect closes the stream and keeps the agent.
func (h *hands) disconnect() {
	h.mu.Lock()
	a := h.agent
	h.mu.Unlock()
	if a != nil {
		a.use(nil)
	}
}

// dropAgent ends the agent, if any, or its start.
func (h *hands) dropAgent() {
	if s := h.underWay(); s != nil {
		s.cancel()
		<-s.done
	}
	h.mu.Lock()
	a := h.agent
	h.agent = nil
	h.mu.Unlock()
	if a != nil {
		a.stop(context.Background())
	}
}
