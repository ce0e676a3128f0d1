package system_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/op/feed"
	"ios-agent/internal/ops/system"
	"ios-agent/internal/text/parse"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/internal/xcode/toolcheck"
	"ios-agent/test/fakedevice"
)

var began = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// physical is a phone that is no simulator.
type physical struct{ *fakedevice.Paper }

func (p physical) Info() device.Info {
	info := p.Paper.Info()
	info.Type = device.TypePhysical
	return info
}

// newSystem is the room on a machine on which every program fails; a test may change what it works with.
func newSystem(t *testing.T, of device.Device, change func(*system.Deps)) (*fakedevice.Room, *system.System) {
	t.Helper()
	run, err := host.New(host.Options{Inside: func(string) host.Main {
		return func(context.Context, host.Invocation) int { return 1 }
	}})
	if err != nil {
		t.Fatal(err)
	}
	controller := proxy.New(proxy.Options{})
	t.Cleanup(func() {
		if err := errors.Join(controller.Close(), run.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	tools := apple.Toolchain{Name: apple.Virtual, Bin: t.TempDir()}
	reach := fakedevice.Reach(t, of)
	d := system.Deps{
		Pool: reach.Pool, Sessions: reach.Sessions, Tools: toolcheck.New(toolcheck.Options{Run: run, Tools: tools}), Home: t.TempDir(),
		Debuggers: debugger.New(debugger.Options{Tools: tools}), Proxy: controller, Guide: func() string { return "look, then act" },
		Server: system.Server{PID: 7, URL: "http://127.0.0.1:1", Version: "1.2", Build: "0123456789abcdef", StartedAt: began},
	}
	if change != nil {
		change(&d)
	}
	s := system.New(d)
	return fakedevice.Open(t, s.Ops()), s
}

func check(out system.DoctorOut, name string) system.Check {
	i := slices.IndexFunc(out.Checks, func(c system.Check) bool { return c.Name == name })
	if i < 0 {
		return system.Check{Status: "not looked at"}
	}
	return out.Checks[i]
}

func TestDoctorChecksMachine(t *testing.T) {
	home := t.TempDir()
	more := system.Check{Name: "more", Status: "ok", Message: "of another room"}
	room, _ := newSystem(t, &fakedevice.Paper{}, func(d *system.Deps) {
		d.Home = home
		d.Checks = []system.Checks{func(context.Context, *op.Call) []system.Check { return []system.Check{more} }}
	})
	var got system.DoctorOut
	room.Must("doctor", `{}`, &got)
	for name, want := range map[string]system.Check{
		"devices": {Status: "ok", Message: "1 simulators, 1 booted, 0 physical devices"},
		"agent":   {Status: "ok", Message: "the virtual toolchain brings its own"},
		"home":    {Status: "ok", Message: home},
		"daemon":  {Status: "ok", Message: "pid 7, build 0123456789ab"},
		"more":    {Status: "ok", Message: "of another room"},
	} {
		if c := check(got, name); c.Status != want.Status || c.Message != want.Message {
			t.Errorf("%s: got %s %q, want %s %q", name, c.Status, c.Message, want.Status, want.Message)
		}
	}
	if c := check(got, "toolchain"); c.Status != "fail" || got.Healthy {
		t.Errorf("got the toolchain %+v and healthy %t, want it to fail: xcodebuild does", c, got.Healthy)
	}
	if c := check(got, "config"); c.Status != "not looked at" {
		t.Errorf("got %+v, want no project looked at", c)
	}
}

func TestDoctorFailsOnlyWhenItIsStrict(t *testing.T) {
	room, _ := newSystem(t, &fakedevice.Paper{}, nil)
	e := room.Must("doctor", `{}`, nil)
	if !strings.HasPrefix(e.Stdout, "something is missing\n") || !strings.Contains(e.Stdout, "\nok    daemon     pid 7") {
		t.Errorf("got\n%s\nwant a line a check", e.Stdout)
	}
	room.Refused("doctor", `{"strict":true}`, fault.ToolMissing, "a check failed", "the checks say what to fix")
	healthy := system.DoctorOut{Healthy: true, Checks: []system.Check{{Name: "a", Status: "warn", Message: "b", Hint: "c"}}}
	if got, want := healthy.Text(), "healthy\nwarn  a          b\n      hint: c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if f := healthy.Fault(); f != nil {
		t.Errorf("got %v, want no fault", f)
	}
}

func TestDoctorWarnsWithoutSimulatorsOrHome(t *testing.T) {
	room, _ := newSystem(t, physical{&fakedevice.Paper{}}, func(d *system.Deps) {
		d.Home = filepath.Join(d.Home, "a-file")
		if err := os.WriteFile(d.Home, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d.Tools = toolcheck.New(toolcheck.Options{Run: nobody{}, Tools: apple.Toolchain{Bin: t.TempDir()}})
	})
	var got system.DoctorOut
	room.Must("doctor", `{}`, &got)
	if c := check(got, "devices"); c.Status != "fail" || c.Message != "no simulators" ||
		!strings.Contains(c.Hint, "xcodebuild -downloadPlatform iOS") {
		t.Errorf("devices: got %+v, want the failure: no simulators", c)
	}
	if c := check(got, "home"); c.Status != "fail" || !strings.Contains(c.Hint, "IOS_AGENT_HOME") {
		t.Errorf("home: got %+v, want that it is not writable", c)
	}
	if c := check(got, "agent"); c.Status != "warn" || !strings.Contains(c.Hint, hint.Do("agent_build")) {
		t.Errorf("agent: got %+v, want a warning with real tools", c)
	}
}

// nobody runs no program.
type nobody struct{}

func (nobody) Run(context.Context, host.Cmd) (host.Result, error) {
	return host.Result{}, errors.New("there is no such program")
}

func TestDoctorExaminesPhysicalDevicesOnly(t *testing.T) {
	room, _ := newSystem(t, &fakedevice.Paper{}, nil)
	room.Refused("doctor", `{"device":"Paper Phone"}`, fault.InvalidInput,
		"cannot examine Paper Phone ("+fakedevice.UDID+"): only physical devices")
	var got system.DoctorOut
	room.Must("doctor", `{"device":"Kim's iPhone"}`, &got)
	if c := check(got, device.StepCable); c.Status != device.CheckFail || !strings.Contains(c.Hint, "connect it with a data cable") ||
		got.Healthy || len(got.Checks) != 1 {
		t.Errorf("got %+v, want the cable missing, and nothing else looked at", got.Checks)
	}
}

func TestEnsureServerReportsAddressAndProxy(t *testing.T) {
	room, s := newSystem(t, &fakedevice.Paper{}, nil)
	var got struct {
		Status    string
		URL       string    `json:"server_url"`
		Port      int       `json:"proxy_port"`
		On        bool      `json:"proxy_enabled"`
		Proxy     string    `json:"proxy_status"`
		StartedAt time.Time `json:"started_at"`
		PID       int
	}
	e := room.Must("ensure_server", `{}`, &got)
	if e.Stdout != "running at http://127.0.0.1:1, pid 7" || got.Status != "running" || got.URL != "http://127.0.0.1:1" || got.PID != 7 ||
		got.Port != proxy.FirstPort || got.On || got.Proxy != "stopped" || !got.StartedAt.Equal(began) {
		t.Errorf("got %q and %+v, want where it is, and that no proxy runs", e.Stdout, got)
	}
	if e := room.Must("health", `{}`, nil); e.Stdout != "ok, version 1.2" {
		t.Errorf("got %q, want the version", e.Stdout)
	}
	if e := room.Must("guide", `{}`, nil); e.Stdout != "look, then act" {
		t.Errorf("got %q, want the guide", e.Stdout)
	}
	if s.PID() != 7 || s.URL() != "http://127.0.0.1:1" || len(s.Machine()) == 0 {
		t.Errorf("got %d, %q and %v, want the daemon's", s.PID(), s.URL(), s.Machine())
	}
	t.Setenv("PAPER_A", "daemon")
	t.Setenv("PAPER_B", "daemon")
	wanted := func(name string) bool { return name == "PAPER_A" || name == "PAPER_B" }
	env := s.Environ(map[string]string{"PAPER_B": "client"}, wanted)
	if len(env) != 2 || env["PAPER_A"] != "daemon" || env["PAPER_B"] != "client" {
		t.Errorf("got %v, want the client's over the daemon's", env)
	}
}

func TestEventsAreFiltered(t *testing.T) {
	ring := feed.NewRing[op.Record](10)
	room := fakedevice.Open(t, system.NewEvents(ring).Ops())
	for _, r := range []op.Record{
		{Op: "tap_element", Session: "a"}, {Op: "snapshot", Session: "b"}, {Op: "tap_element", Session: "b", Code: fault.Timeout},
	} {
		ring.Add(r)
	}
	for input, want := range map[string]string{
		`"of":"b"`: "snapshot b,tap_element b", `"operation":"tap_element"`: "tap_element a,tap_element b", `"failed":true`: "tap_element b",
		`"operation":"tap_element","of":"a"`: "tap_element a",
	} {
		var got struct{ Items []op.Record }
		room.Must("read_events", `{"cursor":"0",`+input+`}`, &got)
		var all []string
		for _, r := range got.Items {
			all = append(all, r.Op+" "+r.Session)
		}
		if strings.Join(all, ",") != want {
			t.Errorf("%s: got %q, want %q", input, all, want)
		}
	}
}

// words is a reading.
type words []string

func (w words) Text(lines int) string {
	if lines > 0 && lines < len(w) {
		w = w[:lines]
	}
	return strings.Join(w, "\n")
}
func (w words) Value() any { return []string(w) }

func newParser(t *testing.T) *fakedevice.Room {
	t.Helper()
	return fakedevice.Open(t, system.NewParser(parse.Kinds{
		{Name: "words", Summary: "words in a line", Sniff: func(b []byte) int { return min(len(b), 50) },
			Read: func(b []byte) (parse.Result, error) { return words(strings.Fields(string(b))), nil }},
		{Name: "broken", Summary: "nothing", Sniff: func([]byte) int { return 0 },
			Read: func([]byte) (parse.Result, error) { return nil, fault.New(fault.InvalidInput, "line 1 is broken") }},
	}).Ops())
}

func TestParseReadsTextsFilesAndStdin(t *testing.T) {
	room := newParser(t)
	file := filepath.Join(t.TempDir(), "build.log")
	if err := os.WriteFile(file, []byte("from file"), 0o600); err != nil {
		t.Fatal(err)
	}
	room.Call.Stdin = strings.NewReader("from stdin")
	for _, c := range []struct{ input, want string }{
		{`{"text":"one two"}`, "one\ntwo"}, {`{"file":"` + file + `"}`, "from\nfile"}, {`{"file":"-"}`, "from\nstdin"},
		{`{"text":"one two","lines":1}`, "one"}, {`{"text":"one two","lines":0,"kind":"words"}`, "one\ntwo"},
	} {
		var got struct {
			Kind  string
			Bytes int
			Data  []string
		}
		e := room.Must("parse", c.input, &got)
		if e.Stdout != c.want || got.Kind != "words" || len(got.Data) != 2 || got.Bytes != len(strings.Join(got.Data, " ")) {
			t.Errorf("%s: got %q and %+v, want %q and both words", c.input, e.Stdout, got, c.want)
		}
	}
}

func TestParseRefusesInvalidInput(t *testing.T) {
	room := newParser(t)
	room.Refused("parse", `{"file":"-"}`, fault.InvalidInput, "this call has no stdin", "pass an absolute path as file")
	room.Refused("parse", `{}`, fault.InvalidInput, "file")
	room.Refused("parse", `{"file":"/x","text":"y"}`, fault.InvalidInput, "text")
	room.Refused("parse", `{"text":"a","kind":"sounds"}`, fault.InvalidInput, `unknown kind "sounds"`)
	if f := room.Refused("parse", `{"text":"a","kind":"broken"}`, fault.InvalidInput, "line 1 is broken"); f.Details["kind"] != "broken" {
		t.Errorf("got the kind %v, want broken", f.Details["kind"])
	}
	if e := room.Run("parse", `{"file":"`+filepath.Join(t.TempDir(), "none")+`"}`); e.Error == nil {
		t.Errorf("got %q, want a fault: there is no file", e.Stdout)
	}
}
