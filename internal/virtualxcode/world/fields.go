package world

import (
	"math"
	"strings"

	"ios-agent/internal/virtualxcode/app"
)

const (
	searchHeight = 36.0
	clearSize    = 28.0
)

func (l layout) field(def *app.Element, slot Rect) *Element {
	e := l.input("TextField", def, Rect{X: slot.X, Y: slot.Y, W: slot.W, H: fieldHeight})
	if def.Kind == app.KindSecure {
		e.Type, e.Secure = "SecureTextField", true
		e.Value = strings.Repeat("•", len([]rune(e.Value)))
	}
	return e
}

// input is the common part of all text fields.
func (l layout) input(kind string, def *app.Element, frame Rect) *Element {
	e := &Element{Type: kind, Label: def.AccessibleLabel(l.Values), Look: Look{Style: def.Style, Size: bodySize},
		Frame: frame, Focused: l.live && l.Focus == def.Key}
	e.Value, _ = l.Values[def.Bind].(string)
	if e.Placeholder = def.Placeholder.Expand(l.Values); e.Placeholder == "" {
		e.Placeholder = e.Label
	}
	l.view.acts[e] = press(func(f finger) {
		l.focus(def, f.now)
		l.follow(e.Frame, f)
	})
	l.view.takes[e] = func(value string, f finger) bool {
		l.choose(def, value, f)
		return true
	}
	return e
}

// cancelWidth is the width of the button next to an active search field.
const cancelWidth = 76.0

// cancelSearch is the button next to an active search field: it empties the field and ends the search.
func (l layout) cancelSearch(def *app.Element, field *Element) *Element {
	f := field.Frame
	e := &Element{Type: "Button", Label: "Cancel", Look: Look{Style: "plain", Size: bodySize},
		Frame: Rect{X: f.X + f.W + 8, Y: f.Y, W: cancelWidth - 8, H: f.H}}
	l.view.acts[e] = press(func(f finger) {
		l.blur(f.now)
		l.choose(def, "", f)
	})
	return e
}

// search has a button that empties it while it has text.
func (l layout) search(def *app.Element, slot Rect) *Element {
	if l.live && l.Focus == def.Key && !l.inside {
		slot.W -= cancelWidth
	}
	e := l.input("SearchField", def, Rect{X: slot.X, Y: slot.Y, W: slot.W, H: searchHeight})
	if e.Value == "" {
		return e
	}
	clear := &Element{Type: "Button", Label: "Clear text", Look: Look{Style: "clear"},
		Frame: Rect{X: slot.X + slot.W - clearSize - 4, Y: slot.Y + (searchHeight-clearSize)/2, W: clearSize, H: clearSize}}
	l.view.acts[clear] = press(func(f finger) { l.choose(def, "", f) })
	e.Children = []*Element{clear}
	return e
}

func (l layout) editor(def *app.Element, slot Rect) *Element {
	return l.input("TextView", def, Rect{X: slot.X, Y: slot.Y, W: slot.W, H: def.Height})
}

// area reports the place of taps, long presses, and the direction of swipes.
func (l layout) area(def *app.Element, slot Rect) *Element {
	width := slot.W
	if def.Width > 0 {
		width = min(def.Width, slot.W)
	}
	e := &Element{Type: "Other", Label: def.AccessibleLabel(l.Values), Look: Look{Style: "area", Text: def.Text.Expand(l.Values),
		Size: chipTextSize},
		Frame: Rect{X: slot.X, Y: slot.Y, W: width, H: def.Height}}
	l.view.acts[e] = first(l.hold(def), l.swipe(def), l.pinch(def), l.twice(def), on(tapped, func(f finger) { l.point(def, e.Frame, f) }))
	return e
}

// pinch is the act for a pinch.
func (l layout) pinch(def *app.Element) act {
	return func(f finger) bool {
		if def.Pinch == nil || f.gesture != pinched {
			return false
		}
		l.Values.Assign(def.Pinch.Into, math.Round(f.scale*100)/100)
		l.use(def.Pinch.Do, f.now)
		return true
	}
}

// point stores the place of a tap in the area's own frame, in whole points.
func (l layout) point(def *app.Element, frame Rect, f finger) {
	if def.Point != nil {
		l.Values[def.Point.X] = math.Floor(f.from.X - frame.X)
		l.Values[def.Point.Y] = math.Floor(f.from.Y - frame.Y)
	}
	l.use(def.Do, f.now)
}

func (l layout) swipe(def *app.Element) act {
	return func(f finger) bool {
		where, far := f.direction()
		if def.Swipe == nil || f.gesture != swiped || far < def.Swipe.Min {
			return false
		}
		if def.Swipe.Into != "" {
			l.Values[def.Swipe.Into] = where
		}
		l.use(def.Swipe.Do, f.now)
		return true
	}
}
