package world

import (
	"ios-agent/internal/virtualxcode/app"
)

// Measures of overlays, in points.
const (
	tabHeight    = 49.0
	alertWidth   = 270.0
	alertPadding = 20.0
	choiceHeight = 57.0
	choiceGap    = 8.0
	askHeight    = 44.0

	widestChoices = 428.0
)

// tabBar is the bar at the bottom.
func (b pages) tabBar(tabs app.Tabs) *Element {
	s := b.size
	bar := &Element{Type: "TabBar", Label: "Tab Bar", Frame: Rect{Y: s.Height - s.Bottom - tabHeight, W: s.Width, H: tabHeight + s.Bottom}}
	width := (s.Width - 2*s.Side) / float64(len(tabs.Items))
	for i, t := range tabs.Items {
		e := &Element{Type: "Button", Label: t.Label.Expand(b.Values), Selected: t.Screen == b.Tab,
			Frame: Rect{X: s.Side + pixel(width*float64(i)) + 2, Y: bar.Frame.Y + 1, W: pixel(width) - 4, H: tabHeight - 1},
			Look:  Look{Style: "tab", Icon: t.Icon, Size: tabTextSize}}
		b.view.acts[e] = press(func(f finger) { b.use([]app.Step{app.ToTab(t.Screen)}, f.now) })
		bar.Children = append(bar.Children, e)
	}
	return bar
}

// dim is the shade below a modal.
func (b pages) dim(v *view, answer act) *Element {
	e := &Element{Type: "Other", Frame: b.size.Bounds(), Look: Look{Style: "dim"}}
	if answer != nil {
		v.acts[e] = answer
	}
	return e
}

// sheet is a sheet with its shade. A tap outside or a pull down dismisses it. leaving means that it is disappearing.
func (b pages) sheet(v *view, m modal, live, leaving bool) []*Element {
	s := b.size
	top := s.Top + sheetTop
	dismiss := func(f finger) { b.use([]app.Step{app.Dismiss{}}, f.now) }
	shade := b.dim(v, press(dismiss))
	shade.Identifier, shade.Label = "PopoverDismissRegion", "dismiss popup"
	holder := &Element{Type: "Other", Frame: Rect{Y: top, W: s.Width, H: s.Height - top}, Look: Look{Style: "sheet"}}
	v.acts[holder] = pulledDown(dismiss)
	at := place{frame: holder.Frame, top: sheetTop, bottom: s.Bottom}
	holder.Children = b.stackOf(v, m.Stack, live, at)
	for _, page := range holder.Children {
		page.Look.Style = "sheet"
	}
	hidden := 1 - progress(m.Since, b.now, sheetTime)
	if leaving {
		hidden = progress(m.Since, b.now, sheetTime)
	}
	shift(holder, 0, holder.Frame.H*hidden, s.Scale)
	return []*Element{shade, holder}
}

// pulledDown handles a finger that moves down.
func pulledDown(f func(finger)) act {
	return func(at finger) bool {
		where, far := at.direction()
		if at.gesture != swiped || where != "down" || far < 100 {
			return false
		}
		f(at)
		return true
	}
}

// pick answers a dialog of the app.
func (b pages) pick(def *app.Element, f finger) { b.answer(def, f.now) }

// dialog is a question with its shade.
func (b pages) dialog(d *app.Dialog, live bool) []*Element {
	v := b.view
	if !live {
		v = untouchable()
	}
	var beside act
	if leave := cancel(d); d.Confirm && leave != nil {
		beside = press(func(f finger) { b.answer(leave, f.now) })
	}
	shade := b.dim(v, beside)
	if d.Confirm {
		return []*Element{shade, b.choices(v, d, b.pick)}
	}
	return []*Element{shade, b.alert(v, d, "", b.pick)}
}
