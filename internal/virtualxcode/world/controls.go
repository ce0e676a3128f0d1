package world

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/app"
)

// Measures of controls, in points.
const (
	controlHeight  = 44.0
	switchWidth    = 51.0
	stepButton     = 47.0
	segmentHeight  = 34.0
	wheelHeight    = 160.0
	wheelRow       = 32.0
	spinnerSize    = 24.0
	progressHeight = 8.0
)

// toggle is a label with a switch.
func (l layout) toggle(def *app.Element, slot Rect) *Element {
	isOn, _ := l.Values[def.Bind].(bool)
	e := &Element{Type: "Switch", Label: def.AccessibleLabel(l.Values), Value: "0",
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: controlHeight}, Look: l.look(def, bodySize)}
	if isOn {
		e.Value = "1"
	}
	l.view.acts[e] = press(func(f finger) { l.choose(def, !isOn, f) })
	l.view.takes[e] = func(value string, f finger) bool {
		on, known := map[string]bool{"1": true, "0": false, "true": true, "false": false}[value]
		if known {
			l.choose(def, on, f)
		}
		return known
	}
	return e
}

// choose sets def's variable, and runs def's steps if the value changed.
func (l layout) choose(def *app.Element, value any, f finger) {
	if l.Values[def.Bind] == value {
		return
	}
	l.Values[def.Bind] = value
	l.use(def.Do, f.now)
}

// share is the value of def's variable as a share of its range, from 0 to 1.
func (l layout) share(def *app.Element) float64 {
	v, _ := l.Values[def.Bind].(float64)
	return clamp((v-def.Range.Min)/(def.Range.Max-def.Range.Min), 0, 1)
}

// shareOf parses a share of a range: 70% or 0.7.
func shareOf(value string) (float64, bool) {
	whole := 1.0
	if number, ok := strings.CutSuffix(value, "%"); ok {
		value, whole = number, 100
	}
	v, err := strconv.ParseFloat(value, 64)
	return clamp(v/whole, 0, 1), err == nil && !math.IsNaN(v)
}

func percent(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + "%" }

// slider follows a finger that moves sideways. Like UISlider it ignores taps on its track.
func (l layout) slider(def *app.Element, slot Rect) *Element {
	part := l.share(def)
	e := &Element{Type: "Slider", Label: def.AccessibleLabel(l.Values), Value: percent(part),
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: controlHeight}, Look: l.look(def, bodySize)}
	e.Look.Part = part
	l.view.acts[e] = func(f finger) bool {
		where, _ := f.direction()
		if f.gesture != swiped || where == "up" || where == "down" {
			return false
		}
		moved := part + (f.to.X-f.from.X)/(slot.W-2*margin)
		l.choose(def, snap(def.Range, def.Range.Min+moved*(def.Range.Max-def.Range.Min)), f)
		return true
	}
	l.view.takes[e] = func(value string, f finger) bool {
		to, ok := shareOf(value)
		if ok {
			l.choose(def, snap(def.Range, def.Range.Min+to*(def.Range.Max-def.Range.Min)), f)
		}
		return ok
	}
	return e
}

// snap is the nearest value of a range; without a step it is a whole number, as apps show it.
func snap(r app.Range, v float64) float64 {
	step := r.Step
	if step == 0 {
		step = 1
		if r.Max-r.Min <= 1 {
			step = 0.01
		}
	}
	return clamp(r.Min+math.Round((clamp(v, r.Min, r.Max)-r.Min)/step)*step, r.Min, r.Max)
}

// stepper is a label with two buttons at its end, labelled as in SwiftUI.
func (l layout) stepper(def *app.Element, slot Rect) *Element {
	v, _ := l.Values[def.Bind].(float64)
	e := &Element{Type: "Stepper", Label: def.AccessibleLabel(l.Values), Value: fmt.Sprint(v),
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: controlHeight}, Look: l.look(def, bodySize)}
	right := slot.X + slot.W
	for i, name := range []string{"Decrement", "Increment"} {
		next := clamp(v+def.Range.Step*float64(2*i-1), def.Range.Min, def.Range.Max)
		b := &Element{Type: "Button", Label: name, Disabled: next == v, Look: Look{Style: "step", Size: bodySize},
			Frame: Rect{X: right - stepButton*float64(2-i), Y: slot.Y + 6, W: stepButton, H: 32}}
		if def.ID != "" {
			b.Identifier = def.ID + "-" + name
		}
		if !b.Disabled {
			l.view.acts[b] = press(func(f finger) { l.choose(def, next, f) })
		}
		e.Children = append(e.Children, b)
	}
	l.view.takes[e] = func(value string, f finger) bool {
		to, err := strconv.ParseFloat(value, 64)
		if err == nil {
			l.choose(def, snap(def.Range, to), f)
		}
		return err == nil
	}
	return e
}

func (l layout) segmented(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "SegmentedControl", Label: def.AccessibleLabel(l.Values),
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: segmentHeight}, Look: l.look(def, chipTextSize)}
	width := slot.W / float64(len(def.Options))
	for i, option := range def.Options {
		b := &Element{Type: "Button", Label: option, Selected: l.Values[def.Bind] == option,
			Look:  Look{Style: "segment", Size: chipTextSize},
			Frame: Rect{X: slot.X + width*float64(i), Y: slot.Y, W: width, H: segmentHeight}}
		l.view.acts[b] = press(func(f finger) { l.choose(def, option, f) })
		e.Children = append(e.Children, b)
	}
	l.view.takes[e] = l.option(def)
	return e
}

// option selects one of def's values.
func (l layout) option(def *app.Element) func(string, finger) bool {
	return func(value string, f finger) bool {
		if !slices.Contains(def.Options, value) {
			return false
		}
		l.choose(def, value, f)
		return true
	}
}

// picker is a wheel: it turns with a finger, or by a tap above or below its middle.
func (l layout) picker(def *app.Element, slot Rect) *Element {
	value, _ := l.Values[def.Bind].(string)
	at := slices.Index(def.Options, value)
	frame := Rect{X: slot.X, Y: slot.Y, W: slot.W, H: wheelHeight}
	wheel := &Element{Type: "PickerWheel", Label: def.AccessibleLabel(l.Values), Value: value, Frame: frame,
		Look: Look{Style: "wheel", Size: 21}}
	wheel.Look.Rows = def.Options
	turn := func(rows float64, f finger) {
		next := int(clamp(float64(at)+math.Round(rows), 0, float64(len(def.Options)-1)))
		l.choose(def, def.Options[next], f)
	}
	middle := frame.Centre().Y
	l.view.acts[wheel] = first(
		on(swiped, func(f finger) { turn((f.from.Y-f.to.Y)/wheelRow, f) }),
		press(func(f finger) { turn((f.from.Y-middle)/wheelRow, f) }))
	l.view.takes[wheel] = l.option(def)
	return &Element{Type: "Picker", Label: wheel.Label, Frame: frame, Children: []*Element{wheel}}
}

func (l layout) image(def *app.Element, slot Rect) *Element {
	width := slot.W
	if def.Width > 0 {
		width = min(def.Width, slot.W)
	}
	e := &Element{Type: "Image", Label: def.AccessibleLabel(l.Values), Look: l.look(def, bodySize),
		Frame: Rect{X: slot.X, Y: slot.Y, W: width, H: def.Height}}
	if def.Do != nil || def.Double != nil || def.Pinch != nil {
		l.view.acts[e] = first(l.pinch(def), l.twice(def), l.does(def))
	}
	return e
}

// spinner has UIKit's label unless the app has its own.
func (l layout) spinner(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "ActivityIndicator", Label: def.AccessibleLabel(l.Values), Value: "1", Look: l.look(def, bodySize)}
	if e.Label == "" {
		e.Label = "In progress"
	}
	e.Frame = Rect{X: slot.X + (slot.W-spinnerSize)/2, Y: slot.Y, W: spinnerSize, H: spinnerSize}
	return e
}

func (l layout) progress(def *app.Element, slot Rect) *Element {
	e := &Element{Type: "ProgressIndicator", Label: def.AccessibleLabel(l.Values), Value: percent(l.share(def)),
		Frame: Rect{X: slot.X, Y: slot.Y, W: slot.W, H: progressHeight}, Look: l.look(def, bodySize)}
	e.Look.Part = l.share(def)
	return e
}
