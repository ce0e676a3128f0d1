package defaults_test

import (
	"strings"
	"testing"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/fault"
)

// TestDriver: what the call says counts before the session's, then the environment's. The project's file says nothing.
func TestDriver(t *testing.T) {
	const file = "sessionDefaults: {driver: appium, appiumUrl: 'http://127.0.0.1:4723/'}\n"
	env := map[string]string{"IOS_AGENT_DRIVER": "xctest", "IOS_AGENT_WDA_URL": "http://127.0.0.1:8100"}
	for _, c := range []struct {
		name, file          string
		env, session, call  map[string]string
		want, why, wda, app string
	}{
		{name: "nobody says anything"},
		{name: "environment", env: env, want: "xctest", why: "IOS_AGENT_DRIVER says so", wda: "http://127.0.0.1:8100"},
		{name: "file", file: file},
		{name: "file and environment", file: file, env: env, want: "xctest", why: "IOS_AGENT_DRIVER says so", wda: "http://127.0.0.1:8100"},
		{name: "session", file: file, env: env, session: map[string]string{"driver": "idb", "wdaUrl": "http://127.0.0.1:8200"},
			want: "idb", why: "the session says so", wda: "http://127.0.0.1:8200"},
		{name: "call", file: file, session: map[string]string{"driver": "xctest"}, call: map[string]string{"driver": "appium"},
			want: "appium", why: "the call says so"},
		{name: "an address is a driver", call: map[string]string{"wdaUrl": "http://10.0.0.7:8100"}, want: "wda", why: "the call says so",
			wda: "http://10.0.0.7:8100"},
		{name: "the other one", call: map[string]string{"appiumUrl": "http://10.0.0.7:4723/wd/hub/"}, want: "appium",
			why: "the call says so", app: "http://10.0.0.7:4723/wd/hub"},
	} {
		s, _ := open(t, c.file, c.env)
		given := values{}
		for k, v := range c.session {
			given[k] = v
		}
		set(t, s, given)
		got, err := s.Driver(c.call)
		if err != nil || got.Driver != c.want || got.Why != c.why || got.At["wda"] != c.wda || got.At["appium"] != c.app {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if w := s.Warnings(); (len(w) > 0) != (c.file != "") {
			t.Errorf("%s: warnings = %q, want some: %v", c.name, w, c.file != "")
		}
	}
}

// TestBadDrivers: what cannot be a driver or an address is refused in a call.
func TestBadDrivers(t *testing.T) {
	s, _ := open(t, "", nil)
	for _, call := range []map[string]string{
		{"driver": "axe"}, {"wdaUrl": "8100"}, {"idbUrl": "unix://host/x"}, {"idbUrl": "unix:x"},
		{"wdaUrl": "ftp://x"}, {"appiumUrl": "http://me:secret@host"},
		{"wdaUrl": "http://h?x=1"}, {"wdaUrl": "http://127.0.0.1:1", "appiumUrl": "http://127.0.0.1:2"},
	} {
		_, err := s.Driver(call)
		if !fault.Is(err, fault.InvalidInput) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", call, err)
		}
	}
}

// TestFileChoosesNoDriver: a file that came with a clone says neither what drives a device nor where its server is, in any place. Each
// place is told, with how a person says it.
func TestFileChoosesNoDriver(t *testing.T) {
	for text, want := range map[string]string{
		"sessionDefaults: {driver: wda}\n":                                 "--driver DRIVER",
		"sessionDefaults: {wdaUrl: 'http://127.0.0.1:8100'}\n":             "--wda-url WDA_URL",
		"sessionDefaults: {wdaUrl: 'http://evil.example:8100'}\n":          "IOS_AGENT_WDA_URL",
		"sessionDefaults: {appiumUrl: 'http://127.0.0.1:4723'}\n":          "IOS_AGENT_APPIUM_URL",
		"sessionDefaults: {idbUrl: 'unix:///tmp/idb.sock'}\n":              "IOS_AGENT_IDB_URL",
		"devices: {iPhone 16: {driver: wda}}\n":                            "IOS_AGENT_DRIVER",
		"devices: wda\n":                                                   "IOS_AGENT_DRIVER",
		"sessionDefaultsProfiles: {ci: {appiumUrl: 'http://localhost'}}\n": "IOS_AGENT_APPIUM_URL",
	} {
		s, _ := open(t, text, nil)
		if strings.Contains(text, "ci:") {
			if err := s.Use("ci"); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Driver(nil)
		if err != nil || got.Driver != "" || got.At["wda"]+got.At["appium"]+got.At["idb"] != "" {
			t.Errorf("%s: %+v, %v; want no driver and no server", text, got, err)
		}
		if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], "is ignored") || !strings.Contains(w[0], want) {
			t.Errorf("%s: warnings = %q, want one with %s", text, w, want)
		}
	}
}

// TestPersistWritesNoDriver: what a file cannot say is not written to it; the session has it all the same.
func TestPersistWritesNoDriver(t *testing.T) {
	s, dir := open(t, "", nil)
	change := defaults.Change{Values: values{"scheme": "Shop", "driver": "wda", "wdaUrl": "http://127.0.0.1:8100"}}
	if _, err := s.Set(change); err != nil {
		t.Fatal(err)
	}
	notices, err := s.Persist(change)
	if text := read(t, dir); err != nil || !strings.Contains(text, "scheme: Shop") || strings.Contains(text, "wda") {
		t.Errorf("%v; the file has\n%s", err, text)
	}
	if len(notices) != 2 || !strings.Contains(notices[1], "wdaUrl is set for the session and was not written") {
		t.Errorf("notices = %q, want one for each key that was not written", notices)
	}
	if got, err := s.Driver(nil); err != nil || got.Driver != "wda" || got.At["wda"] == "" || len(s.Warnings()) > 0 {
		t.Errorf("%+v, %v, %q; want what the session says", got, err, s.Warnings())
	}
}
