package world

import (
	"math"

	"ios-agent/internal/virtualxcode/app"
)

// alert is a question in the middle of the screen. One or two short buttons lie side by side, more buttons below one another. A picture
// may lie above them.
func (b pages) alert(v *view, d *app.Dialog, picture string, pick func(*app.Element, finger)) *Element {
	box := &Element{Type: "Alert", Label: d.Title.Expand(b.Values), Look: Look{Style: "alert"}}
	box.Frame = Rect{X: (b.size.Width - alertWidth) / 2, W: alertWidth}
	y := alertPadding
	for _, t := range b.words(d, box.Frame) {
		t.Frame.Y = y
		y += t.Frame.H + 4
		box.Children = append(box.Children, t)
	}
	y += alertPadding - 4
	if picture != "" && b.size.Height > b.size.Width {
		image := &Element{Type: "Image", Label: "Map", Look: Look{Style: picture}, Frame: Rect{X: box.Frame.X, Y: y, W: alertWidth,
			H: mapHeight}}
		box.Children = append(box.Children, image)
		y += mapHeight
	}
	columns := b.columns(d)
	width := alertWidth / float64(columns)
	for i, def := range d.Buttons {
		column, row := i%columns, i/columns
		frame := Rect{X: box.Frame.X + width*float64(column), Y: y + askHeight*float64(row), W: width, H: askHeight}
		box.Children = append(box.Children, b.choice(v, def, frame, pick))
	}
	box.Frame.H = y + askHeight*math.Ceil(float64(len(d.Buttons))/float64(columns))
	shift(box, 0, (b.size.Height-box.Frame.H)/2, b.size.Scale)
	return box
}

// mapHeight is the height of the map in a location alert.
const mapHeight = 150.0

// columns is the number of buttons side by side.
func (b pages) columns(d *app.Dialog) int {
	if len(d.Buttons) != 2 {
		return 1
	}
	for _, def := range d.Buttons {
		if textWidth(def.AccessibleLabel(b.Values), bodySize) > alertWidth/2-8 {
			return 1
		}
	}
	return 2
}

// words are the title and the message of a dialog; both may be empty.
func (b pages) words(d *app.Dialog, box Rect) (out []*Element) {
	for _, t := range []struct {
		text  app.Text
		style string
		size  float64
	}{{d.Title, "title", bodySize}, {d.Message, "message", messageSize}} {
		text := t.text.Expand(b.Values)
		if text == "" {
			continue
		}
		width := min(textWidth(text, t.size), box.W-2*margin)
		lines := math.Ceil(textWidth(text, t.size) / (box.W - 2*margin))
		out = append(out, &Element{Type: "StaticText", Label: text, Look: Look{Style: t.style, Size: t.size},
			Frame: Rect{X: pixel(box.X + (box.W-width)/2), W: width, H: lines * lineHeight(t.size)}})
	}
	return out
}

// choices is a question at the bottom of the screen; its cancel button lies below the others.
func (b pages) choices(v *view, d *app.Dialog, pick func(*app.Element, finger)) *Element {
	box := &Element{Type: "Sheet", Label: d.Title.Expand(b.Values), Look: Look{Style: "choices"}}
	width := min(b.size.Width-2*choiceGap, widestChoices)
	box.Frame = Rect{X: (b.size.Width - width) / 2, W: width}
	var y float64
	for _, t := range b.words(d, box.Frame) {
		t.Frame.Y = y + 12
		y += t.Frame.H + 12
		box.Children = append(box.Children, t)
	}
	if y > 0 {
		y += 12
	}
	leave := cancel(d)
	for _, def := range d.Buttons {
		if def != leave {
			box.Children = append(box.Children, b.choice(v, def, Rect{X: box.Frame.X, Y: y, W: box.Frame.W, H: choiceHeight}, pick))
			y += choiceHeight
		}
	}
	box.Frame.H = y
	if leave != nil {
		last := b.choice(v, leave, Rect{X: box.Frame.X, Y: y + choiceGap, W: box.Frame.W, H: choiceHeight}, pick)
		last.Look.Style = "leave"
		box.Children = append(box.Children, last)
		y += choiceGap + choiceHeight
	}
	shift(box, 0, b.size.Height-b.size.Bottom-y, b.size.Scale)
	return box
}

// choice is a button of a dialog.
func (b pages) choice(v *view, def *app.Element, frame Rect, pick func(*app.Element, finger)) *Element {
	e := &Element{Type: "Button", Identifier: def.ID, Label: def.AccessibleLabel(b.Values), Frame: frame,
		Disabled: !def.Enabled.Holds(b.Values), Look: Look{Style: "choice-" + def.Style, Size: bodySize}}
	if !e.Disabled {
		v.acts[e] = press(func(f finger) { pick(def, f) })
	}
	return e
}
