package op

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"time"

	"ios-agent/internal/text/oneline"
)

// Caller runs an operation for a client and reports its progress, unless progress is nil. The daemon's client and Local are Callers.
type Caller interface {
	Call(ctx context.Context, name string, input []byte, progress func(Event)) Envelope
	// Stream runs a stream until it ends, ctx ends, or item returns an error.
	Stream(ctx context.Context, name string, input []byte, item func(json.RawMessage) error) Envelope
}

// Call is the context of one invocation: facts about the client, the listener for progress, and additions of the operation to the answer.
type Call struct {
	// The surface fills these in.
	Session string            // the client's session
	Client  string            // the client's own name; empty: unknown
	Dir     string            // the client's working folder; "" over plain HTTP
	Env     map[string]string // the client's environment, as far as it travels with a call
	Process int               // the client's process; 0: unknown
	Trace   string            // names this call in logs
	Request string            // the client's id of the request, the same when it repeats it; empty: without an id
	Parent  string            // the id of the call that this one is a part of; empty: a call of its own
	Stdin   io.Reader         // the client's; nil unless a command line runs the operation itself
	Alone   bool              // the client has only the tools of one other product, whose size limits apply (Spec.Own)

	// The catalogue fills these in.
	ID      string            // names this call among all calls of the catalogue
	Hints   Hints             // the operation's hints: what the call may do
	Sources map[string]string // origins of the inputs that the call omitted
	Instead map[string]string // values of this call that replace defaults of the session

	// The operation fills these in.
	Device      *Device  // the device of the answer
	Epoch       uint64   // the epoch of the lease under which the call drove the device; 0: it drove none
	Outside     bool     // a tool outside the toolchain gave the answer, such as the swift on the PATH
	NothingNext bool     // the usual next calls do not fit this answer
	NotNext     []string // operations of the spec's Next that cannot follow this answer

	progress func(Event)
	notices  []Notice
	exchange *Exchange // the exchange that the call is a part of, which observers see; nil: called without a catalogue
}

// Pair is a session and the device of its calls.
type Pair struct{ Session, UDID string }

// Pair returns the pair of the call, which must have a device.
func (c *Call) Pair() Pair { return Pair{c.Session, c.Device.UDID} }

// Child returns a call that is a part of this call, for the same client.
func (c *Call) Child() Call {
	return Call{Session: c.Session, Client: c.Client, Dir: c.Dir, Env: c.Env, Process: c.Process, Parent: c.ID}
}

// Act announces that the operation is about to send its first input to Device. Later calls of Act have no effect.
func (c *Call) Act() {
	if c.exchange != nil {
		c.exchange.act()
	}
}

// SetStep sets the id of the call's step, and when it began to act. Only the observer that stores the steps calls it.
func (c *Call) SetStep(id string, acts time.Time) {
	if c.exchange != nil {
		c.exchange.step, c.exchange.acts = id, acts
	}
}

// Step returns the id and time from SetStep; the id is empty for a call that drives no device.
func (c *Call) Step() (id string, acts time.Time) {
	if c.exchange == nil {
		return "", time.Time{}
	}
	return c.exchange.step, c.exchange.acts
}

// Saw passes screens and other sights of the device to the observers.
func (c *Call) Saw(sights ...Sight) {
	if c.exchange != nil {
		c.exchange.Seen = append(c.exchange.Seen, sights...)
	}
}

// Note passes a value to the observer that knows its type. It replaces an earlier note of that type, because a stream may send notes
// without end.
func (c *Call) Note(note any) {
	if c.exchange == nil {
		return
	}
	if c.exchange.notes == nil {
		c.exchange.notes = map[reflect.Type]any{}
	}
	c.exchange.notes[reflect.TypeOf(note)] = note
}

// Noted returns the note of a type; false if the call has no such note.
func Noted[T any](c *Call) (note T, is bool) {
	if c.exchange != nil {
		note, is = c.exchange.notes[reflect.TypeFor[T]()].(T)
	}
	return note, is
}

// Reveal says that a field's value in this call is not secret although the field may contain secrets, because the screen shows the value.
func (c *Call) Reveal(field string) {
	if c.exchange != nil {
		c.exchange.revealed = append(c.exchange.revealed, field)
	}
}

type clientKey struct{}

// WithClient sets the client of the calls under a context.
func WithClient(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, name)
}

// ClientOf returns the name from WithClient, or "".
func ClientOf(ctx context.Context) string {
	name, _ := ctx.Value(clientKey{}).(string)
	return name
}

type sessionCtxKey struct{}

// WithSession sets the session of the calls under a context, for a Local that serves several sessions.
func WithSession(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, sessionCtxKey{}, name)
}

// SessionOf returns the name from WithSession, or "".
func SessionOf(ctx context.Context) string {
	name, _ := ctx.Value(sessionCtxKey{}).(string)
	return name
}

type parentKey struct{}

// WithParent sets the parent of the calls under a context: the id of the call that they are parts of.
func WithParent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, parentKey{}, id)
}

// ParentOf returns the id from WithParent, or "".
func ParentOf(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}

type aloneKey struct{}

// WithAlone says that the client of the calls under a context has only the tools of another product.
func WithAlone(ctx context.Context) context.Context { return context.WithValue(ctx, aloneKey{}, true) }

// AloneOf reports whether WithAlone was set.
func AloneOf(ctx context.Context) bool { return ctx.Value(aloneKey{}) != nil }

// CLI is the client name of a command line.
const CLI = "cli"

// Device is the device of an answer.
type Device struct {
	UDID string `json:"udid"`
	Name string `json:"name,omitempty"`
	// Driver drives the device; DrivenBecause gives the reason if it is not the usual driver.
	Driver        string `json:"driver,omitempty"`
	DrivenBecause string `json:"driver_reason,omitempty"`
}

// Event is a report of progress during a call.
type Event struct {
	Message string  `json:"message"`
	Done    float64 `json:"done,omitempty"`
	Total   float64 `json:"total,omitempty"` // 0: unknown
	Job     string  `json:"job,omitempty"`   // id of the job, once the call has become one
}

// Progress reports the current work to the caller. It never blocks for long, also without a listener.
func (c *Call) Progress(message string) { c.Report(Event{Message: message}) }

// Report is Progress with numbers: the amount done and the total.
func (c *Call) Report(e Event) {
	if c.progress != nil {
		e.Message = oneline.Of(c.exchange.secrets().Text(e.Message))
		c.progress(e)
	}
}

// WithProgress sets the call's listener.
func (c Call) WithProgress(listen func(Event)) Call {
	c.progress = listen
	return c
}
