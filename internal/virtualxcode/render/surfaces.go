package render

import "ios-agent/internal/virtualxcode/world"

// specialButtons draw buttons with a special look, by style.
func (p painter) specialButtons() map[string]func(*world.Element) {
	return map[string]func(*world.Element){
		"back":               p.backButton,
		"key":                p.key,
		"tab":                p.tab,
		"cell":               p.cellButton,
		"step":               p.stepButton,
		"segment":            p.segment,
		"clear":              p.clearButton,
		"choice-":            p.choice(style{colour: blue}),
		"choice-filled":      p.choice(style{colour: blue, weight: medium}),
		"choice-cancel":      p.choice(style{colour: blue, weight: medium}),
		"choice-destructive": p.choice(style{colour: red}),
		"leave":              p.leave,
	}
}

// tabBar draws the bar's background; its tabs are drawn after it.
func (p painter) tabBar(e *world.Element) {
	p.rect(e.Frame, alertWhite)
	p.rect(world.Rect{X: e.Frame.X, Y: e.Frame.Y, W: e.Frame.W, H: 1 / p.scale}, line)
}

func (p painter) tab(e *world.Element) {
	fill := iconGrey
	if e.Selected {
		fill = blue
	}
	p.glyph(e.Look.Icon, world.Rect{X: e.Frame.X + (e.Frame.W-24)/2, Y: e.Frame.Y + 6, W: 24, H: 24}, fill)
	below := world.Rect{X: e.Frame.X, Y: e.Frame.Y + 32, W: e.Frame.W, H: 13}
	p.text(e.Shown(), below, style{size: e.Look.Size, weight: medium, colour: fill, align: centre})
}

// group draws a box and separators between its children.
func (p painter) group(e *world.Element) {
	p.round(e.Frame, 12, card)
	for i, c := range e.Children {
		if i > 0 {
			p.rect(world.Rect{X: e.Frame.X + 16, Y: c.Frame.Y, W: e.Frame.W - 16, H: 1 / p.scale}, line)
		}
	}
}

func (p painter) list(e *world.Element) { p.round(e.Frame, 12, card) }

func (p painter) cell(e *world.Element) {
	p.rect(world.Rect{X: e.Frame.X + 16, Y: e.Frame.Y + e.Frame.H, W: e.Frame.W - 16, H: 1 / p.scale}, line)
}

// cellButton is a row that opens another screen: icon, name, current value, chevron.
func (p painter) cellButton(e *world.Element) {
	r := e.Frame
	name := *e
	name.Frame.W -= 48
	p.label(&name, 16)
	detail := world.Rect{X: r.X + r.W*0.45, Y: r.Y, W: r.W*0.55 - 34, H: r.H}
	p.text(e.Value, detail, style{size: min(e.Look.Size, 15), colour: faded, align: right})
	x, y := r.X+r.W-17, r.Y+r.H/2
	p.shape(r, faint, func(q *pen) {
		q.polygon(x, y, x-6, y-6.5, x-7.5, y-5, x-2.8, y, x-7.5, y+5, x-6, y+6.5)
	})
}

func (p painter) link(e *world.Element) {
	end := p.text(e.Shown(), e.Frame, style{size: e.Look.Size, colour: blue})
	p.rect(world.Rect{X: e.Frame.X, Y: e.Frame.Y + e.Frame.H/2 + 10, W: end - e.Frame.X, H: 1}, blue)
}

func (p painter) area(e *world.Element) {
	p.round(e.Frame, 12, paleBlue)
	p.ring(e.Frame, 12, 1, blue)
	p.text(e.Look.Text, e.Frame, style{size: e.Look.Size, colour: blue, align: centre})
}

func (p painter) image(e *world.Element) {
	if special := map[string]func(*world.Element){"map": p.mapPicture, "handle": p.handle}[e.Look.Style]; special != nil {
		special(e)
		return
	}
	p.round(e.Frame, 10, trackGrey)
	side := min(e.Frame.W, e.Frame.H) * 0.6
	at := e.Frame.Centre()
	p.glyph(e.Look.Icon, world.Rect{X: at.X - side/2, Y: at.Y - side/2, W: side, H: side}, iconGrey)
}

// mapPicture is a part of a town map with a dot at the device's location.
func (p painter) mapPicture(e *world.Element) {
	r := e.Frame
	c := p.within(r)
	c.rect(r, land)
	c.shape(r, water, func(q *pen) {
		q.polygon(r.X+r.W*0.62, r.Y, r.X+r.W, r.Y, r.X+r.W, r.Y+r.H*0.62, r.X+r.W*0.8, r.Y+r.H*0.4)
	})
	for _, y := range []float64{0.22, 0.55, 0.82} {
		c.rect(world.Rect{X: r.X, Y: r.Y + r.H*y, W: r.W, H: 5}, white)
	}
	for _, x := range []float64{0.15, 0.42, 0.7} {
		c.rect(world.Rect{X: r.X + r.W*x, Y: r.Y, W: 5, H: r.H}, white)
	}
	at := r.Centre()
	c.round(world.Rect{X: at.X - 28, Y: at.Y - 28, W: 56, H: 56}, 28, paleBlue)
	c.round(world.Rect{X: at.X - 9, Y: at.Y - 9, W: 18, H: 18}, 9, white)
	c.round(world.Rect{X: at.X - 6.5, Y: at.Y - 6.5, W: 13, H: 13}, 6.5, blue)
	label := world.Rect{X: r.X + 10, Y: r.Y + 10, W: 84, H: 22}
	c.round(label, 11, alertWhite)
	c.text("Precise: On", label, style{size: 12, colour: blue, align: centre})
}

// handle draws the three lines for dragging a row.
func (p painter) handle(e *world.Element) {
	at := e.Frame.Centre()
	for i := range 3 {
		p.round(world.Rect{X: at.X - 9, Y: at.Y - 6 + 5*float64(i), W: 18, H: 1.6}, 0.8, iconGrey)
	}
}

// web draws a page inside a browser frame; its containers are invisible.
func (p painter) web(e *world.Element) {
	if e.Look.Style == "web" {
		p.round(e.Frame, 6, card)
		p.ring(e.Frame, 6, 1, line)
	}
}

func (p painter) sheet(e *world.Element) {
	p.round(world.Rect{X: e.Frame.X, Y: e.Frame.Y, W: e.Frame.W, H: e.Frame.H + 20}, 14, paper)
	p.round(world.Rect{X: e.Frame.X + e.Frame.W/2 - 18, Y: e.Frame.Y + 5, W: 36, H: 5}, 2.5, faint)
}

// alert draws a box with separators between its buttons.
func (p painter) alert(e *world.Element) {
	p.round(e.Frame, 14, alertWhite)
	for i, b := range e.Children {
		if b.Type != "Button" || !e.Frame.Contains(b.Frame.Centre()) {
			continue
		}
		p.rect(world.Rect{X: b.Frame.X, Y: b.Frame.Y, W: b.Frame.W, H: 1 / p.scale}, line)
		if i > 0 && e.Children[i-1].Frame.Y == b.Frame.Y {
			p.rect(world.Rect{X: b.Frame.X, Y: b.Frame.Y, W: 1 / p.scale, H: b.Frame.H}, line)
		}
	}
}

// choice draws a button of a dialog.
func (p painter) choice(st style) func(*world.Element) {
	return func(e *world.Element) {
		if e.Disabled {
			st.colour = faint
		}
		st.size, st.align = e.Look.Size, centre
		p.text(e.Shown(), e.Frame, st)
	}
}

func (p painter) leave(e *world.Element) {
	p.round(e.Frame, 14, card)
	p.text(e.Shown(), e.Frame, style{size: e.Look.Size, weight: bold, colour: blue, align: centre})
}

func (p painter) searchField(e *world.Element) {
	r := e.Frame
	p.round(r, 10, segmentGrey)
	p.glyph("search", world.Rect{X: r.X + 8, Y: r.Y + (r.H-18)/2, W: 18, H: 18}, iconGrey)
	p.content(e, world.Rect{X: r.X + 32, Y: r.Y, W: r.W - 68, H: r.H}, 9)
}

func (p painter) clearButton(e *world.Element) {
	at := e.Frame.Centre()
	p.round(world.Rect{X: at.X - 8.5, Y: at.Y - 8.5, W: 17, H: 17}, 8.5, iconGrey)
	p.text("×", e.Frame, style{size: 15, weight: bold, colour: white, align: centre})
}

// textView draws its lines from the top.
func (p painter) textView(e *world.Element) {
	p.round(e.Frame, 10, card)
	if e.Focused {
		p.ring(e.Frame, 10, 2, blue)
	} else {
		p.ring(e.Frame, 10, 1, line)
	}
	row := world.Rect{X: e.Frame.X + 14, Y: e.Frame.Y + 8, W: e.Frame.W - 28, H: 24}
	for _, text := range lines(e.Value, e.Placeholder) {
		st := style{size: e.Look.Size, colour: ink}
		if e.Value == "" {
			st.colour = faint
		}
		p.within(e.Frame).text(text, row, st)
		row.Y += row.H
	}
}
