package daemon

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/resident"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/op"
)

// Client calls operations in the daemon, and starts the daemon if necessary.
type Client struct {
	Catalogue *op.Catalogue // the specs; their functions are not called
	Place     resident.Place
	Build     self.Build
	Toolchain string // the one to be used
	Session   string
	Dir       string
	// Start spawns the daemon, detached; nil never does.
	Start func(ctx context.Context) (pid int, err error)
	// Patience is how long the daemon may take to begin with a call; 0 is half a minute.
	Patience time.Duration
}

var _ op.Caller = (*Client)(nil)

// Call runs an operation in the daemon and gives its envelope; whatever goes wrong on the way there becomes one too.
// A caller that ends its context ends the work, also when it has become a job.
func (c *Client) Call(ctx context.Context, name string, input []byte, progress func(op.Event)) op.Envelope {
	trace := newTrace()
	limited, cancel := c.limit(ctx, name)
	defer cancel()
	e := c.exchange(limited, name, input, trace, func(l incoming) error {
		if l.Event != nil && progress != nil {
			progress(*l.Event)
		}
		return nil
	})
	if o, err := c.Catalogue.Lookup(name); err == nil && o.Long && ctx.Err() != nil {
		c.leave(trace)
	}
	return e
}

// limit is a deadline of our own: a daemon keeps the limits of its operations, unless it is frozen.
func (c *Client) limit(ctx context.Context, name string) (context.Context, context.CancelFunc) {
	o, err := c.Catalogue.Lookup(name)
	if err != nil {
		return ctx, func() {}
	}
	info, _, _ := resident.Status(c.Place) // without a daemon the message has no pid to name
	most := o.Limit() + answerGrace
	return context.WithTimeoutCause(ctx, most, &frozenError{info.PID, most})
}

// Stream runs a stream in the daemon.
func (c *Client) Stream(ctx context.Context, name string, input []byte, item func(json.RawMessage) error) op.Envelope {
	e := c.exchange(ctx, name, input, newTrace(), func(l incoming) error {
		if l.Item == nil {
			return nil
		}
		return item(l.Item)
	})
	if ctx.Err() != nil { // ending a stream is how one stops reading it
		return op.Succeeded(struct{}{}, op.Meta{Session: c.Session})
	}
	return e
}

// leave tells the daemon that a caller is gone on purpose, so that its job need not go on.
func (c *Client) leave(trace string) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	still := *c
	still.Start = nil // the jobs of an ended daemon are gone
	if resp, err := still.do(ctx, http.MethodPost, "/leave/"+trace, nil); err == nil {
		resp.Body.Close()
	}
}

// exchange sends a call and hands on what comes before the envelope.
func (c *Client) exchange(ctx context.Context, name string, input []byte, trace string, hear func(incoming) error) op.Envelope {
	o, err := c.Catalogue.Lookup(name)
	if err != nil {
		return op.Failed(err, op.Meta{Session: c.Session})
	}
	body, err := json.Marshal(request{
		Input: rawInput(o.AbsolutePaths(input, c.Dir)), Session: c.Session, Client: cmp.Or(op.ClientOf(ctx), op.CLI), Dir: c.Dir,
		Env: passedEnv(), Process: os.Getpid(), Trace: trace, Parent: op.ParentOf(ctx), Alone: op.AloneOf(ctx), Build: c.Build,
		Toolchain: c.Toolchain,
	})
	if err != nil {
		return op.Failed(fault.New(fault.InvalidInput, "%s: the input is not JSON: %w", o.Name, err), op.Meta{Session: c.Session})
	}
	e, err := c.send(ctx, c.Catalogue.ID(o), o, body, hear)
	if err != nil {
		return op.Failed(err, op.Meta{Session: c.Session})
	}
	return *e
}

// send retries when the daemon stepped aside for us or was gone before it began, and when it was lost during a call
// that changes nothing, or that is known by its trace.
func (c *Client) send(ctx context.Context, id string, o op.Op, body []byte, hear func(incoming) error) (*op.Envelope, error) {
	var err error
	var ended []op.Notice
	for range 3 {
		var last incoming
		if last, err = c.post(ctx, id, body, hear); err == nil && last.Envelope != nil {
			last.Envelope.Meta.Notices = append(ended, last.Envelope.Meta.Notices...)
			return last.Envelope, nil
		}
		var frozen *frozenError
		switch {
		case errors.As(err, &frozen) || errors.As(context.Cause(ctx), &frozen):
			return nil, frozen.during(o)
		case err == nil && last.Leaving != nil:
			for _, what := range last.Ends {
				ended = append(ended, op.Notice{Kind: op.Config, Text: "the daemon made room for a newer one: " + what})
			}
			err = fault.New(fault.DaemonUnreachable, "three daemons in a row ended before the call began")
			if waited := c.awaitLeave(ctx, *last.Leaving); waited != nil {
				return nil, waited
			}
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errNotBegun):
		case !o.Hints.Has(op.ReadOnly | op.Repeatable):
			return nil, lost(o, err)
		}
	}
	if errors.Is(err, errNotBegun) { // three in a row ended at once: the last one has said why
		err = fmt.Errorf("%w; its log ends with: %s", err, resident.LastWords(c.Place))
	}
	if o.Hints.Has(op.Repeatable) {
		return nil, lost(o, err)
	}
	return nil, connectFault(err)
}

// errNotBegun says that the daemon was reached but did not begin: it was about to die. The call may be made again.
var errNotBegun = errors.New("the daemon did not begin")

// incoming is a line as a client reads it: items stay as they are.
type incoming struct {
	Event    *op.Event       `json:"event"`
	Item     json.RawMessage `json:"item"`
	Envelope *op.Envelope    `json:"envelope"`
	Leaving  *time.Time      `json:"leaving"`
	Ends     []string        `json:"ends"`
}

// lost is the fault of a call during which the daemon was lost. Unless it was never sent, its work may have been done.
func lost(o op.Op, err error) error {
	f := fault.From(connectFault(err))
	var never *neverSent
	if errors.As(err, &never) {
		return f.WithDispatch(fault.NotDispatched)
	}
	return fault.New(fault.OutcomeUnknown, "the daemon was lost during %s: %w", o.Name, err).WithDispatch(fault.MaybeDispatched)
}

// neverSent marks an error before the daemon could be reached.
type neverSent struct{ error }

func (n *neverSent) Unwrap() error { return n.error }

func (c *Client) post(ctx context.Context, id string, body []byte, hear func(incoming) error) (incoming, error) {
	resp, err := c.do(ctx, http.MethodPost, "/call/"+id, body)
	if err != nil {
		return incoming{}, err
	}
	defer resp.Body.Close()
	for answer := json.NewDecoder(resp.Body); ; {
		var l incoming
		if err := answer.Decode(&l); err != nil {
			return incoming{}, fmt.Errorf("the daemon's answer broke off: %w", err)
		}
		if l.Envelope != nil || l.Leaving != nil {
			return l, nil
		}
		if err := hear(l); err != nil {
			return incoming{}, err
		}
	}
}

// do sends one request over a connection of its own: the dialing is what finds or starts the daemon.
func (c *Client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	dialer := resident.Dialer{Place: c.Place, Start: c.Start}
	conn, info, err := dialer.Connect(ctx)
	if err != nil {
		return nil, &neverSent{err}
	}
	patience := cmp.Or(c.Patience, headPatience)
	transport := &http.Transport{DisableKeepAlives: true, DialContext: onceConn(conn), ResponseHeaderTimeout: patience}
	req, err := http.NewRequestWithContext(ctx, method, "http://daemon"+path, bytes.NewReader(body))
	if err != nil {
		conn.Close()
		return nil, &neverSent{err}
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		conn.Close()
		return nil, timedOut(ctx, err, info.PID, patience)
	}
	return resp, nil
}

// Ask gives the daemon's status.
func (c *Client) Ask(ctx context.Context) (Status, error) {
	resp, err := c.do(ctx, http.MethodGet, "/status", nil)
	if err != nil {
		return Status{Log: c.Place.LogPath()}, connectFault(err)
	}
	defer resp.Body.Close()
	var s Status
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		return Status{}, fault.New(fault.DaemonUnreachable, "cannot read the daemon's status: %w", err)
	}
	return s, nil
}

// awaitLeave waits until the daemon that steps aside has released its lock, or another has taken it.
func (c *Client) awaitLeave(ctx context.Context, started time.Time) error {
	limit, cancel := context.WithTimeout(ctx, 2*drainTime)
	defer cancel()
	for look := time.Tick(5 * time.Millisecond); ; {
		info, alive, err := resident.Status(c.Place)
		if err != nil {
			return connectFault(err)
		}
		if !alive || info.Socket != "" && !info.StartedAt.Equal(started) {
			return nil
		}
		select {
		case <-look:
		case <-limit.Done():
			return fault.New(fault.DaemonUnreachable, "the daemon (process %d) does not end: %w", info.PID, limit.Err()).
				WithHint("stop it: %s", hint.Command("ios-agent daemon stop"))
		}
	}
}

// connectFault gives a code to what can go wrong on the way to the daemon.
func connectFault(err error) error {
	var sandboxed *resident.SandboxedError
	var unsafe *private.UnsafeError
	var frozen *frozenError
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &frozen):
		return frozen.Fault()
	case errors.As(err, &unsafe):
		return unsafe.Fault()
	case errors.As(err, &sandboxed):
		folder := filepath.Dir(sandboxed.Path)
		return fault.New(fault.Sandboxed, "%w", err).With("path", sandboxed.Path).
			WithHint("allow this sandbox to use %s; outside of a sandbox, make it yours to write: `chmod -R u+rwX %q`", folder, folder)
	case errors.Is(err, resident.ErrNotRunning):
		return fault.New(fault.DaemonUnreachable, "the daemon does not run").
			WithHint("the next call that needs it starts it; %s starts it now", hint.Command("ios-agent daemon start"))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if f, ok := fault.OfDisk(err); ok {
		return f
	}
	var dead *resident.StartError
	if errors.As(err, &dead) {
		if f, ok := fault.OfDisk(wholefile.Try(filepath.Dir(dead.Log))); ok { // it could not say so: its log is on that disk
			return f.Within("the daemon does not start")
		}
	}
	return fault.New(fault.DaemonUnreachable, "the daemon cannot be reached: %w", err)
}

// rawInput keeps invalid JSON from breaking the request: it travels as a JSON string, which no operation accepts, so that the operation
// itself reports the mistake.
func rawInput(input []byte) json.RawMessage {
	if len(input) == 0 || json.Valid(input) {
		return input
	}
	quoted, _ := json.Marshal(string(input))
	return quoted
}

// travels lists the variables of a client's environment that go with a call; a name that ends in * is a prefix. The daemon's own
// environment is fixed at its start; no other variable of a client reaches it.
func travels() []string {
	return append([]string{"DEVELOPER_DIR", "SSH_AUTH_SOCK", "SIMCTL_CHILD_*", "IOS_AGENT_*", "XCODEBUILDMCP_*"}, desktop.Env()...)
}

func passedEnv() map[string]string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		for _, allowed := range travels() {
			if prefix, ok := strings.CutSuffix(allowed, "*"); name == allowed || ok && strings.HasPrefix(name, prefix) {
				env[name] = value
			}
		}
	}
	return env
}

func newTrace() string {
	raw := make([]byte, 6)
	if _, err := rand.Read(raw); err != nil {
		return time.Now().UTC().Format("150405.000000")
	}
	return hex.EncodeToString(raw)
}
