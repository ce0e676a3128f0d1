package world_test

import (
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

// asking is Conformance on its page of permissions.
func asking(t *testing.T, o world.Options) *driver {
	t.Helper()
	o.Preinstalled = everyApp(t)
	d := drive(t, o)
	d.launch(conformance)
	d.open("nav-permissions-button")
	return d
}

// open goes to a page of Conformance.
func (d *driver) open(button string) {
	d.t.Helper()
	d.settle()
	d.tapIn("TabBar", "Navigation")
	d.reach(button)
}

// reach scrolls down to something and taps it.
func (d *driver) reach(id string) {
	d.t.Helper()
	for range 8 {
		if e := d.find(id); e != nil && e.Frame.Y > 110 && e.Frame.Y+e.Frame.H < 780 {
			break
		}
		d.must(d.Swipe(d.t.Context(), d.udid, world.Point{X: 4, Y: 650}, world.Point{X: 4, Y: 450}, 2e9))
	}
	d.tap(id)
}

// system is the alert of the system, nil if there is none.
func (d *driver) system() *world.Element {
	d.t.Helper()
	o, err := d.Observe(d.t.Context(), d.udid, "", world.Wait{})
	d.must(err)
	return o.System
}

// alert is what the system asks: its title, and its buttons.
func (d *driver) alert() (title string, buttons []string) {
	d.t.Helper()
	root := d.system()
	if root == nil {
		d.t.Fatal("the system asks nothing")
	}
	for e := range root.All() {
		switch e.Type {
		case "Alert":
			title = e.Label
		case "Button":
			buttons = append(buttons, e.Label)
		}
	}
	return title, buttons
}

// answer taps a button of the system's alert.
func (d *driver) answer(label string) {
	d.t.Helper()
	for e := range d.system().All() {
		if e.Type == "Button" && e.Label == label {
			d.must(d.Tap(d.t.Context(), d.udid, e.Frame.Centre()))
			return
		}
	}
	d.t.Fatalf("the system offers no %q", label)
}

func (d *driver) privacy(service string) string {
	d.t.Helper()
	s, err := d.Settings(d.udid)
	d.must(err)
	return s.Privacy[conformance][service]
}

func TestPermissionAlertsUseSystemTexts(t *testing.T) {
	for _, c := range []struct{ service, title, buttons, tap, want string }{
		{"location", "Allow “Conformance” to use your location?", "Allow Once|Allow While Using App|Don’t Allow", "Allow While Using App",
			world.Granted},
		{"notifications", "“Conformance” Would Like to Send You Notifications", "Don’t Allow|Allow", "Allow", world.Granted},
		{"camera", "“Conformance” Would Like to Access the Camera", "Don’t Allow|Allow", "Don’t Allow", world.Denied},
		{"photos", "“Conformance” Would Like to Access Your Photo Library", "Limit Access…|Allow Full Access|Don’t Allow", "Limit Access…",
			world.Limited},
		{"microphone", "“Conformance” Would Like to Access the Microphone", "Don’t Allow|Allow", "Allow", world.Granted},
		{"contacts", "“Conformance” Would Like to Access Your Contacts", "Don’t Allow|Allow", "Allow", world.Granted},
		{"calendar", "“Conformance” Would Like Full Access to Your Calendar", "Don’t Allow|Allow Full Access", "Allow Full Access",
			world.Granted},
		{"tracking", "Allow “Conformance” to track your activity across other companies’ apps and websites?", "Ask App Not to Track|Allow",
			"Ask App Not to Track", world.Denied},
	} {
		t.Run(c.service, func(t *testing.T) {
			d := asking(t, world.Options{})
			d.reach("permissions-" + c.service)
			title, buttons := d.alert()
			if title != c.title || strings.Join(buttons, "|") != c.buttons {
				t.Errorf("it asks %q with %q", title, buttons)
			}
			d.answer(c.tap)
			if d.system() != nil || d.privacy(c.service) != c.want {
				t.Errorf("the answer is %q", d.privacy(c.service))
			}
			d.want("permissions-answer", "Last answer: "+c.want)
			d.reach("permissions-" + c.service) // is not asked again
			if d.system() != nil {
				t.Error("it asks again")
			}
		})
	}
}

func TestSystemAlertBelongsToSpringBoard(t *testing.T) {
	store := &memory{}
	d := asking(t, world.Options{Store: store})
	d.tap("permissions-location")
	for e := range d.root().All() {
		if e.Type == "Alert" {
			t.Error("the alert is in the app's tree")
		}
	}
	home, state, err := d.Snapshot(t.Context(), d.udid, world.SpringBoard)
	d.must(err)
	var there bool
	for e := range home.All() {
		there = there || e.Type == "Alert"
	}
	if front, err := d.Foreground(d.udid); err != nil || front != conformance || !there || state != world.RunningBackground {
		t.Errorf("in front is %s, SpringBoard is %s, with the alert: %v", front, state, there)
	}
	d.tap("BackButton")
	d.get("permissions-answer")
	d.World = newWorld(t, world.Options{Store: store, Preinstalled: everyApp(t)})
	d.answer("Allow Once")
	d.want("permissions-answer", "Last answer: once")
	if d.privacy("location") != "" {
		t.Error("once was kept for ever")
	}
	d.tap("permissions-location")
	if d.system() != nil {
		t.Error("once is less than as long as the app runs")
	}
	d.must(d.Terminate(t.Context(), d.udid, conformance))
	d.launch(conformance)
	d.open("nav-permissions-button")
	d.tap("permissions-location")
	d.alert()
}

func TestAlertClosesWhenItsAppEnds(t *testing.T) {
	d := asking(t, world.Options{})
	d.tap("permissions-camera")
	d.alert()
	d.must(d.Terminate(t.Context(), d.udid, conformance))
	if d.system() != nil {
		t.Error("the question is still asked")
	}
	d.launch(settings)
	d.tap("com.apple.settings.general")
	d.get("About")
}

func TestPresetPrivacySuppressesPermissionAlert(t *testing.T) {
	for answer, want := range map[string]string{world.Granted: "granted", world.Denied: "denied"} {
		d := drive(t, world.Options{Preinstalled: everyApp(t)})
		d.must(d.SetPrivacy(t.Context(), d.udid, conformance, answer, "location", "microphone"))
		d.launch(conformance)
		d.open("nav-permissions-button")
		d.tap("permissions-location")
		if d.system() != nil {
			t.Error("it asks although it was decided")
		}
		d.want("permissions-answer", "Last answer: "+want)
		d.must(d.SetPrivacy(t.Context(), d.udid, conformance, "", "location"))
		d.launch(conformance)
		d.open("nav-permissions-button")
		d.tap("permissions-location")
		d.alert()
	}
}

func TestPasteAsksEveryTime(t *testing.T) {
	d := asking(t, world.Options{})
	d.reach("permissions-paste")
	if d.system() != nil {
		t.Error("it asks although there is nothing to paste")
	}
	d.must(d.Configure(t.Context(), d.udid, func(s *world.Settings) error { s.Pasteboard = "from elsewhere"; return nil }))
	d.reach("permissions-paste")
	if title, buttons := d.alert(); !strings.HasPrefix(title, "“Conformance” would like to paste from ") ||
		strings.Join(buttons, "|") != "Don’t Allow Paste|Allow Paste" {
		t.Errorf("it asks %q with %q", title, buttons)
	}
	d.answer("Don’t Allow Paste")
	d.want("permissions-pasted", "Pasted: ")
	d.reach("permissions-paste")
	d.answer("Allow Paste")
	d.want("permissions-pasted", "Pasted: from elsewhere")
	d.must(d.SetPrivacy(t.Context(), d.udid, conformance, world.Granted, "paste"))
	d.launch(conformance)
	d.open("nav-permissions-button")
	d.reach("permissions-paste")
	if d.system() != nil {
		t.Error("it asks although it was decided")
	}
}

func TestSettingsShowAndChangePermissions(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	d.must(d.SetPrivacy(t.Context(), d.udid, conformance, world.Granted, "contacts"))
	d.launch(conformance)
	d.launch(settings)
	d.reach("com.apple.settings.privacyAndSecurity")
	d.tap("privacy-contacts")
	if e := d.get(conformance); e.Type != "Switch" || e.Value != "1" || e.Label != "Conformance" {
		t.Errorf("the switch is %+v", e)
	}
	d.tap(conformance)
	if d.privacy("contacts") != world.Denied || d.get(conformance).Value != "0" {
		t.Errorf("the answer is %q", d.privacy("contacts"))
	}
	if _, state, err := d.Snapshot(t.Context(), d.udid, conformance); err != nil || state != world.NotRunning {
		t.Errorf("the app whose permission changed is %s, %v", state, err)
	}
}

func TestSettingsAppChangesDeviceSettings(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	d.must(d.Configure(t.Context(), d.udid, func(s *world.Settings) error { s.Appearance = "dark"; return nil }))
	d.launch(settings)
	d.reach("com.apple.settings.displayAndBrightness")
	if !d.get("Dark").Selected {
		t.Error("Settings do not say that it is dark")
	}
	d.tap("Light")
	before := d.get("APPEARANCE").Frame.H
	d.tap("display-text-size-Increment")
	s, err := d.Settings(d.udid)
	d.must(err)
	if s.Appearance != "light" || s.ContentSize != "extra-large" || d.get("APPEARANCE").Frame.H <= before {
		t.Errorf("settings are %+v", s)
	}
	d.tap("BackButton")
	d.tap("com.apple.settings.general")
	d.reach("Keyboard")
	d.tap("KeyboardAutocorrection")
	if s, err = d.Settings(d.udid); err != nil || s.Switch("autocorrection") || !s.Switch("capitalization") {
		t.Errorf("settings are %+v, %v", s, err)
	}
	d.must(d.Configure(t.Context(), d.udid, func(s *world.Settings) error { s.Switches = nil; return nil }))
	if d.get("KeyboardAutocorrection").Value != "1" {
		t.Error("a change from outside does not show")
	}
}

func TestUserAppCannotChangeDeviceSettings(t *testing.T) {
	d := small(t, `start: a
screens:
  a:
    elements:
      - {toggle: Dark, id: dark, bind: device.dark}
      - {text: "{device.appearance} {permission.camera}", id: says}
`, world.LaunchOptions{})
	d.tap("dark")
	d.want("says", "Light ")
	s, err := d.Settings(d.udid)
	if err != nil || s.Appearance == "dark" || d.get("dark").Value != "0" {
		t.Errorf("settings are %+v, %v", s, err)
	}
}

func TestSettingsSearchFindsPages(t *testing.T) {
	d := drive(t, world.Options{Preinstalled: everyApp(t)})
	d.launch(settings)
	d.tap("settings-search")
	d.write("blue")
	d.get("result-bluetooth")
	if d.find("result-general") != nil || d.find("com.apple.settings.general") != nil {
		t.Error("there is more than was asked for")
	}
	d.tap("Cancel")
	if d.get("settings-search").Value != "" || d.get("settings-search").Focused || d.find("com.apple.settings.general") == nil {
		t.Error("cancel did not end the search")
	}
	d.tap("settings-search")
	d.write("bluetooth\n")
	d.tap("result-bluetooth")
	d.get("bluetooth-switch")
}
