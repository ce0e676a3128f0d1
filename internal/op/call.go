package op

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"time"

	"ios-agent/internal/text/oneline"
)

// Caller runs an operation for a client; progress, when not nil, is told what goes on meanwhile. The daemon's client is
// one, and so is Local.
type Caller interface {
	Call(ctx context.Context, name string, input []byte, progress func(Event)) Envelope
	// Stream runs a stream until it ends, ctx does, or item returns an error.
	Stream(ctx context.Context, name string, input []byte, item func(json.RawMessage) error) Envelope
}

// Call is the context of one invocation: who asks, from where, how to tell them about progress, and what the operation tells of it.
type Call struct {
	// The surface fills these in.
	Session string            // the client's session
	Client  string            // the client's own name; empty: nobody knows
	Dir     string            // the client's working folder; "" over plain HTTP
	Env     map[string]string // the client's environment, as far as it travels with a call
	Process int               // the client's; 0: it is not known
	Trace   string            // names this call in logs
	Request string            // the client's id of what it asks for: the same when it asks again; empty: it has none
	Parent  string            // the id of what this call is a part of; empty: nothing
	Stdin   io.Reader         // the client's; nil unless a command line runs the operation itself
	Alone   bool              // the client knows the operation's family alone: what that product gives at most, it gets (Spec.Own)

	// The catalogue fills these in.
	ID      string            // names this call among all of the catalogue
	Hints   Hints             // the operation's own: what the call may do
	Sources map[string]string // of the inputs that the call left out
	Instead map[string]string // defaults of the session that the call gives for itself

	// The operation fills these in.
	Device      *Device  // that the answer is about
	Epoch       uint64   // of the lease under which the device was driven; 0: it was not
	Outside     bool     // what answers is no tool of the toolchain, such as the swift of the PATH
	NothingNext bool     // the answer leaves nothing for what usually follows it
	NotNext     []string // operations of the spec's Next that cannot follow this answer

	progress func(Event)
	notices  []Notice
	exchange *Exchange // that the call is a part of, with all that observers are told; nil: no catalogue runs it
}

// Pair is a session and a device that its calls are about.
type Pair struct{ Session, UDID string }

// Pair must be asked of a call that has a device.
func (c *Call) Pair() Pair { return Pair{c.Session, c.Device.UDID} }

// Child is a call that is a part of this one, for the same client.
func (c *Call) Child() Call {
	return Call{Session: c.Session, Client: c.Client, Dir: c.Dir, Env: c.Env, Process: c.Process, Parent: c.ID}
}

// Act says that the operation is about to act on Device, and has sent nothing yet. Further calls change nothing.
func (c *Call) Act() {
	if c.exchange != nil {
		c.exchange.act()
	}
}

// SetStep is for the observer that remembers steps: the id under which the call is remembered, and when it began to act.
func (c *Call) SetStep(id string, acts time.Time) {
	if c.exchange != nil {
		c.exchange.step, c.exchange.acts = id, acts
	}
}

// Step is what SetStep noted; empty for a call that drives no device.
func (c *Call) Step() (id string, acts time.Time) {
	if c.exchange == nil {
		return "", time.Time{}
	}
	return c.exchange.step, c.exchange.acts
}

// Saw tells observers what the operation saw.
func (c *Call) Saw(sights ...Sight) {
	if c.exchange != nil {
		c.exchange.Seen = append(c.exchange.Seen, sights...)
	}
}

// Note tells something to the observer that knows its type. It replaces an earlier note of that type: a stream may note without end.
func (c *Call) Note(note any) {
	if c.exchange == nil {
		return
	}
	if c.exchange.notes == nil {
		c.exchange.notes = map[reflect.Type]any{}
	}
	c.exchange.notes[reflect.TypeOf(note)] = note
}

// Noted is the note of a type; false: there is none.
func Noted[T any](c *Call) (note T, is bool) {
	if c.exchange != nil {
		note, is = c.exchange.notes[reflect.TypeFor[T]()].(T)
	}
	return note, is
}

// Reveal says that an input that may be secret is not in this call: the screen shows it.
func (c *Call) Reveal(field string) {
	if c.exchange != nil {
		c.exchange.revealed = append(c.exchange.revealed, field)
	}
}

type clientKey struct{}

// WithClient says for which client the calls under a context are made.
func WithClient(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, name)
}

// ClientOf is the name that WithClient noted; empty: none.
func ClientOf(ctx context.Context) string {
	name, _ := ctx.Value(clientKey{}).(string)
	return name
}

type sessionCtxKey struct{}

// WithSession says whose session the calls under a context belong to, where one Local calls for many.
func WithSession(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, sessionCtxKey{}, name)
}

// SessionOf is the name that WithSession noted; empty: none.
func SessionOf(ctx context.Context) string {
	name, _ := ctx.Value(sessionCtxKey{}).(string)
	return name
}

type parentKey struct{}

// WithParent says what the calls under a context are parts of.
func WithParent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, parentKey{}, id)
}

// ParentOf is the id that WithParent noted; empty: none.
func ParentOf(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}

type aloneKey struct{}

// WithAlone says that the calls under a context come from a client that is served the tools of another product alone.
func WithAlone(ctx context.Context) context.Context { return context.WithValue(ctx, aloneKey{}, true) }

// AloneOf reports what WithAlone noted.
func AloneOf(ctx context.Context) bool { return ctx.Value(aloneKey{}) != nil }

// CLI is the client that a command line is.
const CLI = "cli"

// Device names the device an answer is about.
type Device struct {
	UDID string `json:"udid"`
	Name string `json:"name,omitempty"`
	// Driver is what drives the device, and DrivenBecause why, where that is not what usually does.
	Driver        string `json:"driver,omitempty"`
	DrivenBecause string `json:"driver_reason,omitempty"`
}

// Event is progress on the way to an answer.
type Event struct {
	Message string  `json:"message"`
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"` // 0: nobody knows
	Job     string  `json:"job,omitempty"`   // the job the call has become
}

// Progress tells the caller what is going on. It never blocks for long; nobody may be listening.
func (c *Call) Progress(message string) { c.Report(Event{Message: message}) }

// Report is Progress with how far it is.
func (c *Call) Report(e Event) {
	if c.progress != nil {
		e.Message = oneline.Of(c.exchange.secrets().Text(e.Message))
		c.progress(e)
	}
}

// WithProgress gives the call a listener.
func (c Call) WithProgress(listen func(Event)) Call {
	c.progress = listen
	return c
}
