package flow

import (
	"context"
	"time"
)

// Rules decide about flows while they pass: mocks, holds, what is left out. The proxy asks them; network/rules has them.
type Rules interface {
	// Look is asked once for each flow, when the head of its request is there.
	Look(f *Flow) Look
	// Request is asked before a request is sent on. It waits while the flow is held. f is the asker's own: it may be read until Request
	// returns, and copied. The context ends when the app is gone or the proxy ends.
	Request(ctx context.Context, f *Flow) (Verdict, error)
	// Response is asked when the server answered and Look said so, before the app gets it.
	Response(ctx context.Context, f *Flow) (Verdict, error)
}

// Look is what the rules need to see of a flow. A body that they want is read whole, up to a bound, before they are asked; all other
// bodies pass as they come.
type Look struct {
	Hidden       bool // passes unseen: it is neither told nor asked about again
	RequestBody  bool
	Response     bool
	ResponseBody bool
}

// Verdict is what becomes of a flow. The zero value lets it pass.
type Verdict struct {
	Change *Change // what is changed before it goes on
	Answer *Answer // it is answered with this, and no server sees it
	Pace   *Pace   // how fast it goes on, if not as fast as it can
}

// Pace is how a network is worse for a flow than it is.
type Pace struct {
	Latency  time.Duration // before the request goes on
	Down, Up int64         // bytes a second of the answer's body and the request's; 0: as fast as they come
	Lost     string        // why the connection ends without an answer; empty: it does not
}

// Change is what is changed of a request or a response. What is nil stays.
type Change struct {
	Method *string // requests only
	URL    *string // requests only
	Status *int    // responses only
	Set    Header  // replaces all lines of each name; several fields of one name stay several
	Remove []string
	Body   *[]byte // as it goes over the wire: the proxy corrects Content-Length and takes Content-Encoding away
}

// Empty reports whether nothing is changed; nil changes nothing.
func (c *Change) Empty() bool {
	return c == nil || c.Method == nil && c.URL == nil && c.Status == nil && len(c.Set) == 0 && len(c.Remove) == 0 && c.Body == nil
}

// Answer is a mocked response, or where a request is sent instead of its server.
type Answer struct {
	Rule   string
	To     string // the URL that the request is sent to; empty: it is answered
	Status int
	Header Header
	Body   []byte
	Delay  time.Duration
	Fault  Fault
}

// Fault is how a mocked connection breaks.
type Fault string

// The faults.
const (
	Reset     Fault = "reset"     // the connection is reset without an answer
	Timeout   Fault = "timeout"   // nothing is answered until the app gives up
	Truncated Fault = "truncated" // the head, half of the body, and the end of the connection
)

// Teller hears of a flow whenever it got further: when its request was sent on or held, when it was answered by a mock, when it is done.
// The flow is the teller's own from then on. Tell never waits: what cannot be kept is dropped and counted by the teller.
type Teller interface {
	Tell(f Flow)
}
