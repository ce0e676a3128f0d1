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

// Box is a rectangle to draw, in points of the screen, and the name on its tag.
type Box struct {
	X, Y, W, H float64
	Name       string
}

// Marks are boxes to draw on a picture. They are drawn after the picture was scaled, so that their names are readable in any size.
type Marks struct {
	Boxes []Box
	Scale float64 // pixels of the source a point
	Above bool    // tags are placed above their boxes, whatever they hide
}

var (
	red   = color.RGBA{0xd0, 0x1c, 0x1c, 0xff}
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// The size of a tag's letters in points of the screen, with a minimum in pixels that keeps them readable.
const (
	tagPoints  = 10
	leastTag   = 11
	linePoints = 1.2
)

// typeface is parsed once: it has a hundred kilobytes.
var typeface = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gomedium.TTF) })

// annotate draws boxes over a copy of a picture with the given number of pixels a point, each with a tag that names it.
func annotate(source image.Image, m Marks, scale float64) (image.Image, error) {
	parsed, err := typeface()
	if err != nil {
		return nil, fmt.Errorf("the typeface of the tags: %w", err)
	}
	size := max(tagPoints*scale, leastTag)
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return nil, fmt.Errorf("the typeface of the tags: %w", err)
	}
	defer face.Close()
	out := image.NewRGBA(source.Bounds())
	draw.Draw(out, out.Bounds(), source, source.Bounds().Min, draw.Src)
	places := newPlaces(out)
	boxes := make([]image.Rectangle, len(m.Boxes))
	for i, b := range m.Boxes {
		boxes[i] = b.pixels(scale).Add(out.Bounds().Min)
	}
	for _, r := range boxes {
		frame(out, r, max(1, int(math.Round(linePoints*scale))))
	}
	metrics, pad := face.Metrics(), max(1, int(size/6))
	height := (metrics.Ascent + metrics.Descent).Ceil()
	for i, at := range places.all(boxes, m.sizes(face, pad, height), m.Above) { // after all frames, so that every name is readable
		draw.Draw(out, at, image.NewUniform(red), image.Point{}, draw.Src)
		pen := font.Drawer{Dst: out, Src: image.NewUniform(white), Face: face, Dot: fixed.P(at.Min.X+pad, at.Min.Y+metrics.Ascent.Ceil())}
		pen.DrawString(m.Boxes[i].Name)
	}
	return out, nil
}

// sizes are the sizes of the tags.
func (m Marks) sizes(face font.Face, pad, height int) []image.Point {
	sizes := make([]image.Point, len(m.Boxes))
	for i, b := range m.Boxes {
		sizes[i] = image.Pt(font.MeasureString(face, b.Name).Ceil()+2*pad, height)
	}
	return sizes
}

func (b Box) pixels(scale float64) image.Rectangle {
	at := func(v float64) int { return int(math.Round(v * scale)) }
	return image.Rect(at(b.X), at(b.Y), at(b.X+b.W), at(b.Y+b.H))
}

func frame(out draw.Image, r image.Rectangle, line int) {
	ink := image.NewUniform(red)
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+line)}, {image.Pt(r.Min.X, r.Max.Y-line), r.Max},
		{r.Min, image.Pt(r.Min.X+line, r.Max.Y)}, {image.Pt(r.Max.X-line, r.Min.Y), r.Max},
	} {
		draw.Draw(out, side, ink, image.Point{}, draw.Src)
	}
}
