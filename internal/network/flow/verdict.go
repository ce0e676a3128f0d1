package flow

import (
	"context"
	"time"
)

// Rules decide about flows while they pass through the proxy: mocks, holds, exclusions. Package rules implements it.
type Rules interface {
	// Look is called once for each flow, when the head of its request has arrived.
	Look(f *Flow) Look
	// Request is called before a request is forwarded. It waits while the flow is held. f belongs to the caller: Request may read and
	// copy it until it returns. The context ends when the app disconnects or the proxy ends.
	Request(ctx context.Context, f *Flow) (Verdict, error)
	// Response is called when the server has answered, before the app gets the answer, if Look requested it.
	Response(ctx context.Context, f *Flow) (Verdict, error)
}

// Look says which parts of a flow the rules need. The proxy reads a requested body whole, up to a bound, before it calls the rules; other
// bodies pass as they arrive.
type Look struct {
	Hidden       bool // the flow is neither recorded nor given to the rules again
	RequestBody  bool
	Response     bool
	ResponseBody bool
}

// Verdict is the rules' decision about a flow. The zero value lets it pass.
type Verdict struct {
	Change *Change // the change before the flow continues
	Answer *Answer // the answer instead of the server's
	Pace   *Pace   // its speed; nil is unlimited
}

// Pace is the slower network of a throttle for one flow.
type Pace struct {
	Latency  time.Duration // before the request is forwarded
	Down, Up int64         // bytes a second of the answer's body and the request's; 0: unlimited
	Lost     string        // why the connection ends without an answer; empty: it stays
}

// Change lists the changes of a request or a response. A nil field changes nothing.
type Change struct {
	Method *string // requests only
	URL    *string // requests only
	Status *int    // responses only
	Set    Header  // replaces all lines of each name; several fields of one name stay several
	Remove []string
	Body   *[]byte // the bytes on the wire: the proxy sets Content-Length and removes Content-Encoding
}

// Empty reports whether the change, which may be nil, changes nothing.
func (c *Change) Empty() bool {
	return c == nil || c.Method == nil && c.URL == nil && c.Status == nil && len(c.Set) == 0 && len(c.Remove) == 0 && c.Body == nil
}

// Answer is a mocked response, or the other server that a request is sent to.
type Answer struct {
	Rule   string
	To     string // URL of the other server's resource; empty: the mock answers
	Status int
	Header Header
	Body   []byte
	Delay  time.Duration
	Fault  Fault
}

// Fault is a way in which a mocked connection fails.
type Fault string

// The faults.
const (
	Reset     Fault = "reset"     // the connection is reset without an answer
	Timeout   Fault = "timeout"   // no answer until the app gives up
	Truncated Fault = "truncated" // the head, half of the body, and the end of the connection
)

// Teller records a flow at each change of its state: when its request was forwarded or held, when a mock answered it, when it is done.
// The flow then belongs to the Teller. Tell never waits: the Teller drops and counts flows that it cannot store.
type Teller interface {
	Tell(f Flow)
}
