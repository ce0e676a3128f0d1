package whose_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/steps"
	"ios-agent/internal/fault"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/whose"
	"ios-agent/test/fakedevice"
)

const shop = "com.example.shop"

// state is a query in a line: device, app, process, bounds.
func state(m whose.Meant) string {
	q := m.Query
	words := []string{q.Device, q.App, q.Process, q.Subsystem}
	for _, s := range q.Sources {
		words = append(words, string(s))
	}
	return strings.Join(words, "|")
}

func TestSomeQueriesNeedNoDevice(t *testing.T) {
	for name, c := range map[string]struct {
		whose.Asked
		enough      bool
		of, queried string
	}{
		"all":                        {whose.Asked{All: true}, true, "all apps and devices", "|||"},
		"all of a source":            {whose.Asked{All: true, Source: telemetry.Simulator}, true, "the source simulator", "|||"},
		"all of a device":            {whose.Asked{All: true, Device: true}, false, "all apps and devices", "|||"},
		"builds":                     {whose.Asked{Source: telemetry.Build}, true, "the source build", "|||"},
		"builds of a device":         {whose.Asked{Source: telemetry.Build, Device: true}, false, "all apps and devices", "|||"},
		"builds of an app":           {whose.Asked{Source: telemetry.Build, App: "Shop"}, false, "all apps and devices", "|||"},
		"builds during a step":       {whose.Asked{Source: telemetry.Build, Step: true}, false, "all apps and devices", "|||"},
		"a source of devices":        {whose.Asked{Source: telemetry.Simulator}, false, "all apps and devices", "|||"},
		"nothing":                    {whose.Asked{}, false, "all apps and devices", "|||"},
		"a process and a subsystem":  {whose.Asked{Process: "p", Subsystem: "s"}, false, "all apps and devices", "||p|s"},
		"all of a process is enough": {whose.Asked{All: true, Process: "p"}, true, "all apps and devices", "||p|"},
	} {
		m, enough := c.Anybody()
		if c.Source != "" {
			c.queried += "|" + string(c.Source)
		}
		if enough != c.enough || m.Of != c.of || state(m) != c.queried || m.Device {
			t.Errorf("%s: got %v, %q, %q, want %v, %q, %q", name, enough, m.Of, state(m), c.enough, c.of, c.queried)
		}
	}
}

func TestStepBoundsLineRange(t *testing.T) {
	upto := func(n int64) *int64 { return &n }
	for name, c := range map[string]struct {
		lines       steps.LogRange
		after, upto int64
	}{
		"the last step has no end":        {steps.LogRange{After: 5}, 5, 0},
		"another step has one":            {steps.LogRange{After: 5, Upto: upto(9)}, 5, 9},
		"a step without lines finds none": {steps.LogRange{After: 5, Upto: upto(5)}, 1, 1},
		"a step before the first line":    {steps.LogRange{Upto: upto(0)}, 1, 1},
	} {
		var m whose.Meant
		m.During("s3", c.lines)
		if m.Step != "s3" || m.Query.After != c.after || m.Query.Upto != c.upto {
			t.Errorf("%s: got %q from %d to %d, want s3 from %d to %d", name, m.Step, m.Query.After, m.Query.Upto, c.after, c.upto)
		}
	}
}

// handle is a phone with the app Shop, as the pool gives it.
func handle(t *testing.T, broken error) *pool.Handle {
	t.Helper()
	phone := fakedevice.New(fakedevice.Simulator("U", "Phone", device.Booted))
	phone.Installed = []device.App{{Bundle: shop, Name: "Shop"}}
	phone.Fails["List"] = broken
	p := pool.New(pool.Options{Drivers: []device.Driver{&fakedevice.Driver{Named: "xctest", Devices: []device.Device{phone}}}})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("closing the pool: %v", err)
		}
	})
	h, err := p.Resolve(t.Context(), pool.Criteria{UDID: "U"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAppIsResolvedOnADevice(t *testing.T) {
	h := handle(t, nil)
	for name, c := range map[string]struct {
		whose.Asked
		usual, queried, of string
		unknown            bool
	}{
		"the usual one":                   {whose.Asked{}, "com.usual", "U|com.usual||", "com.usual on Phone", false},
		"none is usual":                   {whose.Asked{}, "", "U|||", "Phone", false},
		"all":                             {whose.Asked{All: true}, "com.usual", "U|||", "Phone", false},
		"a process":                       {whose.Asked{Process: "p"}, "com.usual", "U||p|", "Phone", false},
		"an app by name":                  {whose.Asked{App: "shop"}, "com.usual", "U|" + shop + "||", shop + " on Phone", false},
		"an app and a process":            {whose.Asked{App: "Shop", Process: "p"}, "com.usual", "U|" + shop + "|p|", shop + " on Phone", false},
		"a name that no app has":          {whose.Asked{App: "backboardd"}, "com.usual", "U||backboardd|", "backboardd on Phone", true},
		"such a name, and a process":      {whose.Asked{App: "none", Process: "p"}, "", "U||p|", "p on Phone", true},
		"a usual app with a strange name": {whose.Asked{}, "a\nb", "U|a\nb||", `a\nb on Phone`, false},
	} {
		m, _ := c.Anybody()
		err := m.On(t.Context(), c.Asked, h, c.usual)
		if err != nil || state(m) != c.queried || !m.Device {
			t.Errorf("%s: got %q, %v, want %q", name, state(m), err, c.queried)
		}
		if m.Of != c.of {
			t.Errorf("%s: got the words %q, want %q", name, m.Of, c.of)
		}
		if (m.Unknown != nil) != c.unknown || c.unknown && !fault.Is(m.Unknown, fault.AppNotFound) {
			t.Errorf("%s: got %v kept, want a fault kept: %v", name, m.Unknown, c.unknown)
		}
	}
}

func TestUnknownAppIsRefused(t *testing.T) {
	var m whose.Meant
	if err := m.On(t.Context(), whose.Asked{App: "--x"}, handle(t, nil), ""); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v, want what a tool would take for an option refused", err)
	}
	broken := errors.New("simctl does not answer")
	if err := m.On(t.Context(), whose.Asked{App: "Shop"}, handle(t, broken), ""); !errors.Is(err, broken) {
		t.Errorf("got %v, want the fault of the device", err)
	}
	if err := m.Anywhere("--x"); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v, want what a tool would take for an option refused", err)
	}
}

func TestLastFollowedAppIsTheDefault(t *testing.T) {
	for name, c := range map[string]struct {
		whose.Asked
		known, want, of string
	}{
		"none is known":      {whose.Asked{}, "", "com.last", "com.last on Phone"},
		"one is known":       {whose.Asked{}, "com.known", "com.known", "com.known on Phone"},
		"all are meant":      {whose.Asked{All: true}, "", "", "before"},
		"a process is meant": {whose.Asked{Process: "p"}, "", "", "p on Phone"},
	} {
		m := whose.Meant{Of: "before", Query: telemetry.Query{App: c.known, Process: c.Process}}
		if m.Followed(c.Asked, "com.last", "Phone"); m.Query.App != c.want || m.Of != c.of {
			t.Errorf("%s: got %q, %q, want %q, %q", name, m.Query.App, m.Of, c.want, c.of)
		}
	}
}

func TestAppOnAllDevicesWithoutChosenDevice(t *testing.T) {
	for name, c := range map[string]struct{ app, process, queried, of string }{
		"a bundle id":              {shop, "", "|" + shop + "||", shop + " on all devices"},
		"a name is a process":      {"Shop", "", "||Shop|", "Shop on all devices"},
		"a process that was named": {"Shop", "p", "||p|", "Shop on all devices"},
		"no app":                   {"", "p", "||p|", "before"},
	} {
		m := whose.Meant{Of: "before", Query: telemetry.Query{Process: c.process}}
		if err := m.Anywhere(c.app); err != nil || state(m) != c.queried || m.Of != c.of {
			t.Errorf("%s: got %q, %q, %v, want %q, %q", name, state(m), m.Of, err, c.queried, c.of)
		}
	}
}

func TestUsualAppIsTheFollowedAppInFront(t *testing.T) {
	sources := []telemetry.State{{Device: "U"}, {Device: "V", App: "com.v"}, {Device: "U", App: "com.newest"}, {Device: "U", App: shop}}
	for name, c := range map[string]struct{ udid, front, want string }{
		"the one in front":                     {"U", shop, shop},
		"the last one where that is not heard": {"U", "com.unheard", "com.newest"},
		"the last one where none is in front":  {"U", "", "com.newest"},
		"of another device":                    {"V", shop, "com.v"},
		"of a device that nobody hears":        {"W", shop, ""},
	} {
		if got := whose.Usual(sources, c.udid, c.front); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestSourcesAreFilteredByQuery(t *testing.T) {
	all := []telemetry.State{
		{ID: "builds", Source: telemetry.Build},
		{ID: "U", Device: "U", Source: telemetry.Simulator},
		{ID: "V", Device: "V", Source: telemetry.Simulator},
		{ID: "shop", Device: "U", App: shop, Source: telemetry.Simulator},
		{ID: "maps", Device: "U", App: "com.maps", Source: telemetry.Simulator},
	}
	for want, q := range map[string]telemetry.Query{
		"builds U V shop maps": {},
		"builds U shop maps":   {Device: "U"},
		"builds U shop":        {Device: "U", App: shop},
		"builds U V shop":      {App: shop},
		"builds":               {Sources: []telemetry.Source{telemetry.Build}},
		"V":                    {Device: "V", Sources: []telemetry.Source{telemetry.Simulator}},
	} {
		var got []string
		for _, s := range (whose.Meant{Query: q}).Sources(all) {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%+v: got %q, want %q", q, got, want)
		}
	}
}
