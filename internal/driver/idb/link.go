package idb

import (
	"context"
	"errors"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// effect says whether a call may be sent again when it may have arrived: a read may, an input may not.
type effect int

const (
	reads effect = iota
	acts
)

// unsent is the error of a call that was never sent.
func unsent(err error) error { return fault.From(err).WithDispatch(fault.NotDispatched) }

// refuse is the fault of a command that was refused before it was sent.
func refuse(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).WithDispatch(fault.NotDispatched)
}

// do runs a command with the companion. It recovers from a lost companion: it connects again or starts another, and repeats the call
// once. It never repeats an input that may have arrived. long extends the usual limit of the answer.
func (p *phone) do(ctx context.Context, e effect, long time.Duration, call func(context.Context, *companion) error) error {
	for attempt := 1; ; attempt++ {
		c, err := p.connect(ctx)
		if err != nil {
			return unsent(err)
		}
		limited, cancel := context.WithTimeout(ctx, p.driver.opts.Wait+long)
		err = call(limited, c)
		late := limited.Err() != nil && ctx.Err() == nil
		cancel()
		gone, broken := errors.AsType[*lostError](err)
		switch {
		case err == nil:
			return nil
		case !broken:
			return p.fault(err, e)
		case e == acts && gone.sent:
			p.drop(ctx)
			return fault.New(fault.OutcomeUnknown, "%s was lost before it confirmed the input: %w", p.who(), err).
				WithDispatch(fault.MaybeDispatched)
		case ctx.Err() != nil:
			return unsent(ctx.Err())
		case late:
			p.drop(ctx) // the next command replaces a companion that the driver started
			return refuse(fault.Timeout, "%s does not answer for %s: %w", p.who(), p.driver.opts.Wait+long, err).
				WithHint("%s", p.remedy())
		case attempt == 2:
			p.drop(ctx)
			return p.lost(err)
		default:
			p.drop(ctx)
		}
	}
}

// ask is do for one message and its answer.
func (p *phone) ask(ctx context.Context, e effect, method string, request, answer any) error {
	return p.do(ctx, e, 0, func(ctx context.Context, c *companion) error { return c.call(ctx, method, request, answer) })
}

// lost is the fault of a companion that does not answer.
func (p *phone) lost(err error) error {
	if _, none := errors.AsType[*dialError](err); none && p.at != "" {
		return unreachable(p.at, err)
	}
	return refuse(fault.AgentFailed, "%s: %w", p.who(), err).WithHint("%s", p.remedy())
}

func (p *phone) remedy() string {
	if p.at == "" {
		return "try again: the next command starts another companion; " + hint.Do("doctor") + " checks the tools"
	}
	return "start idb_companion again; " + hint.Do("doctor") + " checks whether it answers"
}

// Calls that select another driver for the session.
var (
	useXCTest = hint.Do("session_set_defaults", "driver", "xctest")
	useWDA    = hint.Do("session_set_defaults", "driver", "wda")
)

// codes maps gRPC codes to fault codes. Any other code is an error of the companion itself.
var codes = map[idbwire.Code]fault.Code{
	idbwire.InvalidArgument: fault.Unsupported, idbwire.Unimplemented: fault.Unsupported, idbwire.DeadlineExceeded: fault.Timeout,
}

// fault gives a code to an error of the companion. Only an unknown method proves that the companion did nothing.
func (p *phone) fault(err error, e effect) error {
	no, answered := errors.AsType[*idbwire.StatusError](err)
	if !answered {
		return unsent(err)
	}
	code, known := codes[no.Code]
	switch {
	case known && code == fault.Unsupported:
		return refuse(code, "%s cannot do this: %w", p.who(), err).
			WithHint("use a newer idb_companion; or choose another driver: %s", useXCTest)
	case e == acts:
		return fault.New(fault.OutcomeUnknown, "%s failed during the input: %w", p.who(), err).WithDispatch(fault.MaybeDispatched)
	case !known:
		code = fault.AgentFailed
	}
	return refuse(code, "%s: %w", p.who(), err).WithHint("%s", p.remedy())
}

// connect returns the companion in use, or a new one. A second caller waits until the first has connected.
func (p *phone) connect(ctx context.Context) (c *companion, err error) {
	err = p.connecting.Do(ctx, func() error {
		c, err = p.reach(ctx)
		return err
	})
	return c, err
}

func (p *phone) reach(ctx context.Context) (*companion, error) {
	c, closed := p.current()
	if closed {
		return nil, fault.New(fault.Cancelled, "%s was closed", p.info.Name)
	}
	if c != nil && !c.alive() { // the driver started it, and it ended
		p.drop(ctx)
		c = nil
	}
	if c != nil {
		return c, nil
	}
	var err error
	if p.at != "" {
		c, err = p.driver.attach(p.at)
	} else {
		c, err = p.driver.start(ctx, p.info)
	}
	if err == nil {
		if err = p.verify(ctx, c); err != nil {
			err = errors.Join(err, c.end(context.WithoutCancel(ctx)))
		}
	}
	if err != nil {
		return nil, err
	}
	if !p.use(c) {
		return nil, errors.Join(fault.New(fault.Cancelled, "%s was closed", p.info.Name), c.end(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// verify checks that a companion serves this simulator, and that the simulator is booted.
func (p *phone) verify(ctx context.Context, c *companion) error {
	ctx, cancel := context.WithTimeout(ctx, p.driver.opts.Wait)
	defer cancel()
	var about idbwire.TargetDescriptionResponse
	if err := c.call(ctx, idbwire.Describe, &idbwire.Empty{}, &about); err != nil {
		if _, gone := errors.AsType[*lostError](err); gone {
			return p.lost(err)
		}
		return p.fault(err, reads)
	}
	if about.Target == nil {
		return unreachable(p.at, errNoTarget)
	}
	t := about.Target
	switch {
	case !p.info.Is(t.UDID):
		return refuse(fault.DriverFailed, "the idb_companion at %s serves %s (%s), not %s", c.at, t.Name, t.UDID, p.info.Name).
			WithHint("set the address of this device's companion: %s", hint.Do("session_set_defaults", "idbUrl", "URL"))
	case t.State != "" && t.State != stateBooted:
		return refuse(fault.DeviceNotBooted, "%s is %s", p.info.Name, t.State).WithHint("boot it: %s",
			hint.Do("boot_device", "udid", p.info.UDID))
	}
	p.measure(t.Screen)
	return nil
}

// stateBooted is the companion's word for a booted simulator.
const stateBooted = "Booted"

func (p *phone) current() (c *companion, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.companion, p.closed
}

// use makes c the companion, unless the phone was closed meanwhile.
func (p *phone) use(c *companion) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.companion = c
		clear(p.names)
	}
	return !p.closed
}

// drop disconnects, and ends the companion if the driver started it.
func (p *phone) drop(ctx context.Context) {
	p.mu.Lock()
	c := p.companion
	p.companion = nil
	p.mu.Unlock()
	if c == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWait)
	defer cancel()
	_ = c.end(ctx) // the companion may have exited already
}

var _ device.Agent = (*phone)(nil)

// AgentState describes the state of the device's companion.
func (p *phone) AgentState() device.AgentState {
	state := device.AgentState{UDID: p.info.UDID, Name: p.info.Name, Driver: p.Driver(), State: device.AgentAbsent}
	if c, _ := p.current(); c != nil {
		c.describe(&state)
	}
	return state
}

// StartAgent makes sure that a companion serves.
func (p *phone) StartAgent(ctx context.Context) error {
	_, err := p.connect(ctx)
	return err
}

// StopAgent disconnects, and ends the companion if the driver started it; the next action connects again.
func (p *phone) StopAgent(ctx context.Context) error {
	return p.connecting.Do(ctx, func() error {
		p.drop(ctx)
		return nil
	})
}
