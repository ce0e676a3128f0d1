package xctest

import (
	"context"
	"errors"
	"fmt"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault"
)

// effect says whether a request may be sent again when it may have arrived: one that only reads may, an input may not. One that
// guards an input may be refused because the screen is another one.
type effect int

const (
	reads effect = iota
	acts
	guards
)

// ask sends one request and recovers from a lost agent: it closes the stream, connects again or restarts the agent, and
// repeats the request once. An input that may have arrived is never repeated.
func ask[R agentwire.Response](ctx context.Context, p *phone, req agentwire.Request, e effect) (answer R, err error) {
	for attempt := 1; ; attempt++ {
		client, err := p.connect(ctx)
		if err != nil {
			return answer, unsent(err)
		}
		answer, err := agentwire.Ask[R](ctx, client, req)
		var lost *agentwire.SendError
		if !errors.As(err, &lost) {
			return answer, agentFault(err, e)
		}
		if lost.AgentGone() {
			p.dropAgent()
		} else {
			p.disconnect()
		}
		switch {
		case lost.Acted:
			return answer, errActed
		case e != reads && lost.Sent:
			return answer, fault.New(fault.OutcomeUnknown, "the agent on %s was lost before it confirmed the input: %w", p.info.Name, lost).
				WithDispatch(fault.MaybeDispatched)
		case ctx.Err() != nil:
			return answer, unsent(ctx.Err())
		case attempt == 2:
			return answer, unsent(fault.New(fault.AgentFailed, "the agent on %s was lost twice: %w", p.info.Name, lost))
		}
	}
}

// connect gives a connection to the device's own agent: the one in use, a new one to the running agent, or one to a new
// agent. A caller that comes while another one connects waits until that is done.
func (p *phone) connect(ctx context.Context) (client *agentwire.Client, err error) {
	err = p.connecting.Do(ctx, func() error {
		client, err = p.reach(ctx)
		return err
	})
	return client, err
}

func (p *phone) reach(ctx context.Context) (*agentwire.Client, error) {
	a, closed := p.current()
	if closed {
		return nil, fault.New(fault.Cancelled, "%s was closed", p.info.Name)
	}
	if a != nil && a.client() != nil && a.turn(ctx, p.looksAt()) == nil {
		return a.client(), nil
	}
	if a != nil && a.alive() {
		hello, cancel := context.WithTimeout(ctx, p.driver.Start.filled().Greeting)
		err := a.greet(hello, p.looksAt())
		cancel()
		switch {
		case err == nil:
			return a.client(), nil
		case ctx.Err() != nil: // the caller has no more time; that says nothing about the agent
			return nil, fmt.Errorf("the agent on %s does not greet: %w", p.info.Name, ctx.Err())
		}
	}
	return p.startAgent(ctx)
}

func (p *phone) current() (a *agent, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agent, p.closed
}

// startAgent ends the agent, if there is one, and starts a new one that looks at the target.
func (p *phone) startAgent(ctx context.Context) (*agentwire.Client, error) {
	p.dropAgent()
	if err := p.mustBeBooted(ctx); err != nil {
		return nil, err
	}
	a, err := p.driver.spawn(ctx, p.info, p.looksAt())
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.agent = a
	}
	p.mu.Unlock()
	if closed {
		return nil, errors.Join(fault.New(fault.Cancelled, "%s was closed", p.info.Name), a.stop(context.WithoutCancel(ctx), p.driver))
	}
	if err := a.turn(ctx, p.looksAt()); err != nil { // an app was launched in the meantime
		return nil, fault.New(fault.AgentFailed, "the agent on %s cannot turn to %s: %w", p.info.Name, p.looksAt(), err)
	}
	return a.client(), nil
}

// mustBeBooted fails when the device is off, so that the caller is not told about a broken agent.
func (p *phone) mustBeBooted(ctx context.Context) error {
	infos, err := p.driver.List(ctx)
	if err != nil {
		return err
	}
	for _, i := range infos {
		if i.UDID == p.info.UDID && i.State != "booted" {
			return fault.New(fault.DeviceNotBooted, "%s is %s", i.Name, i.State).WithHint("boot it: `ios-agent boot --udid %s`", i.UDID)
		}
	}
	return nil
}

// disconnect closes the stream and keeps the agent.
func (p *phone) disconnect() {
	p.mu.Lock()
	a := p.agent
	p.mu.Unlock()
	if a != nil {
		a.use(nil)
	}
}

// dropAgent ends the agent, if there is one.
func (p *phone) dropAgent() {
	p.mu.Lock()
	a := p.agent
	p.agent = nil
	p.mu.Unlock()
	if a != nil {
		a.stop(context.Background(), p.driver)
	}
}
