package render

import (
	"image/color"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ios-agent/internal/virtualxcode/world"
)

// islandTop is the smallest top inset of a screen with an island; smaller insets mean a notch.
const islandTop = 55

// chrome draws the system's overlay: status bar, notch or island, and home indicator.
func (p painter) chrome(s world.Scene) {
	front := ink
	if s.Bundle == world.SpringBoard {
		front = white
	}
	w, h := p.screen.Width, p.screen.Height
	if p.screen.Side > 0 {
		cut := world.Rect{X: 14, Y: (h - 125) / 2, W: 37, H: 125}
		if p.screen.Side < islandTop {
			cut = world.Rect{X: -20, Y: (h - 162) / 2, W: 52, H: 162}
		}
		if s.Device.Orientation == world.LandscapeRight {
			cut.X = w - cut.X - cut.W
		}
		p.round(cut, 18.5, black)
	} else {
		p.statusBar(s, front)
	}
	p.round(world.Rect{X: (w - 139) / 2, Y: h - 13, W: 139, H: 5}, 2.5, front)
}

// statusBar draws the clock and the symbols around the notch or island, if any.
func (p painter) statusBar(s world.Scene, front colour) {
	w, top := p.screen.Width, p.screen.Top
	y, x := 22.0, 34.0
	switch {
	case top < 40:
		y, x = 1, 10
	case top < islandTop:
		y, x = 14, 30
		p.round(world.Rect{X: (w - 162) / 2, Y: -20, W: 162, H: 52}, 20, black)
	default:
		p.round(world.Rect{X: (w - 125) / 2, Y: 14, W: 125, H: 37}, 18.5, black)
	}
	size := 17.0
	if top < 40 {
		size = 14
	}
	p.text(clock(s), world.Rect{X: x, Y: y, W: 70, H: 22}, style{size: size, weight: bold, colour: front, align: centre})
	p.network(s, w-104, y+5.5, front)
	p.battery(s, w-54, y+5, front)
}

// clock is the time, or the overriding text.
func clock(s world.Scene) string {
	if said := s.StatusBar["time"]; said != "" {
		if at, err := time.Parse(time.RFC3339, said); err == nil {
			return at.Format("15:04")
		}
		return said
	}
	return strings.TrimPrefix(s.Time.Format("15:04"), "0") // like the real clock
}

// number is an overridden number of the status bar, or most.
func number(s world.Scene, name string, most int) int {
	if n, err := strconv.Atoi(s.StatusBar[name]); err == nil {
		return min(max(n, 0), most)
	}
	return most
}

// network draws the symbols of the networks.
func (p painter) network(s world.Scene, x, y float64, front colour) {
	if s.Offline {
		p.glyph("airplane", world.Rect{X: x, Y: y - 2, W: 17, H: 17}, front)
		return
	}
	if s.StatusBar["cellularMode"] != "notSupported" {
		p.signal(x, y, number(s, "cellularBars", 4), front)
	}
	data := s.StatusBar["dataNetwork"]
	switch data {
	case "hide":
	case "", "wifi":
		p.wifi(x+27, y-0.5, number(s, "wifiBars", 3), front)
	default:
		p.text(strings.ToUpper(data), world.Rect{X: x + 22, Y: y - 4, W: 28, H: 20}, style{size: 12, weight: bold, colour: front,
			align: centre})
	}
}

func (p painter) signal(x, y float64, bars int, fill colour) {
	for i := range 4 {
		tall := 4 + 2.7*float64(i)
		one := fill
		if i >= bars {
			one = p.shade(fill, 70)
		}
		p.round(world.Rect{X: x + 4.8*float64(i), Y: y + 12.3 - tall, W: 3.2, H: tall}, 1, one)
	}
}

// wifi draws three waves that widen upwards from a point.
func (p painter) wifi(x, y float64, bars int, fill colour) {
	wave := func(which int, outer, inner float64) {
		one := fill
		if which > bars {
			one = p.shade(fill, 70)
		}
		cx, cy := x+8.5, y+12.5
		p.shape(world.Rect{X: x - 2, Y: y - 2, W: 22, H: 16}, one, func(q *pen) {
			q.move(cx-0.72*outer, cy-0.72*outer)
			q.curve(cx-0.34*outer, cy-1.1*outer, cx+0.34*outer, cy-1.1*outer, cx+0.72*outer, cy-0.72*outer)
			q.line(cx+0.72*inner, cy-0.72*inner)
			q.curve(cx+0.34*inner, cy-1.1*inner, cx-0.34*inner, cy-1.1*inner, cx-0.72*inner, cy-0.72*inner)
			q.raster.ClosePath()
		})
	}
	wave(3, 12.2, 9.6)
	wave(2, 8.2, 5.6)
	wave(1, 4.2, 0)
}

// battery draws the overridden charge, green while charging.
func (p painter) battery(s world.Scene, x, y float64, fill colour) {
	pale := p.shade(fill, 100)
	level := float64(number(s, "batteryLevel", 100)) / 100
	inside := fill
	switch {
	case s.StatusBar["batteryState"] == "charging" || s.StatusBar["batteryState"] == "charged":
		inside = switchGreen
	case level <= 0.2:
		inside = red
	}
	p.ring(world.Rect{X: x, Y: y, W: 25, H: 13}, 4.2, 1, pale)
	p.round(world.Rect{X: x + 2, Y: y + 2, W: 21 * level, H: 9}, 2.5, inside)
	p.round(world.Rect{X: x + 26, Y: y + 4.3, W: 1.5, H: 4.4}, 0.7, pale)
}

// bootBar is the progress bar of a booting device.
func (p painter) bootBar() {
	w, h := p.screen.Width, p.screen.Height
	p.round(world.Rect{X: (w - 160) / 2, Y: h * 0.55, W: 160, H: 5}, 2.5, barGrey)
	p.round(world.Rect{X: (w - 160) / 2, Y: h * 0.55, W: 80, H: 5}, 2.5, white)
}

func (p painter) wallpaper(r world.Rect) {
	p.fade(r, dusk, dawn)
}

// icon draws an app's icon, a letter on its own colour, with the app's name below.
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
