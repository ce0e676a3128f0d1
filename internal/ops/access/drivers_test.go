package access_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// server is a driver that works through a server.
type server struct {
	name, usual string
	err         error // why the server does not answer
	probed      []string
	opened      []string
}

func (s *server) Spec() device.DriverSpec {
	spec := fakedevice.Server(s.name)
	spec.Usual = s.usual
	return spec
}

func (s *server) Probe(_ context.Context, at string) (string, error) {
	s.probed = append(s.probed, at)
	return s.name + " 1.0", s.err
}

func (s *server) Open(i device.Info, at string) device.Device {
	s.opened = append(s.opened, at)
	return &driven{fakedevice.Bare{Is: i, By: s.name}}
}

// driven is a device as a server has it: it sees, and looks into web views.
type driven struct{ fakedevice.Bare }

func (*driven) Observe(context.Context, device.Wait) (*ui.Screen, error) {
	return screen("com.shop"), nil
}
func (*driven) Page(context.Context, device.WebView) ([]*ui.Node, error) { return nil, nil }

const here = "http://127.0.0.1:8100"

// seeing is a device with the usual driver, which sees; blind is one that does not.
func seeing() device.Device { return phone("A", "Ann") }

func blind() device.Device {
	return fakedevice.Bare{Is: fakedevice.Simulator("A", "Ann", device.Booted), By: "devicectl"}
}

// sleeping is a device whose agent waits to be started.
type sleeping struct {
	*fakedevice.Phone
	asleep bool
}

func (s sleeping) Dormant() bool { return s.asleep }

// looker is the driver that looks at a device.
func looker(d device.Device) string {
	if eyes, sees := device.Has[device.Eyes](d); sees {
		return eyes.(device.Device).Driver()
	}
	return ""
}

func TestChosenDriverReplacesDefaultDriver(t *testing.T) {
	down := errors.New("connection refused")
	for _, c := range []struct {
		what    string
		on      device.Device
		env     map[string]string
		instead map[string]string
		err     error // of wda
		looks   string
		because string
		notices int
	}{
		{what: "nobody said", on: seeing(), looks: "xctest"},
		{what: "the usual one is wished", on: seeing(), env: map[string]string{"IOS_AGENT_DRIVER": "xctest"}, looks: "xctest"},
		{what: "the environment", on: seeing(), env: map[string]string{"IOS_AGENT_DRIVER": "wda", "IOS_AGENT_WDA_URL": here}, looks: "wda",
			because: "IOS_AGENT_DRIVER says so"},
		{what: "the call", on: seeing(), instead: map[string]string{"wdaUrl": here}, looks: "wda", because: "the call says so"},
		{what: "a server that is named does not replace eyes", on: seeing(), env: map[string]string{"IOS_AGENT_WDA_URL": here}, looks: "xctest"},
		{what: "a server for a blind device", on: blind(), env: map[string]string{"IOS_AGENT_WDA_URL": here}, looks: "wda",
			because: "devicectl cannot read the screen now, and wda answers at " + here},
		{what: "a server for a device whose agent waits", on: sleeping{phone("A", "Ann"), true},
			env: map[string]string{"IOS_AGENT_WDA_URL": here}, looks: "wda",
			because: "xctest cannot read the screen now, and wda answers at " + here},
		{what: "an agent that runs", on: sleeping{phone("A", "Ann"), false}, env: map[string]string{"IOS_AGENT_WDA_URL": here}, looks: "xctest"},
		{what: "a server that does not answer", on: blind(), env: map[string]string{"IOS_AGENT_WDA_URL": here}, err: down, notices: 1},
		{what: "a server that nobody named", on: blind()},
		{what: "a server on another machine, by the client", on: blind(), env: map[string]string{"IOS_AGENT_WDA_URL": "http://10.0.0.9:8100/"},
			looks: "wda", because: "devicectl cannot read the screen now, and wda answers at http://10.0.0.9:8100"},
	} {
		wda := &server{name: "wda", usual: here, err: c.err}
		d := open(t, pool.Options{Alternates: []pool.Alternate{wda}}, c.on)
		var looks string
		var on op.Device
		e := answer(t, op.Call{Session: "a", Env: c.env}, func(call *op.Call) error {
			call.Instead = c.instead
			h, _, err := d.Device(t.Context(), call, target.Target{})
			if err == nil {
				looks, on = looker(h.Device), *call.Device
			}
			return err
		})
		if e.Error != nil {
			t.Errorf("%s: got %s: %s, want success", c.what, e.Error.Code, e.Error.Message)
			continue
		}
		driver := ""
		if c.because != "" {
			driver = c.looks
		}
		if looks != c.looks || on.Driver != driver || on.DrivenBecause != c.because {
			t.Errorf("%s: got %q, told as %q because %q; want %q because %q", c.what, looks, on.Driver, on.DrivenBecause, c.looks, c.because)
		}
		if len(e.Meta.Notices) != c.notices {
			t.Errorf("%s: got the notices %v, want %d", c.what, e.Meta.Notices, c.notices)
		}
	}
}

func TestUnreachableServerIsReportedOnce(t *testing.T) {
	wda := &server{name: "wda", usual: here, err: errors.New("connection refused")}
	d := open(t, pool.Options{Alternates: []pool.Alternate{wda}}, blind())
	for i, want := range []int{1, 0} {
		e := answer(t, op.Call{Session: "a", Env: map[string]string{"IOS_AGENT_WDA_URL": here}}, func(c *op.Call) error {
			_, _, err := d.Device(t.Context(), c, target.Target{})
			return err
		})
		if len(e.Meta.Notices) != want {
			t.Fatalf("call %d: got %v, want %d notices", i, e.Meta.Notices, want)
		}
		if want == 1 && (e.Meta.Notices[0].Kind != op.Config || e.Meta.Notices[0].Text != "Ann cannot be driven by wda: connection refused") {
			t.Errorf("got %+v, want why wda does not drive", e.Meta.Notices[0])
		}
	}
}

func TestConnectedServerIsNotProbedAgain(t *testing.T) {
	wda := &server{name: "wda", usual: here}
	d := open(t, pool.Options{Alternates: []pool.Alternate{wda}}, blind())
	for range 2 {
		call := &op.Call{Session: "a", Env: map[string]string{"IOS_AGENT_WDA_URL": here}}
		if h, _, err := d.Device(t.Context(), call, target.Target{}); err != nil || looker(h.Device) != "wda" {
			t.Fatalf("got %v, want wda", err)
		}
	}
	if !slices.Equal(wda.probed, []string{here}) || !slices.Equal(wda.opened, []string{here}) {
		t.Errorf("got probes %v and connections %v, want one of each", wda.probed, wda.opened)
	}
}

func TestCallCannotChooseServerWithoutUser(t *testing.T) {
	remote := "http://10.0.0.9:8100"
	d := open(t, pool.Options{Alternates: []pool.Alternate{&server{name: "wda", usual: here}}}, seeing())
	for _, c := range []struct {
		what    string
		env     map[string]string
		instead map[string]string
		code    fault.Code
		words   []string
	}{
		{"the usual port, by a call", nil, map[string]string{config.KeyDriver: "wda"}, fault.Forbidden,
			[]string{"the driver wda has no address, and a call cannot choose the usual one, " + here,
				hint.Do("session_set_defaults", "driver", "wda", "wdaUrl", "URL") + ", or set IOS_AGENT_WDA_URL"}},
		{"another machine, by a call", nil, map[string]string{"wdaUrl": remote}, fault.Forbidden,
			[]string{"the server of the driver wda is on another machine: " + remote, "set IOS_AGENT_WDA_URL in the environment"}},
		{"another machine than the client's", map[string]string{"IOS_AGENT_WDA_URL": "http://10.0.0.8:8100"},
			map[string]string{"wdaUrl": remote}, fault.Forbidden, []string{"on another machine: " + remote}},
		{"no driver of that name", nil, map[string]string{config.KeyDriver: "nobody"}, fault.InvalidInput, []string{"nobody"}},
		{"a driver that is not there", nil, map[string]string{config.KeyDriver: "idb"}, fault.DriverFailed,
			[]string{"the driver idb does not drive Ann (simulator)"}},
	} {
		_, _, err := d.Device(t.Context(), &op.Call{Session: "a", Env: c.env, Instead: c.instead}, target.Target{})
		f := fakedevice.WantFault(t, c.what, fault.From(err), c.code, c.words...)
		if c.code == fault.Forbidden && f.Dispatched != fault.NotDispatched {
			t.Errorf("%s: dispatched: got %q, want no", c.what, f.Dispatched)
		}
	}
	set(t, d, map[string]any{config.KeyDriver: "wda"})
	h, _, err := d.Device(t.Context(), drive("a"), target.Target{})
	if err != nil || looker(h.Device) != "wda" {
		t.Errorf("the usual port, by the session: got %v, want wda", err)
	}
}

func set(t *testing.T, d door, values map[string]any) {
	t.Helper()
	if _, err := d.Sessions.Get("a").Defaults("", nil).Set(config.Change{Values: values}); err != nil {
		t.Fatal(err)
	}
}

func TestRemoteServerIsNotProbedForDriverlessDevice(t *testing.T) {
	wda := &server{name: "wda"}
	d := open(t, pool.Options{Alternates: []pool.Alternate{wda}}, blind())
	set(t, d, map[string]any{"wdaUrl": "http://10.0.0.9:8100"})
	h, _, err := d.Device(t.Context(), drive("a"), target.Target{})
	if err != nil || looker(h.Device) != "" || len(wda.probed) > 0 {
		t.Errorf("got %v, the looker %q and probes of %v; want none", err, looker(h.Device), wda.probed)
	}
}

func TestFailingChosenDriverSuggestsOtherDriver(t *testing.T) {
	d := open(t, pool.Options{Alternates: []pool.Alternate{&server{name: "wda", usual: here}}}, seeing())
	call := &op.Call{Session: "a", Instead: map[string]string{"wdaUrl": here}}
	h, _, err := d.Device(t.Context(), call, target.Target{})
	if err != nil {
		t.Fatal(err)
	}
	err = d.Do(t.Context(), h, func() error {
		return &device.UnreachableError{Driver: fakedevice.Server("wda"), At: here, Cause: errors.New("refused")}
	})
	fakedevice.WantFault(t, "refused", fault.From(err), fault.DriverFailed, "the driver wda at "+here,
		"or use xctest: "+hint.Do("session_set_defaults", "driver", "xctest"))
}

func TestAppiumURLAddsWebViewReadingOnly(t *testing.T) {
	for _, c := range []struct {
		what string
		env  map[string]string
		alts []pool.Alternate
		webs bool
	}{
		{"nobody named it", nil, []pool.Alternate{&server{name: "appium"}}, false},
		{"named", map[string]string{"IOS_AGENT_APPIUM_URL": here}, []pool.Alternate{&server{name: "appium"}}, true},
		{"no such driver", map[string]string{"IOS_AGENT_APPIUM_URL": here}, nil, false},
	} {
		d := open(t, pool.Options{Alternates: c.alts}, seeing())
		h, _, err := d.Device(t.Context(), &op.Call{Session: "a", Env: c.env}, target.Target{})
		if err != nil {
			t.Fatal(err)
		}
		if _, webs := device.Has[device.Webs](h.Device); webs != c.webs || looker(h.Device) != "xctest" {
			t.Errorf("%s: got webs %v and the looker %q, want %v and xctest", c.what, webs, looker(h.Device), c.webs)
		}
	}
}

func TestOnlyDeviceOperationsHaveDriverFlags(t *testing.T) {
	about := op.New(op.Spec{Name: "about", Groups: []string{"ui"}, Route: "POST /a", Summary: "About a device"},
		func(context.Context, *op.Call, target.Target) (struct{}, error) { return struct{}{}, nil })
	other := op.New(op.Spec{Name: "other", Groups: []string{"ui"}, Route: "POST /b", Summary: "About nothing"},
		func(context.Context, *op.Call, struct{}) (struct{}, error) { return struct{}{}, nil })
	all := access.WithDriverFlags(fakedevice.Drivers(), []op.Op{about, other})
	var flags, keys []string
	for _, s := range all[0].Shorts() {
		flags, keys = append(flags, s.Flag), append(keys, s.Default)
	}
	if want := []string{"driver", "wda-url", "appium-url", "idb-url"}; !slices.Equal(flags, want) {
		t.Errorf("got the flags %v, want %v", flags, want)
	}
	if want := []string{config.KeyDriver, "wdaUrl", "appiumUrl", "idbUrl"}; !slices.Equal(keys, want) {
		t.Errorf("got the defaults %v, want %v", keys, want)
	}
	if got := all[1].Shorts(); len(got) > 0 {
		t.Errorf("an operation without a device: got the flags %v, want none", got)
	}
	for _, s := range all[0].Shorts() {
		if names := s.Flag != "driver"; names != strings.Contains(s.Elsewhere, `"`+s.Default+`":"URL"`) {
			t.Errorf("--%s: Elsewhere = %q; it names the default: want %v", s.Flag, s.Elsewhere, names)
		}
	}
	if got := all[0].Shorts()[0].Doc; !strings.HasSuffix(got, "xctest, wda, appium, idb, devicectl") {
		t.Errorf("got %q, want all drivers named", got)
	}
}

func TestDriverChecksNameTheDriverAndTheServers(t *testing.T) {
	down := fault.New(fault.DriverFailed, "refused").WithHint("start it")
	usual := device.Check{Name: "driver", Status: "ok", Message: "simulators: xctest, the usual one"}
	for _, c := range []struct {
		what  string
		env   map[string]string
		err   error
		wants []device.Check
	}{
		{"nothing set up", nil, nil, []device.Check{usual, {Name: "wda", Status: "off", Message: "not set up; the usual driver needs no server",
			Hint: hint.Do("session_set_defaults", "driver", "wda", "wdaUrl", "URL") + " sets it up"}}},
		{"the usual one named", map[string]string{"IOS_AGENT_DRIVER": "xctest"}, nil, []device.Check{usual,
			{Name: "wda", Status: "off", Message: "not set up; the usual driver needs no server",
				Hint: hint.Do("session_set_defaults", "driver", "wda", "wdaUrl", "URL") + " sets it up"}}},
		{"a server that answers", map[string]string{"IOS_AGENT_WDA_URL": here}, nil,
			[]device.Check{usual, {Name: "wda", Status: "ok", Message: "wda 1.0"}}},
		{"a server that does not", map[string]string{"IOS_AGENT_WDA_URL": here}, down,
			[]device.Check{usual, {Name: "wda", Status: "warn", Message: "refused", Hint: "start it"}}},
		{"a chosen server that does not", map[string]string{"IOS_AGENT_DRIVER": "wda"}, down, []device.Check{
			{Name: "driver", Status: "ok", Message: "simulators: wda; IOS_AGENT_DRIVER says so"},
			{Name: "wda", Status: "fail", Message: "refused", Hint: "start it"}}},
	} {
		d := open(t, pool.Options{Alternates: []pool.Alternate{&server{name: "wda", usual: here, err: c.err}}}, seeing())
		got := d.DriverChecks(t.Context(), &op.Call{Session: "a", Env: c.env})
		if !slices.Equal(got, c.wants) {
			t.Errorf("%s: got %+v, want %+v", c.what, got, c.wants)
		}
	}
}

func TestDriverChecksNameTheSessionsDevice(t *testing.T) {
	d := open(t, pool.Options{}, seeing())
	if _, err := d.Pool.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Sessions.Get("a").Use(access.Choice(seeing().Info()))
	got := d.DriverChecks(t.Context(), look("a"))
	if want := []device.Check{{Name: "driver", Status: "ok", Message: "Ann: xctest, the usual one"}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDriverChoiceIsIgnoredForPrograms(t *testing.T) {
	d := open(t, pool.Options{Openers: []pool.Opener{&programs{}}, Alternates: []pool.Alternate{&server{name: "wda"}}})
	call := &op.Call{Session: "a", Hints: op.ReadOnly, Instead: map[string]string{config.KeyDriver: "nobody"}}
	if _, _, err := d.Device(t.Context(), call, target.Target{UDID: "pid:12"}); err != nil {
		t.Errorf("got %v, want success: a choice of drivers is for devices", err)
	}
}
