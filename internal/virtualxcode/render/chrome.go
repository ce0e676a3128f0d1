package render

import (
	"image/color"
	"unicode/utf8"

	"ios-agent/internal/virtualxcode/world"
)

// chrome draws what the system lays over every app: status bar, dynamic island and home indicator.
func (p painter) chrome(s world.Scene) {
	front := ink
	if s.Bundle == world.SpringBoard {
		front = white
	}
	w, h := p.screen.Width, p.screen.Height
	p.text(s.Time.Format("15:04")[clockStart(s):], world.Rect{X: 34, Y: 22, W: 70, H: 22}, style{size: 17, weight: bold, colour: front, align: centre})
	p.round(world.Rect{X: (w - 125) / 2, Y: 14, W: 125, H: 37}, 18.5, black)
	p.signal(w-104, 27.5, front)
	p.wifi(w-77, 27, front)
	p.battery(w-54, 27, front)
	p.round(world.Rect{X: (w - 139) / 2, Y: h - 13, W: 139, H: 5}, 2.5, front)
}

// clockStart leaves out the zero before an hour of one digit, as the real clock does.
func clockStart(s world.Scene) int {
	if s.Time.Hour() < 10 {
		return 1
	}
	return 0
}

func (p painter) signal(x, y float64, fill color.Color) {
	for i := range 4 {
		tall := 4 + 2.7*float64(i)
		p.round(world.Rect{X: x + 4.8*float64(i), Y: y + 12.3 - tall, W: 3.2, H: tall}, 1, fill)
	}
}

// wifi draws three waves that widen upwards from a point.
func (p painter) wifi(x, y float64, fill color.Color) {
	wave := func(outer, inner float64) {
		cx, cy := x+8.5, y+12.5
		p.shape(world.Rect{X: x - 2, Y: y - 2, W: 22, H: 16}, fill, func(q *pen) {
			q.move(cx-0.72*outer, cy-0.72*outer)
			q.curve(cx-0.34*outer, cy-1.1*outer, cx+0.34*outer, cy-1.1*outer, cx+0.72*outer, cy-0.72*outer)
			q.line(cx+0.72*inner, cy-0.72*inner)
			q.curve(cx+0.34*inner, cy-1.1*inner, cx-0.34*inner, cy-1.1*inner, cx-0.72*inner, cy-0.72*inner)
			q.raster.ClosePath()
		})
	}
	wave(12.2, 9.6)
	wave(8.2, 5.6)
	wave(4.2, 0)
}

func (p painter) battery(x, y float64, fill colour) {
	pale := p.shade(fill, 100)
	p.ring(world.Rect{X: x, Y: y, W: 25, H: 13}, 4.2, 1, pale)
	p.round(world.Rect{X: x + 2, Y: y + 2, W: 21, H: 9}, 2.5, fill)
	p.round(world.Rect{X: x + 26, Y: y + 4.3, W: 1.5, H: 4.4}, 0.7, pale)
}

// bootBar is what a device shows while it starts.
func (p painter) bootBar() {
	w, h := p.screen.Width, p.screen.Height
	p.round(world.Rect{X: (w - 160) / 2, Y: h * 0.55, W: 160, H: 5}, 2.5, barGrey)
	p.round(world.Rect{X: (w - 160) / 2, Y: h * 0.55, W: 80, H: 5}, 2.5, white)
}

func (p painter) wallpaper(r world.Rect) {
	p.fade(r, dusk, dawn)
}

// icon draws an app's icon, a letter on a colour of its own, and its name below.
func (p painter) icon(e *world.Element) {
	r := e.Frame
	tile := world.Rect{X: r.X, Y: r.Y, W: r.W, H: r.W}
	p.round(tile, 15, iconColour(e.Label))
	first, _ := utf8.DecodeRuneInString(e.Label)
	p.text(string(first), tile, style{size: 36, weight: bold, colour: white, align: centre})
	name := world.Rect{X: r.X - 12, Y: r.Y + r.W + 4, W: r.W + 24, H: r.H - r.W - 4}
	p.text(e.Label, name, style{size: 12, weight: medium, colour: white, align: centre})
}

func iconColour(name string) color.Color {
	var sum int
	for _, r := range name {
		sum += int(r)
	}
	colours := []colour{0xFF9500FF, 0x34C759FF, 0x5856D6FF, 0xFF2D55FF, 0x0096AAFF}
	return colours[sum%len(colours)]
}
