package world_test

import (
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

func TestShopSearchFiltersProducts(t *testing.T) {
	d := drive(t, world.Options{})
	d.login()
	if d.find("add-honey-197") != nil {
		t.Error("a row far away is there")
	}
	d.tap("search-field")
	d.write("honey 197\n")
	d.tap("Add Honey 197")
	d.want("cart-count", "Cart: 1")
	if d.find("add-coffee") != nil {
		t.Error("the search finds what it should not")
	}
	d.tap("Clear text")
	d.get("add-coffee")
}

func TestShopShowsSlowScreenAndCrashes(t *testing.T) {
	d := drive(t, world.Options{})
	d.login()
	d.tap("open-slow")
	d.waitFor("slow-spinner", true, time.Second)
	if took := d.waitFor("slow-content", true, 3*time.Second); took < time.Second {
		t.Errorf("the slow screen took %s", took)
	}
	d.tap("BackButton")
	d.tap("crash")
	if front, err := d.Foreground(d.udid); err != nil || front != world.SpringBoard {
		t.Errorf("%s is in front, %v", front, err)
	}
}

func TestSettingsAppSwitchesWiFi(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	d.launch(settings)
	wifi := func() string { return d.get("com.apple.settings.wifi").Value }
	if wifi() != "Home" {
		t.Errorf("Wi-Fi says %q", wifi())
	}
	d.tap("com.apple.settings.airplaneMode")
	if wifi() != "Off" {
		t.Errorf("on the plane Wi-Fi says %q", wifi())
	}
	d.tap("com.apple.settings.wifi")
	d.tap("wifi-switch")
	d.tap("network-cafe")
	d.want("wifi-status", "Connected to Cafe")
	d.tap("BackButton")
	if wifi() != "Cafe" {
		t.Errorf("Wi-Fi says %q", wifi())
	}
	d.tap("com.apple.settings.general")
	d.tap("About")
	d.want("about-version", "18.5")
}

// TestOpenScreensAndTimersSurviveRestart stops the world with a sheet, a scrolled list and a running timer.
func TestOpenScreensAndTimersSurviveRestart(t *testing.T) {
	store := &memory{}
	d := drive(t, world.Options{Store: store, Preinstalled: everyApp(t)})
	restart := func() {
		t.Helper()
		d.World = newWorld(t, world.Options{Store: store, Preinstalled: everyApp(t), Clock: world.RequestClock(d.Now())})
	}
	d.launch(conformance)
	d.tab("Dynamic")
	d.press("dynamic-start-counter")
	d.tab("Gestures")
	d.swipe(world.Point{X: 200, Y: 380}, world.Point{X: 200, Y: 180})
	d.settle()
	row := d.get("scroll-item-12").Frame
	d.tapIn("TabBar", "Navigation")
	d.tap("nav-sheet-button")
	restart()
	d.tap("nav-sheet-dismiss")
	d.want("nav-status-label", "Sheet dismissed")
	d.settle()
	d.tapIn("TabBar", "Gestures")
	if again := d.get("scroll-item-12").Frame; again != row {
		t.Errorf("the row was at %v and is at %v", row, again)
	}
	d.tapIn("TabBar", "Dynamic")
	if got := d.get("dynamic-counter-value").Label; got == "Count: 0" {
		t.Errorf("the counter says %q", got)
	}
}

// What is in front is the same for everyone: the states of apps, the trees, and the picture.
func TestFrontAppIsSameInTreeAndPicture(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	front := func(when, want string, background ...string) {
		t.Helper()
		scene, err := d.Scene(t.Context(), d.udid)
		d.must(err)
		root, state, err := d.Snapshot(t.Context(), d.udid, want)
		d.must(err)
		if scene.Bundle != want || state != world.RunningForeground || root.Label != scene.Root.Label {
			t.Errorf("%s the picture shows %s, and %s is %s", when, scene.Bundle, want, state)
		}
		for _, other := range background {
			if state, err := d.State(t.Context(), d.udid, other); err != nil || state != world.RunningBackground {
				t.Errorf("%s %s is %s, %v", when, other, state, err)
			}
		}
	}
	d.launch(conformance)
	front("at first", conformance, world.SpringBoard)
	d.launch(settings)
	front("over another", settings, conformance, world.SpringBoard)
	d.must(d.Terminate(t.Context(), d.udid, settings))
	front("after an end", world.SpringBoard, conformance)
	d.launch(conformance)
	d.fault(flaw.AppCrashOnTap)
	d.tap("controls-tap-button")
	front("after a crash", world.SpringBoard)
	for _, gone := range []string{conformance, settings} {
		if state, err := d.State(t.Context(), d.udid, gone); err != nil || state != world.NotRunning {
			t.Errorf("%s is %s, %v", gone, state, err)
		}
	}
}
