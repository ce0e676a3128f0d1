package idb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/network/whose"
)

// client speaks gRPC to one companion, over HTTP/2 without TLS.
type client struct {
	transport *http.Transport
	host      string
}

var (
	errNoTarget  = errors.New("it does not report which simulator it serves")
	errNoStatus  = errors.New("the answer has no status")
	errNoAddress = errors.New("its address must look like unix:///path/of/a/socket or http://127.0.0.1:10882")
)

// maxHeader bounds the headers of an answer, and its trailers.
const maxHeader = 64 << 10

// newClient makes a client for the companion at an address: unix:///path or http://host:port. It does no I/O.
func newClient(at string) (*client, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, errNoAddress
	}
	network, address := "tcp", u.Host
	switch {
	case u.Scheme == "unix" && u.Host == "" && u.Path != "":
		network, address, u.Host = "unix", u.Path, "localhost"
	case u.Scheme != "http" || u.Port() == "":
		return nil, errNoAddress
	}
	return dialing(u.Host, func(ctx context.Context) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if err := whose.Own(conn); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}), nil
}

// dialing is a client that connects through a function.
func dialing(host string, dial func(context.Context) (net.Conn, error)) *client {
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	return &client{host: host, transport: &http.Transport{
		Protocols: &only, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dial(ctx)
			if err != nil {
				return nil, &dialError{err}
			}
			return conn, nil
		},
	}}
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// dialError means that the connection failed.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

// lostError means that a call got no answer or half an answer.
type lostError struct {
	method string
	sent   bool // a part of it may have arrived
	err    error
}

func (e *lostError) Error() string {
	if !e.sent {
		return fmt.Sprintf("%s was not sent: %v", e.method, e.err)
	}
	return fmt.Sprintf("%s got no answer: %v", e.method, e.err)
}

// Unwrap returns the reason.
func (e *lostError) Unwrap() error { return e.err }

// lost is the error of a call without an answer. Only a failed connection proves that nothing arrived.
func lost(method string, err error) error {
	_, none := errors.AsType[*dialError](err)
	return &lostError{strings.TrimPrefix(method, "/"), !none, err}
}

// call sends one message and reads its answer.
func (c *client) call(ctx context.Context, method string, request, answer any) error {
	return c.send(ctx, method, []any{request}, func(read func(any) error) error { return read(answer) })
}

// send sends messages at once and passes each message of the answer to a function of reads until it returns an error; io.EOF is the end.
// An unsuccessful status takes precedence over those errors.
func (c *client) send(ctx context.Context, method string, requests []any, each func(read func(any) error) error) error {
	var body bytes.Buffer
	for _, r := range requests {
		body.Write(idbwire.Frame(r))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := c.roundTrip(ctx, method, &body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said := each(func(message any) error { return idbwire.Read(response.Body, message) })
	return ended(method, response, said)
}

func (c *client) roundTrip(ctx context.Context, method string, body io.Reader) (*http.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, lost(method, &dialError{err}) // the caller has left; send nothing
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.host+method, body)
	if err != nil {
		return nil, lost(method, &dialError{err})
	}
	request.GetBody = nil // net/http must not repeat a request that may have arrived
	request.Header = http.Header{"Content-Type": {idbwire.ContentType}, "Te": {"trailers"}, "User-Agent": {"ios-agent"}}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, lost(method, err)
	}
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, idbwire.ContentType) {
		response.Body.Close()
		return nil, lost(method, fmt.Errorf("HTTP %d, %q: another program answers at the companion's address", response.StatusCode, kind))
	}
	return response, nil
}

// ended is the status at the end of a call, or why it has none. said is the error at the end of reading the answer.
func ended(method string, response *http.Response, said error) error {
	if told, err := idbwire.StatusOf(response.Header); told && err != nil { // the answer is a status alone
		return err
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(response.Body, idbwire.MaxMessage)); err != nil {
		return lost(method, err)
	}
	told, err := idbwire.StatusOf(response.Trailer)
	switch {
	case err != nil:
		return err
	case said != nil && !errors.Is(said, io.EOF):
		return lost(method, said)
	case !told:
		return lost(method, errNoStatus)
	case said != nil:
		return lost(method, errors.New("an answer is missing"))
	}
	return nil
}

// stream is a call in progress: messages go both ways while it lasts.
type stream struct {
	method string
	body   *io.PipeWriter
	cancel context.CancelFunc
	begun  chan struct{} // closed when the answer has begun or failed
	closed atomic.Bool

	response *http.Response // set when begun is closed
	err      error
}

// open starts a call. The context covers all of it.
func (c *client) open(ctx context.Context, method string) *stream {
	ctx, cancel := context.WithCancel(ctx)
	in, out := io.Pipe()
	s := &stream{method: method, body: out, cancel: cancel, begun: make(chan struct{})}
	go func() { // a companion may start its answer only after the first message
		defer close(s.begun)
		if s.response, s.err = c.roundTrip(ctx, method, in); s.err != nil {
			in.CloseWithError(s.err)
		}
	}()
	return s
}

// say sends a message.
func (s *stream) say(message any) error {
	if _, err := s.body.Write(idbwire.Frame(message)); err != nil {
		return lost(s.method, err)
	}
	return nil
}

// done ends the messages of the client.
func (s *stream) done() { s.body.Close() }

// next reads a message. Its error is io.EOF after the last message, else the reason why the call ended.
func (s *stream) next(message any) error {
	<-s.begun
	if s.err != nil {
		return s.err
	}
	err := idbwire.Read(s.response.Body, message)
	if err == nil {
		return nil
	}
	if !errors.Is(err, io.EOF) {
		return lost(s.method, err)
	}
	if told, err := idbwire.StatusOf(s.response.Header); told {
		return endOf(err)
	}
	told, err := idbwire.StatusOf(s.response.Trailer)
	if !told {
		return lost(s.method, errNoStatus)
	}
	return endOf(err)
}

// endOf is the end of a stream with a status.
func endOf(err error) error {
	if err != nil {
		return err
	}
	return io.EOF
}

// end leaves the call in any state.
func (s *stream) end() {
	s.closed.Store(true)
	s.body.Close()
	s.cancel()
	<-s.begun
	if s.response != nil {
		s.response.Body.Close()
	}
}
