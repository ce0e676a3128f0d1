package devices_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/devices"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/xcode/macapp"
	"ios-agent/internal/xcode/toolcheck"
	"ios-agent/test/fakedevice"
)

// programs are those of this machine: they are noted and fail where a test says so.
type programs struct {
	ran   []string
	fails error
}

func (p *programs) Run(_ context.Context, c host.Cmd) (host.Result, error) {
	p.ran = append(p.ran, c.Name+" "+strings.Join(c.Args, " "))
	return host.Result{Stdout: []byte("/Xcode/Developer\n")}, p.fails
}

// room is the operations on devices.
type room struct {
	*fakedevice.Room
	*devices.Devices
	reach access.Access
	ran   *programs
}

func over(t *testing.T, o pool.Options) room {
	t.Helper()
	return opened(t, o, false)
}

func opened(t *testing.T, o pool.Options, prewarm bool) room {
	t.Helper()
	r := room{reach: fakedevice.Over(t, o), ran: &programs{}}
	r.Devices = devices.New(devices.Deps{
		Access: r.reach, Tools: toolcheck.New(toolcheck.Options{}), Viewer: macapp.New(macapp.Options{Run: r.ran}), Prewarm: prewarm,
	})
	r.Room = fakedevice.Open(t, r.Devices.Ops())
	return r
}

func with(t *testing.T, all ...device.Device) room {
	t.Helper()
	return over(t, pool.Options{Drivers: []device.Driver{&fakedevice.Driver{Named: fakedevice.Usual, Devices: all}}})
}

func phone(udid, name, state string) *fakedevice.Phone {
	return fakedevice.New(fakedevice.Simulator(udid, name, state))
}

func physical(udid, name string) device.Device {
	i := fakedevice.Simulator(udid, name, device.Booted)
	i.Type = device.TypePhysical
	return fakedevice.Bare{Is: i, By: "devicectl"}
}

func (r room) chosen() session.Choice { return r.reach.Sessions.Get("a").Choice() }

func (r room) holder(udid string) string {
	r.T.Helper()
	e, err := r.reach.Pool.Entry(r.T.Context(), udid)
	if err != nil {
		r.T.Fatal(err)
	}
	return e.ClaimedBy
}

func did(t *testing.T, what string, p *fakedevice.Phone, want ...string) {
	t.Helper()
	if got := p.Did(); !slices.Equal(got, want) {
		t.Errorf("%s: the device was told %q, want %q", what, got, want)
	}
}

func TestListFiltersDevices(t *testing.T) {
	pad := fakedevice.Simulator("B", "iPad mini", "shutdown")
	pad.Family, pad.OS = "iPad", "iOS 26.0"
	gone := fakedevice.Simulator("C", "iPhone SE", "shutdown")
	gone.Available = false
	r := with(t, phone("A", "iPhone 16", device.Booted), fakedevice.New(pad), fakedevice.New(gone), physical("D", "My iPhone"))
	r.reach.Sessions.Get("a").Use(session.Choice{UDID: "A", Name: "iPhone 16"})
	for input, want := range map[string]string{
		`{}`: "A B C D", `{"state":"booted"}`: "A D", `{"state":"shutdown"}`: "B C", `{"type":"device"}`: "D", `{"type":"simulator"}`: "A B C",
		`{"name":"IPHONE"}`: "A C D", `{"os_version":"18"}`: "A C D", `{"os_version":"iOS 26.0"}`: "B", `{"device_family":"ipad"}`: "B",
		`{"name":"watch"}`: "", `{"state":"booted","type":"simulator","name":"16","os_version":"18.2","device_family":"iPhone"}`: "A",
	} {
		out := r.Result("list_devices", input)
		var got []string
		for _, d := range out["devices"].([]any) {
			got = append(got, d.(map[string]any)["udid"].(string))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want || out["active_udid"] != "A" {
			t.Errorf("%s: got %v and the current one %v, want %q and A", input, got, out["active_udid"], want)
		}
		if _, told := out["tools"].(map[string]any)["simctl"]; !told {
			t.Errorf("%s: got the tools %v, want simctl among them", input, out["tools"])
		}
	}
	r.Says("list_devices", `{"name":"watch"}`, "no devices")
	r.Says("list_devices", `{"name":"iPhone 16"}`, "1 devices\nA  booted  iOS 18.2  iPhone 16  (current)")
	r.Says("list_devices", `{"name":"SE"}`, "1 devices\nC  shutdown  iOS 18.2  iPhone SE  (unavailable)")
	r.Says("list_devices", `{"type":"device"}`, "1 devices\nD  booted  iOS 18.2  My iPhone  (physical)")
	r.Refused("list_devices", `{"state":"asleep"}`, fault.InvalidInput, "state")
}

func TestListReportsFailingDriver(t *testing.T) {
	broken := &fakedevice.Driver{Named: "devicectl", Err: fault.New(fault.ToolFailed, "no devicectl")}
	r := over(t, pool.Options{Drivers: []device.Driver{
		&fakedevice.Driver{Named: fakedevice.Usual, Devices: []device.Device{phone("A", "Ann", device.Booted)}}, broken,
	}})
	e := r.As("a", "list_devices", `{}`)
	if e.Error != nil || len(e.Meta.Notices) != 1 || !strings.Contains(e.Meta.Notices[0].Text, "no devicectl") {
		t.Errorf("got %v and the notices %v, want one about devicectl", e.Error, e.Meta.Notices)
	}
	r.Refused("list_devices", `{"name":"Bea"}`, fault.ToolFailed, "no devicectl")
	all := over(t, pool.Options{Drivers: []device.Driver{broken}})
	all.Refused("list_devices", `{}`, fault.ToolFailed, "no devicectl")
}

func TestBootChoosesDeviceForSession(t *testing.T) {
	for _, input := range []string{`{"udid":"B"}`, `{"sim":"Bea"}`, `{"name":"Bea"}`, `{"sim":"Bea","name":"Ann"}`} {
		bea := phone("B", "Bea", "shutdown")
		r := with(t, phone("A", "Ann", "shutdown"), bea)
		r.Says("boot_device", input, "booted Bea (B)")
		did(t, input, bea, "Boot")
		if got, want := r.chosen(), (session.Choice{UDID: "B", Name: "Bea"}); got != want || r.holder("B") != "a" {
			t.Errorf("%s: got the choice %+v and the holder %q, want %+v and a", input, got, r.holder("B"), want)
		}
		if e, err := r.reach.Pool.Entry(t.Context(), "B"); err != nil || e.State != device.Booted {
			t.Errorf("%s: got the state %q and %v, want booted", input, e.State, err)
		}
	}
	only := with(t, phone("A", "Ann", "shutdown"))
	only.Says("boot_device", `{}`, "booted Ann (A)")
	with(t, phone("A", "Ann", "shutdown"), phone("B", "Bea", "shutdown")).Refused("boot_device", `{}`, fault.NoDevice, "no device was named")
}

func TestBootStartsAgentWhenPrewarmIsOn(t *testing.T) {
	for prewarm, want := range map[bool][]string{true: {"Boot", "StartAgent"}, false: {"Boot"}} {
		synctest.Test(t, func(t *testing.T) {
			ann := phone("A", "Ann", "shutdown")
			all := []device.Driver{&fakedevice.Driver{Named: fakedevice.Usual, Devices: []device.Device{ann}}}
			opened(t, pool.Options{Drivers: all}, prewarm).Says("boot_device", `{}`, "booted Ann (A)")
			synctest.Wait() // until the start, which nobody waits for, has ended
			did(t, fmt.Sprintf("prewarm %v", prewarm), ann, want...)
		})
	}
}

func TestFailedBootChoosesNoDevice(t *testing.T) {
	ann := phone("A", "Ann", "shutdown")
	ann.Fails["Boot"] = fault.New(fault.ToolFailed, "no power")
	r := with(t, ann, physical("D", "Dee"))
	r.Refused("boot_device", `{"udid":"A"}`, fault.ToolFailed, "no power")
	r.Refused("boot_device", `{"udid":"D"}`, fault.Unsupported, "Dee (D)", "cannot boot and shut down")
	r.Refused("boot_device", `{"udid":"X"}`, fault.DeviceNotFound, `"X"`)
	if got := r.chosen(); got != (session.Choice{}) {
		t.Errorf("got the choice %+v, want none", got)
	}
}

func TestShutdownReleasesDevice(t *testing.T) {
	ann := phone("A", "Ann", device.Booted)
	r := with(t, ann, physical("D", "Dee"))
	r.Says("shutdown_device", `{"udid":"A"}`, "shutdown Ann (A)")
	did(t, "shutdown", ann, "Shutdown")
	if got := r.holder("A"); got != "" {
		t.Errorf("got the holder %q, want none", got)
	}
	r.Refused("shutdown_device", `{"udid":"D"}`, fault.Unsupported, "cannot boot and shut down")
	r.Refused("shutdown_device", `{"udid":"X"}`, fault.DeviceNotFound, `"X"`)
	ann.Fails["Shutdown"] = fault.New(fault.ToolFailed, "stuck")
	r.Refused("shutdown_device", `{"udid":"A"}`, fault.ToolFailed, "stuck")
	if got := r.holder("A"); got != "a" {
		t.Errorf("after a failure: got the holder %q, want a", got)
	}
}

func TestResetRebootsBootedDevice(t *testing.T) {
	for state, want := range map[string][]string{device.Booted: {"Erase", "Boot"}, "shutdown": {"Erase"}} {
		ann := phone("A", "Ann", state)
		with(t, ann).Says("reset_sim", `{"udid":"A"}`, "reset Ann (A)")
		did(t, state, ann, want...)
	}
	ann := phone("A", "Ann", device.Booted)
	ann.Fails["Erase"] = fault.New(fault.ToolFailed, "busy")
	r := with(t, ann, physical("D", "Dee"))
	r.Refused("reset_sim", `{"udid":"A"}`, fault.ToolFailed, "busy")
	did(t, "an erase that fails", ann, "Erase")
	r.Refused("reset_sim", `{"udid":"D"}`, fault.Unsupported, "cannot erase the device")
	r.Refused("reset_sim", `{"udid":"X"}`, fault.DeviceNotFound, `"X"`)
	with(t, phone("A", "Ann", "shutdown")).Says("reset_sim", `{}`, "reset Ann (A)")
}

func TestEraseRefusesABootedDevice(t *testing.T) {
	ann := phone("A", "Ann", device.Booted)
	r := with(t, ann, physical("D", "Dee"))
	which := devices.EraseIn{Target: target.Target{UDID: "A"}}
	_, err := r.Erase(t.Context(), &op.Call{Session: "a"}, which)
	booted, is := errors.AsType[*devices.BootedError](err)
	if !is || booted.Name != "Ann" {
		t.Errorf("got %v, want that Ann is booted", err)
	}
	fakedevice.WantFault(t, "booted", fault.From(err), fault.InvalidInput, "Ann is booted, and a booted simulator cannot be erased")
	did(t, "booted", ann)
	which.Booted = true
	out, err := r.Erase(t.Context(), &op.Call{Session: "a"}, which)
	if want := (devices.DeviceOut{Status: "erased", UDID: "A", Name: "Ann"}); err != nil || out != want {
		t.Errorf("got %+v and %v, want %+v", out, err, want)
	}
	did(t, "booted, and meant", ann, "Erase")
	which.Booted = false
	if _, err := r.Erase(t.Context(), &op.Call{Session: "a"}, which); err != nil {
		t.Errorf("shut down: got %v, want success", err)
	}
	_, err = r.Erase(t.Context(), &op.Call{Session: "a"}, devices.EraseIn{Target: target.Target{UDID: "D"}})
	fakedevice.WantFault(t, "physical", fault.From(err), fault.Unsupported, "cannot erase the device")
	_, err = r.Erase(t.Context(), &op.Call{Session: "a"}, devices.EraseIn{Target: target.Target{UDID: "X"}})
	fakedevice.WantFault(t, "unknown", fault.From(err), fault.DeviceNotFound, `"X"`)
}

func TestUseChoosesWithoutBootingOrClaiming(t *testing.T) {
	gone := fakedevice.Simulator("C", "Cleo", "shutdown")
	gone.Available = false
	ann := phone("A", "Ann", "shutdown")
	r := with(t, ann, phone("B", "Bea", "shutdown"), phone("B2", "Bea", "shutdown"), fakedevice.New(gone))
	for _, name := range []string{"Ann", "ANN", "A", "a"} {
		r.reach.Sessions.Get("a").Use(session.Choice{})
		e := r.As("a", "use_device", `{"device":"`+name+`"}`)
		if e.Error != nil || e.Stdout != "using Ann (A)" || e.Meta.Device == nil || *e.Meta.Device != (op.Device{UDID: "A", Name: "Ann"}) {
			t.Errorf("%s: got %v, %q and %+v, want Ann", name, e.Error, e.Stdout, e.Meta.Device)
		}
		if got, want := r.chosen(), (session.Choice{UDID: "A", Name: "Ann"}); got != want || r.holder("A") != "" {
			t.Errorf("%s: got the choice %+v and the holder %q, want %+v and none", name, got, r.holder("A"), want)
		}
	}
	did(t, "use", ann)
	r.Refused("use_device", `{"device":"Bea"}`, fault.DeviceAmbiguous, "2 devices have the name",
		"name it by its udid: "+hint.Do("use_device", "device", "UDID"))
	r.Refused("use_device", `{"device":"Cleo"}`, fault.DeviceNotFound, "Cleo (iOS 18.2) cannot be used: it is unavailable")
	r.Refused("use_device", `{"device":"Anne"}`, fault.DeviceNotFound, `"Anne"`, "Ann")
	r.Refused("use_device", `{}`, fault.InvalidInput, "device")
	if got := r.chosen(); got.UDID != "A" {
		t.Errorf("after refusals: got the choice %+v, want A", got)
	}
	broken := over(t, pool.Options{Drivers: []device.Driver{&fakedevice.Driver{Err: fault.New(fault.ToolFailed, "no simctl")}}})
	broken.Refused("use_device", `{"device":"Ann"}`, fault.ToolFailed, "no simctl")
}

// apps opens programs of a desktop.
type apps struct{}

func (apps) Opens(id string) bool { return strings.HasPrefix(id, "pid:") }
func (apps) Find(_ context.Context, id string, env func(string) string) (string, error) {
	if id == "pid:0" {
		return "", fault.New(fault.AppNotRunning, "no process on %q", env("DISPLAY"))
	}
	return id, nil
}

func (apps) Open(_ context.Context, udid string) (device.Device, error) {
	return fakedevice.Bare{Is: device.Info{UDID: udid, Name: "Editor", Type: device.TypeProcess}}, nil
}

func TestUseChoosesAProgram(t *testing.T) {
	r := over(t, pool.Options{Openers: []pool.Opener{apps{}}})
	r.Says("use_device", `{"device":"pid:12"}`, "using Editor (pid:12)")
	if got, want := r.chosen(), (session.Choice{UDID: "pid:12", Name: "Editor"}); got != want {
		t.Errorf("got the choice %+v, want %+v", got, want)
	}
	call := op.Call{Session: "a", Env: map[string]string{"DISPLAY": ":9"}}
	e := r.By(call, "use_device", `{"device":"pid:0"}`)
	fakedevice.WantFault(t, "no process", e.Error, fault.AppNotRunning, `no process on ":9"`)
}

func TestFindChoosesNewestOnRequest(t *testing.T) {
	newer := fakedevice.Simulator("B", "Ann", "shutdown")
	newer.OS = "iOS 26.0"
	r := with(t, phone("A", "Ann", "shutdown"), fakedevice.New(newer))
	for which, want := range map[target.Simulator]target.Target{
		{ID: "A"}: {UDID: "A"}, {Name: "Ann"}: {Sim: "Ann"}, {Name: "Ann", Newest: true}: {UDID: "B"},
	} {
		if got, err := r.Find(t.Context(), which); err != nil || got != want {
			t.Errorf("%+v: got %+v and %v, want %+v", which, got, err, want)
		}
	}
}

func TestToggleNeedsABootedSimulator(t *testing.T) {
	r := with(t, phone("A", "Ann", device.Booted), phone("B", "Bea", "shutdown"), physical("D", "Dee"))
	toggle := func(udid string) (devices.DeviceOut, error) {
		return r.Toggle(t.Context(), &op.Call{Session: "a"}, target.Target{UDID: udid}, macapp.Software)
	}
	out, err := toggle("A")
	if want := (devices.DeviceOut{Status: "switched", UDID: "A", Name: "Ann"}); err != nil || out != want {
		t.Errorf("got %+v and %v, want %+v", out, err, want)
	}
	if n := len(r.ran.ran); n != 3 || !strings.HasPrefix(r.ran.ran[2], "osascript ") || !strings.HasSuffix(r.ran.ran[2], " Ann") {
		t.Errorf("got %q, want the keys pressed in Ann's window", r.ran.ran)
	}
	r.ran.ran = nil
	_, err = toggle("B")
	fakedevice.WantFault(t, "shut down", fault.From(err), fault.DeviceNotBooted, "Bea is not booted",
		hint.Do("boot_device", "udid", "B"))
	_, err = toggle("D")
	fakedevice.WantFault(t, "physical", fault.From(err), fault.Unsupported, "the keyboard of Dee: only simulators have")
	_, err = toggle("X")
	fakedevice.WantFault(t, "unknown", fault.From(err), fault.DeviceNotFound, `"X"`)
	if len(r.ran.ran) > 0 {
		t.Errorf("got %q, want nothing run", r.ran.ran)
	}
}

func TestShowOpensSimulatorApp(t *testing.T) {
	r := with(t)
	if name, err := r.Show(t.Context(), "A"); err != nil || name != "Simulator" || !strings.HasSuffix(r.ran.ran[1], "-CurrentDeviceUDID A") {
		t.Errorf("got %q and %v after %q, want Simulator with the window of A", name, err, r.ran.ran)
	}
	r.ran.fails = errors.New("no")
	if _, err := r.Show(t.Context(), "A"); err == nil {
		t.Error("got no error, want the tool's")
	}
}

func TestDeviceClaimedByOtherSessionIsRefused(t *testing.T) {
	ann := phone("A", "Ann", device.Booted)
	r := with(t, ann)
	if e := r.As("b", "boot_device", `{"udid":"A"}`); e.Error != nil {
		t.Fatal(e.Error)
	}
	ann.Did()
	for _, name := range []string{"boot_device", "shutdown_device", "reset_sim"} {
		r.Refused(name, `{"udid":"A"}`, fault.DeviceClaimed, "Ann (A) is already claimed by b")
	}
	did(t, "another session's", ann)
}
