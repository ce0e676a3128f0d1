package appium_test

import (
	"errors"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// TestLostSessionIsReplaced: the server has forgotten the session; the refused command is sent again, once.
func TestLostSessionIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.Launch(rig.Conformance)
	_, err := able[device.Eyes](s).Observe(t.Context(), device.Wait{})
	s.Must(err)
	s.front.Forget()
	before := s.now()
	s.Must(able[device.Touch](s).Tap(t.Context(), ui.Point{X: 200, Y: 400}))
	if n := s.inputs(before); n != 1 || s.front.Sessions() != 2 {
		t.Errorf("%d taps, %d sessions", n, s.front.Sessions())
	}
	s.front.Forget()
	_, err = able[device.Eyes](s).Observe(t.Context(), device.Wait{})
	s.Must(err)
	if s.front.Sessions() != 3 {
		t.Errorf("%d sessions", s.front.Sessions())
	}
}

// TestAppiumInputIsSentOnce: an input whose answer is lost is reported as unknown, whether it arrived or not; a look is repeated.
func TestAppiumInputIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		s := newStand(t)
		s.Launch(rig.Conformance)
		_, err := able[device.Eyes](s).Observe(t.Context(), device.Wait{})
		s.Must(err)
		before := s.now()
		s.front.Cut("/actions", after)
		err = able[device.Touch](s).Tap(t.Context(), ui.Point{X: 200, Y: 400})
		want := 0
		if after {
			want = 1
		}
		if f := fault.From(err); err == nil || f.Code != fault.OutcomeUnknown || f.Dispatched != fault.MaybeDispatched {
			t.Errorf("cut after %v: %v", after, err)
		}
		if n := s.inputs(before); n != want {
			t.Errorf("cut after %v: %d inputs arrived", after, n)
		}
		s.front.Cut("/execute/sync", true)
		_, err = able[device.Eyes](s).Observe(t.Context(), device.Wait{})
		s.Must(err)
	}
}

// TestUnusableServersReturnOwnFaults: a dead server, a refusing server and a wrong address have their own faults; nothing was sent.
func TestUnusableServersReturnOwnFaults(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	other := s.Info
	other.UDID = "no-such-device"
	refused := appium.New(appium.Options{}).Open(other, s.server.URL)
	defer refused.Close()
	_, err := refused.(device.Eyes).Observe(t.Context(), device.Wait{})
	gone, is := errors.AsType[*device.UnreachableError](err)
	if !is || gone.At != s.server.URL || !strings.Contains(err.Error(), "Unknown device or simulator UDID") {
		t.Errorf("refused: %v", err)
	}
	_, err = able[device.Eyes](s).Observe(t.Context(), device.Wait{})
	s.Must(err)
	s.server.CloseClientConnections()
	s.server.Close()
	_, looked := able[device.Eyes](s).Observe(t.Context(), device.Wait{}) // it finds the kept connection dead
	tapped := able[device.Touch](s).Tap(t.Context(), ui.Point{X: 200, Y: 400})
	for name, err := range map[string]error{"look": looked, "tap": tapped} {
		f := fault.From(err)
		if f == nil || f.Code != fault.DriverFailed || f.Dispatched != fault.NotDispatched || !strings.Contains(f.Hint, "appium") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if _, err := appium.New(appium.Options{}).Probe(t.Context(), s.server.URL); !fault.Is(err, fault.DriverFailed) {
		t.Errorf("probe: %v", err)
	}
	wrong := appium.New(appium.Options{}).Open(s.Info, "nonsense")
	if _, err := wrong.(device.Eyes).Observe(t.Context(), device.Wait{}); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("an address that is none: %v", err)
	}
	s.Must(wrong.Close())
}

// TestProbeReportsServerVersion: the server reports its state and version.
func TestProbeReportsServerVersion(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	says, err := appium.New(appium.Options{}).Probe(t.Context(), s.server.URL+"/")
	if err != nil || says != "Appium 3.1.0 answers at "+s.server.URL {
		t.Errorf("%q, %v", says, err)
	}
}
