package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ios-agent/internal/network/whose"
	"ios-agent/internal/text/brief"
)

const (
	dialTimeout = 5 * time.Second
	// patience is the default time for an answer. WebDriverAgent takes up to a minute for the tree of a large screen.
	patience = 2 * time.Minute
	// maxBody bounds an answer: the largest is a picture of an iPad in base64.
	maxBody = 64 << 20
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
)

// Options configure a Client.
type Options struct {
	// URL is the server's address, with the path before its routes if it has one: http://127.0.0.1:4723/wd/hub.
	URL string
	// Dial connects to the server instead of the URL's host: through a forwarded port, or a pipe. It may be nil.
	Dial func(ctx context.Context) (net.Conn, error)
	// MaxBody bounds an answer, in bytes (default 64 MiB).
	MaxBody int64
}

// Client sends commands to one server. Its methods may be called from any goroutine.
type Client struct {
	base      *url.URL
	transport *http.Transport
	maxBody   int64
}

// New makes a client; it connects at its first use. The caller closes it.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, &AddressError{URL: o.URL, Why: "it cannot be parsed as a URL"}
	case base.Scheme != "http" && base.Scheme != "https":
		return nil, &AddressError{URL: base.Redacted(), Why: "it must begin with http:// or https://"}
	case base.Host == "":
		return nil, &AddressError{URL: base.Redacted(), Why: "it has no host"}
	case base.RawQuery != "" || base.Fragment != "":
		return nil, &AddressError{URL: base.Redacted(), Why: "it may have a host and a path only"}
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	c := &Client{base: base, maxBody: o.MaxBody}
	if c.maxBody == 0 {
		c.maxBody = maxBody
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	c.transport = &http.Transport{ // no proxy: the server is on this machine, or the user has configured it
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, o.Dial, func() (net.Conn, error) { return own(dialer.DialContext(ctx, network, address)) })
			if err != nil {
				return nil, &dialError{err}
			}
			return &counted{Conn: conn}, nil
		},
		MaxIdleConnsPerHost: 1, DisableCompression: true, TLSHandshakeTimeout: dialTimeout, MaxResponseHeaderBytes: maxHeader,
	}
	return c, nil
}

func dial(ctx context.Context, own func(context.Context) (net.Conn, error), usual func() (net.Conn, error)) (net.Conn, error) {
	if own != nil {
		return own(ctx)
	}
	return usual()
}

// own connects to the server and refuses a server that another user of this machine runs.
func own(c net.Conn, err error) (net.Conn, error) {
	if err != nil {
		return nil, err
	}
	if err := whose.Own(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// URL is the server's address, without a password.
func (c *Client) URL() string { return c.base.Redacted() }

// Close closes the idle connection. Running requests continue and end with their contexts.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Request is one command. Body is encoded as JSON; nil sends an empty object with a POST, because servers expect one.
type Request struct {
	Method string
	Path   string // after the server's address, as Path builds it, with a query if needed
	Body   any
	// Acts means that the command changes something: it is not repeated when it may have arrived.
	Acts bool
	// Patience bounds the wait for the answer in addition to the context (default 2 minutes).
	Patience time.Duration
}

// Get is a command that only reads.
func Get(path string) Request { return Request{Method: http.MethodGet, Path: path} }

// Act is a command that changes something.
func Act(path string, body any) Request {
	return Request{Method: http.MethodPost, Path: path, Body: body, Acts: true}
}

// Path joins the parts of a route, each escaped.
func Path(parts ...string) string {
	var p strings.Builder
	for _, part := range parts {
		p.WriteByte('/')
		p.WriteString(url.PathEscape(part))
	}
	return p.String()
}

// Answer is a server's answer.
type Answer struct {
	Value   json.RawMessage // never empty: null is four bytes
	Session string          // the session's id, if the answer has one
}

// Into decodes the value.
func (a Answer) Into(v any) error {
	if err := json.Unmarshal(a.Value, v); err != nil {
		return &AnswerError{Why: "its value has the wrong type: " + misfit(err)}
	}
	return nil
}

// misfit describes the type of a value without the types of this program.
func misfit(err error) string {
	wrong, is := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !is:
		return err.Error()
	case wrong.Field == "":
		return "it is a JSON " + wrong.Value
	}
	return fmt.Sprintf("%s is a JSON %s", brief.Clip(wrong.Field, mostCode), wrong.Value)
}

// Do sends a request and returns the answer. After a lost connection it repeats a request that only reads once; it repeats a request
// that acts only if no byte of it had been sent.
func (c *Client) Do(ctx context.Context, r Request) (Answer, error) {
	a, err := c.once(ctx, r)
	lost, ok := errors.AsType[*SendError](err)
	if !ok || ctx.Err() != nil || lost.NoServer() || lost.Slow || r.Acts && lost.Sent {
		return a, err
	}
	return c.once(ctx, r)
}

// Ask sends a request and decodes the value of the answer.
func Ask[T any](ctx context.Context, c *Client, r Request) (value T, err error) {
	a, err := c.Do(ctx, r)
	if err != nil {
		return value, err
	}
	return value, a.Into(&value)
}

// once sends a request on a connection that is open or new.
func (c *Client) once(ctx context.Context, r Request) (Answer, error) {
	limit := r.Patience
	if limit == 0 {
		limit = patience
	}
	within, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	left := &departure{}
	req, err := c.request(left.watch(within), r)
	if err != nil {
		return Answer{}, err
	}
	broke := func(err error) error {
		slow := context.Cause(within) == errSlow
		switch {
		case slow:
			err = fmt.Errorf("no answer within %s", limit)
		case ctx.Err() != nil:
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		return &SendError{URL: c.URL(), Sent: left.any(), Acts: r.Acts, Slow: slow, Err: err}
	}
	resp, err := c.transport.RoundTrip(req) // Transport follows no redirect and keeps no cookie
	if err != nil {
		return Answer{}, broke(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBody+1))
	if err != nil {
		return Answer{}, broke(err)
	}
	if int64(len(body)) > c.maxBody {
		return Answer{}, &AnswerError{URL: c.URL(), HTTP: resp.StatusCode, Acts: r.Acts,
			Why: fmt.Sprintf("it is larger than %d MB", c.maxBody>>20)}
	}
	a, err := read(resp.StatusCode, body)
	if odd, ok := errors.AsType[*AnswerError](err); ok {
		odd.URL, odd.HTTP, odd.Acts = c.URL(), resp.StatusCode, r.Acts
		odd.Kind, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	}
	return a, err
}

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	var body io.Reader
	if r.Method == http.MethodPost || r.Body != nil {
		data := []byte("{}")
		if r.Body != nil {
			var err error
			if data, err = json.Marshal(r.Body); err != nil {
				return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
			}
		}
		body = bytes.NewReader(data)
	}
	at := *c.base
	at.User = nil
	req, err := http.NewRequestWithContext(ctx, r.Method, at.String()+r.Path, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "ios-agent")
	if u := c.base.User; u != nil {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	return req, nil
}
