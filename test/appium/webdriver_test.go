package appium

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ios-agent/internal/client/webdriver"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/house"
)

const (
	app   = "com.iosagent.conformance"
	phone = "27D5C08A-B643-4E19-8F72-D1E09A63B5C8" // house.Device
)

// stand is the product with its WebDriver surface on a port, and the world as the witness.
type stand struct {
	*house.House
	t   *testing.T
	url string
}

func newStand(t *testing.T) *stand {
	h := house.New(t)
	token := webdriver.NewToken()
	s := h.WebDriver(webdriver.Options{Token: token})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil { // the test's own context has ended
			t.Error(err)
		}
	})
	return &stand{House: h, t: t, url: web.URL + "/" + token}
}

// shows is the label of an element, by the world's own account.
func (s *stand) shows(id string) (label string) {
	s.t.Helper()
	scene, err := s.World.Scene(s.t.Context(), phone)
	if err != nil {
		s.t.Fatal(err)
	}
	var walk func(e *world.Element)
	walk = func(e *world.Element) {
		if e.Identifier == id {
			label = e.Label
		}
		for _, child := range e.Children {
			walk(child)
		}
	}
	if scene.Root != nil {
		walk(scene.Root)
	}
	return label
}

func (s *stand) expect(id, want string) {
	s.t.Helper()
	if got := s.shows(id); got != want {
		s.t.Errorf("the world shows %q in %s, not %q", got, id, want)
	}
}

// holder is who has the lease of the phone.
func (s *stand) holder() string {
	s.t.Helper()
	var out struct {
		Devices []struct {
			UDID      string
			ClaimedBy string `json:"claimed_by"`
		}
	}
	if err := json.Unmarshal(s.Must("witness", "list_device_pool", nil).Result, &out); err != nil {
		s.t.Fatal(err)
	}
	for _, d := range out.Devices {
		if d.UDID == phone {
			return d.ClaimedBy
		}
	}
	return "no such device"
}

// remote speaks W3C WebDriver to a server.
type remote struct {
	t    *testing.T
	base string
}

func (r *remote) send(method, path string, body any) (status int, value json.RawMessage) {
	r.t.Helper()
	var raw []byte
	if method == http.MethodPost {
		raw = []byte("{}")
	}
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, bytes.NewReader(raw))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		r.t.Fatalf("%s %s: %d, %v", method, path, resp.StatusCode, err)
	}
	return resp.StatusCode, out.Value
}

func (r *remote) ok(method, path string, body, into any) {
	r.t.Helper()
	status, value := r.send(method, path, body)
	if status != http.StatusOK {
		r.t.Fatalf("%s %s: %d %s", method, path, status, value)
	}
	if into != nil {
		if err := json.Unmarshal(value, into); err != nil {
			r.t.Fatalf("%s %s: %v in %s", method, path, err, value)
		}
	}
}

func (r *remote) element(using, selector string) string {
	r.t.Helper()
	var found map[string]string
	r.ok("POST", "/element", map[string]string{"using": using, "value": selector}, &found)
	return "/element/" + found["element-6066-11e4-a52e-4f735466cecf"]
}

func (r *remote) click(name string) {
	r.t.Helper()
	r.ok("POST", r.element("accessibility id", name)+"/click", nil, nil)
}

func (r *remote) mobile(name string, args map[string]any, into any) {
	r.t.Helper()
	r.ok("POST", "/execute/sync", map[string]any{"script": "mobile: " + name, "args": []any{args}}, into)
}

// TestAppiumDrivesTheVirtualPhone: the real Appium with its real XCUITest driver takes us for WebDriverAgent. What it did is read from the
// world, not from our answers.
func TestAppiumDrivesTheVirtualPhone(t *testing.T) {
	server := Start(t)
	s := newStand(t)
	r := &remote{t, server.URL}
	var session struct {
		ID string `json:"sessionId"`
	}
	r.ok("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"platformName": "iOS", "appium:automationName": "XCUITest", "appium:udid": phone, "appium:deviceName": house.Device,
		"appium:platformVersion": "18.5", "appium:webDriverAgentUrl": s.url + "/device/" + url.PathEscape(phone),
		"appium:autoLaunch": false, "appium:skipLogCapture": true,
	}}}, &session)
	r.base += "/session/" + session.ID
	if got := s.holder(); !strings.HasPrefix(got, "webdriver-") {
		t.Fatalf("the phone is held by %q", got)
	}
	r.mobile("launchApp", map[string]any{"bundleId": app}, nil)
	r.click("controls-tap-button")
	s.expect("controls-tap-count", "Tapped: 1")
	r.ok("POST", r.element("xpath", `//XCUIElementTypeButton[@name="controls-tap-button"]`)+"/click", nil, nil)
	r.ok("POST", r.element("-ios class chain", "**/XCUIElementTypeButton[`label == 'Tap Me'`]")+"/click", nil, nil)
	s.expect("controls-tap-count", "Tapped: 3")
	var text string
	r.ok("GET", r.element("-ios predicate string", `label BEGINSWITH "Tapped"`)+"/text", nil, &text)
	if text != "Tapped: 3" {
		t.Errorf("Appium reads %q", text)
	}

	r.click("Text Input")
	field := r.element("accessibility id", "text-username-field")
	r.ok("POST", field+"/value", map[string]any{"text": "ada"}, nil)
	s.expect("text-username-value", "Username: ada")
	var shown bool
	r.ok("GET", field+"/displayed", nil, &shown)
	var value *string
	r.ok("GET", field+"/attribute/value", nil, &value)
	if !shown || value == nil || *value != "ada" {
		t.Errorf("Appium sees %v, %v", shown, value)
	}
	r.ok("POST", field+"/clear", nil, nil)
	s.expect("text-username-value", "Username: ")

	var source, shot string
	r.ok("GET", "/source", nil, &source)
	if !strings.Contains(source, "<AppiumAUT>") || !strings.Contains(source, `name="text-username-field"`) {
		t.Errorf("the source is\n%s", source)
	}
	r.ok("GET", "/screenshot", nil, &shot)
	raw, err := base64.StdEncoding.DecodeString(shot)
	if err != nil {
		t.Fatal(err)
	}
	if config, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || config.Width != 1179 {
		t.Errorf("the screenshot is %+v, %v", config, err)
	}

	r.mobile("hideKeyboard", map[string]any{}, nil) // it covers the tabs
	r.click("Navigation")
	r.click("nav-alert-button")
	r.ok("GET", "/alert/text", nil, &text)
	if text != "Test Alert\nThis is a test alert." {
		t.Errorf("the alert says %q", text)
	}
	r.ok("POST", "/alert/accept", nil, nil)
	s.expect("nav-status-label", "Alert confirmed")

	_, before := s.World.Inputs(phone, 0)
	at := func(x, y, ms int) any { return map[string]any{"type": "pointerMove", "duration": ms, "x": x, "y": y} }
	r.ok("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "pointer", "id": "f", "actions": []any{
		at(200, 600, 0), map[string]any{"type": "pointerDown", "button": 0}, at(200, 300, 200),
		map[string]any{"type": "pointerUp", "button": 0}}}}}, nil)
	if inputs, _ := s.World.Inputs(phone, before); len(inputs) != 1 || inputs[0].Kind != world.InputSwipe || inputs[0].From.Y != 600 {
		t.Errorf("the chain of actions became %+v", inputs)
	}
	var state int
	r.mobile("queryAppState", map[string]any{"bundleId": app}, &state)
	var ended bool
	r.mobile("terminateApp", map[string]any{"bundleId": app}, &ended)
	if scene, err := s.World.Scene(t.Context(), phone); state != 4 || !ended || err != nil || scene.Bundle == app {
		t.Errorf("the app was in state %d, ended is %v, in front is %s, %v", state, ended, scene.Bundle, err)
	}
	if status, value := r.send("POST", "/element", map[string]string{"using": "accessibility id", "value": "nope"}); status != 404 ||
		!strings.Contains(string(value), "no such element") {
		t.Errorf("what is not there: %d %s", status, value)
	}
	r.ok("DELETE", "", nil, nil)
	if got := s.holder(); got != "" {
		t.Errorf("after the session the phone is held by %q", got)
	}
	if log := server.Log(); strings.Contains(log, "unknown command") {
		t.Errorf("the driver asked for a command that we have not:\n%s", log)
	}
}

//go:embed wdio.mjs
var wdio string

// TestWebdriverIODrivesVirtualPhone: WebdriverIO speaks to us directly.
func TestWebdriverIODrivesVirtualPhone(t *testing.T) {
	Folder(t)
	s := newStand(t)
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tapped, Field, Alert, Missing string
		Buttons                       int
		Picture                       int
		Stale                         string
		Empty, Pasteboard, Style      string
		Listed                        bool
		Battery, CSS, Film            int
		Logs                          []string
	}
	out := Script(t, wdio, u.Port(), u.Path, phone, app)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if got.Tapped != "Tapped: 2" || got.Field != "ada!" || got.Alert != "Test Alert\nThis is a test alert." || got.Buttons < 5 ||
		got.Picture < 1000 || !strings.Contains(got.Missing, "no element") || !strings.Contains(got.Stale, "find it again") {
		t.Errorf("WebdriverIO saw %+v", got)
	}
	if got.Empty != "Username" || got.Pasteboard != "copied" || got.Style != "dark" || !got.Listed || got.Battery != -1 || got.CSS < 1 ||
		got.Film < 1 || len(got.Logs) != 1 {
		t.Errorf("of the device WebdriverIO saw %+v", got)
	}
	s.expect("nav-status-label", "Alert confirmed")
	inputs, _ := s.World.Inputs(phone, 0)
	if last := inputs[len(inputs)-1]; last.Kind != world.InputSwipe {
		t.Errorf("its last input was %+v", last)
	}
	if got := s.holder(); got != "" {
		t.Errorf("after the session the phone is held by %q", got)
	}
}
