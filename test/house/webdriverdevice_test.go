package house

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/client/webdriver"
)

// mobile runs an extension of Appium's XCUITest driver.
func (c *wdClient) mobile(name string, given args, into any) {
	c.t.Helper()
	c.ok("POST", "./execute/sync", map[string]any{"script": "mobile: " + name, "args": []any{given}}, into)
}

// args are the body of a command.
type args = map[string]any

// TestWebDriverDeviceCommandsChangeDevice: the commands about the device itself, for which there are operations: each changes the world,
// and is read back.
func TestWebDriverDeviceCommandsChangeDevice(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := newClient(h, h.WebDriver(webdriver.Options{}), "")
	text := func(raw string) string { return base64.StdEncoding.EncodeToString([]byte(raw)) }

	t.Run("pasteboard", func(t *testing.T) {
		var got string
		c.mobile("setPasteboard", args{"content": "by name"}, nil)
		if c.mobile("getPasteboard", nil, &got); got != "by name" {
			t.Errorf("got %q", got)
		}
		for _, p := range [][2]string{{"./wda/setPasteboard", "./wda/getPasteboard"},
			{"./appium/device/set_clipboard", "./appium/device/get_clipboard"}} {
			c.ok("POST", p[0], args{"content": text(p[0]), "contentType": "plaintext"}, nil)
			if c.ok("POST", p[1], args{"contentType": "plaintext"}, &got); got != text(p[0]) {
				t.Errorf("%s: got %q", p[1], got)
			}
		}
		if e := h.Call("", "pasteboard", args{"udid": c.udid}); e.Error == nil && !strings.Contains(e.Stdout, "set_clipboard") {
			t.Errorf("the device has %s", e.Stdout)
		}
		c.not("POST", "./wda/setPasteboard", args{"content": "%"}, 400, "invalid argument", "base64")
		c.not("POST", "./wda/setPasteboard", args{"content": text("x"), "contentType": "image"}, 500, "unsupported operation", "image")
	})
	t.Run("location", func(t *testing.T) {
		place := func(path string) (at struct{ Latitude, Longitude *float64 }) {
			c.ok("GET", path, nil, &at)
			return at
		}
		if got := place("./wda/simulatedLocation"); got.Latitude != nil {
			t.Errorf("before one is set: got %v", *got.Latitude)
		}
		c.ok("POST", "./location", args{"location": args{"latitude": 48.2, "longitude": 16.4}}, nil)
		if got := place("./location"); got.Latitude == nil || *got.Latitude != 48.2 || *got.Longitude != 16.4 {
			t.Errorf("got %+v", got)
		}
		c.mobile("setSimulatedLocation", args{"latitude": 1.5, "longitude": 2}, nil)
		c.ok("POST", "./wda/simulatedLocation", args{"latitude": 1.5, "longitude": 2}, nil)
		if got := place("./wda/simulatedLocation"); got.Latitude == nil || *got.Latitude != 1.5 {
			t.Errorf("got %+v", got)
		}
		c.mobile("resetSimulatedLocation", nil, nil)
		c.ok("DELETE", "./wda/simulatedLocation", nil, nil)
		if got := place("./wda/simulatedLocation"); got.Latitude != nil {
			t.Errorf("after the reset: got %v", *got.Latitude)
		}
	})
	t.Run("appearance", func(t *testing.T) {
		var got struct{ Style string }
		for _, style := range []string{"dark", "light"} {
			c.mobile("setAppearance", args{"style": style}, nil)
			if c.mobile("getAppearance", nil, &got); got.Style != style {
				t.Errorf("got %q, want %s", got.Style, style)
			}
		}
		c.ok("POST", "./wda/device/appearance", args{"name": "dark"}, nil)
		if c.mobile("getAppearance", nil, &got); got.Style != "dark" {
			t.Errorf("got %q", got.Style)
		}
	})
	t.Run("apps", func(t *testing.T) {
		var all map[string]struct {
			Name string `json:"CFBundleDisplayName"`
			Type string `json:"ApplicationType"`
		}
		if c.mobile("listApps", nil, &all); all[conformance].Type != "User" {
			t.Errorf("got %+v", all)
		}
		if c.mobile("listApps", args{"applicationType": "System"}, &all); len(all) == 0 {
			t.Error("no app is the system's")
		}
	})
	t.Run("video", func(t *testing.T) {
		var film string
		c.not("POST", "./appium/stop_recording_screen", args{}, 400, "invalid argument", "no recording is running")
		c.ok("POST", "./appium/start_recording_screen", args{"options": args{"timeLimit": "60"}}, nil)
		c.ok("POST", "./appium/stop_recording_screen", args{}, &film)
		if raw, err := base64.StdEncoding.DecodeString(film); err != nil || len(raw) == 0 {
			t.Errorf("got %d bytes, %v", len(raw), err)
		}
	})
	t.Run("facts", func(t *testing.T) {
		var battery struct{ Level, State float64 }
		if c.mobile("batteryInfo", nil, &battery); battery.Level != -1 || battery.State != 0 {
			t.Errorf("got %+v, want what a simulator tells an app", battery)
		}
		var now string
		if c.mobile("getDeviceTime", nil, &now); mustTime(now).IsZero() {
			t.Errorf("got the time %q", now)
		}
		if now = c.text("./appium/device/system_time"); mustTime(now).IsZero() {
			t.Errorf("got the time %q", now)
		}
		c.mobile("lock", nil, nil)
		c.ok("POST", "./wda/lock", args{}, nil)
		c.not("GET", "./wda/locked", nil, 500, "unsupported operation", "locked")
	})
	t.Run("logs", func(t *testing.T) {
		var types []string
		for _, path := range []string{"./log/types", "./se/log/types"} {
			if c.ok("GET", path, nil, &types); len(types) != 1 || types[0] != "syslog" {
				t.Errorf("%s: got %q", path, types)
			}
		}
		var first, second []struct {
			Timestamp int64
			Level     string
			Message   string
		}
		c.click("controls-tap-button")
		c.ok("POST", "./log", args{"type": "syslog"}, &first)
		c.ok("POST", "./se/log", args{"type": "syslog"}, &second)
		for _, line := range second {
			for _, before := range first {
				if line == before {
					t.Errorf("%+v is told twice", line)
				}
			}
		}
		c.not("POST", "./log", args{"type": "browser"}, 400, "invalid argument", "syslog")
	})
}

func mustTime(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// TestWebDriverEmptyFieldShowsPlaceholder: its value and its text are the placeholder, as WebDriverAgent tells them; then the text that was
// typed.
func TestWebDriverEmptyFieldShowsPlaceholder(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := newClient(h, h.WebDriver(webdriver.Options{}), "")
	c.click("Text Input")
	field := "./element/" + c.find("accessibility id", "text-username-field")
	placeholder := c.text(field + "/attribute/placeholderValue")
	if placeholder == "" {
		t.Fatal("the field has no placeholder")
	}
	for _, path := range []string{"/attribute/value", "/text"} {
		if got := c.text(field + path); got != placeholder {
			t.Errorf("%s of an empty field: got %q, want %q", path, got, placeholder)
		}
	}
	c.find("-ios predicate string", `value == "`+placeholder+`"`)
	if !strings.Contains(c.text("./source"), `value="`+placeholder+`"`) {
		t.Error("the source does not have the placeholder as the value")
	}
	c.ok("POST", field+"/value", args{"text": "ada"}, nil)
	if got := c.text(field + "/attribute/value"); got != "ada" {
		t.Errorf("after typing: got %q", got)
	}
}

// TestWebDriverAcceptsSeleniumSelectors: selenium sends By.id, By.name and By.className as CSS. Traits are told as WebDriverAgent tells
// them.
func TestWebDriverAcceptsSeleniumSelectors(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := newClient(h, h.WebDriver(webdriver.Options{}), "")
	button := c.find("accessibility id", "controls-tap-button")
	for _, css := range []string{
		`#controls-tap-button`, `*[id="controls-tap-button"]`, `[id='controls-tap-button']`, `*[name="controls-tap-button"]`,
		`#\63 ontrols-tap-button`,
	} {
		if got := c.find("css selector", css); got != button {
			t.Errorf("%s: got %s, want %s", css, got, button)
		}
	}
	if got := c.find("css selector", ".XCUIElementTypeButton"); got != c.find("class name", "XCUIElementTypeButton") {
		t.Errorf("by the class: got %s", got)
	}
	c.not("POST", "./element", args{"using": "css selector", "value": "div > p"}, 400, "invalid selector", "CSS")
	var traits json.RawMessage
	if c.ok("GET", "./element/"+button+"/attribute/traits", nil, &traits); string(traits) != `"Button"` {
		t.Errorf("got the traits %s", traits)
	}
}
