package agent

import (
	"testing"
	"time"

	"ios-agent/internal/agentwire"
	"ios-agent/internal/virtualxcode/apps"
	"ios-agent/internal/virtualxcode/world"
)

// TestShopInTheRealWorld signs in to the built-in app, from the icon on: what the agent says is hittable and
// still must be what the world lets a finger touch.
func TestShopInTheRealWorld(t *testing.T) {
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Options{Clock: world.RequestClock(time.Unix(0, 0)), Preinstalled: bundles})
	if err != nil {
		t.Fatal(err)
	}
	device := w.Devices()[0].UDID
	if err := w.Boot(t.Context(), device); err != nil {
		t.Fatal(err)
	}
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
	if o := ask[*agentwire.Observation](t, c, &agentwire.Observe{StableMS: 200, MaxMS: 3000}); !o.Settled || o.Samples < 2 {
		t.Errorf("after signing in: %+v", o)
	}
	ok(t, c, &agentwire.TapElement{Selector: "add-coffee", TimeoutMS: soon})
	if v := ask[*agentwire.Value](t, c, &agentwire.GetValue{Selector: "cart-count"}); v.Text == nil || *v.Text != "Cart: 1" {
		t.Errorf("the cart says %v", v.Text)
	}
}
