package world

import (
	"maps"
	"slices"

	"ios-agent/internal/virtualxcode/app"
)

// web is a page inside an app: containers as WebKit shows them, and the content of the page. Accessibility may not see the page, as in
// tools that query only the app's process; it is still drawn and can be touched.
func (l layout) web(def *app.Element, slot Rect) *Element {
	frame := Rect{X: slot.X, Y: slot.Y, W: slot.W, H: def.Height}
	page := l.column(def.Inner, Rect{X: frame.X + margin, Y: frame.Y + margin, W: frame.W - 2*margin}, gap)
	e := &Element{Type: "WebView", Label: def.Label.Expand(l.Values), Frame: frame, Look: Look{Style: "web"}}
	if def.Hidden {
		e.Look.Unseen = page
		return e
	}
	body := &Element{Type: "Other", Label: e.Label, Frame: frame, Children: page}
	e.Children = []*Element{{Type: "WebView", Frame: frame,
		Children: []*Element{{Type: "WebView", Frame: frame, Children: []*Element{body}}}}}
	return e
}

// permitted is a page of Settings: a switch for every app that has asked for a service.
func (l layout) permitted(def *app.Element, slot Rect) *Element {
	service := string(def.Text)
	box := &Element{Type: "Other", Label: def.Label.Expand(l.Values), Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W},
		Look: Look{Style: "group"}}
	for _, bundle := range slices.Sorted(maps.Keys(l.on.Settings.Privacy)) {
		answer := l.on.Settings.Privacy[bundle][service]
		if answer == "" || l.on.installed(bundle) == nil {
			continue
		}
		box.Children = append(box.Children, l.permission(bundle, service, answer, Rect{X: slot.X, Y: slot.Y + box.Frame.H, W: slot.W,
			H: rowHeight}))
		box.Frame.H += rowHeight
	}
	if len(box.Children) > 0 {
		return box
	}
	none := &app.Element{Kind: app.KindText, Style: "footnote", Text: "No apps have asked for this."}
	return l.text(none, slot)
}

// permission is the switch of one app. Like iOS it ends a running app.
func (l layout) permission(bundle, service, answer string, frame Rect) *Element {
	e := &Element{Type: "Switch", Identifier: bundle, Label: l.on.installed(bundle).bundle.Name, Value: "1", Frame: frame,
		Look: Look{Size: bodySize}}
	next := Denied
	if answer == Denied {
		e.Value, next = "0", Granted
	}
	l.view.acts[e] = press(func(f finger) {
		l.on.answer(bundle, next, []string{service})
		l.use(nil, f.now)
	})
	return e
}
