package world

import (
	"ios-agent/internal/virtualxcode/app"
)

// row places elements side by side: each as wide as its text, the first at the left, the others at the right end.
func (l layout) row(def *app.Element, slot Rect) *Element {
	row := &Element{Type: "Other", Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: rowHeight}, Look: Look{Style: l.background("row")}}
	left, right := slot.X+rowInset, slot.X+slot.W-rowInset
	for i := len(def.Inner) - 1; i >= 0; i-- {
		if inner := def.Inner[i]; inner.Visible.Holds(l.Values) {
			e := l.place(inner, Rect{X: left, Y: slot.Y, W: right - left})
			narrow(e, inner)
			x := right - e.Frame.W
			if i == 0 {
				x = left
			}
			move(e, x-e.Frame.X, slot.Y+(rowHeight-e.Frame.H)/2-e.Frame.Y)
			right = e.Frame.X - rowGap
			row.Children = append([]*Element{e}, row.Children...)
		}
	}
	return row
}

// background gives an element a style unless its container has one.
func (l layout) background(style string) string {
	if l.inside {
		return ""
	}
	return style
}

// narrow shrinks the elements of a row to their minimum width.
func narrow(e *Element, def *app.Element) {
	switch def.Kind {
	case app.KindButton:
		e.Look.Size = chipTextSize
		e.Frame.W = min(e.Frame.W, textWidth(e.Shown(), e.Look.Size)+2*chipPadding)
		e.Frame.H = chipHeight
		if e.Look.Style == "" {
			e.Look.Style = "tinted"
		}
	case app.KindToggle:
		e.Frame.W = switchWidth
		e.Look.Style = "bare"
	case app.KindImage:
		e.Frame.H = min(e.Frame.H, rowHeight-2*choiceGap)
		e.Frame.W = min(e.Frame.W, e.Frame.H)
	}
}

// group stacks elements into one box.
func (l layout) group(def *app.Element, slot Rect) *Element {
	l.inside = true
	box := &Element{Type: "Other", Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W}, Look: Look{Style: "group"}}
	y := slot.Y
	for _, inner := range def.Inner {
		if !inner.Visible.Holds(l.Values) {
			continue
		}
		e, height := l.member(inner, Rect{X: slot.X, Y: y, W: slot.W})
		box.Children = append(box.Children, e)
		y += height
	}
	box.Frame.H = y - slot.Y
	return box
}

// member places a part of a box or a list, and returns its height.
func (l layout) member(def *app.Element, slot Rect) (*Element, float64) {
	inset := slot
	if !fillsRow(def) {
		inset.X, inset.W = slot.X+rowInset, slot.W-2*rowInset
	}
	e := l.place(def, inset)
	if fillsRow(def) && def.Kind != app.KindRow {
		e.Frame.H = rowHeight
		return e, rowHeight
	}
	height := max(rowHeight, e.Frame.H)
	move(e, 0, (height-e.Frame.H)/2)
	return e, height
}

// fillsRow reports whether an element is a full row of a box or list.
func fillsRow(def *app.Element) bool {
	return def.Kind == app.KindRow || def.Kind == app.KindToggle || def.Kind == app.KindButton && def.Style == "cell"
}

// move shifts e and all below it exactly.
func move(e *Element, dx, dy float64) {
	for one := range e.All() {
		one.Frame.X += dx
		one.Frame.Y += dy
	}
}
