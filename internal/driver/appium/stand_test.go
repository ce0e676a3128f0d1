package appium_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/appiumfront"
	"ios-agent/test/rig"
)

// stand is a virtual phone, an Appium server in front of its WebDriverAgent, and the driver on that. Waits of the driver pass in the time
// of the world.
type stand struct {
	*rig.Rig
	front  *appiumfront.Front
	server *httptest.Server
	phone  device.Device
}

type worldClock struct{ *virtualxcode.World }

func (c worldClock) Sleep(ctx context.Context, d time.Duration) error { return c.World.Sleep(ctx, d) }

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{Rig: rig.New(t)}
	s.front = appiumfront.New(s.World, s.Info.UDID)
	s.front.Install = func(ctx context.Context, path string) error {
		_, err := s.Phone.(device.Apps).Install(ctx, path)
		return err
	}
	s.server = httptest.NewServer(s.front)
	t.Cleanup(s.server.Close)
	s.phone = appium.New(appium.Options{Clock: worldClock{s.World}}).Open(s.Info, s.server.URL)
	t.Cleanup(func() { s.Must(s.phone.Close()) })
	return s
}

// able is an ability of the device; it is there, or the test ends.
func able[Ability any](s *stand) Ability {
	a, err := device.As[Ability](s.phone)
	s.Must(err)
	return a
}

// look waits until the screen is still.
func (s *stand) look(t *testing.T) *ui.Screen {
	t.Helper()
	screen, err := able[device.Eyes](s).Observe(t.Context(), device.Wait{Stable: 200 * time.Millisecond, Max: 3 * time.Second})
	s.Must(err)
	return screen
}

// tap taps the last element that a query finds.
func (s *stand) tap(t *testing.T, q ui.Query) {
	t.Helper()
	screen := s.look(t)
	found := screen.Match(q)
	if len(found) == 0 {
		t.Fatalf("no %s", q)
	}
	reach, why := screen.Reach(found[len(found)-1])
	if why != "" {
		t.Fatalf("%s: %s", q, why)
	}
	s.Must(able[device.Touch](s).Tap(t.Context(), reach.At))
}

// inputs are the device's inputs since a moment.
func (s *stand) inputs(since int) int {
	later, _ := s.World.Inputs(s.Info.UDID, since)
	return len(later)
}

func (s *stand) now() int {
	_, count := s.World.Inputs(s.Info.UDID, 0)
	return count
}
