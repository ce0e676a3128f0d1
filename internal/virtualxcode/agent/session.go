package agent

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"strings"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// session is one connection to the agent.
type session struct {
	*Agent
	net     net.Conn
	conn    *agentwire.Conn
	allowed bool   // no token is required, or the client has proved it
	id      uint32 // the number of the present request
	dying   bool   // the agent crashes after its answer
	leaving bool   // the agent's test ends after its answer
	wanted  []byte // the proof expected from the client; nil before its greeting
	offered uint16 // the version offered by the client
	told    string // the build in the agent's answer
}

// run answers requests in order. A malformed frame gets an error; only a broken stream ends run.
func (s *session) run(ctx context.Context) error {
	for {
		id, req, err := s.conn.ReadRequest()
		if _, inStep := errors.AsType[*agentwire.DecodeError](err); err != nil && !inStep {
			return quiet(err)
		}
		var resp agentwire.Response
		if err == nil {
			working, stop := s.pulse(ctx, id, req.Opcode())
			resp, err = s.answer(working, id, req)
			stop()
		}
		if errors.Is(err, ErrCrashed) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			resp = s.failure(req, err)
			s.dying = s.dying || s.endsTest(err)
		}
		if err := s.reply(id, resp); err != nil {
			return quiet(err)
		}
		switch {
		case s.dying:
			return s.crash()
		case s.leaving:
			s.Kill()
			s.opts.Ended()
			return ErrEnded
		}
	}
}

// quiet returns nil for errors that only mean that the client left.
func quiet(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// answer serves one request: on the main queue, unless the request does not need XCTest.
func (s *session) answer(ctx context.Context, id uint32, req agentwire.Request) (agentwire.Response, error) {
	s.id = id
	h := s.handlers[req.Opcode()]
	trouble := s.troubleAside
	if !h.aside {
		s.main.Lock()
		defer s.main.Unlock()
		trouble = s.trouble
	}
	if h.run == nil {
		return nil, faultf(agentwire.CodeUnsupported, "this agent does not serve %s", req.Opcode())
	}
	if !s.allowed && !h.open {
		return nil, faultf(agentwire.CodeUnauthorized, "unauthorized: say hello with the agent's token first")
	}
	s.opts.Served(h.looks)
	if err := trouble(ctx); err != nil {
		return nil, err
	}
	resp, err := s.carryOut(ctx, h, req)
	if errors.Is(err, world.ErrWrongState) || errors.Is(err, world.ErrInvalidDevice) {
		return nil, s.crash() // a test runner is a process of its device, and ends with it
	}
	return resp, err
}

func (s *session) carryOut(ctx context.Context, h handler, req agentwire.Request) (agentwire.Response, error) {
	if !h.acts {
		return h.run(s, ctx, req)
	}
	resp, err := s.input(ctx, h, req)
	if err == nil {
		err = s.afterInput()
	}
	return resp, err
}

// reply sends resp. After a welcome it switches to the version in it.
func (s *session) reply(id uint32, resp agentwire.Response) error {
	switch resp.(type) {
	case *agentwire.Sight:
		if spoilt, err := s.spoil(id, resp); spoilt {
			return err
		}
	}
	err := s.conn.WriteResponse(id, resp)
	if errors.Is(err, agentwire.ErrFrameTooLarge) {
		return s.conn.WriteResponse(id, s.failure(nil, err))
	}
	if w, ok := resp.(*agentwire.Welcome); ok && err == nil {
		s.conn.SetVersion(w.Version)
	}
	return err
}

// failure is err in the format of the client's version. A refused hello always has the format of version 3: a client that sends a hello
// knows it, and would misread an error of version 1 as an agent of version 1.
func (s *session) failure(req agentwire.Request, err error) agentwire.Response {
	if errors.Is(err, errOldAgent) {
		return &agentwire.ErrorText{Message: err.Error()}
	}
	f := fault(err)
	f.Message = strings.ToValidUTF8(f.Message, "\uFFFD")
	switch req.(type) {
	case *agentwire.Hello, *agentwire.Greet, *agentwire.Prove:
		return f
	}
	if s.conn.Version() > 1 {
		return f
	}
	return &agentwire.ErrorText{Message: f.Message}
}

func (s *session) hello(_ context.Context, m *agentwire.Hello) (agentwire.Response, error) {
	if s.conn.Version() > 1 {
		return nil, faultf(agentwire.CodeBadRequest, "hello was said already")
	}
	if s.opts.Token != "" {
		return nil, faultf(agentwire.CodeUnauthorized, "unauthorized: this agent has a token; greet it")
	}
	build, err := s.build()
	if err != nil {
		return nil, err
	}
	return s.welcome(m.Version, build)
}

// greet starts the proof of the token: it computes the agent's proof and the proof expected from the client.
func (s *session) greet(_ context.Context, m *agentwire.Greet) (agentwire.Response, error) {
	if s.conn.Version() > 1 {
		return nil, faultf(agentwire.CodeBadRequest, "hello was said already")
	}
	if s.opts.Token == "" || len(m.Nonce) != agentwire.NonceSize {
		return nil, faultf(agentwire.CodeBadRequest, "this agent has no token, or the nonce has not %d bytes", agentwire.NonceSize)
	}
	build, err := s.build()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, agentwire.NonceSize)
	_, _ = rand.Read(nonce) // never fails
	s.wanted, s.offered, s.told = agentwire.ClientProof(s.opts.Token, m.Nonce, nonce), m.Version, build
	return &agentwire.Challenge{
		Version: min(m.Version, agentwire.Version), Nonce: nonce, Proof: agentwire.AgentProof(s.opts.Token, m.Nonce, nonce),
	}, nil
}

// prove admits a client with the right token. Each proof works once.
func (s *session) prove(_ context.Context, m *agentwire.Prove) (agentwire.Response, error) {
	wanted := s.wanted
	s.wanted = nil
	if wanted == nil || !hmac.Equal(m.Proof, wanted) {
		return nil, faultf(agentwire.CodeUnauthorized, "unauthorized: that does not prove this agent's token")
	}
	return s.welcome(s.offered, s.told)
}

func (s *session) welcome(offered uint16, build string) (agentwire.Response, error) {
	s.authorise()
	udid := s.opts.UDID
	if s.happens(flaw.AgentWrongDevice) {
		udid = "00000000-0000-4000-8000-000000000000"
	}
	version := uint16(1)
	if offered >= agentwire.Version {
		version = agentwire.Version
	}
	return agentwire.NewWelcome(agentwire.HelloInfo{Version: version, Agent: name, Build: build, UDID: udid, PID: s.opts.PID})
}

func (s *session) authorise() {
	s.allowed = true
	s.adopt(s.net)
}
