package op

import (
	"context"
	"reflect"
	"slices"
	"time"

	"ios-agent/internal/fault/mask"
)

// Observer sees the calls of a catalogue begin and end. Packages use it to take part in calls of other packages: to add the app's log to an
// answer, to store a step, to record. It sees many calls at once.
type Observer interface {
	// Begin gets a call before its operation begins; a nil Watch means that the observer is not interested. The call is the live one: it
	// later has the fields that its operation sets.
	Begin(*Call) Watch
}

// Watch is one observer's view of one call. The goroutine that performs the call runs its methods one after the other, in the order of
// Options.Observers. A panic in one of them ends neither the call nor the other watches.
type Watch interface {
	// Act is called at most once: when the device is known, and before the first input is sent to it.
	Act()
	// End is called once, whatever the outcome: after a panic, when its job ends, when its stream ends, when the call was refused. The
	// context outlives the caller.
	End(context.Context, *Exchange)
}

// Ended is an observer that only sees the end of calls.
type Ended func(context.Context, *Exchange)

var (
	_ Observer = Ended(nil)
	_ Watch    = Ended(nil)
)

// Begin watches every call.
func (e Ended) Begin(*Call) Watch { return e }

// Act has no effect.
func (e Ended) Act() {}

// End calls the function.
func (e Ended) End(ctx context.Context, x *Exchange) { e(ctx, x) }

// Mode is the way in which a call is performed.
type Mode uint8

// The modes.
const (
	Single Mode = iota // the call is answered when its function returns
	Job                // the call belongs to a job: it ends with the job, when its caller may have left
	Stream             // the call emits items until it ends; observers add no notices to its answer
)

// Sight is a look of a call at its device, such as a screen. Only the package that looked and the package that shows it know its type.
type Sight interface {
	// Hash identifies the content: two sights with the same hash are equal.
	Hash() string
}

// Exchange is a call and its answer, without secrets. It is complete when the call has ended.
type Exchange struct {
	Name   string // name of the operation, or the unknown name in the call
	Op     *Op    // nil: unknown operation
	Call   *Call
	Mode   Mode
	Job    string // id of the job; empty: not a job, or refused
	Began  time.Time
	Answer Envelope
	Seen   []Sight // looks of the operation, in their order

	catalogue *Catalogue
	input     []byte
	watches   []Watch
	acted     bool
	step      string // the id of the call's step; empty: it drives no device
	acts      time.Time
	answered  string // the step of the job that the call asks about
	revealed  []string
	notes     map[reflect.Type]any
}

// Input is the caller's input after decoding: by the names of the operation's fields, without defaults and with secrets masked. It is empty
// for a refused input.
func (x *Exchange) Input() map[string]any {
	if x.Op == nil {
		return map[string]any{}
	}
	return x.Op.masked(x.secrets().JSON(x.input), x.revealed)
}

const withheld = "•••"

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

// Notify adds a notice to the answer, at the place of its kind. Streams get no notices.
func (x *Exchange) Notify(n Notice) {
	if x.Mode != Stream {
		x.Answer.Meta.Notices = inOrder(append(x.Answer.Meta.Notices, hidden(x.secrets(), n)))
	}
}

// AttachLogs sets meta.logs, the errors that the app logged.
func (x *Exchange) AttachLogs(e *AppErrors) { x.Answer.Meta.Logs = hidden(x.secrets(), e) }

// AttachNet sets meta.net, the requests of the device.
func (x *Exchange) AttachNet(r *Requests) { x.Answer.Meta.Net = hidden(x.secrets(), r) }

// Waited says that the answer waited for the observer, so that its meta.took_ms includes that time.
func (x *Exchange) Waited() { x.Answer.Meta.TookMS = time.Since(x.Began).Milliseconds() }

// Record is the entry that observers store of the call: its name, session and device, and how it ended. It never has the input, which may
// be secret.
func (x *Exchange) Record() Record {
	return Record{
		Time: x.Began.UTC(), Op: x.Name, Session: x.Call.Session, Trace: x.Call.Trace, Device: x.Call.Device, Step: x.Answer.Meta.Step,
		TookMS: x.Answer.Meta.TookMS, Status: x.Answer.Status, Code: codeOf(x.Answer),
	}
}

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

// end passes the answer to every watch, which may add to it.
func (x *Exchange) end(ctx context.Context, answer Envelope) Envelope {
	x.Answer = answer
	ctx = context.WithoutCancel(ctx)
	for _, w := range x.watches {
		x.guarded(func() { w.End(ctx, x) })
	}
	x.watches = nil
	return x.Answer
}

// guarded calls an observer. An observer's panic does not fail the call.
func (x *Exchange) guarded(fn func()) {
	_ = x.catalogue.guarded(x.Name, func() error { fn(); return nil })
}

func (x *Exchange) secrets() *mask.Set {
	if x == nil {
		return nil
	}
	return x.catalogue.o.Secrets
}
