package picture

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Box is a rectangle to draw, in pixels, and the name on its tag.
type Box struct {
	X, Y, W, H float64
	Name       string
}

var (
	red   = color.RGBA{0xd0, 0x1c, 0x1c, 0xff}
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// typeface is read once: it is a hundred kilobytes.
var typeface = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gomedium.TTF) })

// Annotate draws boxes over a copy of a picture, each with a tag that names it above its upper left corner, or inside when
// there is no room above.
func Annotate(source image.Image, boxes []Box) (image.Image, error) {
	font, err := typeface()
	if err != nil {
		return nil, fmt.Errorf("the typeface of the tags: %w", err)
	}
	out := image.NewRGBA(source.Bounds())
	draw.Draw(out, out.Bounds(), source, source.Bounds().Min, draw.Src)
	unit := math.Max(1, float64(out.Bounds().Dx())/400) // about one point of a phone
	face, err := opentype.NewFace(font, &opentype.FaceOptions{Size: 10 * unit, DPI: 72})
	if err != nil {
		return nil, fmt.Errorf("the typeface of the tags: %w", err)
	}
	defer face.Close()
	for _, b := range boxes {
		frame(out, b, int(math.Round(1.5*unit)))
	}
	for _, b := range boxes { // over all frames, so that every name can be read
		tag(out, face, b, unit)
	}
	return out, nil
}

func (b Box) pixels() image.Rectangle {
	return image.Rect(int(math.Round(b.X)), int(math.Round(b.Y)), int(math.Round(b.X+b.W)), int(math.Round(b.Y+b.H)))
}

func frame(out draw.Image, b Box, line int) {
	r := b.pixels()
	ink := image.NewUniform(red)
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+line)}, {image.Pt(r.Min.X, r.Max.Y-line), r.Max},
		{r.Min, image.Pt(r.Min.X+line, r.Max.Y)}, {image.Pt(r.Max.X-line, r.Min.Y), r.Max},
	} {
		draw.Draw(out, side, ink, image.Point{}, draw.Src)
	}
}

func tag(out draw.Image, face font.Face, b Box, unit float64) {
	metrics := face.Metrics()
	pad := int(math.Round(2 * unit))
	width, height := font.MeasureString(face, b.Name).Ceil()+2*pad, (metrics.Ascent+metrics.Descent).Ceil()+pad
	r := b.pixels()
	at := image.Pt(max(0, min(r.Min.X, out.Bounds().Max.X-width)), r.Min.Y-height)
	if at.Y < out.Bounds().Min.Y {
		at.Y = max(out.Bounds().Min.Y, r.Min.Y)
	}
	draw.Draw(out, image.Rectangle{at, at.Add(image.Pt(width, height))}, image.NewUniform(red), image.Point{}, draw.Src)
	pen := font.Drawer{Dst: out, Src: image.NewUniform(white), Face: face, Dot: fixed.P(at.X+pad, at.Y+pad/2+metrics.Ascent.Ceil())}
	pen.DrawString(b.Name)
}
