package world_test

import (
	"testing"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/world"
)

func otherApp(t *testing.T) *app.Bundle {
	t.Helper()
	info := []byte(`{CFBundleIdentifier = "com.example.other"; CFBundleName = Other;}`)
	b, err := app.Load("Other.app", info, []byte("start: a\nscreens: {a: {title: A}}"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLaunchReusesOrRestartsApp(t *testing.T) {
	d := drive(t, world.Options{})
	_, err := d.Launch(t.Context(), d.udid, "com.example.nope", world.LaunchOptions{})
	wantError(t, err, world.ErrNotInstalled, "FBSOpenApplicationServiceErrorDomain", 4,
		"Simulator device failed to launch com.example.nope.")
	wantError(t, d.Terminate(t.Context(), d.udid, shop), world.ErrNotRunning, "NSPOSIXErrorDomain", 3,
		"Simulator device failed to terminate com.iosagent.shop.\nfound nothing to terminate")

	pid := d.launch(shop)
	d.tap("email-field")
	d.write("a")
	if again := d.launch(shop); again != pid || d.get("email-field").Value != "a" {
		t.Errorf("a second launch: pid %d after %d, e-mail %q", again, pid, d.get("email-field").Value)
	}
	fresh, err := d.Launch(t.Context(), d.udid, shop, world.LaunchOptions{TerminateRunning: true})
	d.must(err)
	if fresh == pid || d.get("email-field").Value != "" {
		t.Errorf("a fresh launch: pid %d after %d, e-mail %q", fresh, pid, d.get("email-field").Value)
	}
	d.must(d.Terminate(t.Context(), d.udid, shop))
	if front, err := d.Foreground(d.udid); err != nil || front != world.SpringBoard {
		t.Errorf("after terminate %s is in front, %v", front, err)
	}
}

func TestLaunchSendsFrontAppToBackground(t *testing.T) {
	d := drive(t, world.Options{})
	other := otherApp(t)
	d.must(d.Install(t.Context(), d.udid, other, "/tmp/Other.app"))
	d.launch(shop)
	d.launch(other.ID)
	_, state, err := d.Snapshot(t.Context(), d.udid, shop)
	d.must(err)
	if state != world.RunningBackground {
		t.Errorf("the first app is %s", state)
	}
	d.must(d.Install(t.Context(), d.udid, other, "/tmp/Other.app"))
	root, state, err := d.Snapshot(t.Context(), d.udid, other.ID)
	d.must(err)
	if state != world.NotRunning || root != nil {
		t.Errorf("an app installed anew is %s", state)
	}
	list, err := d.Apps(d.udid)
	d.must(err)
	if len(list) != 2 || list[1].Path != "/tmp/Other.app" || list[0].PID == 0 || !list[0].Preinstalled {
		t.Errorf("apps are %+v", list)
	}
}

func TestHomeScreenIconLaunchesApp(t *testing.T) {
	d := drive(t, world.Options{})
	if icon := d.get("Shop"); icon.Type != "Icon" {
		t.Fatalf("found a %s", icon.Type)
	}
	d.tap("Shop")
	if front, err := d.Foreground(d.udid); err != nil || front != shop {
		t.Errorf("%s is in front, %v", front, err)
	}
	d.launch(world.SpringBoard)
	if d.root().Label != " " {
		t.Errorf("the home screen is called %q", d.root().Label)
	}
}
