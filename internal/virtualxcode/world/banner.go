package world

import (
	"encoding/json"
	"strings"
	"time"
)

// bannerTime is how long SpringBoard shows a notification over the app in front.
const bannerTime = 5 * time.Second

// Measures of a banner, in points.
const (
	bannerHeight = 80.0
	bannerInset  = 8.0
)

// notice is the notification over the app in front now, or nil. Its app must be permitted to notify and must not be in front, because
// an app in front shows its notifications itself.
func (d *device) notice(now time.Time) *Push {
	front := d.front()
	if len(d.Settings.Pushes) == 0 || front == SpringBoard || d.asks() {
		return nil
	}
	p := &d.Settings.Pushes[len(d.Settings.Pushes)-1]
	if !under(p.Time, now, bannerTime) || p.Bundle == front || d.permitted(p.Bundle, "notifications") != Granted {
		return nil
	}
	return p
}

// bannerView is the view of SpringBoard's banner, or nil. A tap on it opens the app.
func (d *device) bannerView(now time.Time, s Screen) *view {
	p, i := d.notice(now), (*installed)(nil)
	if p != nil {
		i = d.installed(p.Bundle)
	}
	if i == nil {
		return nil
	}
	v := newView(s, springboardLabel)
	label := strings.Join(append([]string{strings.ToUpper(i.bundle.Name), "now"}, p.words()...), ", ")
	banner := &Element{Type: "Other", Identifier: "NotificationShortLookView", Label: label, Look: Look{Style: "group", Size: bodySize},
		Frame: Rect{X: bannerInset, Y: s.Top, W: s.Width - 2*bannerInset, H: bannerHeight}}
	y := banner.Frame.Y + bannerInset
	for _, text := range p.words() {
		banner.Children = append(banner.Children, &Element{Type: "StaticText", Label: text, Look: Look{Size: messageSize},
			Frame: Rect{X: banner.Frame.X + margin, Y: y, W: banner.Frame.W - 2*margin, H: lineHeight(messageSize)}})
		y += lineHeight(messageSize) + 4
	}
	v.acts[banner] = press(func(finger) { _, _ = d.launch(p.Bundle, LaunchOptions{}) }) // an installed app can be launched
	v.window(s).Children = []*Element{banner}
	return v
}

// words are the title and the body of a notification; both may be empty.
func (p *Push) words() (out []string) {
	var payload struct {
		APS struct {
			Alert json.RawMessage `json:"alert"`
		} `json:"aps"`
	}
	_ = json.Unmarshal([]byte(p.Payload), &payload) // an unreadable payload has no words
	var alert struct{ Title, Body string }
	if json.Unmarshal(payload.APS.Alert, &alert.Body) != nil {
		_ = json.Unmarshal(payload.APS.Alert, &alert)
	}
	for _, text := range []string{alert.Title, alert.Body} {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// overlay is SpringBoard's view over the app in front: a question, a banner, or nil.
func (d *device) overlay(now time.Time) *view {
	if v := d.promptView(d.screen()); v != nil {
		return v
	}
	return d.bannerView(now, d.screen())
}
