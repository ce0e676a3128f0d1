package op

import (
	"context"
	"reflect"
	"slices"
	"time"

	"ios-agent/internal/fault/mask"
)

// Observer sees the calls of a catalogue begin and end. It is the one way to take part in a call that is not one's own: to tell in its
// answer what the app logged, to remember it, to record it. It sees many calls at once.
type Observer interface {
	// Begin is told of a call before its operation begins; nil: the observer is not interested. The call is the live one: what its
	// operation fills in stands in it later.
	Begin(*Call) Watch
}

// Watch is one observer's view of one call. Its methods run one after the other, in the order of Options.Observers, and are called by
// whoever performs the call. A panic in one of them ends neither the call nor the other watches.
type Watch interface {
	// Act is called at most once: the device is known, and nothing was sent to it yet.
	Act()
	// End is called once, whatever became of the call: after a panic, when its job ends, when its stream ends, when it was refused.
	// The context outlives the caller.
	End(context.Context, *Exchange)
}

// Ended is an observer of ends alone.
type Ended func(context.Context, *Exchange)

var (
	_ Observer = Ended(nil)
	_ Watch    = Ended(nil)
)

// Begin watches every call.
func (e Ended) Begin(*Call) Watch { return e }

// Act does nothing.
func (e Ended) Act() {}

// End calls the function.
func (e Ended) End(ctx context.Context, x *Exchange) { e(ctx, x) }

// Mode is how a call is performed.
type Mode uint8

// The modes.
const (
	Single Mode = iota // it is answered when its function returns
	Job                // it belongs to a job: it ends when the job does, and its caller may have left by then
	Stream             // it tells items until it ends; its answer has no notices of observers
)

// Sight is something that a call saw of its device, such as a screen. Only the one that looked and the one that shows it know what it is.
type Sight interface {
	// Hash names what was seen: two sights with one hash are the same.
	Hash() string
}

// Exchange is what was asked and what was answered, without secrets. It is whole when the call is over.
type Exchange struct {
	Name   string // the operation's, or the name that no operation has
	Op     *Op    // nil: there is no such operation
	Call   *Call
	Mode   Mode
	Job    string // the job's id; empty: it has none, or was refused one
	Began  time.Time
	Answer Envelope
	Seen   []Sight // by the operation, in the order of its looks

	catalogue *Catalogue
	input     []byte
	watches   []Watch
	acted     bool
	step      string // the id under which the call is remembered; empty: it drives no device
	acts      time.Time
	answered  string // the step of the job that the call asks about
	revealed  []string
	notes     map[reflect.Type]any
}

// Input is what the caller gave, as the operation reads it: by the names of its fields, without defaults and without what may be secret.
// It is empty when the input was refused.
func (x *Exchange) Input() map[string]any {
	if x.Op == nil {
		return map[string]any{}
	}
	return x.Op.masked(x.secrets().JSON(x.input), x.revealed)
}

// withheld stands for an input that may be secret.
const withheld = "•••"

// masked is the input of a call without what may be secret.
func (o Op) masked(input []byte, revealed []string) map[string]any {
	values, err := o.Read(input)
	if err != nil {
		return map[string]any{}
	}
	for _, f := range o.Fields() {
		if _, given := values[f.Name]; given && f.Private && !slices.Contains(revealed, f.Name) {
			values[f.Name] = withheld
		}
	}
	return values
}

// Notify adds a notice to the answer, at the place of its kind. Streams have none.
func (x *Exchange) Notify(n Notice) {
	if x.Mode != Stream {
		x.Answer.Meta.Notices = inOrder(append(x.Answer.Meta.Notices, hidden(x.secrets(), n)))
	}
}

// AttachLogs puts what an app logged into meta.logs.
func (x *Exchange) AttachLogs(e *AppErrors) { x.Answer.Meta.Logs = hidden(x.secrets(), e) }

// AttachNet puts what a device sent into meta.net.
func (x *Exchange) AttachNet(r *Requests) { x.Answer.Meta.Net = hidden(x.secrets(), r) }

// Waited says that the answer waited for the observer: its meta.took_ms has that time too.
func (x *Exchange) Waited() { x.Answer.Meta.TookMS = time.Since(x.Began).Milliseconds() }

// Record is what is remembered of the call: what, whose, where and how it ended; never the input, which may be secret.
func (x *Exchange) Record() Record {
	return Record{
		Time: x.Began.UTC(), Op: x.Name, Session: x.Call.Session, Trace: x.Call.Trace, Device: x.Call.Device, Step: x.Answer.Meta.Step,
		TookMS: x.Answer.Meta.TookMS, Status: x.Answer.Status, Code: codeOf(x.Answer),
	}
}

// watched begins the watches of a call.
func (x *Exchange) watched(by []Observer) {
	for _, o := range by {
		x.guarded(func() {
			if w := o.Begin(x.Call); w != nil {
				x.watches = append(x.watches, w)
			}
		})
	}
}

func (x *Exchange) act() {
	if x.acted {
		return
	}
	x.acted = true
	for _, w := range x.watches {
		x.guarded(w.Act)
	}
}

// end gives the answer to every watch, which may add to it.
func (x *Exchange) end(ctx context.Context, answer Envelope) Envelope {
	x.Answer = answer
	ctx = context.WithoutCancel(ctx)
	for _, w := range x.watches {
		x.guarded(func() { w.End(ctx, x) })
	}
	x.watches = nil
	return x.Answer
}

// guarded calls an observer. A call does not fail because somebody watches it.
func (x *Exchange) guarded(fn func()) {
	_ = x.catalogue.guarded(x.Name, func() error { fn(); return nil })
}

func (x *Exchange) secrets() *mask.Set {
	if x == nil {
		return nil
	}
	return x.catalogue.o.Secrets
}
