package render

import (
	"math"
	"slices"

	"ios-agent/internal/virtualxcode/world"
)

// label draws the label of a control at its left end, after its icon if any.
func (p painter) label(e *world.Element, inset float64) {
	r := world.Rect{X: e.Frame.X + inset, Y: e.Frame.Y, W: e.Frame.W - inset, H: e.Frame.H}
	if e.Look.Icon != "" {
		p.badge(e.Look.Icon, world.Rect{X: r.X, Y: r.Y + (r.H-29)/2, W: 29, H: 29})
		r.X, r.W = r.X+43, r.W-43
	}
	p.text(e.Shown(), r, style{size: e.Look.Size, colour: ink})
}

// inset is the distance of a control's content from its edge. It is larger in a box, where controls are higher.
func inset(e *world.Element) float64 {
	if e.Frame.H > 50 {
		return 16
	}
	return 0
}

func (p painter) toggle(e *world.Element) {
	if e.Look.Style != "bare" {
		p.label(e, inset(e))
	}
	track := world.Rect{X: e.Frame.X + e.Frame.W - inset(e) - 51, Y: e.Frame.Y + (e.Frame.H-31)/2, W: 51, H: 31}
	fill, x := trackGrey, track.X+2
	if e.Value == "1" {
		fill, x = switchGreen, track.X+22
	}
	if e.Disabled {
		fill = fill.withOpacity(80)
	}
	p.round(track, 15.5, fill)
	p.round(world.Rect{X: x, Y: track.Y + 3, W: 27, H: 27}, 13.5, shadow)
	p.round(world.Rect{X: x, Y: track.Y + 2, W: 27, H: 27}, 13.5, white)
}

func (p painter) slider(e *world.Element) {
	left, width := e.Frame.X+14, e.Frame.W-28
	y := e.Frame.Y + e.Frame.H/2
	at := left + width*e.Look.Part
	p.round(world.Rect{X: e.Frame.X, Y: y - 2, W: e.Frame.W, H: 4}, 2, trackGrey)
	p.round(world.Rect{X: e.Frame.X, Y: y - 2, W: at - e.Frame.X, H: 4}, 2, blue)
	p.round(world.Rect{X: at - 14, Y: y - 12.5, W: 28, H: 28}, 14, shadow)
	p.round(world.Rect{X: at - 14, Y: y - 14, W: 28, H: 28}, 14, white)
}

func (p painter) stepper(e *world.Element) {
	p.label(e, inset(e))
	if len(e.Children) == 2 {
		a, b := e.Children[0].Frame, e.Children[1].Frame
		p.round(world.Rect{X: a.X, Y: a.Y, W: b.X + b.W - a.X, H: a.H}, 8, segmentGrey)
		p.rect(world.Rect{X: b.X, Y: b.Y + 7, W: 1, H: b.H - 14}, line)
	}
}

// stepButton is a minus or a plus.
func (p painter) stepButton(e *world.Element) {
	fill := ink
	if e.Disabled {
		fill = faint
	}
	at := e.Frame.Centre()
	p.rect(world.Rect{X: at.X - 7, Y: at.Y - 1, W: 14, H: 2}, fill)
	if e.Label == "Increment" {
		p.rect(world.Rect{X: at.X - 1, Y: at.Y - 7, W: 2, H: 14}, fill)
	}
}

func (p painter) segmented(e *world.Element) { p.round(e.Frame, 9, segmentGrey) }

func (p painter) segment(e *world.Element) {
	st := style{size: e.Look.Size, colour: ink, align: centre}
	if e.Selected {
		in := world.Rect{X: e.Frame.X + 2, Y: e.Frame.Y + 2, W: e.Frame.W - 4, H: e.Frame.H - 4}
		p.round(world.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H}, 7, shadow)
		p.round(in, 7, keyWhite)
		st.weight = medium
	}
	p.text(e.Shown(), e.Frame, st)
}

// wheel draws the choices around the present one, smaller and paler with distance.
func (p painter) wheel(e *world.Element) {
	at := slices.Index(e.Look.Rows, e.Value)
	middle := e.Frame.Centre().Y
	p.round(world.Rect{X: e.Frame.X + 8, Y: middle - 17, W: e.Frame.W - 16, H: 34}, 8, segmentGrey)
	for i, text := range e.Look.Rows {
		away := float64(i - at)
		if math.Abs(away) > 2 {
			continue
		}
		row := world.Rect{X: e.Frame.X, Y: middle + 32*away - 2*away*math.Abs(away) - 16, W: e.Frame.W, H: 32}
		opacity := uint8(255 - 90*math.Abs(away))
		p.text(text, row, style{size: e.Look.Size - 2*math.Abs(away), colour: p.shade(ink, opacity), align: centre})
	}
}

// shade is a transparent colour, in light or in dark mode.
func (p painter) shade(c colour, opacity uint8) colour {
	if dark, ok := night[c]; ok && p.dark {
		c = dark
	}
	return c.withOpacity(opacity)
}

// spinner draws eight spokes with one highlighted; it turns once per second.
func (p painter) spinner(e *world.Element) {
	at := e.Frame.Centre()
	lead := int(p.time.UnixMilli()%1000) * 8 / 1000
	for i := range 8 {
		angle := float64(i) * math.Pi / 4
		dx, dy := math.Sin(angle), -math.Cos(angle)
		opacity := uint8(60 + 24*((i-lead+15)%8))
		p.shape(e.Frame, p.shade(iconGrey, opacity), func(q *pen) {
			q.polygon(at.X+5*dx-1.5*dy, at.Y+5*dy+1.5*dx, at.X+11*dx-1.5*dy, at.Y+11*dy+1.5*dx,
				at.X+11*dx+1.5*dy, at.Y+11*dy-1.5*dx, at.X+5*dx+1.5*dy, at.Y+5*dy-1.5*dx)
		})
	}
}

func (p painter) progress(e *world.Element) {
	y := e.Frame.Y + e.Frame.H/2 - 2
	p.round(world.Rect{X: e.Frame.X, Y: y, W: e.Frame.W, H: 4}, 2, trackGrey)
	p.round(world.Rect{X: e.Frame.X, Y: y, W: e.Frame.W * e.Look.Part, H: 4}, 2, blue)
}
