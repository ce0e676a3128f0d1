package choice_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/choice"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// drivers is a table: two servers at ports, one at a socket, two without an address.
func drivers() []device.DriverSpec {
	return []device.DriverSpec{
		{Name: "xctest"}, {Name: "wda", Server: "WebDriverAgent", At: "http://127.0.0.1:8100"},
		{Name: "appium", Server: "an Appium server", At: "http://127.0.0.1:4723"},
		{Name: "idb", Server: "idb_companion", At: "unix:///tmp/idb.sock"}, {Name: "devicectl"},
	}
}

// open opens the configuration of a project whose file has this text; none when it is empty.
func open(t *testing.T, text string, env map[string]string) (store *config.Store, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, ".ios-agent", "config.yaml")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if text != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return config.Open(config.Options{Dir: dir, Env: env, Keys: config.Keys(choice.Keys(drivers())...)}), file
}

func TestKeysMatchDriverTable(t *testing.T) {
	var got []string
	for _, k := range choice.Keys(drivers()) {
		got = append(got, k.Name+" "+k.Variables()[0]+": "+k.Doc)
		if !k.Personal || !k.Ours || k.URL == (k.Name == config.KeyDriver) {
			t.Errorf("got the key %+v, want one of ours that a person sets, and an address unless it names the driver", k)
		}
	}
	want := []string{"driver IOS_AGENT_DRIVER: what looks at devices and touches them",
		"wdaUrl IOS_AGENT_WDA_URL: where WebDriverAgent listens, such as http://127.0.0.1:8100",
		"appiumUrl IOS_AGENT_APPIUM_URL: where an Appium server listens, such as http://127.0.0.1:4723",
		"idbUrl IOS_AGENT_IDB_URL: where idb_companion listens, such as unix:///tmp/idb.sock"}
	if !slices.Equal(got, want) {
		t.Errorf("got the keys\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := strings.Join(choice.Keys(drivers())[0].Choices, " "); got != "xctest wda appium idb devicectl" {
		t.Errorf("got the choices %q, want all drivers in their order", got)
	}
}

// TestDriverChoicePrefersCallOverSession: what the call says counts before the session's, then the environment's. The project's file says
// nothing.
func TestDriverChoicePrefersCallOverSession(t *testing.T) {
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
		given := map[string]any{}
		for k, v := range c.session {
			given[k] = v
		}
		if _, err := s.Set(config.Change{Values: given}); err != nil {
			t.Fatal(err)
		}
		got, err := choice.Of(drivers(), s, c.call)
		if err != nil || got.Driver != c.want || got.Why != c.why || got.At["wda"] != c.wda || got.At["appium"] != c.app {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if w := s.Warnings(); (len(w) > 0) != (c.file != "") {
			t.Errorf("%s: warnings = %q, want some: %v", c.name, w, c.file != "")
		}
	}
}

// TestInvalidDriverOrAddressIsRefused: what cannot be a driver or an address is refused in a call.
func TestInvalidDriverOrAddressIsRefused(t *testing.T) {
	s, _ := open(t, "", nil)
	for _, call := range []map[string]string{
		{"driver": "axe"}, {"wdaUrl": "8100"}, {"idbUrl": "unix://host/x"}, {"idbUrl": "unix:x"},
		{"wdaUrl": "ftp://x"}, {"appiumUrl": "http://me:secret@host"},
		{"wdaUrl": "http://h?x=1"}, {"wdaUrl": "http://127.0.0.1:1", "appiumUrl": "http://127.0.0.1:2"},
	} {
		_, err := choice.Of(drivers(), s, call)
		if !fault.Is(err, fault.InvalidInput) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", call, err)
		}
	}
}

// TestProjectFileCannotChooseDriver: a file that came with a clone says neither what drives a device nor where its server is, in any place.
// Each place is told, with how a person says it.
func TestProjectFileCannotChooseDriver(t *testing.T) {
	for text, want := range map[string]string{
		"sessionDefaults: {driver: wda}\n":                                 hint.Do("session_set_defaults", "driver", "DRIVER"),
		"sessionDefaults: {wdaUrl: 'http://127.0.0.1:8100'}\n":             hint.Do("session_set_defaults", "wdaUrl", "WDA_URL"),
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
		got, err := choice.Of(drivers(), s, nil)
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
	s, file := open(t, "", nil)
	change := config.Change{Values: map[string]any{"scheme": "Shop", "driver": "wda", "wdaUrl": "http://127.0.0.1:8100"}}
	if _, err := s.Set(change); err != nil {
		t.Fatal(err)
	}
	notices, err := s.Persist(change)
	raw, unread := os.ReadFile(file)
	if text := string(raw); err != nil || unread != nil || !strings.Contains(text, "scheme: Shop") || strings.Contains(text, "wda") {
		t.Errorf("%v; the file has\n%s", err, text)
	}
	if len(notices) != 2 || !strings.Contains(notices[1], "wdaUrl is set for the session and was not written") {
		t.Errorf("notices = %q, want one for each key that was not written", notices)
	}
	if got, err := choice.Of(drivers(), s, nil); err != nil || got.Driver != "wda" || got.At["wda"] == "" || len(s.Warnings()) > 0 {
		t.Errorf("%+v, %v, %q; want what the session says", got, err, s.Warnings())
	}
}
