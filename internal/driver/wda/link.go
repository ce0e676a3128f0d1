package wda

import (
	"context"
	"errors"
	"net/http"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// effect says whether a command may be sent again when it may have arrived: a read may, an input may not.
type effect int

const (
	reads effect = iota
	acts
)

// command is a command of a session; path is the part after the session.
type command struct {
	method string
	path   string
	body   any
	effect effect
}

func get(path string) command { return command{method: http.MethodGet, path: path} }

// ask is a POST that only reads.
func ask(path string, body any) command {
	return command{method: http.MethodPost, path: path, body: body}
}

func act(path string, body any) command {
	return command{method: http.MethodPost, path: path, body: body, effect: acts}
}

// send sends a command and decodes its value, if value is not nil. It recovers from a lost session, which proves that the command did
// nothing, and from a lost server: it connects again or starts another server, and repeats the command once. It never repeats an input
// that may have arrived.
func (p *phone) send(ctx context.Context, c command, value any) error {
	if c.effect == acts {
		p.stir()
	}
	for attempt := 1; ; attempt++ {
		s, err := p.connect(ctx)
		if err != nil {
			return unsent(err)
		}
		a, err := s.client.Do(ctx, webdriver.Request{
			Method: c.method, Path: webdriver.Path("session", s.id()) + c.path, Body: c.body, Acts: c.effect == acts,
		})
		lost, broken := errors.AsType[*webdriver.SendError](err)
		switch {
		case err == nil && value == nil:
			return nil
		case err == nil:
			return p.fault(a.Into(value), c.effect)
		case webdriver.Is(err, webdriver.InvalidSession) && attempt < 2:
			s.forget() // the next command starts a new session
		case !broken:
			return p.fault(err, c.effect)
		case c.effect == acts && lost.Sent:
			p.drop(ctx)
			return fault.New(fault.OutcomeUnknown, "%s was lost before it confirmed the input: %w", p.who(), lost).
				WithDispatch(fault.MaybeDispatched)
		case ctx.Err() != nil:
			return unsent(ctx.Err())
		case attempt == 2:
			p.drop(ctx)
			return p.lost(ctx, err)
		default:
			p.drop(ctx)
		}
	}
}

// outside sends a command that needs no session and decodes its value.
func (p *phone) outside(ctx context.Context, r webdriver.Request, value any) error {
	s, err := p.connect(ctx)
	if err != nil {
		return unsent(err)
	}
	a, err := s.client.Do(ctx, r)
	e := reads
	if r.Acts {
		e = acts
	}
	if _, broken := errors.AsType[*webdriver.SendError](err); broken {
		return p.lost(ctx, err)
	}
	if err != nil || value == nil {
		return p.fault(err, e)
	}
	return p.fault(a.Into(value), e)
}

// fault gives a code to an error of WebDriverAgent.
func (p *phone) fault(err error, e effect) error {
	if err == nil {
		return nil
	}
	return webdriver.Fault(err, p.who(), e == acts)
}

// lost is the fault of a server that does not answer while the driver connects: creating a session sends no input.
func (p *phone) lost(ctx context.Context, err error) error {
	send, broken := errors.AsType[*webdriver.SendError](err)
	switch {
	case broken && send.NoServer() && p.cabled():
		return p.notRunning(ctx, err)
	case broken && send.NoServer() && p.address() != "":
		return &device.UnreachableError{Driver: Spec(), At: send.URL, Cause: send.Err}
	}
	if e, ok := errors.AsType[*webdriver.SendError](err); ok {
		quiet := *e
		quiet.Acts = false
		err = &quiet
	}
	if e, ok := errors.AsType[*webdriver.AnswerError](err); ok {
		quiet := *e
		quiet.Acts = false
		err = &quiet
	}
	f := fault.From(webdriver.Fault(err, p.who(), false))
	if f.Code != fault.AgentFailed {
		return f
	}
	if p.address() == "" {
		return f.WithHint("try again: the next command starts another WebDriverAgent; %s checks the tools", hint.Do("doctor"))
	}
	return f.WithHint("start WebDriverAgent on the device again and forward its port; %s checks whether it answers", hint.Do("doctor"))
}

// unsent is the error of a command that was never sent.
func unsent(err error) error { return fault.From(err).WithDispatch(fault.NotDispatched) }

// connect returns a server with a session: the one in use, or a new one. A second caller waits until the first has connected.
func (p *phone) connect(ctx context.Context) (s *server, err error) {
	err = p.connecting.Do(ctx, func() error {
		s, err = p.reach(ctx)
		return err
	})
	return s, err
}

func (p *phone) reach(ctx context.Context) (*server, error) {
	s, closed := p.current()
	if closed {
		return nil, p.closedFault()
	}
	if s != nil && !s.alive() { // the driver started it, and it ended
		p.drop(ctx)
		s = nil
	}
	if s == nil {
		var err error
		if s, err = p.open(ctx); err != nil {
			return nil, err
		}
		if !p.use(s) {
			return nil, errors.Join(p.closedFault(), s.end(context.WithoutCancel(ctx)))
		}
	}
	if s.id() != "" {
		return s, nil
	}
	if err := s.begin(ctx); err != nil {
		if send, broken := errors.AsType[*webdriver.SendError](err); broken && send.NoServer() {
			p.drop(ctx)
		}
		return nil, p.notBegun(ctx, err)
	}
	return s, nil
}

func (p *phone) closedFault() error { return fault.New(fault.Cancelled, "%s was closed", p.info.Name) }

// notBegun is the fault of a session that could not be created.
func (p *phone) notBegun(ctx context.Context, err error) error {
	if webdriver.Is(err, webdriver.SessionNotCreated) {
		return fault.New(fault.AgentFailed, "%s cannot create a session: %w", p.who(), err).
			WithHint("unlock the device and look at its screen; then try again").WithDispatch(fault.NotDispatched)
	}
	return p.lost(ctx, err)
}

// open connects to the device's server, or starts one.
func (p *phone) open(ctx context.Context) (*server, error) {
	address := p.address()
	if address == "" {
		return p.driver.start(ctx, p.info)
	}
	client, err := p.driver.clientAt(p.info.UDID, address)
	if err != nil {
		return nil, err
	}
	return &server{client: client, address: address}, nil
}

func (p *phone) current() (s *server, closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.server, p.closed
}

// use makes s the server, unless the phone was closed meanwhile.
func (p *phone) use(s *server) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.server = s
	}
	return !p.closed
}

// drop forgets the server, and ends it if the driver started it.
func (p *phone) drop(ctx context.Context) {
	p.mu.Lock()
	s := p.server
	p.server = nil
	p.mu.Unlock()
	if s == nil {
		return
	}
	s.forget() // the session is lost with its server and need not be ended
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWait)
	defer cancel()
	_ = s.end(ctx) // the server may have exited already
}
