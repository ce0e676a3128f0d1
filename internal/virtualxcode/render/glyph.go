package render

import (
	"image/color"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// lines returns the lines of a text, or a placeholder for an empty text.
func lines(text, otherwise string) []string {
	if text == "" {
		text = otherwise
	}
	return strings.Split(text, "\n")
}

// glyphs are simple symbols by name, on a square of 24 by 24. An unknown name gets a disc.
var glyphs = map[string]func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color){
	"slider": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		for i, x := range []float64{14, 6, 11} {
			y := 5 + 6*float64(i)
			p.round(at(2, y, 20, 2), 1, fill)
			p.round(at(x, y-2, 6, 6), 3, fill)
		}
	},
	"keyboard": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		p.ring(at(1, 5, 22, 15), 3, at(0, 0, 1.6, 0).W, fill)
		for i := range 8 {
			p.rect(at(4+4.4*float64(i%4), 8.5+3.4*float64(i/4), 2.6, 2), fill)
		}
		p.rect(at(7, 15.6, 10, 2), fill)
	},
	"clock": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		p.ring(at(2, 2, 20, 20), 20, at(0, 0, 1.8, 0).W, fill)
		p.round(at(11, 6, 2, 7), 1, fill)
		p.round(at(11, 11, 6, 2), 1, fill)
	},
	"arrow":    polygonGlyph(2, 10, 22, 2, 14, 22, 11, 13),
	"hand":     polygonGlyph(8, 2, 11, 2, 11, 9, 19, 10, 19, 17, 16, 22, 9, 22, 4, 15, 5, 13, 8, 15),
	"mountain": polygonGlyph(1, 20, 9, 5, 14, 13, 17, 9, 23, 20),
	"airplane": polygonGlyph(12, 1, 14, 9, 23, 14, 23, 16, 14, 14, 13.5, 19, 17, 21.5, 17, 23, 12, 21.5, 7, 23, 7, 21.5, 10.5, 19, 10, 14,
		1, 16, 1, 14, 10, 9),
	"search": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		p.ring(at(2, 2, 15, 15), 15, at(0, 0, 2.2, 0).W, fill)
		polygonGlyph(14, 15.6, 15.6, 14, 22.5, 21, 21, 22.5)(p, at, fill)
	},
	"person": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		p.round(at(7.5, 2, 9, 9), 9, fill)
		p.round(at(3, 12.5, 18, 10), at(0, 0, 7, 0).W, fill)
	},
	"grid": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		for i := range 4 {
			p.round(at(3+10*float64(i%2), 3+10*float64(i/2), 8, 8), at(0, 0, 2, 0).W, fill)
		}
	},
	"gear": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		p.ring(at(4, 4, 16, 16), 16, at(0, 0, 4.5, 0).W, fill)
		for _, r := range [][4]float64{{10.5, 1, 3, 4}, {10.5, 19, 3, 4}, {1, 10.5, 4, 3}, {19, 10.5, 4, 3}} {
			p.rect(at(r[0], r[1], r[2], r[3]), fill)
		}
	},
	"wifi": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		for i, w := range []float64{20, 12, 4} {
			p.round(at(12-w/2, 6+5*float64(i), w, 3), at(0, 0, 1.5, 0).W, fill)
		}
	},
	"battery": func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		p.ring(at(1, 7, 19, 11), at(0, 0, 3, 0).W, at(0, 0, 1.5, 0).W, fill)
		p.rect(at(4, 10, 11, 5), fill)
		p.rect(at(21, 10.5, 2, 4), fill)
	},
	"bell": polygonGlyph(12, 2, 16, 4, 18, 9, 18, 15, 21, 18, 3, 18, 6, 15, 6, 9, 8, 4),
	"moon": polygonGlyph(14, 2, 9, 6, 8, 12, 11, 18, 17, 20, 12, 22, 6, 20, 3, 14, 4, 8, 8, 3),
}

func polygonGlyph(xy ...float64) func(painter, func(x, y, w, h float64) world.Rect, color.Color) {
	return func(p painter, at func(x, y, w, h float64) world.Rect, fill color.Color) {
		placed := make([]float64, len(xy))
		for i := 0; i+1 < len(xy); i += 2 {
			r := at(xy[i], xy[i+1], 0, 0)
			placed[i], placed[i+1] = r.X, r.Y
		}
		p.shape(at(0, 0, 24, 24), fill, func(q *pen) { q.polygon(placed...) })
	}
}

// glyph draws a symbol into r.
func (p painter) glyph(name string, r world.Rect, fill color.Color) {
	at := func(x, y, w, h float64) world.Rect {
		k := r.W / 24
		return world.Rect{X: r.X + x*k, Y: r.Y + y*k, W: w * k, H: h * k}
	}
	if draw := glyphs[name]; draw != nil {
		draw(p, at, fill)
		return
	}
	p.round(at(5, 5, 14, 14), r.W, fill)
}

// badge is a white symbol on a coloured tile, as in Settings.
func (p painter) badge(name string, r world.Rect) {
	p.round(r, 7, iconColour(name))
	p.glyph(name, world.Rect{X: r.X + 5, Y: r.Y + 5, W: r.W - 10, H: r.H - 10}, white)
}
