package appium

import (
	"bytes"
	"image/png"
	"net/url"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	client "ios-agent/internal/driver/appium"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/house"
)

// bench is our Appium client on the real server, whose XCUITest driver takes the product for WebDriverAgent.
type bench struct {
	*stand
	d device.Device
}

func ableOf[Ability any](b *bench) Ability {
	b.t.Helper()
	a, err := device.As[Ability](b.d)
	b.ok(err)
	return a
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) look() *ui.Screen {
	b.t.Helper()
	screen, err := ableOf[device.Eyes](b).Observe(b.t.Context(), device.Wait{Stable: 100 * time.Millisecond, Max: 10 * time.Second})
	b.ok(err)
	return screen
}

func (b *bench) tap(q ui.Query) {
	b.t.Helper()
	screen := b.look()
	found := screen.Match(q)
	if len(found) == 0 {
		b.t.Fatalf("there is no %s on\n%s", q, outline.Of(screen, outline.Choice{}, "", &ui.Refs{}))
	}
	reach, why := screen.Reach(found[len(found)-1])
	if why != "" {
		b.t.Fatalf("%s: %s", q, why)
	}
	b.ok(ableOf[device.Touch](b).Tap(b.t.Context(), reach.At))
}

// TestOurClientDrivesTheRealAppium: our client talks to the real Appium server, whose real XCUITest driver talks to the product as
// WebDriverAgent. What became of it is read from the world.
func TestOurClientDrivesTheRealAppium(t *testing.T) {
	server := Start(t)
	s := newStand(t)
	driver := client.New(client.Options{Capabilities: map[string]any{
		"appium:deviceName": house.Device, "appium:platformVersion": "18.5", "appium:autoLaunch": false,
		"appium:webDriverAgentUrl": s.url + "/device/" + url.PathEscape(phone),
	}})
	says, err := driver.Probe(t.Context(), server.URL)
	if err != nil || !strings.HasPrefix(says, "Appium 3.") {
		t.Fatalf("%q, %v", says, err)
	}
	b := &bench{s, driver.Open(device.Info{UDID: phone, Name: house.Device}, server.URL)}
	apps, keyboard := ableOf[device.Apps](b), ableOf[device.Keyboard](b)
	if _, err := apps.Launch(t.Context(), app, device.Launch{Restart: true}); err != nil {
		t.Fatal(err)
	}
	if screen := b.look(); screen.App != app {
		t.Errorf("in front is %s", screen.App)
	}
	b.tap(ui.Query{Identifier: "controls-tap-button"})
	s.expect("controls-tap-count", "Tapped: 1")

	b.tap(ui.Query{Label: "Text Input", Type: "Button"})
	if err := keyboard.Type(t.Context(), "x"); !fault.Is(err, fault.NoFocus) {
		t.Errorf("typing into nothing: %v", err)
	}
	b.tap(ui.Query{Identifier: "text-username-field"})
	b.ok(keyboard.Type(t.Context(), "adaé"))
	s.expect("text-username-value", "Username: adaé")
	if field := b.look().Focused(); field == nil || field.Identifier != "text-username-field" {
		t.Errorf("the focus is on %+v", field)
	}
	b.ok(keyboard.Key(t.Context(), "delete", nil, 2))
	s.expect("text-username-value", "Username: ad")
	b.ok(keyboard.Clear(t.Context()))
	s.expect("text-username-value", "Username: ")
	b.ok(keyboard.Key(t.Context(), "return", nil, 1))

	b.tap(ui.Query{Label: "Navigation", Type: "Button"})
	b.tap(ui.Query{Identifier: "nav-alert-button"})
	b.look()
	alert, err := ableOf[device.Alerts](b).Alert(t.Context(), "accept")
	if err != nil || alert == nil || alert.Title != "Test Alert" || alert.Source != app {
		t.Errorf("%+v, %v", alert, err)
	}
	s.expect("nav-status-label", "Alert confirmed")

	picture, err := ableOf[device.Camera](b).Screenshot(t.Context())
	b.ok(err)
	if _, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
	b.ok(ableOf[device.Rotation](b).Rotate(t.Context(), "landscape-left"))
	if v := b.look().Viewport(); v.W <= v.H {
		t.Errorf("the screen is %g×%g", v.W, v.H)
	}
	b.ok(ableOf[device.Rotation](b).Rotate(t.Context(), "portrait"))
	b.ok(apps.Terminate(t.Context(), app))
	b.ok(b.d.Close())
	if got := s.holder(); got != "" {
		t.Errorf("after the session the phone is held by %q", got)
	}
}
