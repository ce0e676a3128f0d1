package access_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/lease"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// door is a way to devices with the leases in sight.
type door struct {
	access.Access
	leases *lease.Table
}

func open(t *testing.T, o pool.Options, devices ...device.Device) door {
	t.Helper()
	o.Leases = lease.NewTable(lease.Options{})
	o.Drivers = append(o.Drivers, &fakedevice.Driver{Named: fakedevice.Usual, Devices: devices})
	d := door{fakedevice.Over(t, o), o.Leases}
	t.Cleanup(func() { _ = o.Leases.Close() })
	return d
}

func (d door) holder(t *testing.T, udid string) string {
	t.Helper()
	l, err := d.leases.Get(t.Context(), udid)
	if err != nil {
		t.Fatal(err)
	}
	return l.Holder
}

// look and drive are calls of a session that only looks, and of one that changes something.
func look(session string) *op.Call { return &op.Call{Session: session, Hints: op.ReadOnly} }

func drive(session string) *op.Call { return &op.Call{Session: session} }

func phone(udid, name string) *fakedevice.Phone {
	return fakedevice.New(fakedevice.Simulator(udid, name, device.Booted))
}

func TestOnlyChangingCallTakesDeviceLease(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	place := func(c *op.Call) (target.StatusOut, error) {
		return access.With(t.Context(), d.Access, c, target.Target{}, func(p device.Place) error { return p.ClearLocation(t.Context()) })
	}
	looks := look("a")
	out, err := place(looks)
	if want := (target.StatusOut{Status: "ok", UDID: "A", Said: "on Ann"}); err != nil || out != want {
		t.Fatalf("a look: got %+v and %v, want %+v", out, err, want)
	}
	if got := d.holder(t, "A"); got != "" || looks.Epoch != 0 {
		t.Errorf("after a look: got the holder %q and the epoch %d, want none", got, looks.Epoch)
	}
	drives := drive("a")
	if _, err := place(drives); err != nil {
		t.Fatal(err)
	}
	if got := d.holder(t, "A"); got != "a" || drives.Epoch == 0 {
		t.Errorf("after a step: got the holder %q and the epoch %d, want a and one", got, drives.Epoch)
	}
	if want := (op.Device{UDID: "A", Name: "Ann"}); *drives.Device != want {
		t.Errorf("the answer's device: got %+v, want %+v", *drives.Device, want)
	}
	_, err = place(drive("b"))
	fakedevice.WantFault(t, "another session drives", fault.From(err), fault.DeviceClaimed, "Ann (A) is already claimed by a")
	if f := fault.From(err); f.Dispatched != fault.NotDispatched {
		t.Errorf("dispatched: got %q, want %q", f.Dispatched, fault.NotDispatched)
	}
	if _, err := place(look("b")); err != nil {
		t.Errorf("another session looks: got %v, want success", err)
	}
}

func TestDroveSinceListsOtherDrivingSessions(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	for _, c := range []*op.Call{drive("a"), look("b")} {
		h, _, err := d.Device(t.Context(), c, target.Target{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Do(t.Context(), h, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Sessions.Get("c").DroveSince("A"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %v, want a alone: b only looked", got)
	}
}

func TestCallFailsIfDeviceLacksAbility(t *testing.T) {
	d := open(t, pool.Options{}, fakedevice.Bare{Is: fakedevice.Simulator("A", "Ann", device.Booted), By: "xctest"})
	_, err := access.With(t.Context(), d.Access, drive("a"), target.Target{}, func(device.Place) error { return nil })
	fakedevice.WantFault(t, "no place", fault.From(err), fault.Unsupported, "Ann (A)", "cannot set the location")
	if got := d.holder(t, "A"); got != "" {
		t.Errorf("holder: got %q, want none", got)
	}
	failed := errors.New("no")
	d = open(t, pool.Options{}, phone("A", "Ann"))
	out, err := access.With(t.Context(), d.Access, drive("a"), target.Target{}, func(device.Place) error { return failed })
	if !errors.Is(err, failed) || out != (target.StatusOut{}) {
		t.Errorf("got %+v and %v, want nothing and the device's error", out, err)
	}
	_, err = access.With(t.Context(), d.Access, drive("a"), target.Target{UDID: "X"}, func(device.Place) error { return nil })
	fakedevice.WantFault(t, "unknown device", fault.From(err), fault.DeviceNotFound, `udid "X"`)
}

func TestNamedDeviceAppliesToOneCallOnly(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"), phone("B", "Bea"))
	for _, which := range []target.Target{{UDID: "B"}, {Sim: "Bea"}} {
		c := drive("a")
		h, s, err := d.Device(t.Context(), c, which)
		if err != nil || h.Info().UDID != "B" {
			t.Fatalf("%+v: got %v, want the device B", which, err)
		}
		if got := s.Choice(); got != (session.Choice{}) {
			t.Errorf("%+v: got the choice %+v, want none", which, got)
		}
		d.Use(c, target.Target{}, "B")
		if got := s.Choice(); got != (session.Choice{}) {
			t.Errorf("%+v, used without being named: got the choice %+v, want none", which, got)
		}
	}
	c := drive("a")
	_, s, err := d.Device(t.Context(), c, target.Target{UDID: "B"})
	if err != nil {
		t.Fatal(err)
	}
	d.Use(c, target.Target{UDID: "B"}, "B")
	if got, want := s.Choice(), (session.Choice{UDID: "B", Name: "Bea"}); got != want {
		t.Errorf("got the choice %+v, want %+v", got, want)
	}
	h, _, err := d.Device(t.Context(), drive("a"), target.Target{})
	if err != nil || h.Info().UDID != "B" {
		t.Errorf("without a name: got %v, want the chosen device B", err)
	}
}

func TestSessionRemembersClientName(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	if _, _, err := d.Device(t.Context(), &op.Call{Session: "a", Client: "tester"}, target.Target{}); err != nil {
		t.Fatal(err)
	}
	if got := d.Sessions.Client("a"); got != "tester" {
		t.Errorf("got the client %q, want tester", got)
	}
}

func TestMissingChosenDeviceIsNotReplaced(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	d.Sessions.Get("gone").Use(session.Choice{UDID: "X", Name: "Old"})
	d.Sessions.Get("lost").Use(session.Choice{Name: "Editor"})
	_, _, err := d.Device(t.Context(), drive("gone"), target.Target{})
	f := fakedevice.WantFault(t, "gone", fault.From(err), fault.DeviceNotFound,
		"Old (X), which this session chose, cannot be used: no device has", hint.Do("use_device", "device", "NAME"))
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("dispatched: got %q, want no", f.Dispatched)
	}
	_, _, err = d.Device(t.Context(), drive("lost"), target.Target{})
	fakedevice.WantFault(t, "lost", fault.From(err), fault.AppNotRunning,
		"the daemon was restarted and lost Editor, which this session chose", hint.Do("use_device", "device", "pid:N"))
	for _, name := range []string{"gone", "lost"} {
		if _, _, err := d.Device(t.Context(), drive(name), target.Target{UDID: "A"}); err != nil {
			t.Errorf("%s, with a name: got %v, want the named device", name, err)
		}
		_, _, err = d.Device(t.Context(), drive(name), target.Target{UDID: "Y"})
		f := fakedevice.WantFault(t, name+" names another", fault.From(err), fault.DeviceNotFound, `udid "Y"`)
		if strings.Contains(f.Message, "chose") {
			t.Errorf("%s names another: got %q, want nothing of the choice", name, f.Message)
		}
	}
}

func TestUnservedExplainsOnlyMissingChosenDevice(t *testing.T) {
	chosen := session.Choice{UDID: "A", Name: "Ann"}
	other := fault.New(fault.ToolMissing, "no simctl")
	if got := access.Unserved(chosen, other); !errors.Is(got, other) || got.Error() != "no simctl" {
		t.Errorf("another fault: got %v, want it as it is", got)
	}
	missing := fault.New(fault.DeviceNotFound, "no device")
	if got := access.Unserved(session.Choice{}, missing); got.Error() != "no device" {
		t.Errorf("nothing chosen: got %v, want the fault as it is", got)
	}
	ended := fault.New(fault.AppNotRunning, "it has ended")
	fakedevice.WantFault(t, "ended", fault.From(access.Unserved(chosen, ended)), fault.AppNotRunning,
		"Ann (A), which this session chose, cannot be used: it has ended")
	if got, want := access.Choice(device.Info{UDID: "A", Name: "Ann", State: "x"}), chosen; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDeviceFoundShutDownIsReleased(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	h, _, err := d.Device(t.Context(), drive("a"), target.Target{})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Do(t.Context(), h, func() error { return fault.New(fault.DeviceNotBooted, "Ann is off") })
	fakedevice.WantFault(t, "off", fault.From(err), fault.DeviceNotBooted, "Ann is off",
		hint.Do("boot_device", "udid", "A"), hint.Do("use_device", "device", "NAME"))
	if got := d.holder(t, "A"); got != "" {
		t.Errorf("holder: got %q, want none", got)
	}
	_ = d.Do(t.Context(), h, func() error { return fault.New(fault.AppNotFound, "no app") })
	if got := d.holder(t, "A"); got != "a" {
		t.Errorf("holder after another fault: got %q, want a", got)
	}
}

func TestOnlyChangeRefreshesDeviceListing(t *testing.T) {
	ann := fakedevice.New(fakedevice.Simulator("A", "Ann", "shutdown"))
	d := open(t, pool.Options{}, ann)
	h, _, err := d.Device(t.Context(), drive("a"), target.Target{UDID: "A"})
	if err != nil {
		t.Fatal(err)
	}
	state := func() string {
		e, err := d.Pool.Entry(t.Context(), "A")
		if err != nil {
			t.Fatal(err)
		}
		return e.State
	}
	boot := func() error { return access.BootIfAble(t.Context(), h) }
	if err := d.Do(t.Context(), h, boot); err != nil || state() != "shutdown" {
		t.Errorf("Do: got %v and the state %q, want the listing of before", err, state())
	}
	if err := d.Change(t.Context(), h, boot); err != nil || state() != device.Booted {
		t.Errorf("Change: got %v and the state %q, want a new listing", err, state())
	}
	if got := ann.Did(); !slices.Equal(got, []string{"Boot", "Boot"}) {
		t.Errorf("got %v, want two boots", got)
	}
}

func TestBootIfAbleSkipsUnbootableDevice(t *testing.T) {
	bare := open(t, pool.Options{}, fakedevice.Bare{Is: fakedevice.Simulator("A", "Ann", device.Booted)})
	h, _, err := bare.Device(t.Context(), drive("a"), target.Target{})
	if err != nil {
		t.Fatal(err)
	}
	if err := access.BootIfAble(t.Context(), h); err != nil {
		t.Errorf("a device that cannot be booted: got %v, want nothing", err)
	}
	ann := phone("A", "Ann")
	ann.Fails["Boot"] = errors.New("no power")
	h, _, err = open(t, pool.Options{}, ann).Device(t.Context(), drive("a"), target.Target{})
	if err != nil {
		t.Fatal(err)
	}
	if err := access.BootIfAble(t.Context(), h); err == nil || err.Error() != "no power" {
		t.Errorf("got %v, want the device's error", err)
	}
}

func TestAwayForgetsTheScreenOfTheDrivingSession(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	shown := func(name string) (is bool) {
		d.Sessions.Get(name).Refs(func(r *ui.Refs) { is = r.Shown("A") != nil })
		return is
	}
	for _, name := range []string{"a", "b"} {
		d.Sessions.Get(name).Refs(func(r *ui.Refs) { r.Remember("A", screen("com.shop", "Buy")) })
	}
	for _, c := range []*op.Call{drive("a"), look("b")} {
		h, _, err := d.Device(t.Context(), c, target.Target{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Away(t.Context(), h, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if shown("a") || !shown("b") {
		t.Errorf("got shown to a %v and to b %v, want only to b: it did not drive", shown("a"), shown("b"))
	}
}

// programs opens processes of a desktop.
type programs struct{ env string }

func (p *programs) Opens(id string) bool { return strings.HasPrefix(id, target.ProcessID) }
func (p *programs) Find(_ context.Context, id string, env func(string) string) (string, error) {
	p.env = env("DISPLAY")
	return id + ":start", nil
}

func (p *programs) Open(_ context.Context, udid string) (device.Device, error) {
	return fakedevice.New(device.Info{UDID: udid, Name: "Editor", Type: device.TypeProcess, Available: true}), nil
}

func TestProgramIsDrivenOnlyBySessionsThatAttached(t *testing.T) {
	d := open(t, pool.Options{Openers: []pool.Opener{&programs{}}})
	pid := itoa(os.Getppid())
	which := target.Target{UDID: "pid:" + pid}
	_, _, err := d.Device(t.Context(), drive("a"), which)
	f := fakedevice.WantFault(t, "not attached", fault.From(err), fault.Forbidden,
		"this session has neither launched nor attached to Editor (process "+pid+")", hint.Do("desktop_debug_attach", "pid", os.Getppid()))
	if f.Dispatched != fault.NotDispatched {
		t.Errorf("dispatched: got %q, want no", f.Dispatched)
	}
	c := look("a")
	if _, _, err := d.Device(t.Context(), c, which); err != nil || !c.Outside {
		t.Errorf("a look: got %v and outside %v, want success outside of the toolchain", err, c.Outside)
	}
	if _, err := d.Programs.Attach("a", os.Getppid()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Device(t.Context(), drive("a"), which); err != nil {
		t.Errorf("attached: got %v, want success", err)
	}
	_, _, err = d.Device(t.Context(), drive("b"), which)
	fakedevice.WantFault(t, "another session", fault.From(err), fault.Forbidden, "neither launched nor attached")
}

func TestSimulatorCallKeepsOutsideFlag(t *testing.T) {
	d := open(t, pool.Options{}, phone("A", "Ann"))
	for _, was := range []bool{false, true} {
		c := &op.Call{Session: "a", Outside: was}
		if _, _, err := d.Device(t.Context(), c, target.Target{}); err != nil || c.Outside != was {
			t.Errorf("got %v and outside %v, want %v", err, c.Outside, was)
		}
	}
}

func TestEnvironPrefersCallerDesktopVariables(t *testing.T) {
	opener := &programs{}
	d := open(t, pool.Options{Openers: []pool.Opener{opener}})
	d.Getenv = func(name string) string { return "the daemon's " + name }
	for _, c := range []struct {
		what string
		env  map[string]string
		want string
	}{
		{"no environment", nil, "the daemon's DISPLAY"},
		{"another variable", map[string]string{"HOME": "/x"}, "the daemon's DISPLAY"},
		{"an empty one", map[string]string{"DISPLAY": ""}, "the daemon's DISPLAY"},
		{"its own", map[string]string{"DISPLAY": ":7"}, ":7"},
		{"another desktop's", map[string]string{"WAYLAND_DISPLAY": "w"}, ""},
	} {
		call := &op.Call{Session: "a", Env: c.env, Hints: op.ReadOnly}
		if got := d.Environ(call)("DISPLAY"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	call := &op.Call{Session: "a", Env: map[string]string{"DISPLAY": ":7"}, Hints: op.ReadOnly}
	if _, _, err := d.Device(t.Context(), call, target.Target{UDID: "pid:12"}); err != nil || opener.env != ":7" {
		t.Errorf("the opener: got %v and %q, want the caller's :7", err, opener.env)
	}
}

func TestAppOnQueriesDeviceForAppNamesOnly(t *testing.T) {
	ann := phone("A", "Ann")
	ann.Installed = []device.App{{Bundle: "com.example.shop", Name: "Shop"}}
	d := open(t, pool.Options{}, ann)
	for _, c := range []struct {
		app, want string
		device    target.Target
	}{
		{"com.example.other", "com.example.other", target.Target{UDID: "nowhere"}}, {"Shop", "com.example.shop", target.Target{}},
	} {
		if got, err := d.AppOn(t.Context(), drive("a"), c.device, c.app); err != nil || got != c.want {
			t.Errorf("%s: got %q and %v, want %q", c.app, got, err, c.want)
		}
	}
	_, err := d.AppOn(t.Context(), drive("a"), target.Target{}, "-x.y")
	fakedevice.WantFault(t, "an option", fault.From(err), fault.InvalidInput, `"-x.y" is not the bundle id or the name`)
	_, err = d.AppOn(t.Context(), drive("a"), target.Target{UDID: "X"}, "Shop")
	fakedevice.WantFault(t, "no device", fault.From(err), fault.DeviceNotFound, `"X"`)
	_, err = d.AppOn(t.Context(), drive("a"), target.Target{}, "Shoppe")
	fakedevice.WantFault(t, "no app", fault.From(err), fault.AppNotFound, `"Shoppe"`)
}
