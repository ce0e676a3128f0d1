package fakedevice

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/desktop/process"
	"ios-agent/internal/device"
	"ios-agent/internal/device/choice"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/streams"
)

// Reach leads to devices that one driver lists, under leases of an hour.
func Reach(t testing.TB, devices ...device.Device) access.Access {
	return Over(t, pool.Options{Drivers: []device.Driver{&Driver{Named: Usual, Devices: devices}}})
}

// Over leads to the devices of a pool, which is closed when the test ends.
func Over(t testing.TB, o pool.Options) access.Access {
	if o.Implicit == 0 {
		o.Implicit = time.Hour
	}
	dir, p := t.TempDir(), pool.New(o)
	store := telemetry.New(telemetry.Options{Path: filepath.Join(dir, "telemetry.db")})
	said := streams.New(streams.Options{Store: store, Dir: filepath.Join(dir, "said")})
	t.Cleanup(func() {
		if err := errors.Join(said.Close(), store.Close(), p.Close()); err != nil {
			t.Errorf("closing: got %v, want nothing", err)
		}
	})
	drivers := Drivers(o.Alternates...)
	return access.Access{
		Pool: p, Sessions: session.NewStore(session.Options{Keys: config.Keys(choice.Keys(drivers)...)}), Said: said,
		Programs: process.New(process.Options{}), Getenv: func(string) string { return "" }, Drivers: drivers,
	}
}

// Drivers is a table of drivers: with the usual one, with servers, one of which looks into web views, and with one without eyes. An
// alternate says itself what is in its row.
func Drivers(alternates ...pool.Alternate) []device.DriverSpec {
	all := []device.DriverSpec{{Name: Usual}, Server("wda"), Server("appium"), Server("idb"), {Name: "devicectl"}}
	for _, a := range alternates {
		i := slices.IndexFunc(all, func(s device.DriverSpec) bool { return s.Name == a.Spec().Name })
		all[i] = a.Spec()
	}
	return all
}

// Server is a driver that works through a server.
func Server(name string) device.DriverSpec {
	return device.DriverSpec{
		Name: name, Drives: []string{device.TypeSimulator, device.TypePhysical}, Server: "a server of " + name, At: "http://127.0.0.1:8100",
		Start: "start it", Webs: name == "appium",
	}
}

// Caller calls the operations of a room as a session does.
type Caller struct {
	T   testing.TB
	Ops []op.Op
}

// As runs an operation for a session and gives the whole answer.
func (c Caller) As(session, name, input string) op.Envelope {
	c.T.Helper()
	return c.By(op.Call{Session: session}, name, input)
}

// By is As for any caller. What usually follows is left out: it is in other rooms.
func (c Caller) By(call op.Call, name, input string) op.Envelope {
	c.T.Helper()
	alone := slices.Clone(c.Ops)
	for i := range alone {
		alone[i].Next = nil
	}
	return op.NewCatalogue(alone, op.Options{}).Run(c.T.Context(), name, call, []byte(input))
}

// Run runs an operation that must succeed, for the session a, and gives its result.
func (c Caller) Run(name, input string) map[string]any {
	c.T.Helper()
	e := c.As("a", name, input)
	if e.Error != nil {
		c.T.Fatalf("%s %s: got the fault %s: %s (hint: %s), want success", name, input, e.Error.Code, e.Error.Message, e.Error.Hint)
	}
	out := map[string]any{}
	if err := json.Unmarshal(e.Result, &out); err != nil {
		c.T.Fatalf("%s %s: the result %s: %v", name, input, e.Result, err)
	}
	return out
}

// Says runs an operation for the session a, which must succeed with this text.
func (c Caller) Says(name, input, want string) {
	c.T.Helper()
	e := c.As("a", name, input)
	if e.Error != nil {
		c.T.Errorf("%s %s: got the fault %s: %s, want %q", name, input, e.Error.Code, e.Error.Message, want)
	} else if e.Stdout != want {
		c.T.Errorf("%s %s: got the text %q, want %q", name, input, e.Stdout, want)
	}
}

// Refuses runs an operation for the session a, which must fail with a code and with words in its message or hint.
func (c Caller) Refuses(name, input string, code fault.Code, words ...string) *fault.Fault {
	c.T.Helper()
	return WantFault(c.T, name+" "+input, c.As("a", name, input).Error, code, words...)
}

// WantFault checks the code of a fault, and words in its message or hint.
func WantFault(t testing.TB, what string, got *fault.Fault, code fault.Code, words ...string) *fault.Fault {
	t.Helper()
	if got == nil {
		t.Errorf("%s: got no fault, want %s", what, code)
		return &fault.Fault{}
	}
	if got.Code != code {
		t.Errorf("%s: got %s: %s, want %s", what, got.Code, got.Message, code)
	}
	for _, w := range words {
		if !strings.Contains(got.Message+"\n"+got.Hint, w) {
			t.Errorf("%s: got the message %q and the hint %q, want %q in one", what, got.Message, got.Hint, w)
		}
	}
	return got
}
