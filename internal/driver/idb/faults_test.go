package idb_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idb"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/test/rig"
)

// starting is a phone whose companion we start.
func starting(t *testing.T, r *rig.Rig, o idb.Options) device.Device {
	t.Helper()
	o.Host, o.Tools, o.Clock, o.Logs = r.Driver.Host, r.Driver.Tools, r.World, t.TempDir()
	phone := idb.New(o).Open(r.Info, "")
	t.Cleanup(func() { r.Must(phone.Close()) })
	return phone
}

func looks(t *testing.T, phone device.Device) *ui.Screen {
	t.Helper()
	screen, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	if err != nil {
		t.Fatal(err)
	}
	return screen
}

func state(phone device.Device) device.AgentState { return phone.(device.Agent).AgentState() }

// TestDriverStartsAndEndsItsCompanion: the driver starts a companion when needed, starts another after its end, and ends it with the
// device.
func TestDriverStartsAndEndsItsCompanion(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	phone := starting(t, r, idb.Options{})
	if s := state(phone); s.State != device.AgentAbsent {
		t.Errorf("%+v", s)
	}
	if screen := looks(t, phone); screen.App != "com.apple.springboard" || screen.Truncated != 0 {
		t.Errorf("%s, %d", screen.App, screen.Truncated)
	}
	first := state(phone)
	if first.State != device.AgentConnected || first.Log == "" || first.PID == 0 {
		t.Errorf("%+v", first)
	}
	r.Fault(virtualxcode.Fault{Name: flaw.IDBDies, Set: map[string]string{"when": "before"}})
	looks(t, phone) // by another one
	if s := state(phone); s.State != device.AgentConnected || s.Since.Equal(first.Since) {
		t.Errorf("%+v, was %+v", s, first)
	}
	r.Must(phone.(device.Agent).StopAgent(t.Context()))
	if s := state(phone); s.State != device.AgentAbsent {
		t.Errorf("%+v", s)
	}
	r.Must(phone.(device.Agent).StartAgent(t.Context()))
	r.Must(r.Phone.(device.Power).Shutdown(t.Context()))
	_, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	want(t, err, fault.DeviceNotBooted, fault.NotDispatched)
}

// TestInputsAreSentOnce: an input that may have arrived is reported as unknown and never sent again; an input that cannot have arrived
// goes to the next companion.
func TestInputsAreSentOnce(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	phone := starting(t, r, idb.Options{})
	_, err := phone.(device.Apps).Launch(t.Context(), rig.Conformance, device.Launch{})
	r.Must(err)
	looks(t, phone)
	count := func() int {
		_, n := r.World.Inputs(r.Info.UDID, 0)
		return n
	}
	before := count()
	for when, f := range []virtualxcode.Fault{{Name: flaw.IDBDies, Set: map[string]string{"when": "before"}}, {Name: flaw.IDBInput}} {
		r.Fault(f)
		err := phone.(device.Touch).Tap(t.Context(), ui.Point{X: 100, Y: 200})
		if no := fault.From(err); no.Code != fault.OutcomeUnknown || no.Dispatched != fault.MaybeDispatched {
			t.Errorf("%s: %v, dispatched %q", f.Name, err, no.Dispatched)
		}
		if n := count() - before; n != when {
			t.Errorf("%s: %d inputs arrived", f.Name, n)
		}
		looks(t, phone)
	}
	r.Must(phone.(device.Touch).Tap(t.Context(), ui.Point{X: 100, Y: 200}))
	if n := count() - before; n != 2 {
		t.Errorf("%d inputs arrived of three taps, one of which was lost", n)
	}
}

// TestSilentCompanionTimesOutAndIsReplaced is given up after its limit; a companion of the driver is replaced.
func TestSilentCompanionTimesOutAndIsReplaced(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	phone := starting(t, r, idb.Options{Wait: 300 * time.Millisecond})
	looks(t, phone)
	r.Fault(virtualxcode.Fault{Name: flaw.IDBSilent})
	_, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
	want(t, err, fault.Timeout, fault.NotDispatched)
	looks(t, phone)
	r.Fault(virtualxcode.Fault{Name: flaw.IDBSilent})
	if f := fault.From(phone.(device.Touch).Tap(t.Context(), ui.Point{X: 1, Y: 1})); f.Code != fault.OutcomeUnknown {
		t.Errorf("%v", f)
	}
}

// TestOutsideTreeIsReportedIncomplete is reported as incomplete; the elements of its tab bar are found by their points.
func TestOutsideTreeIsReportedIncomplete(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.Fault(virtualxcode.Fault{Name: flaw.IDBNoReader, Times: virtualxcode.Forever})
	_, err := get[device.Apps](s).Launch(t.Context(), rig.Conformance, device.Launch{})
	s.Must(err)
	screen := s.look()
	if screen.Truncated != -1 || !screen.Unsure || screen.App != rig.Conformance {
		t.Errorf("%s, truncated %d, unsure %t", screen.App, screen.Truncated, screen.Unsure)
	}
	for _, e := range screen.Snapshot("", &ui.Refs{}, time.Time{}).Elements {
		if e.Hittable != nil && *e.Hittable {
			t.Errorf("%s %q is called hittable", e.Type, e.Label)
		}
	}
	s.Must(get[device.Touch](s).Tap(t.Context(), s.place(ui.Query{Label: "Text Input"})))
	s.Must(get[device.Touch](s).Tap(t.Context(), s.place(ui.Query{Identifier: "text-username-field"})))
	s.Must(get[device.Keyboard](s).Type(t.Context(), "Ada (1815)"))
	s.place(ui.Query{Contains: "Username: Ada (1815)"})
}

// TestUntypableTextIsRefusedBeforeTyping is refused before a key is pressed, and the hint names another way.
func TestUntypableTextIsRefusedBeforeTyping(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Text Input")
	s.Must(get[device.Touch](s).Tap(t.Context(), s.place(ui.Query{Identifier: "text-username-field"})))
	before := s.inputs()
	f := want(t, get[device.Keyboard](s).Type(t.Context(), "naïve"), fault.Unsupported, fault.NotDispatched)
	other := hint.Do("session_set_defaults", "driver", "xctest")
	if !strings.Contains(f.Message, "ï") || !strings.Contains(f.Hint, other) || s.inputs() != before {
		t.Errorf("%s (%s), %d inputs", f.Message, f.Hint, s.inputs()-before)
	}
	all := "The quick brown fox jumps over the lazy dog 0123456789 !@#$%^&*()-_=+[]{}\\|;:'\"`~,<.>/?"
	s.Must(get[device.Keyboard](s).Type(t.Context(), all))
	s.place(ui.Query{Contains: "Username: " + all})
	s.Must(get[device.Keyboard](s).Key(t.Context(), "a", []string{"command"}, 1))
	s.Must(get[device.Keyboard](s).Key(t.Context(), "X", nil, 1))
	s.place(ui.Query{Contains: "Username: X"})
}

// TestDriverRefusesWrongCompanionAddress: the driver never uses a missing companion, another program, or the companion of another
// simulator.
func TestDriverRefusesWrongCompanionAddress(t *testing.T) {
	t.Parallel()
	r := rig.New(t)
	dir := rig.Dir(t)
	mute, err := net.Listen("unix", filepath.Join(dir, "mute"))
	r.Must(err)
	t.Cleanup(func() { mute.Close() })
	d := idb.New(idb.Options{Clock: r.World, Wait: 300 * time.Millisecond})
	other := r.Info
	other.UDID, other.Name = "00000000-0000-0000-0000-000000000000", "Another"
	for _, c := range []struct {
		name string
		info device.Info
		at   string
		code fault.Code
	}{
		{"nobody listens", r.Info, "unix://" + filepath.Join(dir, "none"), fault.DriverFailed},
		{"no address", r.Info, "ftp://x", fault.DriverFailed},
		{"nobody answers", r.Info, "unix://" + filepath.Join(dir, "mute"), fault.AgentFailed},
		{"another simulator", other, serve(t, r), fault.DriverFailed},
		{"nobody can start one", r.Info, "", fault.DriverFailed},
	} {
		phone := d.Open(c.info, c.at)
		_, err := phone.(device.Eyes).Observe(t.Context(), device.Wait{})
		want(t, err, c.code, fault.NotDispatched)
		want(t, phone.(device.Touch).Tap(t.Context(), ui.Point{}), c.code, fault.NotDispatched)
		r.Must(phone.Close())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Probe(ctx, "unix://"+filepath.Join(dir, "mute")); !fault.Is(err, fault.DriverFailed) {
		t.Errorf("%v", err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	r.Must(err)
	companion := virtualxcode.NewIDBCompanion(r.World, r.Info.UDID)
	t.Cleanup(companion.Kill)
	go companion.Listen(t.Context(), tcp)
	if says, err := d.Probe(t.Context(), "http://"+tcp.Addr().String()); err != nil || !strings.Contains(says, r.Info.UDID) {
		t.Errorf("at a port: %s, %v", says, err)
	}
	if says, err := idb.New(idb.Options{Host: r.Driver.Host, Tools: r.Driver.Tools}).Probe(t.Context(), ""); err != nil ||
		!strings.Contains(says, "built Aug 22 2026") {
		t.Errorf("%s, %v", says, err)
	}
}

// TestTouchesReachTargetsInLandscape meet their targets after a turn by the driver; on a device that was turned by hand, the driver refuses
// them.
func TestTouchesReachTargetsInLandscape(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	s.start("Controls")
	touch := get[device.Touch](s)
	button := ui.Query{Identifier: "controls-tap-button"}
	for _, to := range []string{"landscape-left", "landscape-right", "portrait"} {
		s.Must(get[device.Rotation](s).Rotate(t.Context(), to))
		at := s.place(button)
		s.Must(touch.Tap(t.Context(), at))
		all, _ := s.World.Inputs(s.Info.UDID, 0)
		last := all[len(all)-1]
		if path := last.Path; len(path) == 0 || path[len(path)-1].Identifier != button.Identifier {
			t.Errorf("%s: a tap at %v met %v", to, at, last.From)
		}
	}
	s.place(ui.Query{Contains: "Tapped: 3"})
	s.Must(s.World.Rotate(t.Context(), s.Info.UDID, "landscapeLeft"))
	before, at := s.inputs(), s.place(button)
	want(t, touch.Tap(t.Context(), at), fault.Unsupported, fault.NotDispatched)
	if s.inputs() != before {
		t.Error("a refused touch was sent")
	}
}
