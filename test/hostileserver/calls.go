package hostileserver

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

// secret is typed. It may reach the server that was named, and stand in no fault; texts of other calls are of apps.
const (
	secret = "hunter2-canary"
	app    = "com.example.app"
)

// typing are the methods that type.
var typing = []string{"Type", "SetValue"}

// Device is what the calls are made on: its faults name it, or where its server is.
var Device = device.Info{
	UDID: "HOSTILE0-0000-0000-0000-000000000000", Name: "Phone of a test", Type: device.TypeSimulator, State: device.Booted,
}

// At is the host of the server.
const At = "named.example"

// How long a caller waits, how much longer a call may take to leave, and how many bytes it may take in memory.
const (
	patience = 45 * time.Second
	leaving  = 15 * time.Second
	mostUsed = 16 << 20
)

// Survives calls every method of a device that takes a context, on a device of its own, against a server of every kind. Each call must
// end within its deadline; where the server was asked, it must fail with a fault that names the device or the server.
func Survives(t *testing.T, kinds []Kind, open func(*Server) device.Device, honest Honest) {
	t.Helper()
	t.Chdir(t.TempDir()) // a path that a method is given leads nowhere else
	tried := 0
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := Serve(t, k, honest)
				kind := reflect.TypeOf(open(server))
				for method := range kind.Methods() {
					if method.Type.NumIn() < 2 || method.Type.In(1) != reflect.TypeFor[context.Context]() {
						continue
					}
					tried++
					one := call{t: t, kind: k, server: server, method: method, phone: open(server)}
					one.make()
				}
			})
		})
	}
	if tried < 15*len(kinds) {
		t.Errorf("got %d calls for %d kinds, want more: are the methods found?", tried, len(kinds))
	}
}

// Honest answers a request as it should be; false: it is left to the hostile answer.
type Honest = func(w http.ResponseWriter, r *http.Request) bool

// call is one call of a method.
type call struct {
	t      *testing.T
	kind   Kind
	server *Server
	method reflect.Method
	phone  device.Device
}

func (c call) make() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	c.server.Asked()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	results := c.method.Func.Call(c.arguments(ctx))
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	asked := c.server.Asked()
	goesOn := false // the call keeps reading, and its reader gets the result
	for _, r := range results {
		if ends, is := r.Interface().(io.Closer); is && !r.IsZero() {
			goesOn = true
			_ = ends.Close() // it ends, whatever the server says to that
		}
	}
	if err := c.phone.Close(); err != nil {
		c.t.Errorf("%s: closing: %v", c.name(), err)
	}
	if took > patience+leaving {
		c.t.Errorf("%s took %s, want at most %s", c.name(), took, patience+leaving)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > mostUsed {
		c.t.Errorf("%s took %d bytes, want at most %d", c.name(), used, mostUsed)
	}
	err, _ := results[len(results)-1].Interface().(error)
	if err == nil && asked > 0 && c.kind.Fails && !goesOn {
		c.t.Errorf("%s: got success of %d requests, want a fault", c.name(), asked)
	}
	if err != nil && asked > 0 {
		c.judge(err)
	}
}

func (c call) name() string { return "a server that " + c.kind.Name + ", " + c.method.Name }

// judge wants a fault that a caller can act on.
func (c call) judge(err error) {
	c.t.Helper()
	f := fault.From(err)
	if f.Code == fault.Internal || f.Message == "" {
		c.t.Errorf("%s: got %s: %v, want a fault of a code", c.name(), f.Code, err)
	}
	if !strings.Contains(f.Message, Device.Name) && !strings.Contains(f.Message, At) {
		c.t.Errorf("%s: got %q, want it to name %s or %s", c.name(), f.Message, Device.Name, At)
	}
	if len(f.Message) > 4<<10 || strings.Contains(f.Message, secret) {
		c.t.Errorf("%s: got %d bytes, %.200q, want a short text without what was typed", c.name(), len(f.Message), f.Message)
	}
}

// arguments are values for a method: an app or the secret for a text, one for a number, and what is zero for all else.
func (c call) arguments(ctx context.Context) []reflect.Value {
	all := []reflect.Value{reflect.ValueOf(c.phone), reflect.ValueOf(ctx)}
	for i := 2; i < c.method.Type.NumIn(); i++ {
		in := c.method.Type.In(i)
		v := reflect.New(in).Elem()
		switch {
		case in.Kind() == reflect.String:
			v.SetString(app)
			if slices.Contains(typing, c.method.Name) {
				v.SetString(secret)
			}
		case v.CanInt():
			v.SetInt(1)
		case v.CanFloat():
			v.SetFloat(2)
		case in.Kind() == reflect.Func:
			v.Set(reflect.MakeFunc(in, func([]reflect.Value) []reflect.Value { return nil }))
		}
		all = append(all, v)
	}
	return all
}
