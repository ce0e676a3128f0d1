package wda_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/rig"
)

// stand is a virtual phone, its WebDriverAgent, and the driver on it. Waits of the driver pass in the time of the world.
type stand struct {
	*rig.Rig
	t      *testing.T
	server *virtualxcode.WDA
	url    string
	phone  device.Device
}

// newStand attaches to the phone by the URL of its WebDriverAgent. Around, if it is not nil, stands between the two.
func newStand(t *testing.T, around ...func(http.Handler) http.Handler) *stand {
	t.Helper()
	r := rig.New(t)
	return attach(t, r, r.Info.UDID, around...)
}

func attach(t *testing.T, r *rig.Rig, udid string, around ...func(http.Handler) http.Handler) *stand {
	t.Helper()
	s := &stand{Rig: r, t: t, server: virtualxcode.NewWDA(r.World, udid)}
	var handler http.Handler = s.server
	for _, wrap := range around {
		handler = wrap(handler)
	}
	listening := httptest.NewServer(handler)
	t.Cleanup(listening.Close)
	s.url = listening.URL
	driver := wda.New(wda.Options{URL: s.url, Clock: r.World})
	infos, err := driver.List(t.Context())
	s.Must(err)
	s.phone = driver.Open(infos[0])
	t.Cleanup(func() { s.Must(s.phone.Close()) })
	return s
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
	s.Must(get[device.Touch](s).Tap(s.t.Context(), s.at(ui.Query{Label: tab, Type: "Button"})))
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

func (s *stand) find(q ui.Query) (*ui.Screen, *ui.Node) {
	s.t.Helper()
	screen := s.look()
	found := screen.Match(q)
	if len(found) == 0 {
		s.t.Fatalf("there is no %s:\n%s", q, outline.Of(screen, outline.Choice{}, "", &ui.Refs{}))
	}
	return screen, found[len(found)-1]
}

func (s *stand) at(q ui.Query) ui.Point {
	s.t.Helper()
	_, n := s.find(q)
	return n.Frame.Centre()
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

var errForwarding = errors.New("the port is not forwarded any more")

// pipes is a driver that reaches the phone through Dial.
func pipes(r *rig.Rig, dial func(context.Context, string, int) (net.Conn, error)) *wda.Driver {
	return wda.New(wda.Options{URLs: map[string]string{r.Info.UDID: "http://127.0.0.1:8100"}, Dial: dial, Clock: r.World})
}
