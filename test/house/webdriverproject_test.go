package house_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ios-agent/internal/client/webdriver"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// newSession opens a WebDriver session with capabilities, and gives its id, its device and the whole answer.
func newSession(t *testing.T, s *webdriver.Server, caps string) (id, udid string, w *httptest.ResponseRecorder) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8100/session",
		strings.NewReader(`{"capabilities":{"alwaysMatch":`+caps+`}}`))
	r.Header.Set("Content-Type", "application/json")
	w = httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var out struct {
		Value struct {
			SessionID    string `json:"sessionId"`
			Capabilities struct {
				UDID string `json:"appium:udid"`
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Value.SessionID, out.Value.Capabilities.UDID, w
}

const iOS = `{"platformName":"iOS"}`

// TestAWebDriverSessionUsesTheProjectsDevice when its capabilities name none: one that the project chose, and one that it drives.
func TestAWebDriverSessionUsesTheProjectsDevice(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]func(p *phones){
		"chosen": func(p *phones) { p.Must("ada", "use_device", map[string]string{"device": second}) },
		"driven": func(p *phones) { p.Must("ada", "tap_element", map[string]string{"label": "Tap Me", "udid": p.other}) },
		"chosen and driven": func(p *phones) {
			p.Must("ada", "use_device", map[string]string{"device": second})
			p.Must("ada", "tap_element", map[string]string{"label": "Tap Me"})
		},
		"claimed": func(p *phones) { p.Must("ada", "claim_device", map[string]string{"udid": p.other}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := &phones{House: house.New(t), t: t}
			p.mine = p.Boot("bob", drivertest.Conformance)
			p.other = house.Result[struct{ UDID string }](p.House, p.Must("bob", "boot_device", map[string]string{"sim": second})).UDID
			p.Must("bob", "launch_app", map[string]string{"bundle_id": drivertest.Conformance})
			for _, udid := range []string{p.mine, p.other} {
				p.Must("bob", "release_device", map[string]string{"udid": udid})
			}
			p.Must("eve", "snapshot", map[string]string{"udid": p.mine}) // it is the one used last
			choose(p)
			s := p.WebDriver(webdriver.Options{Project: "ada"})
			_, udid, w := newSession(t, s, iOS)
			if udid != p.other {
				t.Errorf("got a session on %q, want %q: %s", udid, p.other, w.Body)
			}
			p.Must("ada", "snapshot", map[string]string{"udid": p.other})
		})
	}
}

// TestWebDriverSessionFailsWhenDeviceIsGone when the project's is gone, and one that is named where one is named.
func TestWebDriverSessionFailsWhenDeviceIsGone(t *testing.T) {
	t.Parallel()
	p := twoPhones(t)
	p.Must("ada", "use_device", map[string]string{"device": house.Device})
	s := p.WebDriver(webdriver.Options{Project: "ada"})
	if _, udid, w := newSession(t, s, `{"platformName":"iOS","appium:udid":"`+p.other+`"}`); udid != p.other {
		t.Errorf("named: got a session on %q, want %q: %s", udid, p.other, w.Body)
	}
	p.shutDown(p.mine)
	if err := p.World.Delete(t.Context(), p.mine); err != nil {
		t.Fatal(err)
	}
	_, _, w := newSession(t, s, iOS)
	if body := w.Body.String(); w.Code == http.StatusOK || !strings.Contains(body, p.mine) {
		t.Errorf("gone: got %d %s, want a refusal that names %s", w.Code, body, p.mine)
	}
}
