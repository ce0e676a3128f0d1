package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/app"
)

// prompt is a system alert on behalf of an app. SpringBoard shows it over the app in front until it is answered or the app ends.
type prompt struct {
	Bundle string
	Ask    int // number of the question in the app
	Since  time.Time
}

// Permit implements app.Stage. A service with a stored answer gets that answer at once; others show an alert.
func (s stage) Permit(a *app.Ask) {
	if a.Paste != "" && s.on.Settings.Pasteboard == "" {
		s.decided(a, Granted) // this service needs no permission
		return
	}
	if answer := s.on.permitted(s.Bundle, a.Service); answer != "" {
		s.decided(a, answer)
		return
	}
	asked := func(p prompt) bool { return p.Bundle == s.Bundle && p.Ask == a.Number }
	if slices.ContainsFunc(s.on.Prompts, asked) {
		return
	}
	s.blur(s.now)
	s.on.Prompts = append(s.on.Prompts, prompt{Bundle: s.Bundle, Ask: a.Number, Since: s.now})
}

// decided continues the app with an answer.
func (s stage) decided(a *app.Ask, answer string) {
	s.Values.Assign(a.Into, answer)
	steps := a.Else
	if answer != Denied {
		steps = a.Do
		s.Values.Assign(a.Paste, s.on.Settings.Pasteboard)
	}
	s.refresh()
	app.Run(steps, s)
}

// prompting is the visible permission alert and its app, or nil.
func (d *device) prompting() (*prompt, *process) {
	if len(d.Prompts) == 0 {
		return nil, nil
	}
	return &d.Prompts[0], d.process(d.Prompts[0].Bundle)
}

// promptView is the view of the present permission alert, or nil. It belongs to SpringBoard.
func (d *device) promptView(s Screen) *view {
	if !d.asks() {
		return nil
	}
	v := newView(s, springboardLabel)
	d.questionWindow(v, s)
	return v
}

// promptWindow adds a permission alert to a view.
func (d *device) promptWindow(v *view, s Screen, p *process, a *app.Ask) {
	rule := permissions()[a.Service]
	plain := func(text string) app.Text { return app.Text(strings.ReplaceAll(text, "{", "{{")) }
	reason := a.Reason.Expand(p.Values)
	if reason == "" {
		reason = usage(p.bundle, rule.usage)
	}
	if reason == "" {
		reason = rule.message
	}
	dialog := &app.Dialog{Title: plain(fmt.Sprintf(rule.title, p.bundle.Name)), Message: plain(reason)}
	for _, c := range rule.choices {
		dialog.Buttons = append(dialog.Buttons, &app.Element{Kind: app.KindButton, Text: plain(c.label)})
	}
	b := pages{process: &process{}, view: v, size: s}
	picture := ""
	if strings.HasPrefix(a.Service, "location") {
		picture = "map"
	}
	box := b.alert(v, dialog, picture, func(def *app.Element, f finger) {
		d.decide(rule.choices[slices.Index(dialog.Buttons, def)].answer, f.now)
	})
	v.window(s).Children = []*Element{b.dim(v, nil), box}
}

// usage is the app's reason for a permission.
func usage(b *app.Bundle, key string) string {
	var texts map[string]any
	if _, err := plist.Unmarshal(b.Info, &texts); err != nil {
		return ""
	}
	text, _ := texts[key].(string)
	return text
}

// decide answers the present question.
func (d *device) decide(answer string, now time.Time) {
	q, p := d.prompting()
	a := p.bundle.App.Asks[q.Ask]
	d.Prompts = slices.Clone(d.Prompts[1:])
	switch {
	case answer == Once:
		p.Once = append(p.Once, a.Service)
	case a.Service != "paste": // paste asks every time
		d.remember(p.Bundle, a.Service, answer)
	}
	if name := permissions()[a.Service].tcc; name != "" {
		d.log(Entry{Time: now, Process: "tccd", PID: d.springboardPID - 2, Subsystem: "com.apple.TCC", Category: "access",
			Message: fmt.Sprintf("Update Access Record: %s for %s to %s (User Consent)", name, p.Bundle, accessWords[answer])})
	}
	stage{p, now}.decided(a, answer)
	p.use(nil, now)
}

var accessWords = map[string]string{Granted: "Allowed", Once: "Allowed", Limited: "Limited", Denied: "Denied"}

// remember stores an answer for an app.
func (d *device) remember(bundle, service, answer string) {
	all, of := map[string]map[string]string{}, map[string]string{}
	maps.Copy(all, d.Settings.Privacy)
	maps.Copy(of, all[bundle])
	of[service] = answer
	all[bundle] = of
	d.Settings.Privacy = all
}

// unask removes the alerts of an app.
func (d *device) unask(bundle string) {
	d.Prompts = slices.DeleteFunc(slices.Clone(d.Prompts), func(p prompt) bool { return p.Bundle == bundle })
}
