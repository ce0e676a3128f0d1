package atspi

import (
	"context"
	"errors"
	"time"

	"github.com/godbus/dbus/v5"
)

// ref names an object: its owner on the bus, and its path there.
type ref struct{ bus, path string }

func (r ref) none() bool { return r.bus == "" || r.path == "" || r.path == nullPath }

// The names of AT-SPI2's objects.
const (
	nullPath    = "/org/a11y/atspi/null"
	accessible  = "org.a11y.atspi.Accessible"
	component   = "org.a11y.atspi.Component"
	action      = "org.a11y.atspi.Action"
	value       = "org.a11y.atspi.Value"
	text        = "org.a11y.atspi.Text"
	editable    = "org.a11y.atspi.EditableText"
	programOf   = "org.a11y.atspi.Application"
	getProperty = "org.freedesktop.DBus.Properties.Get"
	setProperty = "org.freedesktop.DBus.Properties.Set"
)

var (
	a11yBus  = ref{"org.a11y.Bus", "/org/a11y/bus"}
	daemonOf = ref{"org.freedesktop.DBus", "/org/freedesktop/DBus"}
	registry = ref{"org.a11y.atspi.Registry", "/org/a11y/atspi/registry"}
	programs = ref{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}
)

// inFlight is the number of calls that wait for answers at the same time. More would not help: a program answers one after the other.
const inFlight = 64

// bus is a connection to a message bus.
type bus struct {
	conn   *dbus.Conn
	cancel context.CancelFunc
	answer time.Duration
}

// dial connects to a bus by its address.
func dial(_ context.Context, address string, more ...dbus.ConnOption) (*dbus.Conn, error) {
	return dbus.Connect(address, more...)
}

// connect gives up when the bus does not answer. signals may be nil.
func (d *Desktop) connect(ctx context.Context, address string, hears dbus.SignalHandler) (*bus, error) {
	return d.connectBy(ctx, d.o.Dial, address, hears)
}

type dialer = func(ctx context.Context, address string, more ...dbus.ConnOption) (*dbus.Conn, error)

func (d *Desktop) connectBy(ctx context.Context, dial dialer, address string, hears dbus.SignalHandler) (*bus, error) {
	if hears == nil {
		hears = deaf{}
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the connection outlives this call
	undo := context.AfterFunc(ctx, cancel)
	late := time.AfterFunc(d.o.Answer, cancel)
	conn, err := dial(own, address, dbus.WithContext(own), dbus.WithSignalHandler(hears), dbus.WithIncomingInterceptor(harmless))
	if !late.Stop() || !undo() || err != nil {
		cancel()
		if conn != nil {
			conn.Close()
		}
		if err == nil {
			err = context.DeadlineExceeded
		}
		return nil, err
	}
	return &bus{conn, cancel, d.o.Answer}, nil
}

func (b *bus) close() {
	b.conn.Close()
	b.cancel()
}

// deaf drops all signals.
type deaf struct{}

func (deaf) DeliverSignal(string, string, *dbus.Signal) {}

// harmless filters signals with invalid names, at which the library would panic.
func harmless(m *dbus.Message) {
	member, _ := m.Headers[dbus.FieldMember].Value().(string)
	if m.Type != dbus.TypeSignal || member != "NameLost" && member != "NameAcquired" {
		return
	}
	if len(m.Body) > 0 {
		if _, is := m.Body[0].(string); is {
			return
		}
	}
	m.Type = 0
}

// call makes one call.
func (b *bus) call(ctx context.Context, r ref, method string, args ...any) (answer []any, err error) {
	var refused error
	one := &ask{to: r, method: method, args: args, got: func(body []any, err error) { answer, refused = body, err }}
	if err := b.all(ctx, []*ask{one}); err != nil {
		return nil, err
	}
	return answer, refused
}

// ask is one call of many. got receives the answer, or the error of this call alone.
type ask struct {
	to     ref
	method string
	args   []any
	got    func(body []any, err error)
}

// get reads a property.
func get(r ref, iface, name string, got func(v any)) *ask {
	return &ask{r, getProperty, []any{iface, name}, func(body []any, err error) {
		if err == nil {
			got(unwrapped(body))
		}
	}}
}

// all makes many calls in their order, several at the same time. It returns only errors that end them all: a timeout, the end of ctx, or
// a lost connection. The error of a single call goes to its got.
func (b *bus) all(ctx context.Context, asks []*ask) error {
	if len(asks) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(b.answer, func() { cancel(&silentError{context.DeadlineExceeded}) })
	defer late.Stop()
	done := make(chan *dbus.Call, inFlight)
	waiting := make(map[*dbus.Call]*ask, inFlight)
	next := 0
	for next < len(asks) || len(waiting) > 0 {
		for next < len(asks) && len(waiting) < inFlight {
			a := asks[next]
			c := b.conn.Object(a.to.bus, dbus.ObjectPath(a.to.path)).GoWithContext(ctx, a.method, 0, done, a.args...)
			waiting[c] = a
			next++
		}
		c := <-done
		late.Reset(b.answer)
		a := waiting[c]
		delete(waiting, c)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(c.Err, dbus.ErrClosed) || c.Err != nil && !b.conn.Connected() {
			return c.Err
		}
		if isSilent(c.Err) {
			return &silentError{c.Err}
		}
		a.got(c.Body, c.Err)
	}
	return nil
}
