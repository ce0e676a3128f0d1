package paperphone

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
)

// shelf is the driver of one device.
type shelf struct{ device.Device }

func (s shelf) Name() string                                { return s.Driver() }
func (s shelf) List(context.Context) ([]device.Info, error) { return []device.Info{s.Info()}, nil }
func (s shelf) Open(device.Info) device.Device              { return s.Device }

// Room runs the operations of a room.
type Room struct {
	T    testing.TB
	Call op.Call // of every operation: its session is "a"

	catalogue *op.Catalogue
}

// Access leads operations to one device, under leases and sessions of their own.
func Access(t testing.TB, of device.Device) access.Access {
	p := pool.New(pool.Options{Drivers: []device.Driver{shelf{of}}})
	sessions := &session.Store{}
	t.Cleanup(func() {
		if err := errors.Join(p.Close(), sessions.Close()); err != nil {
			t.Errorf("closing the pool and the sessions: %v", err)
		}
	})
	return access.Access{Pool: p, Sessions: sessions, Getenv: func(string) string { return "" }, Drivers: []device.DriverSpec{
		{Name: of.Driver()}, {Name: "appium", Server: "an Appium server", Webs: true},
	}}
}

// Open makes the operations ready to be called; the observers watch the calls.
func Open(t testing.TB, ops []op.Op, observers ...op.Observer) *Room {
	return &Room{T: t, Call: op.Call{Session: "a"}, catalogue: op.NewCatalogue(ops, op.Options{Observers: observers})}
}

// Run calls an operation with a JSON text.
func (r *Room) Run(name, input string) op.Envelope {
	r.T.Helper()
	return r.catalogue.Run(r.T.Context(), name, r.Call, []byte(input))
}

// Must calls an operation that has to work, and reads its result.
func (r *Room) Must(name, input string, into any) op.Envelope {
	r.T.Helper()
	e := r.Run(name, input)
	if e.Error != nil {
		r.T.Fatalf("%s %s: got the fault %s %q (hint %q), want an answer", name, input, e.Error.Code, e.Error.Message, e.Error.Hint)
	}
	if into != nil {
		reflect.ValueOf(into).Elem().SetZero() // what an earlier answer had is not this one's
		if err := json.Unmarshal(e.Result, into); err != nil {
			r.T.Fatalf("%s: the result %s is not what it must be: %v", name, e.Result, err)
		}
	}
	return e
}

// Refused calls an operation that has to fail with a code, and with each text in its message or hint.
func (r *Room) Refused(name, input string, code fault.Code, says ...string) *fault.Fault {
	r.T.Helper()
	e := r.Run(name, input)
	if e.Error == nil {
		r.T.Fatalf("%s %s: got the answer %q, want the fault %s", name, input, e.Stdout, code)
	}
	said := e.Error.Message + "\n" + e.Error.Hint
	for _, want := range says {
		if !strings.Contains(said, want) {
			r.T.Errorf("%s %s: got the fault %q, want %q in it", name, input, said, want)
		}
	}
	if e.Error.Code != code {
		r.T.Errorf("%s %s: got the code %s (%q), want %s", name, input, e.Error.Code, said, code)
	}
	return e.Error
}
