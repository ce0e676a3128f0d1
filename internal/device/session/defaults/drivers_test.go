package defaults_test

import (
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
)

var phone = device.Info{UDID: "ABC-1", Name: "iPhone 16", Aliases: []string{"00008-X"}}

// TestDriver: what the call says counts before the session's, then what the file says of this device, then the file and the environment.
func TestDriver(t *testing.T) {
	const file = "sessionDefaults: {driver: appium, appiumUrl: 'http://127.0.0.1:4723/'}\n" +
		"devices:\n  iphone 16: {driver: wda, wdaUrl: 'http://localhost:8100'}\n"
	env := map[string]string{"IOS_AGENT_DRIVER": "xctest"}
	for _, c := range []struct {
		name, file          string
		env, session, call  map[string]string
		want, why, wda, app string
	}{
		{name: "nobody says anything"},
		{name: "environment", env: env, want: "xctest", why: "IOS_AGENT_DRIVER says so"},
		{name: "file", file: "sessionDefaults: {driver: appium}\n", env: env, want: "appium", why: "the project's file says so"},
		{name: "file for the device", file: file, want: "wda", why: "the project's file says so for this device",
			wda: "http://localhost:8100", app: "http://127.0.0.1:4723"},
		{name: "by another id", file: "devices: {00008-x: {driver: wda}}\n", want: "wda", why: "the project's file says so for this device"},
		{name: "another device", file: "devices: {iPad: {driver: wda}}\n"},
		{name: "session", file: file, session: map[string]string{"driver": "xctest"}, want: "xctest", why: "the session says so",
			wda: "http://localhost:8100", app: "http://127.0.0.1:4723"},
		{name: "call", file: file, session: map[string]string{"driver": "xctest"}, call: map[string]string{"driver": "appium"},
			want: "appium", why: "the call says so", wda: "http://localhost:8100", app: "http://127.0.0.1:4723"},
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
		got, err := s.Driver(c.call, phone)
		if err != nil || got.Driver != c.want || got.Why != c.why || got.At["wda"] != c.wda || got.At["appium"] != c.app {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if w := s.Warnings(); len(w) > 0 {
			t.Errorf("%s: %q", c.name, w)
		}
	}
}

// TestBadDrivers: what cannot be a driver or an address is refused in a call, and left out with a warning in a file.
func TestBadDrivers(t *testing.T) {
	s, _ := open(t, "", nil)
	for _, call := range []map[string]string{
		{"driver": "axe"}, {"wdaUrl": "8100"}, {"idbUrl": "unix://host/x"}, {"idbUrl": "unix:x"},
		{"wdaUrl": "ftp://x"}, {"appiumUrl": "http://me:secret@host"},
		{"wdaUrl": "http://h?x=1"}, {"wdaUrl": "http://127.0.0.1:1", "appiumUrl": "http://127.0.0.1:2"},
	} {
		_, err := s.Driver(call, phone)
		if !fault.Is(err, fault.InvalidInput) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", call, err)
		}
	}
	for text, want := range map[string]string{
		"devices: {iPhone 16: {scheme: A}}\n":                         "of a device there are only driver, wdaUrl, appiumUrl, idbUrl",
		"devices: {iPhone 16: wda}\n":                                 "must be a mapping",
		"sessionDefaults: {wdaUrl: 'http://evil.example:8100'}\n":     "only addresses of this machine",
		"devices: {iPhone 16: {appiumUrl: 'https://10.0.0.1/'}}\n":    "only addresses of this machine",
		"sessionDefaults: {wdaUrl: 'http://127.0.0.1.evil.com/'}\n":   "only addresses of this machine",
		"sessionDefaults: {appiumUrl: 'http://localhost.evil.org'}\n": "only addresses of this machine",
	} {
		s, _ := open(t, text, nil)
		w := s.Warnings()
		got, err := s.Driver(nil, phone)
		if len(w) != 1 || !strings.Contains(w[0], want) || err != nil || got.At["wda"]+got.At["appium"] != "" {
			t.Errorf("%s: %q, %+v, %v", text, w, got, err)
		}
	}
}
