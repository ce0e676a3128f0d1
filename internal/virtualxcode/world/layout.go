package world

import (
	"math"

	"ios-agent/internal/virtualxcode/app"
)

// Measures of a screen, in points.
const (
	margin       = 16.0
	gap          = 12.0 // between elements of a column
	rowGap       = 10.0
	rowHeight    = 52.0
	rowInset     = 16.0
	barHeight    = 44.0
	chevronWidth = 24.0
	fieldHeight  = 48.0
	buttonHeight = 50.0
	linkHeight   = 32.0
	chipHeight   = 34.0 // a button in a row
	chipPadding  = 16.0
	bodySize     = 17.0
)

// layout places the elements of a screen.
type layout struct {
	pages
	view   *view
	screen string
	live   bool // the screen is in use: its fields can show the focus
	inside bool // in a group or a list, whose members have no background of their own
	follow func(Rect, finger)
	build  map[app.Kind]func(layout, *app.Element, Rect) *Element
}

func newLayout(b pages, v *view, screen string, live bool) layout {
	return layout{pages: b, view: v, screen: screen, live: live, follow: func(Rect, finger) {}, build: builders()}
}

// builders build the kinds of elements. The frame of an element starts at the slot and is at most as wide.
func builders() map[app.Kind]func(layout, *app.Element, Rect) *Element {
	return map[app.Kind]func(layout, *app.Element, Rect) *Element{
		app.KindText:      layout.text,
		app.KindField:     layout.field,
		app.KindSecure:    layout.field,
		app.KindSearch:    layout.search,
		app.KindEditor:    layout.editor,
		app.KindButton:    layout.button,
		app.KindLink:      layout.link,
		app.KindToggle:    layout.toggle,
		app.KindSlider:    layout.slider,
		app.KindStepper:   layout.stepper,
		app.KindSegmented: layout.segmented,
		app.KindPicker:    layout.picker,
		app.KindImage:     layout.image,
		app.KindSpinner:   layout.spinner,
		app.KindProgress:  layout.progress,
		app.KindArea:      layout.area,
		app.KindRow:       layout.row,
		app.KindGroup:     layout.group,
		app.KindList:      layout.list,
		app.KindWeb:       layout.web,
		app.KindPermitted: layout.permitted,
	}
}

// column stacks the visible elements from top to bottom.
func (l layout) column(elements []*app.Element, area Rect, gap float64) (out []*Element) {
	y := area.Y
	for _, def := range elements {
		if !def.Visible.Holds(l.Values) {
			continue
		}
		e := l.place(def, Rect{X: area.X, Y: y, W: area.W})
		out = append(out, e)
		if def.Kind == app.KindSearch && e.Focused {
			out = append(out, l.cancelSearch(def, e))
		}
		y += e.Frame.H + gap
	}
	return out
}

// place builds the element of def.
func (l layout) place(def *app.Element, slot Rect) *Element {
	e := l.build[def.Kind](l, def, slot)
	e.Identifier = def.ID
	if e.Disabled = !def.Enabled.Holds(l.Values); e.Disabled {
		for one := range e.All() {
			delete(l.view.acts, one)
			delete(l.view.carries, one)
			delete(l.view.drops, one)
			delete(l.view.takes, one)
		}
		return e
	}
	l.movable(def, e)
	return e
}

func (l layout) text(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "StaticText", Label: def.AccessibleLabel(l.Values), Look: l.look(def, textSize(def.Style)*l.on.textScale())}
	width := textWidth(e.Shown(), e.Look.Size)
	lines := max(1, math.Ceil(width/slot.W))
	e.Frame = Rect{X: slot.X, Y: slot.Y, W: min(width, slot.W), H: lines * lineHeight(e.Look.Size)}
	return e
}

// look keeps the drawn text if the accessibility label differs.
func (l layout) look(def *app.Element, size float64) Look {
	look := Look{Style: def.Style, Size: size, Icon: def.Icon}
	if def.Label != "" {
		look.Text = def.Text.Expand(l.Values)
	}
	return look
}

func (l layout) button(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "Button", Label: def.AccessibleLabel(l.Values), Value: def.Detail.Expand(l.Values), Look: l.look(def, bodySize),
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: buttonHeight}}
	l.view.acts[e] = first(l.hold(def), l.twice(def), l.does(def))
	return e
}

// twice is the act of an element with an action for a double tap.
func (l layout) twice(def *app.Element) act {
	return func(f finger) bool {
		if def.Double == nil || f.gesture != tapped || f.taps < 2 || f.taps%2 != 0 {
			return false
		}
		l.use(def.Double, f.now)
		return true
	}
}

// does is the act of an element with an action for a tap.
func (l layout) does(def *app.Element) act {
	return press(func(f finger) { l.use(def.Do, f.now) })
}

// hold is the act of an element with another action for a long press.
func (l layout) hold(def *app.Element) act {
	return func(f finger) bool {
		if def.Hold == nil || f.gesture != held || f.took.Seconds() < def.Hold.Seconds {
			return false
		}
		l.use(def.Hold.Do, f.now)
		return true
	}
}

func (l layout) link(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "Link", Label: def.AccessibleLabel(l.Values), Look: l.look(def, bodySize)}
	e.Frame = Rect{X: slot.X, Y: slot.Y, W: min(slot.W, textWidth(e.Shown(), bodySize)), H: linkHeight}
	l.view.acts[e] = l.does(def)
	return e
}
