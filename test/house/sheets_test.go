package house_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/driver/wda"
	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/appiumfront"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// sheets is an app with a form in a sheet, which a pull down or a tap beside it closes, and with a screen that a tap beside its field
// leaves.
const sheets = `
start: mail
state: {to: "", closed: 0}
screens:
  mail:
    title: Mail
    elements:
      - {text: "closed {closed}"}
      - {button: Compose, id: go-compose, do: [{sheet: compose}]}
      - {button: Draft, id: go-draft, do: [{go: draft}]}
  compose:
    title: Compose
    dismissed: [{add: {closed: 1}}]
    elements:
      - {field: To, id: to, bind: to}
      - {list: [{text: Ada}, {text: Grace}], height: 200}
      - {image: Stamp, height: 200}
      - {button: Send, id: send}
  draft:
    title: Draft
    elements:
      - {field: To, id: to, bind: to}
      - {area: Background, height: 700, do: [{go: mail}]}
`

// laterWorld is the time of a world that is made later.
type laterWorld struct{ *virtualxcode.World }

// throughEach runs a test over each driver of simulators, with an app in front.
func throughEach(t *testing.T, bundle, ui string, test func(t *testing.T, h *house.House)) {
	for _, row := range product.Drivers() {
		if !row.Can(device.TypeSimulator) {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			clock := &laterWorld{}
			h := house.New(t, house.Options{
				WDA: row.Name == wda.Spec().Name, Alternates: []pool.Alternate{appium.New(appium.Options{Clock: clock})},
			})
			clock.World = h.World
			udid := h.Boot("a", "")
			choice := in{"driver": row.Name}
			if row.Usual != "" { // somebody else runs its server
				server := httptest.NewServer(appiumfront.New(h.World, udid))
				t.Cleanup(server.Close)
				choice[row.URLKey()] = server.URL
			}
			h.Must("a", "session_set_defaults", choice)
			h.Must("a", "install_app", in{"app_path": rig.App(t, bundle, ui)})
			h.Must("a", "launch_app", in{"bundle_id": bundle})
			test(t, h)
		})
	}
}

// A form in a sheet stays, with what was typed into it, whatever is done to hide the keyboard, through each driver: the field says what the
// keyboard covers, and no hint of a refusal leads to a gesture that closes the sheet.
func TestHideKeyboardKeepsFormInSheet(t *testing.T) {
	t.Parallel()
	throughEach(t, "com.example.sheets", sheets, func(t *testing.T, h *house.House) {
		h.Must("a", "tap_element", in{"identifier": "go-compose"})
		filled := h.Must("a", "fill", in{"identifier": "to", "text": "Ada"})
		if text := filled.Text(); !strings.Contains(text, "+ keyboard over button \"Send\"") {
			t.Errorf("got no word that the keyboard covers Send:\n%s", text)
		}
		e := h.Call("a", "tap_element", in{"identifier": "send"})
		if e.Error == nil || e.Error.Code != fault.ElementUnhittable || !strings.Contains(e.Error.Message, "keyboard") {
			t.Errorf("a tap on what the keyboard covers: got %s, want %s", e.Text(), fault.ElementUnhittable)
		}
		for range 3 {
			e := h.Call("a", "hide_keyboard", nil)
			if e.Error == nil || e.Error.Code == fault.ScreenLeft {
				t.Errorf("hide_keyboard: got %s, want a refusal that leaves the sheet", e.Text())
			}
		}
		h.Call("a", "scroll_to_element", in{"identifier": "send"})
		text := h.Must("a", "snapshot", in{"all": true}).Text()
		for _, want := range []string{"closed 0", "Send", "Ada", `title:"Compose"`} {
			if !strings.Contains(text, want) {
				t.Errorf("got a screen without %q:\n%s", want, text)
			}
		}
	})
}

// A way that hides the keyboard by leaving the screen is a failure, through each driver.
func TestHideKeyboardFailsWhenTitleChanges(t *testing.T) {
	t.Parallel()
	throughEach(t, "com.example.sheets", sheets, func(t *testing.T, h *house.House) {
		h.Must("a", "tap_element", in{"identifier": "go-draft"})
		h.Must("a", "tap_element", in{"identifier": "to"})
		e := h.Call("a", "hide_keyboard", nil)
		if e.Error == nil || e.Error.Code != fault.ScreenLeft || !strings.Contains(e.Text(), `"Draft" → "Mail"`) {
			t.Errorf("got %s, want %s from Draft to Mail", e.Text(), fault.ScreenLeft)
		}
	})
}
