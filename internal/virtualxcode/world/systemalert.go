package world

import (
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/flaw"
)

// systemAlert is a system alert. It lies over the app in front and belongs to SpringBoard, so an app's own tree does not have it.
type systemAlert struct {
	Kind   string // a key of alertWords
	Bundle string // its app
	URL    string // the URL to open after agreement
}

// openInApp is the kind of alert before a URL opens.
const openInApp = "open-in-app"

// words are a title, a message and buttons; APP stands for the app's name.
type words struct {
	title, message string
	buttons        []string
}

func alertWords() map[string]words {
	return map[string]words{
		"notifications": {"“APP” Would Like to Send You Notifications",
			"Notifications may include alerts, sounds, and icon badges. These can be configured in Settings.",
			[]string{"Don’t Allow", "Allow"}},
		"apple-account": {"Apple Account Verification", "Enter the password for your Apple Account in Settings.",
			[]string{"Not Now", "Settings"}},
		"location": {"Allow “APP” to use your location?", "Your location is used to show what is near you.",
			[]string{"Allow Once", "Allow While Using App", "Don’t Allow"}},
		"tracking": {"Allow “APP” to track your activity across other companies’ apps and websites?", "",
			[]string{"Ask App Not to Track", "Allow"}},
		"paste": {"“APP” would like to paste from “CoreSimulatorBridge”", "Do you want to allow this?",
			[]string{"Don’t Allow Paste", "Allow Paste"}},
		openInApp: {"Open in “APP”?", "", []string{"Cancel", "Open"}},
	}
}

// ask shows an alert over everything, unless the same alert is open.
func (d *device) ask(a systemAlert) {
	if !slices.Contains(d.Alerts, a) {
		d.Alerts = append(d.Alerts, a)
		d.log(d.system("com.apple.SpringBoard", "Alerts", "Presents an alert: "+d.words(a).title))
	}
}

func (d *device) words(a systemAlert) words {
	w := alertWords()[a.Kind]
	name := a.Bundle
	if i := d.installed(a.Bundle); i != nil {
		name = i.bundle.Name
	}
	w.title = strings.ReplaceAll(w.title, "APP", name)
	return w
}

// alertAtLaunch shows an alert at the launch of an app if that fault happens.
func (d *device) alertAtLaunch(bundle string) {
	if alert, yes := d.flaws(flaw.AlertAtLaunch); yes {
		d.ask(systemAlert{Kind: alert.Word("kind"), Bundle: bundle})
	}
}

// asksToOpen asks before a URL opens in an app if that fault happens.
func (d *device) asksToOpen(address string) bool {
	bundle := d.handler(address)
	if bundle == "" || !d.flaws.Happens(flaw.OpenURLAsks) {
		return false
	}
	d.ask(systemAlert{Kind: openInApp, Bundle: bundle, URL: address})
	return true
}

// handler is the app that would open a URL, or "".
func (d *device) handler(address string) string {
	scheme, _, _ := strings.Cut(address, ":")
	for _, i := range d.Apps {
		links := slices.ContainsFunc(i.bundle.App.Links, func(l app.Link) bool { _, ok := l.Match(address); return ok })
		if links || i.bundle.Opens(scheme) {
			return i.bundle.ID
		}
	}
	return ""
}

// asks reports whether a system alert is open.
func (d *device) asks() bool {
	q, p := d.prompting()
	return len(d.Alerts) > 0 || q != nil && p != nil
}

// questionWindow adds the open system alert to a view: the last of the system's own, else the permission alert.
func (d *device) questionWindow(v *view, s Screen) {
	if len(d.Alerts) > 0 {
		d.alertWindow(v, s, d.Alerts[len(d.Alerts)-1])
	} else if q, p := d.prompting(); q != nil && p != nil {
		d.promptWindow(v, s, p, p.bundle.App.Asks[q.Ask])
	}
}

// alertWindow adds a system alert to a view.
func (d *device) alertWindow(v *view, s Screen, a systemAlert) {
	text := d.words(a)
	dialog := &app.Dialog{Title: app.Text(text.title), Message: app.Text(text.message)}
	for _, b := range text.buttons {
		dialog.Buttons = append(dialog.Buttons, &app.Element{Kind: app.KindButton, Text: app.Text(b)})
	}
	b := pages{process: &process{}, view: v, size: s}
	box := b.alert(v, dialog, "", func(def *app.Element, f finger) {
		d.answerAlert(a, text.buttons[slices.Index(dialog.Buttons, def)], f)
	})
	v.window(s).Children = []*Element{b.dim(v, nil), box}
}

// answerAlert closes the alert. Agreement opens its URL.
func (d *device) answerAlert(a systemAlert, button string, f finger) {
	d.Alerts = slices.DeleteFunc(d.Alerts, func(other systemAlert) bool { return other == a })
	d.log(d.system("com.apple.SpringBoard", "Alerts", "Answered with "+button))
	if a.Kind == openInApp && button == "Open" {
		_ = d.open(a.URL, f.now) // an app that was removed meanwhile cannot open it
	}
}
