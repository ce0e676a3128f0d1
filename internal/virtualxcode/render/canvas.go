package render

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"

	"ios-agent/internal/virtualxcode/world"
)

// canvas is a picture with coordinates in points.
type canvas struct {
	picture *image.RGBA
	scale   float64
	fonts   fonts
	dark    bool
}

func newCanvas(s world.Screen) (*canvas, error) {
	w, h := int(s.Width*s.Scale), int(s.Height*s.Scale)
	if w <= 0 || h <= 0 || w > 1<<14 || h > 1<<14 {
		return nil, fmt.Errorf("a screen of %gx%g points at scale %g cannot be drawn", s.Width, s.Height, s.Scale)
	}
	f, err := loadFonts(s.Scale)
	if err != nil {
		return nil, err
	}
	return &canvas{picture: image.NewRGBA(image.Rect(0, 0, w, h)), scale: s.Scale, fonts: f}, nil
}

// pixels is the smallest rectangle of pixels around r.
func (c *canvas) pixels(r world.Rect) image.Rectangle {
	return image.Rect(int(math.Floor(r.X*c.scale)), int(math.Floor(r.Y*c.scale)),
		int(math.Ceil((r.X+r.W)*c.scale)), int(math.Ceil((r.Y+r.H)*c.scale)))
}

// rect fills r; its edges must lie on pixel boundaries.
func (c *canvas) rect(r world.Rect, fill color.Color) {
	draw.Draw(c.picture, c.pixels(r), c.ink(fill), image.Point{}, draw.Over)
}

// ink is a colour to draw with, in light or in dark mode.
func (c *canvas) ink(fill color.Color) image.Image {
	if light, ok := fill.(colour); ok && c.dark {
		if dark, ok := night[light]; ok {
			fill = dark
		}
	}
	return image.NewUniform(fill)
}

// within is c clipped to r.
func (c *canvas) within(r world.Rect) *canvas {
	inner := *c
	inner.picture = c.picture.SubImage(c.pixels(r)).(*image.RGBA)
	return &inner
}

// round fills r with rounded corners.
func (c *canvas) round(r world.Rect, radius float64, fill color.Color) {
	c.shape(r, fill, func(p *pen) { p.round(r, radius) })
}

// ring draws the border of r inside it.
func (c *canvas) ring(r world.Rect, radius, width float64, fill color.Color) {
	c.shape(r, fill, func(p *pen) {
		p.round(r, radius)
		p.roundBack(world.Rect{X: r.X + width, Y: r.Y + width, W: r.W - 2*width, H: r.H - 2*width}, radius-width)
	})
}

// shape fills an outline, which must stay inside bounds.
func (c *canvas) shape(bounds world.Rect, fill color.Color, outline func(*pen)) {
	area := c.pixels(bounds)
	if area.Empty() || !area.Overlaps(c.picture.Bounds()) {
		return
	}
	p := &pen{raster: vector.NewRasterizer(area.Dx(), area.Dy()), scale: c.scale, origin: area.Min}
	outline(p)
	if area.In(c.picture.Bounds()) {
		p.raster.Draw(c.picture, area, c.ink(fill), image.Point{})
		return
	}
	// The rasterizer draws beyond the edge of a picture; a mask does not.
	mask := image.NewAlpha(image.Rectangle{Max: area.Size()})
	p.raster.Draw(mask, mask.Bounds(), image.Opaque, image.Point{})
	draw.DrawMask(c.picture, area, c.ink(fill), image.Point{}, mask, image.Point{}, draw.Over)
}

// fade fills r with a vertical run of colours.
func (c *canvas) fade(r world.Rect, top, bottom colour) {
	area := c.pixels(r)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		at := float64(y-area.Min.Y) / float64(max(area.Dy()-1, 1))
		strip := image.Rect(area.Min.X, y, area.Max.X, y+1)
		draw.Draw(c.picture, strip, image.NewUniform(mix(top, bottom, at)), image.Point{}, draw.Src)
	}
}

// pen draws outlines in points.
type pen struct {
	raster *vector.Rasterizer
	scale  float64
	origin image.Point
}

func (p *pen) at(x, y float64) (float32, float32) {
	return float32(x*p.scale - float64(p.origin.X)), float32(y*p.scale - float64(p.origin.Y))
}

func (p *pen) move(x, y float64) { p.raster.MoveTo(p.at(x, y)) }
func (p *pen) line(x, y float64) { p.raster.LineTo(p.at(x, y)) }

func (p *pen) curve(x1, y1, x2, y2, x, y float64) {
	ax, ay := p.at(x1, y1)
	bx, by := p.at(x2, y2)
	cx, cy := p.at(x, y)
	p.raster.CubeTo(ax, ay, bx, by, cx, cy)
}

// polygon draws a closed outline through points given as x, y, x, y, …
func (p *pen) polygon(xy ...float64) {
	p.move(xy[0], xy[1])
	for i := 2; i+1 < len(xy); i += 2 {
		p.line(xy[i], xy[i+1])
	}
	p.raster.ClosePath()
}

// bow is the relative place of a curve's control points for a quarter of a circle.
const bow = 0.5523

// round draws r clockwise.
func (p *pen) round(r world.Rect, radius float64) {
	k := min(radius, r.W/2, r.H/2)
	h := k * (1 - bow)
	l, t, e, b := r.X, r.Y, r.X+r.W, r.Y+r.H
	p.move(l+k, t)
	p.line(e-k, t)
	p.curve(e-h, t, e, t+h, e, t+k)
	p.line(e, b-k)
	p.curve(e, b-h, e-h, b, e-k, b)
	p.line(l+k, b)
	p.curve(l+h, b, l, b-h, l, b-k)
	p.line(l, t+k)
	p.curve(l, t+h, l+h, t, l+k, t)
	p.raster.ClosePath()
}

// roundBack draws r counterclockwise, which makes it a hole.
func (p *pen) roundBack(r world.Rect, radius float64) {
	k := max(min(radius, r.W/2, r.H/2), 0)
	h := k * (1 - bow)
	l, t, e, b := r.X, r.Y, r.X+r.W, r.Y+r.H
	p.move(l+k, t)
	p.curve(l+h, t, l, t+h, l, t+k)
	p.line(l, b-k)
	p.curve(l, b-h, l+h, b, l+k, b)
	p.line(e-k, b)
	p.curve(e-h, b, e, b-h, e, b-k)
	p.line(e, t+k)
	p.curve(e, t+h, e-h, t, e-k, t)
	p.raster.ClosePath()
}
