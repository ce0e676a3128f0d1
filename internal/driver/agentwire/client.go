package agentwire

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	dialTimeout  = 5 * time.Second
	writeTimeout = 10 * time.Second
)

// Client sends requests to one agent, one at a time. Its methods may be called from any goroutine; they take turns.
//
// Any error of the stream closes it at once, so that a late answer cannot match the next request; every later call then fails with a
// SendError whose Sent is false.
type Client struct {
	net    net.Conn
	conn   *Conn
	turn   chan struct{} // holds a token during a request
	lastID uint32
	lost   func(id uint32, err error) // reports to a Talk that no answer came; nil: no Talk
}

// Dial connects to an agent. The caller closes the client.
func Dial(ctx context.Context, addr string) (*Client, error) {
	keepAlive := net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}
	d := net.Dialer{Timeout: dialTimeout, KeepAliveConfig: keepAlive}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("agent at %s: %w", addr, err)
	}
	return NewClient(conn), nil
}

// NewClient returns a client on conn and takes ownership of conn.
func NewClient(conn net.Conn) *Client {
	return &Client{net: conn, conn: NewConn(conn), turn: make(chan struct{}, 1)}
}

// Close ends the connection. A running request fails.
func (c *Client) Close() error { return c.net.Close() }

// Version is the current protocol version: 1 before Hello.
func (c *Client) Version() uint16 { return c.conn.Version() }

// Hello offers the newest version. With a token, both sides prove that they have it before any other message. An agent that knows only
// version 1 causes no error: its HelloInfo has version 1 and no other values. A caller that needs the device's udid then sends
// DeviceUDID.
func (c *Client) Hello(ctx context.Context, token, client string) (HelloInfo, error) {
	var w *Welcome
	var err error
	if token == "" {
		w, err = Ask[*Welcome](ctx, c, &Hello{Version: Version, Client: client})
	} else {
		w, err = c.prove(ctx, token, client)
	}
	if refusal, ok := errors.AsType[*AgentError](err); ok && refusal.Code == CodeNone {
		return HelloInfo{Version: 1}, nil
	}
	if err != nil {
		return HelloInfo{}, fmt.Errorf("hello: %w", err)
	}
	return w.Info()
}

// ErrImpostor means that the program at the other end does not have the token.
var ErrImpostor = errors.New("the program at this address is not the agent that was started: it does not know the token")

// prove requires a proof from the agent before the client sends its own.
func (c *Client) prove(ctx context.Context, token, client string) (*Welcome, error) {
	nonce := make([]byte, NonceSize)
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	challenge, err := Ask[*Challenge](ctx, c, &Greet{Version: Version, Nonce: nonce, Client: client})
	if err != nil {
		return nil, err
	}
	if len(challenge.Nonce) != NonceSize || !hmac.Equal(challenge.Proof, AgentProof(token, nonce, challenge.Nonce)) {
		c.Close()
		return nil, ErrImpostor
	}
	return Ask[*Welcome](ctx, c, &Prove{Proof: ClientProof(token, nonce, challenge.Nonce)})
}

// Ask is Do for a caller that expects one type of response. Any other type closes the connection, because the two sides no longer agree
// on the protocol.
func Ask[R Response](ctx context.Context, c *Client, req Request) (R, error) {
	var want R
	resp, err := c.Do(ctx, req)
	if err != nil {
		return want, err
	}
	if r, ok := resp.(R); ok {
		return r, nil
	}
	c.Close()
	return want, &SendError{Sent: true, Err: decodeErrorf(InvalidPayload, "%s answered with %s", req.Opcode(), resp.Kind())}
}

// Do sends req and returns the answer. It fails with an *AgentError when the agent reports an error, and with a *SendError when no
// answer came: because ctx ended, the agent was silent for longer than Timeout, or the stream broke.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, &SendError{Err: ctx.Err()}
	}
	if err := ctx.Err(); err != nil {
		return nil, &SendError{Err: err}
	}
	resp, acted, err := c.exchange(ctx, req)
	if err != nil {
		return nil, err
	}
	switch r := resp.(type) {
	case *ErrorText:
		return nil, &AgentError{Message: r.Message, Acted: acted}
	case *Fault:
		return nil, &AgentError{Code: r.Code, Message: r.Message, Acted: acted}
	}
	return resp, nil
}

// exchange closes the stream when ctx ends. A deadline from ctx would not do: a heartbeat that renews the deadline at the same moment
// would undo the cancellation.
func (c *Client) exchange(ctx context.Context, req Request) (resp Response, acted bool, err error) {
	stop := context.AfterFunc(ctx, func() { c.net.Close() })
	defer stop()
	id, err := c.send(req)
	if err != nil {
		return nil, false, because(ctx, err)
	}
	resp, acted, err = c.await(id, req)
	if err != nil {
		c.Close()
		if c.lost != nil {
			c.lost(id, err)
		}
		return nil, acted, because(ctx, &SendError{Sent: true, Acted: acted, Err: err})
	}
	if w, ok := resp.(*Welcome); ok {
		c.conn.SetVersion(min(w.Version, Version))
	}
	return resp, acted, nil
}

// send writes the request. A request that cannot be encoded leaves the stream unchanged.
func (c *Client) send(req Request) (uint32, error) {
	if err := c.idle(); err != nil {
		c.Close()
		return 0, &SendError{Err: err}
	}
	if err := c.net.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		c.Close()
		return 0, &SendError{Err: err}
	}
	c.lastID++
	err := c.conn.WriteRequest(c.lastID, req)
	if err != nil && !unsendable(err) {
		c.Close()
	}
	return c.lastID, err
}

func unsendable(err error) bool {
	_, bad := errors.AsType[*DecodeError](err)
	return bad || errors.Is(err, ErrFrameTooLarge)
}

// idle checks, before a request is sent, that the stream is open and has no unread bytes. It finds an agent that died between two
// requests. In version 1, unread bytes would count as the answer; version 3 has ids.
func (c *Client) idle() error {
	waiting, err := pending(c.net)
	if err == nil && c.Version() == 1 && (waiting || c.conn.r.Buffered() > 0) {
		err = errors.New("the agent sent bytes without a request")
	}
	return err
}

// await reads until the answer to the request with this id. Each heartbeat restarts the timeout, unless it reports that the agent hangs.
// acted reports whether the agent has confirmed the input.
func (c *Client) await(id uint32, req Request) (resp Response, acted bool, err error) {
	timeout, stuck := Timeout(req), StuckLimit(req)
	if c.Version() > 1 {
		timeout = Silence
	}
	for {
		if err := c.net.SetReadDeadline(time.Now().Add(timeout)); err != nil {
			return nil, acted, err
		}
		reply, err := c.conn.ReadResponse()
		if err != nil {
			return nil, acted, err
		}
		if c.Version() > 1 && reply.ID != id && !reply.Heartbeat { // a heartbeat may be late
			return nil, acted, decodeErrorf(InvalidPayload, "answer to request %d while waiting for %d", reply.ID, id)
		}
		switch {
		case reply.Heartbeat:
			pulse, ok := reply.Response.(*Pulse)
			if ok && reply.ID == id && time.Duration(pulse.StuckMS)*time.Millisecond > stuck {
				return nil, acted, &HungError{pulse.During, time.Duration(pulse.StuckMS) * time.Millisecond}
			}
		case reply.Sent:
			acted = true
		default:
			return reply.Response, acted, nil
		}
	}
}

// because names the end of ctx as the reason when the stream only reports that it was closed.
func because(ctx context.Context, err error) error {
	if s, ok := errors.AsType[*SendError](err); ok && ctx.Err() != nil {
		return &SendError{Sent: s.Sent, Acted: s.Acted, Err: fmt.Errorf("%w: %w", ctx.Err(), s.Err)}
	}
	return err
}
