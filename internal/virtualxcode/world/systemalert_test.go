package world_test

import (
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// alertOf is the alert in a tree, nil if there is none.
func alertOf(root *world.Element) *world.Element {
	for e := range root.All() {
		if e.Type == "Alert" {
			return e
		}
	}
	return nil
}

// An alert of the system is on the screen and under the finger, but in SpringBoard's tree, not in the app's.
func TestSystemAlertFaultBlocksTaps(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	add := d.get("add").Frame.Centre()
	for _, kind := range []string{"notifications", "apple-account", "location", "tracking", "paste"} {
		d.fault(flaw.SystemAlert, "kind="+kind)
		if alertOf(d.tree()) != nil {
			t.Errorf("%s: the app's own tree has it", kind)
		}
		scene, err := d.Scene(t.Context(), d.udid)
		d.must(err)
		home, _, err := d.Snapshot(t.Context(), d.udid, world.SpringBoard)
		d.must(err)
		shown, told := alertOf(scene.System), alertOf(home)
		if shown == nil || told == nil || shown.Label == "" || shown.Label != told.Label {
			t.Fatalf("%s: the picture has %v, SpringBoard %v", kind, shown, told)
		}
		d.must(d.Tap(t.Context(), d.udid, add))
		if got := find(d.tree(), "count").Label; got != "Count: 0" {
			t.Errorf("%s: a tap went through it: %s", kind, got)
		}
		buttons := labels(told, "Button")
		if len(buttons) < 2 {
			t.Errorf("%s: it offers %v", kind, buttons)
		}
		for e := range told.All() {
			if e.Type == "Button" {
				d.must(d.Tap(t.Context(), d.udid, e.Frame.Centre()))
				break
			}
		}
		if home, _, _ := d.Snapshot(t.Context(), d.udid, world.SpringBoard); alertOf(home) != nil {
			t.Errorf("%s: it stays after an answer", kind)
		}
	}
	d.must(d.Tap(t.Context(), d.udid, add))
	if got := find(d.tree(), "count").Label; got != "Count: 1" {
		t.Errorf("after all: %s", got)
	}
}

func TestAlertAtLaunchSurvivesRestartNotBoot(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Store: store})
	d.fault(flaw.AlertAtLaunch, "kind=tracking")
	d.launch(shop)
	again := newWorld(t, world.Options{Store: store, Preinstalled: builtin(t)})
	for _, w := range []*world.World{d.World, again} {
		scene, err := w.Scene(t.Context(), d.udid)
		d.must(err)
		if a := alertOf(scene.System); a == nil || a.Label != "Allow “Shop” to track your activity across other companies’ apps "+
			"and websites?" {
			t.Errorf("the picture has %+v", a)
		}
	}
	d.must(d.Shutdown(t.Context(), d.udid))
	d.must(d.Boot(t.Context(), d.udid))
	if alertOf(d.tree()) != nil {
		t.Error("it survives a boot")
	}
}

func TestOpenURLFaultAsksBeforeOpening(t *testing.T) {
	d := small(t, lab, world.LaunchOptions{})
	opened := func() string { return d.get("count").Label }
	d.must(d.OpenURL(t.Context(), d.udid, "lab://count"))
	if opened() != "Count: 1" {
		t.Fatalf("without a question: %s", opened())
	}
	for _, c := range []struct{ button, want string }{{"Cancel", "Count: 1"}, {"Open", "Count: 2"}} {
		d.fault(flaw.OpenURLAsks)
		d.must(d.OpenURL(t.Context(), d.udid, "lab://count"))
		home, _, err := d.Snapshot(t.Context(), d.udid, world.SpringBoard)
		d.must(err)
		asked := alertOf(home)
		if asked == nil || asked.Label != "Open in “Small”?" || opened() != "Count: 1" {
			t.Fatalf("asked %+v with %s", asked, opened())
		}
		d.must(d.Tap(t.Context(), d.udid, labelled(asked, c.button).Frame.Centre()))
		if opened() != c.want {
			t.Errorf("%s: %s", c.button, opened())
		}
	}
}

func labelled(root *world.Element, label string) *world.Element {
	for e := range root.All() {
		if e.Label == label {
			return e
		}
	}
	return &world.Element{}
}

// A notification for another app is a banner of SpringBoard: it is drawn and takes the touches on it, and goes by itself. Without
// the permission, or for the app in front, there is none.
func TestPushShowsBannerForBackgroundApp(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t), Root: t.TempDir()})
	d.launch(conformance)
	banner := func() *world.Element {
		t.Helper()
		scene, err := d.Scene(t.Context(), d.udid)
		if d.must(err); scene.System == nil {
			return nil
		}
		return find(scene.System, "NotificationShortLookView")
	}
	push := func(bundle string) {
		t.Helper()
		d.must(d.SendPush(t.Context(), d.udid, bundle, `{"aps":{"alert":{"title":"Ready","body":"Your order"}}}`))
	}
	if push(shop); banner() != nil {
		t.Error("an app without the permission notifies")
	}
	d.must(d.SetPrivacy(t.Context(), d.udid, shop, world.Granted, "notifications"))
	d.must(d.SetPrivacy(t.Context(), d.udid, conformance, world.Granted, "notifications"))
	d.launch(conformance) // a change of its permissions ended it
	if push(conformance); banner() != nil {
		t.Error("a banner for the app in front")
	}
	push(shop)
	b := banner()
	if b == nil || b.Label != "SHOP, now, Ready, Your order" {
		t.Fatalf("the banner is %+v", b)
	}
	d.pass(6 * time.Second)
	if banner() != nil {
		t.Error("it stays")
	}
	push(shop)
	d.must(d.Tap(t.Context(), d.udid, b.Frame.Centre()))
	if front, err := d.Foreground(d.udid); err != nil || front != shop {
		t.Errorf("a tap on it opens %s, %v", front, err)
	}
}
