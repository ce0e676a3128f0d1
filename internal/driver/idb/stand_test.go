package idb_test

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/rig"
)

// stand is a virtual phone, its idb_companion behind a socket, and the driver on it. Waits of the driver pass in the time of the world.
type stand struct {
	*rig.Rig
	t     *testing.T
	at    string
	phone device.Device
}

// newStand attaches to the phone by the socket of its companion.
func newStand(t *testing.T) *stand {
	t.Helper()
	r := rig.New(t)
	s := &stand{Rig: r, t: t, at: serve(t, r)}
	s.phone = idb.New(idb.Options{Clock: r.World}).Open(r.Info, s.at)
	t.Cleanup(func() { s.Must(s.phone.Close()) })
	return s
}

// serve has a companion of the phone serve on a socket, and gives its address.
func serve(t *testing.T, r *rig.Rig) string {
	t.Helper()
	path := filepath.Join(rig.Dir(t), "s")
	l, err := net.Listen("unix", path)
	r.Must(err)
	ended := make(chan struct{})
	server := virtualxcode.NewIDBCompanion(r.World, r.Info.UDID)
	go func() {
		defer close(ended)
		_ = server.Listen(t.Context(), l) // until the test ends, or a fault ends it
	}()
	t.Cleanup(func() {
		server.Kill()
		<-ended
	})
	return "unix://" + path
}

// get gives an ability of the phone.
func get[Ability any](s *stand) Ability {
	s.t.Helper()
	a, err := device.As[Ability](s.phone)
	s.Must(err)
	return a
}

// start launches the Conformance app and opens one of its tabs.
func (s *stand) start(tab string) {
	s.t.Helper()
	_, err := get[device.Apps](s).Launch(s.t.Context(), rig.Conformance, device.Launch{Restart: true})
	s.Must(err)
	s.Must(get[device.Touch](s).Tap(s.t.Context(), s.place(ui.Query{Label: tab, Type: "Button"})))
}

// look waits until the screen is still.
func (s *stand) look() *ui.Screen {
	s.t.Helper()
	screen, err := get[device.Eyes](s).Observe(s.t.Context(), device.Wait{
		Stable: 100 * time.Millisecond, Min: 200 * time.Millisecond, Max: 3 * time.Second,
	})
	s.Must(err)
	return screen
}

// place is where an element is.
func (s *stand) place(q ui.Query) ui.Point {
	s.t.Helper()
	screen := s.look()
	found := screen.Match(q)
	if len(found) == 0 {
		s.t.Fatalf("there is no %s:\n%s", q, outline.Of(screen, outline.Choice{}, "", &ui.Refs{}))
	}
	return found[len(found)-1].Frame.Centre()
}

// inputs is how many inputs have reached the phone.
func (s *stand) inputs() int {
	_, count := s.World.Inputs(s.Info.UDID, 0)
	return count
}

// want fails unless an error is a fault of a code that says whether something was sent, with a message and a hint.
func want(t *testing.T, err error, code fault.Code, sent fault.Dispatch) *fault.Fault {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	f := fault.From(err)
	if f.Code != code || f.Dispatched != sent || f.Message == "" || f.Hint == "" {
		t.Errorf("got %s %q: %s (hint: %s), want %s %q", f.Code, f.Dispatched, f.Message, f.Hint, code, sent)
	}
	return f
}
