package world_test

import (
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// TestShopCompletesPurchase drives the built-in app from a cold device to a filled cart.
func TestShopCompletesPurchase(t *testing.T) {
	w := newWorld(t, world.Options{})
	d := &driver{World: w, t: t, udid: w.Devices()[0].UDID}
	d.must(w.Boot(t.Context(), d.udid))
	d.must(w.Install(t.Context(), d.udid, builtin(t)[0], "Shop.app"))
	d.launch(shop)
	if !d.get("login-button").Disabled {
		t.Error("log in is enabled before anything was typed")
	}
	d.tap("email-field")
	d.write("ada@example.com")
	d.tap("password-field")
	d.write("wrong\n")
	d.tap("login-button")
	if d.get("login-error").Label != "Wrong e-mail or password." {
		t.Errorf("the error says %q", d.get("login-error").Label)
	}
	d.tap("password-field")
	d.write("\b\b\b\b\bsecret\n")
	d.tap("login-button")
	d.tap("add-coffee")
	d.tap("Add Tea")
	if got := d.get("cart-count").Label; got != "Cart: 2" {
		t.Errorf("the cart count is %q", got)
	}
	d.tap("open-cart")
	if got := d.get("cart-summary").Label; got != "2 items in your cart" {
		t.Errorf("the summary is %q", got)
	}
	d.tap("checkout")
	d.get("order-spinner")
	if d.find("thank-you") != nil || !d.get("checkout").Disabled {
		t.Error("the order was there before the shop had answered")
	}
	d.waitFor("thank-you", true, time.Second)
	d.want("order-number", "Order A-1001")
	if d.find("order-spinner") != nil || !d.get("checkout").Disabled {
		t.Error("checking out did not end the purchase")
	}
	d.tap("BackButton")
	if got := d.get("cart-count").Label; got != "Cart: 0" {
		t.Errorf("after checking out the cart count is %q", got)
	}
}

// TestShopStateSurvivesRestarts restarts the world after every step of a purchase.
func TestShopStateSurvivesRestarts(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Store: store})
	restart := func() { // under a clock that begins where the last one did
		t.Helper()
		d.World = newWorld(t, world.Options{Store: store, Preinstalled: builtin(t)})
	}
	d.must(d.Install(t.Context(), d.udid, otherApp(t), "/tmp/Other.app"))
	d.must(d.AddFault(flaw.Fault{Name: flaw.AgentCrashAfterAct, Times: 3}))
	pid := d.launch(shop)
	restart()
	d.tap("email-field")
	restart()
	if !d.get("email-field").Focused || d.find("Return") == nil {
		t.Error("focus and keyboard were lost")
	}
	d.write("ada")
	restart()
	d.tap("password-field")
	d.write("secret\n")
	d.tap("login-button")
	restart()
	d.tap("add-mug")
	d.tap("open-cart")
	restart()
	if got := d.get("cart-summary").Label; got != "1 item in your cart" {
		t.Errorf("the summary is %q", got)
	}
	list, err := d.Apps(d.udid)
	d.must(err)
	if len(list) != 2 || list[0].BundleID != "com.example.other" || list[1].PID != pid || len(d.Faults()) != 1 {
		t.Errorf("apps are %+v, faults %+v", list, d.Faults())
	}
}

func TestRestartEndsProcessOfChangedApp(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Store: store})
	d.launch(shop)
	changed := *builtin(t)[0]
	changed.App = otherApp(t).App
	w := newWorld(t, world.Options{Store: store, Preinstalled: []*app.Bundle{&changed}})
	if front, err := w.Foreground(d.udid); err != nil || front != world.SpringBoard {
		t.Errorf("%s is in front, %v", front, err)
	}
}
