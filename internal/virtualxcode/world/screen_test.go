package world_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/world"
)

func TestTreeHasElementTypesOfXCUITest(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	var types []string
	for e := range d.root().All() {
		types = append(types, e.Type)
	}
	want := []string{"Application", "Window", "Other", "Other", "NavigationBar", "StaticText", "StaticText", "StaticText",
		"TextField", "SecureTextField", "Button", "StaticText", "Button", "Button"}
	if !slices.Equal(types, want) {
		t.Errorf("types are\n%v, want\n%v", types, want)
	}
	if d.root().Label != "Shop" || d.get("Sign in").Type != "NavigationBar" {
		t.Errorf("the app is %q", d.root().Label)
	}
	if f := d.get("email-field"); f.Label != "Email" || f.Value != "" || f.Placeholder != "Email" {
		t.Errorf("the empty field is %+v", f)
	}
}

func TestPushedScreenSlidesIn(t *testing.T) {
	d := drive(t, world.Options{})
	d.login()
	moving := d.root()
	seen := map[string]world.Rect{}
	for e := range moving.All() {
		seen[e.Identifier] = e.Frame
	}
	if seen["cart-count"].X < 100 || seen["email-field"].X >= 16 {
		t.Errorf("right after the push the new screen is at %v, the old one at %v", seen["cart-count"], seen["email-field"])
	}
	o := d.settle()
	if o.Waited < 350*time.Millisecond || o.Samples < 7 {
		t.Errorf("settled after %s and %d samples", o.Waited, o.Samples)
	}
	if d.find("email-field") != nil || d.get("cart-count").Frame.X != 16 {
		t.Error("the slide has not ended")
	}
	if back := d.get("BackButton"); back.Label != "Sign in" {
		t.Errorf("the back button says %q", back.Label)
	}
	d.tap("BackButton")
	o, err := d.Observe(t.Context(), d.udid, "", world.Wait{Stable: time.Second, Max: 200 * time.Millisecond})
	d.must(err)
	if o.Settled || o.Waited != 200*time.Millisecond {
		t.Errorf("a moving screen settled: %v after %s", o.Settled, o.Waited)
	}
	if d.find("cart-count") != nil || d.get("email-field").Value != "ada@example.com" {
		t.Error("back did not lead back")
	}
}

func TestLeavingScreenIgnoresTaps(t *testing.T) {
	d := drive(t, world.Options{})
	d.login()
	d.tap("open-cart")
	for e := range d.root().All() { // both screens are in the tree now
		if e.Identifier == "add-coffee" {
			d.must(d.Tap(t.Context(), d.udid, world.Point{X: 1, Y: e.Frame.Centre().Y}))
			d.must(d.Tap(t.Context(), d.udid, e.Frame.Centre()))
		}
	}
	if got := d.get("cart-summary").Label; got != "0 items in your cart" {
		t.Errorf("the summary is %q", got)
	}
}

func TestObserveLooksOnceWithoutAWait(t *testing.T) {
	d := drive(t, world.Options{})
	o, err := d.Observe(t.Context(), d.udid, "", world.Wait{})
	d.must(err)
	if o.Samples != 1 || o.Waited != 0 || o.Bundle != world.SpringBoard || o.State != world.RunningForeground {
		t.Errorf("observation is %+v", o)
	}
	o, err = d.Observe(t.Context(), d.udid, "", world.Wait{Min: time.Second, Max: 2 * time.Second})
	d.must(err)
	if o.Waited != time.Second {
		t.Errorf("waited %s", o.Waited)
	}
}

func TestKeyboardKeysTypeText(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.tap("password-field")
	for _, key := range []string{"shift", "H", "i", "more", "1", "more", "x", "delete", "space"} {
		d.tap(key)
	}
	f := d.get("password-field")
	if f.Value != "••••" || !f.Secure || !f.Focused {
		t.Errorf("the field is %+v", f)
	}
	d.tap("Return")
	if d.find("Return") != nil || d.get("password-field").Focused {
		t.Error("return did not dismiss the keyboard")
	}
	err := d.TypeText(t.Context(), d.udid, "x")
	if !errors.Is(err, world.ErrNoFocus) {
		t.Errorf("typing into nothing: %v", err)
	}
}

func TestTapOnEmptyAreaKeepsKeyboardFocus(t *testing.T) {
	d := drive(t, world.Options{})
	d.login()
	d.tap("BackButton")
	d.tap("email-field")
	board := d.get("space").Frame
	d.must(d.Tap(t.Context(), d.udid, world.Point{X: 3, Y: board.Y + board.H + 2}))
	d.must(d.Tap(t.Context(), d.udid, world.Point{X: 3, Y: 200}))
	if !d.get("email-field").Focused {
		t.Error("a tap on nothing took the focus")
	}
}

func TestDisabledButtonIgnoresTap(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	d.tap("login-button")
	if d.find("login-error") != nil {
		t.Error("the disabled button acted")
	}
}

func TestGesturesAdvanceWorldTime(t *testing.T) {
	d := drive(t, world.Options{})
	d.launch(shop)
	before := d.Now()
	d.must(d.Swipe(t.Context(), d.udid, world.Point{X: 200, Y: 600}, world.Point{X: 200, Y: 200}, 300*time.Millisecond))
	d.must(d.LongPress(t.Context(), d.udid, d.get("email-field").Frame.Centre(), time.Second))
	if got := d.Now().Sub(before); got < 1300*time.Millisecond {
		t.Errorf("it took %s", got)
	}
	if !d.get("email-field").Focused {
		t.Error("the long press did not arrive")
	}
}

func TestSceneIsBlackUnlessBooted(t *testing.T) {
	w := newWorld(t, world.Options{})
	udid := w.Devices()[0].UDID
	s, err := w.Scene(t.Context(), udid)
	if err != nil || s.Root != nil || s.Device.Screen.Scale != 3 {
		t.Errorf("scene is %+v, %v", s, err)
	}
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	s, err = w.Scene(t.Context(), udid)
	if err != nil || s.Root == nil || s.Bundle != world.SpringBoard {
		t.Errorf("scene is %+v, %v", s, err)
	}
}
