package world

import (
	"math"
	"strings"
	"time"

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
	chipHeight   = 34.0 // a button in a row
	chipPadding  = 16.0
	bodySize     = 17.0
)

// layout places the elements of a screen.
type layout struct {
	*process
	view *view
	now  time.Time
	live bool // the screen is the top one: its fields can show focus
}

// column stacks the visible elements from top to bottom.
func (l layout) column(elements []*app.Element, area Rect) (out []*Element) {
	y := area.Y
	for _, def := range elements {
		if !def.Visible.Holds(l.Values) {
			continue
		}
		e := l.place(def, Rect{X: area.X, Y: y, W: area.W})
		out = append(out, e)
		y += e.Frame.H + gap
	}
	return out
}

// place makes the element of def; its frame begins at slot and is as wide at most.
func (l layout) place(def *app.Element, slot Rect) *Element {
	build := map[app.Kind]func(*app.Element, Rect) *Element{
		app.KindText:   l.text,
		app.KindField:  l.field,
		app.KindSecure: l.field,
		app.KindButton: l.button,
		app.KindRow:    l.row,
	}[def.Kind]
	e := build(def, slot)
	e.Identifier = def.ID
	e.Disabled = !def.Enabled.Holds(l.Values)
	if e.Disabled {
		delete(l.view.acts, e)
	}
	return e
}

func (l layout) text(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "StaticText", Label: def.AccessibleLabel(l.Values), Look: l.look(def, textSize(def.Style))}
	width := textWidth(e.Shown(), e.Look.Size)
	lines := max(1, math.Ceil(width/slot.W))
	e.Frame = Rect{X: slot.X, Y: slot.Y, W: min(width, slot.W), H: lines * lineHeight(e.Look.Size)}
	return e
}

// look draws def's own text where accessibility hears another.
func (l layout) look(def *app.Element, size float64) Look {
	look := Look{Style: def.Style, Size: size}
	if def.Label != "" {
		look.Text = def.Text.Expand(l.Values)
	}
	return look
}

func (l layout) field(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "TextField", Label: def.AccessibleLabel(l.Values), Look: Look{Style: def.Style, Size: bodySize},
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: fieldHeight}, Focused: l.live && l.Focus == def.Key}
	e.Value, _ = l.Values[def.Bind].(string)
	if e.Placeholder = def.Placeholder.Expand(l.Values); e.Placeholder == "" {
		e.Placeholder = e.Label
	}
	if def.Kind == app.KindSecure {
		e.Type, e.Secure = "SecureTextField", true
		e.Value = strings.Repeat("•", len([]rune(e.Value)))
	}
	l.view.acts[e] = func() { l.focus(def, l.now) }
	return e
}

func (l layout) button(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "Button", Label: def.AccessibleLabel(l.Values), Look: l.look(def, bodySize),
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: buttonHeight}}
	l.view.acts[e] = func() { l.use(def, l.now) }
	return e
}

// row puts elements side by side: each as wide as its text, the first one left, the others at the right end.
func (l layout) row(def *app.Element, slot Rect) *Element {
	row := &Element{Type: "Other", Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: rowHeight}, Look: Look{Style: "row"}}
	left, right := slot.X+rowInset, slot.X+slot.W-rowInset
	for i := len(def.Row) - 1; i >= 0; i-- {
		if inner := def.Row[i]; inner.Visible.Holds(l.Values) {
			e := l.place(inner, Rect{X: left, Y: slot.Y, W: right - left})
			narrow(e, inner)
			if e.Frame.X = right - e.Frame.W; i == 0 {
				e.Frame.X = left
			}
			e.Frame.Y = slot.Y + (rowHeight-e.Frame.H)/2
			right = e.Frame.X - rowGap
			row.Children = append([]*Element{e}, row.Children...)
		}
	}
	return row
}

// narrow makes a button of a row as small as its text.
func narrow(e *Element, def *app.Element) {
	if def.Kind != app.KindButton {
		return
	}
	e.Look.Size = chipTextSize
	e.Frame.W = min(e.Frame.W, textWidth(e.Shown(), e.Look.Size)+2*chipPadding)
	e.Frame.H = chipHeight
	if e.Look.Style == "" {
		e.Look.Style = "tinted"
	}
}
