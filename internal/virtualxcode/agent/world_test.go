package agent

import (
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/world"
)

// TestAgentSignsInToShopApp signs in to the built-in app, from the icon on: what the agent says is hittable and
// still must be what the world lets a finger touch.
func TestAgentSignsInToShopApp(t *testing.T) {
	w, device := booted(t)
	c, _ := connect(t, New(Options{UDID: device, Screen: w, Clock: w}))
	if _, err := c.Hello(t.Context(), "", "test"); err != nil {
		t.Fatal(err)
	}
	soon := new(uint64(3000))
	ok(t, c, &agentwire.TapWithType{Selector: "Shop", ByLabel: true, Type: "Icon", TimeoutMS: soon})
	app, err := w.Foreground(device)
	if err != nil {
		t.Fatal(err)
	}
	ok(t, c, &agentwire.SetTarget{Bundle: app})
	wantFault(t, c, &agentwire.TypeText{Text: "x"}, agentwire.CodeNoFocus)
	ok(t, c, &agentwire.TapElement{Selector: "email-field", TimeoutMS: soon})
	ok(t, c, &agentwire.TypeText{Text: "ada@example.com"})
	ok(t, c, &agentwire.TapElement{Selector: "password-field", TimeoutMS: soon})
	ok(t, c, &agentwire.TypeText{Text: "secret\n"})
	ok(t, c, &agentwire.TapElement{Selector: "login-button", TimeoutMS: soon})
	if o := ask[*agentwire.Sight](t, c, &agentwire.Look{Wait: agentwire.Wait{StableMS: 200, MaxMS: 3000}}); !o.Settled || o.Samples < 2 {
		t.Errorf("after signing in: %+v", o)
	}
	ok(t, c, &agentwire.TapElement{Selector: "add-coffee", TimeoutMS: soon})
	if v := ask[*agentwire.Value](t, c, &agentwire.GetValue{Selector: "cart-count"}); v.Text == nil || *v.Text != "Cart: 1" {
		t.Errorf("the cart says %v", v.Text)
	}
}

// TestLookIncludesTheSystemAlert asks for a permission: the alert is SpringBoard's, the target stays the app,
// and every request sees both, the alert on top.
func TestLookIncludesTheSystemAlert(t *testing.T) {
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: bundles})
	if err != nil {
		t.Fatal(err)
	}
	const app = "com.iosagent.conformance"
	device := w.Devices()[0].UDID
	if err := w.Boot(t.Context(), device); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Launch(t.Context(), device, app, world.LaunchOptions{}); err != nil {
		t.Fatal(err)
	}
	c, _ := connect(t, New(Options{UDID: device, Screen: w, Clock: w}))
	if _, err := c.Hello(t.Context(), "", "test"); err != nil {
		t.Fatal(err)
	}
	soon := new(uint64(3000))
	ok(t, c, &agentwire.SetTarget{Bundle: app})
	ok(t, c, &agentwire.TapByLabel{Label: "Navigation", TimeoutMS: soon})
	ok(t, c, &agentwire.TapElement{Selector: "nav-permissions-button", TimeoutMS: soon})
	ok(t, c, &agentwire.TapElement{Selector: "permissions-location", TimeoutMS: soon})
	o := ask[*agentwire.Sight](t, c, &agentwire.Look{})
	roots, err := o.Elements()
	if err != nil || len(roots) != 2 || roots[0].Label != "Conformance" || roots[1].Label != " " || o.Front != app {
		t.Fatalf("seen are %d trees of %s, %v", len(roots), o.Front, err)
	}
	wantFault(t, c, &agentwire.TapElement{Selector: "permissions-camera"}, agentwire.CodeNotHittable)
	ok(t, c, &agentwire.TapByLabel{Label: "Allow Once", TimeoutMS: soon})
	if v := ask[*agentwire.Value](t, c, &agentwire.GetValue{Selector: "permissions-answer"}); v.Text == nil ||
		*v.Text != "Last answer: once" {
		t.Errorf("the app says %v", v.Text)
	}
	if roots, err := ask[*agentwire.Sight](t, c, &agentwire.Look{}).Elements(); err != nil || len(roots) != 1 {
		t.Errorf("after the answer there are %d trees, %v", len(roots), err)
	}
}

// booted is a world with the built-in apps and a device that is on. Its time passes as requests ask for it.
func booted(t *testing.T) (w *world.World, udid string) {
	t.Helper()
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err = world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: bundles})
	if err != nil {
		t.Fatal(err)
	}
	udid = w.Devices()[0].UDID
	if err := w.Boot(t.Context(), udid); err != nil {
		t.Fatal(err)
	}
	return w, udid
}
