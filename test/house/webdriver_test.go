package house

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/client/webdriver"
	"ios-agent/internal/op"
	"ios-agent/internal/virtualxcode/world"
)

// wdClient is a W3C client of a server in this process, and a witness of what came of it.
type wdClient struct {
	*House
	server  *webdriver.Server
	base    string
	session string
	udid    string
}

const conformance = "com.iosagent.conformance"

// newClient makes a session on the usual device, with the Conformance app.
func newClient(h *House, s *webdriver.Server, token string) *wdClient {
	h.t.Helper()
	c := &wdClient{House: h, server: s, base: token}
	var out struct {
		SessionID    string         `json:"sessionId"`
		Capabilities map[string]any `json:"capabilities"`
	}
	c.ok("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"platformName": "iOS", "appium:deviceName": Device, "appium:bundleId": conformance,
	}}}, &out)
	c.session, c.udid = out.SessionID, out.Capabilities["appium:udid"].(string)
	return c
}

// send sends a command; a path that begins with a dot is below the session.
func (c *wdClient) send(method, path string, body any) *httptest.ResponseRecorder {
	c.t.Helper()
	if rest, is := strings.CutPrefix(path, "."); is {
		path = "/session/" + c.session + rest
	}
	r := httptest.NewRequest(method, "http://127.0.0.1:8100"+c.base+path, nil)
	if body != nil {
		r = httptest.NewRequest(method, "http://127.0.0.1:8100"+c.base+path, bytes.NewReader(c.encode(body)))
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r.WithContext(c.t.Context()))
	return w
}

// ok sends a command that has to work, and decodes its value.
func (c *wdClient) ok(method, path string, body, into any) {
	c.t.Helper()
	w := c.send(method, path, body)
	if w.Code != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if into == nil {
		return
	}
	var out struct{ Value json.RawMessage }
	c.must(json.Unmarshal(w.Body.Bytes(), &out))
	c.must(json.Unmarshal(out.Value, into))
}

// not sends a command that has to fail in this way.
func (c *wdClient) not(method, path string, body any, status int, kind, says string) {
	c.t.Helper()
	w := c.send(method, path, body)
	var out struct {
		Value struct {
			Error      string
			Message    string
			Stacktrace *string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != status || out.Value.Error != kind ||
		!strings.Contains(out.Value.Message, says) || out.Value.Stacktrace == nil {
		c.t.Errorf("%s %s: %d %s; it should be %d, %q that says %q", method, path, w.Code, w.Body, status, kind, says)
	}
}

func (c *wdClient) find(using, value string) string {
	c.t.Helper()
	var found map[string]string
	c.ok("POST", "./element", map[string]string{"using": using, "value": value}, &found)
	return found["element-6066-11e4-a52e-4f735466cecf"]
}

func (c *wdClient) click(name string) {
	c.t.Helper()
	c.ok("POST", "./element/"+c.find("accessibility id", name)+"/click", map[string]any{}, nil)
}

func (c *wdClient) text(path string) (s string) {
	c.t.Helper()
	c.ok("GET", path, nil, &s)
	return s
}

// shows is what the world itself says of an element: its label.
func (c *wdClient) shows(id string) string {
	c.t.Helper()
	if e := c.inWorld(id); e != nil {
		return e.Label
	}
	return ""
}

func (c *wdClient) inWorld(id string) *world.Element {
	c.t.Helper()
	scene, err := c.World.Scene(c.t.Context(), c.udid)
	c.must(err)
	var found *world.Element
	var walk func(e *world.Element)
	walk = func(e *world.Element) {
		if e == nil {
			return
		}
		if e.Identifier == id {
			found = e
		}
		for _, child := range e.Children {
			walk(child)
		}
	}
	walk(scene.Root)
	walk(scene.System)
	return found
}

// last is the kind of the world's last input.
func (c *wdClient) last() world.Input {
	c.t.Helper()
	all, _ := c.World.Inputs(c.udid, 0)
	if len(all) == 0 {
		return world.Input{}
	}
	return all[len(all)-1]
}

// TestWebDriverCommandsMatchWorld: what the commands say and do is what the world shows.
func TestWebDriverCommandsMatchWorld(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := newClient(h, h.WebDriver(webdriver.Options{Token: "secret"}), "/secret")
	c.click("controls-tap-button")
	if got := c.shows("controls-tap-count"); got != "Tapped: 1" {
		t.Errorf("after a click the world shows %q", got)
	}
	button := "./element/" + c.find("xpath", `//XCUIElementTypeButton[@name="controls-tap-button"]`)
	for path, want := range map[string]string{
		"/text": `"Tap Me"`, "/name": `"XCUIElementTypeButton"`, "/displayed": "true", "/enabled": "true", "/selected": "false",
		"/attribute/name": `"controls-tap-button"`, "/attribute/visible": `"true"`, "/property/label": `"Tap Me"`,
		"/attribute/accessible": "null", "/rect": `{"height":50,"width":361,"x":16,"y":119}`, "/computedrole": `"button"`,
	} {
		var got json.RawMessage
		c.ok("GET", button+path, nil, &got)
		if string(got) != want {
			t.Errorf("%s is %s, wanted %s", path, got, want)
		}
	}
	c.not("GET", button+"/attribute/colour", nil, 400, "invalid argument", "colour")

	slider := "./element/" + c.find("accessibility id", "controls-slider-volume")
	c.ok("POST", slider+"/value", map[string]any{"value": []string{"0", ".", "8"}}, nil)
	if got := c.shows("controls-slider-value"); got != "Volume: 80" {
		t.Errorf("after 0.8 the world shows %q", got)
	}

	c.click("Text Input")
	field := "./element/" + c.find("-ios predicate string", `identifier == "text-username-field"`)
	c.ok("POST", field+"/value", map[string]any{"text": "ada"}, nil)
	c.ok("POST", field+"/value", map[string]any{"text": "b\uE003!"}, nil)
	if got := c.shows("text-username-value"); got != "Username: ada!" {
		t.Errorf("after typing the world shows %q", got)
	}
	if got := c.text(field + "/text"); got != "ada!" {
		t.Errorf("the text of the field is %q", got)
	}
	var active map[string]string
	c.ok("GET", "./element/active", nil, &active)
	if !strings.HasSuffix(field, "/"+active["ELEMENT"]) {
		t.Errorf("%v has the focus, not %s", active, field)
	}
	c.ok("POST", field+"/clear", map[string]any{}, nil)
	c.ok("POST", "./wda/keys", map[string]any{"value": []string{"g", "r"}}, nil)
	if got := c.shows("text-username-value"); got != "Username: gr" {
		t.Errorf("after clearing and keys the world shows %q", got)
	}
	c.ok("POST", "./actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "k", "actions": []any{
		map[string]any{"type": "keyDown", "value": "!"}, map[string]any{"type": "keyUp", "value": "!"}}}}}, nil)
	if got := c.shows("text-username-value"); got != "Username: gr!" {
		t.Errorf("after an action of keys the world shows %q", got)
	}
	c.not("POST", button+"/click", map[string]any{}, 404, "stale element reference", "")
	c.not("GET", button+"/text", nil, 404, "stale element reference", "")
	c.not("POST", button+"/element", map[string]any{"using": "name", "value": "x"}, 404, "stale element reference", "")
	c.not("GET", "./element/e999999/text", nil, 404, "stale element reference", "")
	c.not("GET", "./element/foreign/text", nil, 404, "no such element", "foreign")
	c.not("POST", "./element", map[string]any{"using": "accessibility id", "value": "nope"}, 404, "no such element", "nope")
	c.not("POST", "./element", map[string]any{"using": "css selector", "value": "p"}, 400, "invalid selector", "CSS")
	c.not("POST", "./element", map[string]any{"using": "-image", "value": "p"}, 400, "invalid selector", "-image")
	c.not("POST", "./element", map[string]any{"using": "name"}, 400, "invalid argument", "value")

	if source := c.text("./source"); !strings.Contains(source, `<XCUIElementTypeTextField type="XCUIElementTypeTextField" value="gr!"`) {
		t.Errorf("the source is\n%s", source)
	}
	var tree struct{ Type, Label string }
	c.ok("GET", "./source?format=json", nil, &tree)
	if tree.Type != "Application" || tree.Label != "Conformance" {
		t.Errorf("the source as JSON is %+v", tree)
	}
	for path, want := range map[string][2]int{"./screenshot": {1179, 2556}, field + "/screenshot": {1083, 144}} {
		raw, err := base64.StdEncoding.DecodeString(c.text(path))
		h.must(err)
		config, err := png.DecodeConfig(bytes.NewReader(raw))
		if err != nil || config.Width != want[0] || config.Height != want[1] {
			t.Errorf("%s is %d×%d, %v; wanted %v", path, config.Width, config.Height, err, want)
		}
	}
}

// TestWebDriverActionsBecomeGestures: each chain of actions is the input that it means, by the world's own record.
func TestWebDriverActionsBecomeGestures(t *testing.T) {
	t.Parallel()
	h := New(t)
	var paused time.Duration
	c := newClient(h, h.WebDriver(webdriver.Options{Pause: func(_ context.Context, d time.Duration) error { paused += d; return nil }}), "")
	c.click("Navigation")
	c.click("nav-moving-button")
	at := func(id string) map[string]any {
		f := c.inWorld(id).Frame
		return map[string]any{"x": f.X + f.W/2, "y": f.Y + f.H/2}
	}
	move := func(to map[string]any, ms int) map[string]any {
		out := map[string]any{"type": "pointerMove", "duration": ms}
		for k, v := range to {
			out[k] = v
		}
		return out
	}
	pause := func(ms int) map[string]any { return map[string]any{"type": "pause", "duration": ms} }
	down, up := map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0}
	finger := func(id string, actions ...any) map[string]any {
		return map[string]any{"type": "pointer", "id": id, "parameters": map[string]any{"pointerType": "touch"}, "actions": actions}
	}
	perform := func(fingers ...any) { t.Helper(); c.ok("POST", "./actions", map[string]any{"actions": fingers}, nil) }

	area := at("gesture-pinch-area")
	perform(finger("a", move(area, 0), down, pause(50), up, pause(100), down, up))
	if got := c.shows("gesture-pinch-status"); !strings.HasPrefix(got, "Doubles: 1,") {
		t.Errorf("after two quick taps: %q", got)
	}
	perform(finger("a", move(area, 0), down, move(map[string]any{"x": 60, "y": 0, "origin": "pointer"}, 300), up),
		finger("b", move(area, 0), down, move(map[string]any{"x": -60, "y": 0, "origin": "pointer"}, 300), up))
	if got := c.shows("gesture-pinch-status"); !strings.Contains(got, "pinches: 1") {
		t.Errorf("after two fingers that spread: %q", got)
	}
	lemon := map[string]any{"origin": map[string]any{"element-6066-11e4-a52e-4f735466cecf": c.find("accessibility id", "drag-lemon")}}
	perform(finger("a", move(lemon, 0), down, pause(700), move(at("drop-basket"), 500), pause(200), up))
	if got := c.shows("drop-count"); got != "Dropped: 1" || c.last().Kind != world.InputDrag {
		t.Errorf("after a drag: %q, %s", got, c.last().Kind)
	}
	perform(finger("a", move(map[string]any{"x": 200, "y": 600}, 0), down, move(map[string]any{"x": 200, "y": 500}, 100),
		move(map[string]any{"x": 200, "y": 400}, 100), up))
	if in := c.last(); in.Kind != world.InputSwipe || in.From.Y != 600 || in.To.Y != 400 {
		t.Errorf("after a straight move in two parts: %+v", in)
	}
	perform(finger("a", pause(300), move(map[string]any{"x": 200, "y": 700}, 0), down, pause(1200), up))
	if in := c.last(); in.Kind != world.InputHold || in.From.Y != 700 || paused != 300*time.Millisecond {
		t.Errorf("after a long rest: %+v, paused %s", in, paused)
	}
	c.ok("POST", "./wda/tap", map[string]any{"x": 200, "y": 710}, nil)
	if in := c.last(); in.Kind != world.InputTap || in.From.Y != 710 {
		t.Errorf("after a tap: %+v", in)
	}
	c.ok("POST", "./execute/sync", map[string]any{"script": "mobile: dragFromToForDuration",
		"args": []any{map[string]any{"fromX": 100, "fromY": 300, "toX": 100, "toY": 500, "duration": 1}}}, nil)
	if in := c.last(); in.Kind != world.InputDrag || in.To.Y != 500 {
		t.Errorf("after mobile: dragFromToForDuration: %+v", in)
	}
	_, before := c.World.Inputs(c.udid, 0)
	for says, chain := range map[string][]any{
		"changes its direction": {finger("a", move(area, 0), down, move(map[string]any{"x": 10, "y": 10}, 9),
			move(map[string]any{"x": 300, "y": 10}, 9), up)},
		"not lifted":     {finger("a", move(area, 0), down)},
		"3 fingers":      {finger("a", down, up), finger("b", down, up), finger("c", down, up)},
		"neither spread": {finger("a", move(area, 0), down, up), finger("b", move(area, 0), down, up)},
	} {
		c.not("POST", "./actions", map[string]any{"actions": chain}, 500, "unsupported operation", says)
	}
	c.not("POST", "./actions", map[string]any{"actions": []any{finger("a", move(map[string]any{"x": -1, "y": 5}, 0), down, up)}},
		500, "move target out of bounds", "-1")
	if _, after := c.World.Inputs(c.udid, 0); after != before {
		t.Errorf("refused chains sent %d inputs", after-before)
	}
}

// TestWebDriverHandlesAlertsAndApps: the routes of WebDriverAgent that an Appium server asks for.
func TestWebDriverHandlesAlertsAndApps(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := newClient(h, h.WebDriver(webdriver.Options{Pause: func(context.Context, time.Duration) error { return nil }}), "")
	c.not("GET", "./alert/text", nil, 404, "no such alert", "")
	c.not("POST", "./alert/accept", map[string]any{}, 404, "no such alert", "")
	c.click("Navigation")
	c.click("nav-alert-button")
	if got := c.text("./alert/text"); got != "Test Alert\nThis is a test alert." {
		t.Errorf("the alert says %q", got)
	}
	c.ok("POST", "./alert/accept", map[string]any{}, nil)
	if got := c.shows("nav-status-label"); got != "Alert confirmed" {
		t.Errorf("after accepting the world shows %q", got)
	}
	c.click("nav-permissions-button")
	c.click("permissions-location")
	var buttons []string
	c.ok("GET", "./wda/alert/buttons", nil, &buttons)
	c.ok("POST", "./alert/dismiss", map[string]any{"name": buttons[len(buttons)-1]}, nil)
	if got := c.shows("permissions-answer"); got == "Last answer: none" {
		t.Error("the system's question was not answered")
	}
	c.ok("POST", "./back", map[string]any{}, nil)
	if c.inWorld("nav-status-label") == nil {
		t.Error("back does not lead back")
	}
	state := func(want int) {
		t.Helper()
		var got int
		c.ok("POST", "./wda/apps/state", map[string]any{"bundleId": conformance}, &got)
		if got != want {
			t.Errorf("the state of the app is %d, wanted %d", got, want)
		}
	}
	state(4)
	c.ok("POST", "/wda/homescreen", map[string]any{}, nil)
	state(3)
	c.ok("POST", "./wda/apps/activate", map[string]any{"bundleId": conformance}, nil)
	var info struct {
		Bundle string `json:"bundleId"`
		PID    int
	}
	c.ok("GET", "./wda/activeAppInfo", nil, &info)
	if info.Bundle != conformance || info.PID == 0 {
		t.Errorf("in front is %+v", info)
	}
	c.ok("POST", "./wda/apps/terminate", map[string]any{"bundleId": conformance}, nil)
	state(1)
	c.ok("POST", "./wda/apps/launch", map[string]any{
		"bundleId": conformance, "arguments": []string{"-x"}, "environment": map[string]string{"A": "b"}}, nil)
	state(4)
	c.not("POST", "./wda/apps/launch", map[string]any{"bundleId": "com.example.none"}, 400, "invalid argument", "com.example.none")
	c.ok("POST", "./orientation", map[string]any{"orientation": "LANDSCAPE"}, nil)
	var size struct{ Width, Height int }
	c.ok("GET", "./window/rect", nil, &size)
	if size.Width != 852 || size.Height != 393 || c.text("./orientation") != "LANDSCAPE" {
		t.Errorf("turned, the window is %+v", size)
	}
	c.ok("POST", "./orientation", map[string]any{"orientation": "PORTRAIT"}, nil)
	var screen struct{ Scale float64 }
	c.ok("GET", "/wda/screen", nil, &screen)
	if screen.Scale != 3 {
		t.Errorf("the scale is %g", screen.Scale)
	}
	c.ok("POST", "./appium/settings", map[string]any{"settings": map[string]any{"snapshotMaxDepth": 3}}, nil)
	if source := c.text("./source"); strings.Contains(source, "controls-tap-button") {
		t.Error("snapshotMaxDepth is not heeded")
	}
	c.not("POST", "./execute/sync", map[string]any{"script": "return 1", "args": []any{}}, 500, "unsupported operation", "JavaScript")
	c.not("POST", "./execute/sync", map[string]any{"script": "mobile: fly", "args": []any{}}, 404, "unknown command", "fly")
	c.not("GET", "./wda/locked", nil, 500, "unsupported operation", "locked")
	c.not("GET", "./wda/nothing", nil, 404, "unknown command", "/wda/nothing")
	c.not("DELETE", "./element", nil, 405, "unknown method", "DELETE")
}

// TestWebDriverSessionHoldsLease: a session has the lease of its device, nobody else drives meanwhile, and every end gives it back.
func TestWebDriverSessionHoldsLease(t *testing.T) {
	t.Parallel()
	h := New(t)
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	s := h.WebDriver(webdriver.Options{Now: func() time.Time { return now }})
	c := newClient(h, s, "")
	holder := func() string {
		t.Helper()
		for _, d := range Result[struct {
			Devices []struct{ UDID, Claimed_By string }
		}](h, h.Must("other", "list_device_pool", nil)).Devices {
			if d.UDID == c.udid {
				return d.Claimed_By
			}
		}
		return "no such device"
	}
	name := "webdriver-" + c.session[:8]
	if got := holder(); got != name {
		t.Fatalf("the device is held by %q", got)
	}
	if e := h.Call("other", "tap_element", map[string]any{"udid": c.udid, "identifier": "controls-tap-button"}); e.Error == nil ||
		!strings.Contains(e.Error.Message, name) {
		t.Errorf("another session drives: %s", e.Text())
	}
	wants := map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"platformName": "iOS", "appium:udid": c.udid}}}
	c.not("POST", "/session", wants, 500, "session not created", name)
	c.not("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"appium:udid": "nope"}}},
		500, "session not created", "nope")

	now = now.Add(59 * time.Second)
	s.Expire(t.Context())
	c.ok("GET", "./timeouts", nil, nil)
	now = now.Add(59 * time.Second)
	s.Expire(t.Context())
	if got := holder(); got != name {
		t.Errorf("a session in use has ended: %q", got)
	}
	now = now.Add(2 * time.Second)
	s.Expire(t.Context())
	if got := holder(); got != "" {
		t.Errorf("after newCommandTimeout the device is held by %q", got)
	}
	c.not("GET", "./source", nil, 404, "invalid session id", c.session)

	c = newClient(h, s, "")
	c.ok("DELETE", ".", nil, nil)
	if got := holder(); got != "" {
		t.Errorf("after DELETE the device is held by %q", got)
	}
	c = newClient(h, s, "")
	h.Must("other", "take_over_device", map[string]any{"udid": c.udid, "reason": "a test"})
	c.not("POST", "./back", map[string]any{}, 404, "invalid session id", "other")
	c.not("GET", "./source", nil, 404, "invalid session id", "unknown session "+c.session)
	h.Must("other", "release_device", map[string]any{"udid": c.udid})

	c = newClient(h, s, "")
	h.must(s.Close(t.Context()))
	if got := holder(); got != "" {
		t.Errorf("after the end of the server the device is held by %q", got)
	}
	c.not("POST", "/session", wants, 503, "session not created", "ends")
}

// TestUnusedWebDriverSessionKeepsLease: a session that may be unused for ever keeps its device for longer than a lease lasts.
func TestUnusedWebDriverSessionKeepsLease(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	h := New(t, Options{Now: clock})
	s := h.WebDriver(webdriver.Options{Now: clock})
	c := &wdClient{House: h, server: s}
	c.ok("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"platformName": "iOS", "appium:deviceName": Device, "appium:newCommandTimeout": 0}}}, nil)
	for range 6 {
		mu.Lock()
		now = now.Add(15 * time.Minute)
		mu.Unlock()
		s.Expire(t.Context())
	}
	e := h.Call("other", "claim_device", map[string]any{"name": Device})
	if e.Error == nil || !strings.Contains(e.Error.Message, "webdriver-") {
		t.Errorf("another session gets the device: %s", e.Text())
	}
	h.must(s.Close(t.Context()))
}

// TestLeaseOfKilledWebDriverIsGivenBack: what a server that was killed had is given back by the next, and what one has that runs is not.
func TestLeaseOfKilledWebDriverIsGivenBack(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := newClient(h, h.WebDriver(webdriver.Options{}), "")
	claim := func() op.Envelope { return h.Call("other", "claim_device", map[string]any{"udid": c.udid}) }
	h.must(webdriver.GiveBack(t.Context(), h.Home.String(), h.Connect))
	if e := claim(); e.Error == nil {
		t.Fatal("the device of a server that runs was given back")
	}
	owners, err := filepath.Glob(filepath.Join(h.Home.String(), "webdriver-*", "owner.json"))
	if err != nil || len(owners) != 1 {
		t.Fatalf("%q, %v", owners, err)
	}
	for _, name := range []string{owners[0], strings.Replace(owners[0], "owner.json", "webdriver-"+c.session[:8]+".lease", 1)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	// As if that process were gone, and its number another's.
	h.must(os.WriteFile(owners[0], fmt.Appendf(nil, `{"pid": %d, "start": "1"}`, os.Getpid()), 0o600))
	h.must(webdriver.GiveBack(t.Context(), h.Home.String(), h.Connect))
	if e := claim(); e.Error != nil {
		t.Errorf("the device of a killed server is not free: %s", e.Text())
	}
	if _, err := os.Stat(filepath.Dir(owners[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder stays: %v", err)
	}
}

// TestWebDriverServesOneDevice: a server for one device, and a path for one, as an Appium server uses them; a new session of an Appium
// server takes the place of its last one.
func TestWebDriverServesOneDevice(t *testing.T) {
	t.Parallel()
	h := New(t)
	s := h.WebDriver(webdriver.Options{Device: Device})
	c := &wdClient{House: h, server: s}
	agent := map[string]any{"capabilities": map[string]any{"firstMatch": []any{
		map[string]any{"bundleId": conformance, "shouldWaitForQuiescence": true}}}}
	var first, second struct {
		SessionID string `json:"sessionId"`
	}
	c.ok("POST", "/session", agent, &first)
	c.ok("POST", "/session", agent, &second)
	c.session = first.SessionID
	c.not("GET", "./source", nil, 404, "invalid session id", first.SessionID)
	c.session = second.SessionID
	if source := c.text("./source"); !strings.Contains(source, "controls-tap-button") || strings.Contains(source, "AppiumAUT") {
		t.Errorf("the source is\n%s", source)
	}
	c.not("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"platformName": "iOS", "appium:udid": "0E57A9C4-D2B8-4713-A1F0-95C6E83B4D7A"}}}, 500, "session not created", Device)
	h.must(s.Close(t.Context()))

	c.server, c.session = h.WebDriver(webdriver.Options{Token: "t"}), ""
	c.base = "/t/device/9A1C6E42-3F8D-4B07-A5D9-E84F270B61C3"
	c.ok("POST", "/session", agent, &second)
	c.session = second.SessionID
	var info struct{ UUID string }
	c.ok("GET", "./wda/device/info", nil, &info)
	if info.UUID != "9A1C6E42-3F8D-4B07-A5D9-E84F270B61C3" {
		t.Errorf("the device is %s", info.UUID)
	}
	h.must(c.server.Close(t.Context()))
}

// TestFailedWebDriverSessionLeavesNoLease: an app that cannot be installed or launched leaves no device booted for it and no lease.
func TestFailedWebDriverSessionLeavesNoLease(t *testing.T) {
	t.Parallel()
	h := New(t)
	c := &wdClient{House: h, server: h.WebDriver(webdriver.Options{Token: "t"}), base: "/t"}
	pool := func() string {
		type listed struct {
			Devices []struct {
				UDID, State string
				Claim       string `json:"claim_status"`
			}
		}
		return fmt.Sprint(Result[listed](h, h.Must("a", "list_device_pool", nil)))
	}
	before := pool()
	for _, wants := range []map[string]any{
		{"appium:app": filepath.Join(h.Home.String(), "none.app")}, {"appium:app": "/dev/zero"}, {"appium:bundleId": "com.example.none"},
	} {
		wants["platformName"], wants["appium:deviceName"] = "iOS", Device
		c.not("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": wants}}, 500, "session not created", "")
		if after := pool(); after != before {
			t.Errorf("%v: got the pool\n%s\nwant it as it was\n%s", wants, after, before)
		}
	}
	h.must(c.server.Close(t.Context()))
}

// TestWebDriverRequiresTokenAndLocalCaller: only programs of this machine that know the token are served, and what they send is bounded.
func TestWebDriverRequiresTokenAndLocalCaller(t *testing.T) {
	t.Parallel()
	h := New(t)
	s := h.WebDriver(webdriver.Options{Token: "secret"})
	ask := func(change func(*http.Request)) (int, string) {
		r := httptest.NewRequest("POST", "http://127.0.0.1:8100/secret/session",
			strings.NewReader(`{"capabilities":{"alwaysMatch":{"nope":1}}}`))
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		change(r)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for _, c := range []struct {
		what   string
		change func(*http.Request)
		status int
		says   string
	}{
		{"as it should be", func(*http.Request) {}, 400, "nope"},
		{"localhost", func(r *http.Request) { r.Host = "localhost:8100" }, 400, "nope"},
		{"its own page", func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host) }, 400, "nope"},
		{"a page of another port", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:4723") }, 403, "web page"},
		{"a foreign host", func(r *http.Request) { r.Host = "example.com" }, 403, "Host"},
		{"a name that resolves here", func(r *http.Request) { r.Host = "127.0.0.1.example.com:8100" }, 403, "Host"},
		{"a web page", func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }, 403, "web page"},
		{"a page from a file", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403, "web page"},
		{"no token", func(r *http.Request) { r.URL.Path = "/session" }, 403, "secret part"},
		{"a wrong token", func(r *http.Request) { r.URL.Path = "/secreT/session" }, 403, "secret part"},
		{"the status without a token", func(r *http.Request) { r.Method, r.URL.Path = "GET", "/status" }, 403, "secret part"},
		{"a picture of a page", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, "web pages"},
		{"a form", func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 400, "content type"},
		{"no type", func(r *http.Request) { r.Header.Del("Content-Type") }, 400, "content type"},
		{"no JSON", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("{")) }, 400, "JSON"},
		{"too much", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", 5<<20))) }, 400, "bytes"},
	} {
		if status, body := ask(c.change); status != c.status || !strings.Contains(body, c.says) || strings.Contains(body, "secret\"") {
			t.Errorf("%s: %d %s; it should be %d and say %q", c.what, status, body, c.status, c.says)
		}
	}
	if a, b := webdriver.NewToken(), webdriver.NewToken(); a == b || len(a) < 32 {
		t.Errorf("tokens are %q and %q", a, b)
	}
}
