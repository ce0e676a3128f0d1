package wda_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/wda"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/samples"
)

const conformance = "com.iosagent.conformance"

// phone is a booted phone and a client of its WebDriverAgent.
type phone struct {
	t       *testing.T
	world   *world.World
	udid    string
	url     string
	session string
}

func newPhone(t *testing.T) *phone {
	t.Helper()
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: bundles})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(w.Devices(), func(d world.Device) bool { return d.Name == "iPhone 16" })
	udid := w.Devices()[i].UDID
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	return serve(t, w, udid)
}

func serve(t *testing.T, w *world.World, udid string) *phone {
	t.Helper()
	s := httptest.NewServer(wda.New(wda.Options{World: w, UDID: udid}))
	t.Cleanup(s.Close)
	return &phone{t: t, world: w, udid: udid, url: s.URL}
}

// answer is what came back.
type answer struct {
	status  int
	Value   json.RawMessage `json:"value"`
	Session *string         `json:"sessionId"`
}

func (a answer) no() string {
	var said struct{ Error, Message, Traceback *string }
	if json.Unmarshal(a.Value, &said) != nil || said.Error == nil || said.Message == nil || said.Traceback == nil {
		return ""
	}
	return *said.Error
}

func (a answer) text() string {
	var s string
	if json.Unmarshal(a.Value, &s) != nil {
		return string(a.Value)
	}
	return s
}

// ask sends a command; a path that begins with ~ is one of the session.
func (p *phone) ask(method, path string, body any) answer {
	p.t.Helper()
	if rest, in := strings.CutPrefix(path, "~"); in {
		path = "/session/" + p.session + rest
	}
	var send io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		send = strings.NewReader(string(data))
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, send)
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *phone) get(path string) answer { p.t.Helper(); return p.must(p.ask("GET", path, nil)) }

func (p *phone) post(path string, body any) answer {
	p.t.Helper()
	return p.must(p.ask("POST", path, body))
}

func (p *phone) must(a answer) answer {
	p.t.Helper()
	if a.status != 200 {
		p.t.Fatalf("%d %s", a.status, a.Value)
	}
	return a
}

// refused fails unless a command is refused with a status and W3C's word.
func (p *phone) refused(a answer, status int, code string) {
	p.t.Helper()
	if a.status != status || a.no() != code {
		p.t.Errorf("%d %s, want %d %q", a.status, a.Value, status, code)
	}
}

type dict = map[string]any

// open starts a session without an app, with waits off.
func (p *phone) open() {
	p.t.Helper()
	a := p.post("/session", dict{"capabilities": dict{"alwaysMatch": dict{"waitForIdleTimeout": 0}}})
	var said struct{ SessionID string }
	if json.Unmarshal(a.Value, &said) != nil || said.SessionID == "" || a.Session == nil || *a.Session != said.SessionID {
		p.t.Fatalf("%s", a.Value)
	}
	p.session = said.SessionID
}

// start launches the Conformance app and opens one of its tabs.
func (p *phone) start(tab string) {
	p.t.Helper()
	p.open()
	p.post("~/wda/apps/launch", dict{"bundleId": conformance})
	p.post("~/element/"+p.find("predicate string", fmt.Sprintf("type == 'XCUIElementTypeButton' AND label == '%s'", tab))+"/click", nil)
	p.settle()
}

func (p *phone) settle() {
	p.t.Helper()
	if err := p.world.Sleep(p.t.Context(), 2*time.Second); err != nil {
		p.t.Fatal(err)
	}
}

func (p *phone) find(using, value string) string {
	p.t.Helper()
	a := p.post("~/element", dict{"using": using, "value": value})
	var e map[string]string
	if json.Unmarshal(a.Value, &e) != nil || e["ELEMENT"] == "" || e["ELEMENT"] != e["element-6066-11e4-a52e-4f735466cecf"] {
		p.t.Fatalf("%s", a.Value)
	}
	return e["ELEMENT"]
}

func (p *phone) shows(text string) {
	p.t.Helper()
	p.settle()
	if source := p.get("~/source").text(); !strings.Contains(source, text) {
		p.t.Errorf("%q is not in\n%s", text, source)
	}
}

func (p *phone) centre(id string) (x, y float64) {
	p.t.Helper()
	var r struct{ X, Y, Width, Height float64 }
	if err := json.Unmarshal(p.get("~/element/"+p.find("accessibility id", id)+"/rect").Value, &r); err != nil {
		p.t.Fatal(err)
	}
	return r.X + r.Width/2, r.Y + r.Height/2
}

// TestAnswersHaveKeysOfRealWebDriverAgent compares the answers with recorded ones of WebDriverAgent 10.2.1.
func TestAnswersHaveKeysOfRealWebDriverAgent(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	recorded := func(file string) (value dict) {
		t.Helper()
		var all struct{ Value dict }
		if err := json.Unmarshal(samples.Read(t, "webdriver-http", file), &all); err != nil {
			t.Fatal(err)
		}
		return all.Value
	}
	want, got := recorded("wda-10.2.1-200-status.json"), dict{}
	if err := json.Unmarshal(p.get("/status").Value, &got); err != nil {
		t.Fatal(err)
	}
	delete(want["build"].(dict), "upgradedAt") // Appium's
	for key, inner := range want {
		if keys(got[key]) != strings.ReplaceAll(keys(inner), "[ip]", "[ip simulatorVersion]") {
			t.Errorf("%s has %s, want %s", key, keys(got[key]), keys(inner))
		}
	}
	a := p.ask("GET", "/session/x/network_connection", nil)
	p.refused(a, 404, "unknown command")
	if said := (dict{}); json.Unmarshal(a.Value, &said) != nil || keys(said) != keys(recorded("wda-10.2.1-404-err-unknown-command.json")) {
		t.Errorf("%s", a.Value)
	}
}

func keys(v any) string {
	m, ok := v.(dict)
	if !ok {
		return ""
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(m)))
}

// TestNewSessionEndsOldOne: there is one session. A new one ends it, and who names another gets an invalid session id.
func TestNewSessionEndsOldOne(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.refused(p.ask("POST", "/session", dict{}), 500, "session not created")
	unknown := dict{"capabilities": dict{"alwaysMatch": dict{"bundleId": "com.no.such"}}}
	p.refused(p.ask("POST", "/session", unknown), 500, "session not created")
	p.open()
	first := p.session
	p.open()
	p.refused(p.ask("GET", "/session/"+first+"/source", nil), 404, "invalid session id")
	p.get("~/source")
	if a := p.ask("DELETE", "~", nil); a.status != 200 || a.Session != nil {
		t.Errorf("%+v", a)
	}
	p.refused(p.ask("GET", "~/source", nil), 404, "invalid session id")
	p.get("/source")

	a := p.post("/session", dict{"capabilities": dict{"firstMatch": []any{dict{"appium:bundleId": conformance}}}})
	p.session = *a.Session
	if front, _ := p.world.Foreground(p.udid); front != conformance {
		t.Errorf("in front is %s", front)
	}
	if err := p.world.Terminate(t.Context(), p.udid, conformance); err != nil {
		t.Fatal(err)
	}
	p.refused(p.ask("GET", "~/source", nil), 400, "invalid element state")
}

// TestSourceHasAttributesOfWebDriverAgent: both forms of the tree, with the attributes of WebDriverAgent and its values.
func TestSourceHasAttributesOfWebDriverAgent(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.start("Text Input")
	text := p.get("~/source?scope=AppiumAUT").text()
	if !strings.HasPrefix(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<AppiumAUT>\n  <XCUIElementTypeApplication type=") {
		t.Errorf("%.200s", text)
	}
	d := xml.NewDecoder(strings.NewReader(text))
	fields := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local == "AppiumAUT" {
			continue
		}
		have := map[string]string{}
		for _, a := range e.Attr {
			have[a.Name.Local] = a.Value
		}
		for _, name := range []string{"type", "enabled", "visible", "accessible", "x", "y", "width", "height", "index", "traits"} {
			if _, ok := have[name]; !ok || have["type"] != e.Name.Local {
				t.Errorf("<%s> has no %s, or another type: %v", e.Name.Local, name, have)
			}
		}
		if have["name"] == "text-username-field" {
			fields++
			if have["value"] != have["placeholderValue"] || have["value"] == "" {
				t.Errorf("an empty field: %v", have)
			}
		}
		if e.Name.Local == "XCUIElementTypeStaticText" && have["label"] != "" && have["value"] != have["label"] {
			t.Errorf("a text: %v", have)
		}
	}
	if fields != 1 {
		t.Errorf("%d fields", fields)
	}
	root := dict{}
	if err := json.Unmarshal(p.get("~/source?format=json&excluded_attributes=visible,accessible").Value, &root); err != nil {
		t.Fatal(err)
	}
	const want = "[children customActions frame isEnabled isFocused isNativeAccessibilityElement label name nativeFrame rawIdentifier rect " +
		"traits type value]"
	if keys(root) != want || root["type"] != "Application" || root["isEnabled"] != "1" {
		t.Errorf("%s", keys(root))
	}
	p.refused(p.ask("GET", "~/source?format=pdf", nil), 400, "invalid argument")
	p.post("~/appium/settings", dict{"settings": dict{"snapshotMaxDepth": 2}})
	if text := p.get("~/source").text(); strings.Count(text, "<XCUI") > 4 {
		t.Errorf("it is deeper than two levels:\n%s", text)
	}
	p.refused(p.ask("POST", "~/appium/settings", dict{"settings": dict{"snapshotMaxDepth": "deep"}}), 400, "invalid argument")
}

// TestEachLocatorFindsSameElement: an element is found in every way there is, and is the same one.
func TestEachLocatorFindsSameElement(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.start("Controls")
	want := p.find("accessibility id", "controls-tap-button")
	for _, by := range [][2]string{
		{"id", "controls-tap-button"},
		{"predicate string", `name == "controls-tap-button"`},
		{"predicate string", `type == 'XCUIElementTypeButton' AND label CONTAINS[c] "tap me" AND NOT enabled == 0`},
		{"predicate string", `(label BEGINSWITH 'Tap' OR label LIKE '*nothing*') AND visible == 1`},
		{"xpath", `//XCUIElementTypeButton[@name="controls-tap-button"]`},
		{"xpath", `//*[@label='Tap Me' and contains(@name, "tap-but")]`},
		{"xpath", `(//XCUIElementTypeButton[@name="controls-tap-button"])[1]`},
		{"xpath", `//XCUIElementTypeApplication//XCUIElementTypeButton[starts-with(@label,"Tap") and not(@name="x")]`},
		{"class chain", "**/XCUIElementTypeButton[`label == \"Tap Me\"`]"},
		{"link text", "label=Tap Me"},
	} {
		if got := p.find(by[0], by[1]); got != want {
			t.Errorf("%q finds %s, want %s", by, got, want)
		}
	}
	if got := p.find("class name", "XCUIElementTypeSlider"); got != p.find("accessibility id", "controls-slider-volume") {
		t.Error("another slider")
	}
	p.refused(p.ask("POST", "~/element", dict{"using": "id", "value": "nothing"}), 404, "no such element")
	p.refused(p.ask("POST", "~/element", dict{"using": "magic", "value": "x"}), 400, "invalid argument")
	p.refused(p.ask("POST", "~/element", dict{"using": "xpath", "value": "//*[@name="}), 400, "invalid selector")
	var all []any
	if json.Unmarshal(p.post("~/elements", dict{"using": "class name", "value": "XCUIElementTypeButton"}).Value, &all); len(all) < 3 {
		t.Errorf("%d buttons", len(all))
	}
	at := "~/element/" + want
	for path, says := range map[string]string{
		"/text": "Tap Me", "/name": "XCUIElementTypeButton", "/enabled": "true", "/displayed": "true", "/selected": "false",
		"/attribute/label": "Tap Me", "/attribute/rawIdentifier": "controls-tap-button",
	} {
		if got := p.get(at + path).text(); got != says {
			t.Errorf("%s is %q, want %q", path, got, says)
		}
	}
	p.refused(p.ask("GET", at+"/attribute/colour", nil), 400, "invalid argument")
	p.refused(p.ask("GET", "~/element/no-such-id/text", nil), 404, "no such element")
	p.post("/wda/homescreen", nil)
	p.settle()
	p.refused(p.ask("POST", at+"/click", nil), 404, "stale element reference")
}

// TestElementCommandsReachApp: a click, a text, a value and a slider reach the app.
func TestElementCommandsReachApp(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	p.start("Controls")
	p.post("~/element/"+p.find("accessibility id", "controls-tap-button")+"/click", nil)
	p.shows("Tapped: 1")
	slider := "~/element/" + p.find("accessibility id", "controls-slider-volume")
	p.post(slider+"/value", dict{"value": []string{"0.2"}})
	p.shows("Volume: 20")
	p.refused(p.ask("POST", slider+"/value", dict{"value": []string{"7"}}), 400, "invalid argument")

	p.start("Text Input")
	p.refused(p.ask("GET", "~/element/active", nil), 404, "no such element")
	p.post("~/wda/keys", dict{"value": []string{"l", "o", "s", "t"}})
	field := p.find("accessibility id", "text-username-field")
	p.post("~/element/"+field+"/value", dict{"text": "ada"})
	p.shows("Username: ada")
	p.post("~/wda/keys", dict{"value": []string{"x", "\b"}})
	p.post("~/actions", dict{"actions": []any{dict{"type": "key", "id": "k", "actions": []any{
		dict{"type": "keyDown", "value": "!"}, dict{"type": "keyUp", "value": "!"},
		dict{"type": "keyDown", "value": "\ue003"}, dict{"type": "keyUp", "value": "\ue003"},
	}}}})
	p.post("~/wda/element/0/keyboardInput", dict{"keys": []any{"b", dict{"key": "c", "modifierFlags": 2}}})
	p.shows("Username: adabC")
	var active map[string]string
	if json.Unmarshal(p.get("~/element/active").Value, &active); active["ELEMENT"] != field {
		t.Errorf("%v, want %s", active, field)
	}
	p.post("~/element/"+field+"/clear", nil)
	if got := p.get("~/element/" + field + "/attribute/value").text(); strings.Contains(got, "ada") {
		t.Errorf("it holds %q", got)
	}
}

// TestServeClosesTheConnectionAfterItsContextEnded: a new connection is closed, accepted or not.
func TestServeClosesTheConnectionAfterItsContextEnded(t *testing.T) {
	t.Parallel()
	over, end := context.WithCancel(t.Context())
	end()
	for range 20 {
		here, there := net.Pipe()
		if err := here.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		server := wda.New(wda.Options{World: newPhone(t).world})
		if err := server.Serve(over, there); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, err := here.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}
