// Package picture converts screenshots: Make changes size, format and quality by a Fit, below a maximum number of bytes, and draws Marks.
// It exists because a screenshot of several megabytes is too large for the context of many models.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"

	"golang.org/x/image/draw"
)

// Formats are the formats that Make can write.
const (
	PNG  = "png"
	JPEG = "jpeg"
)

// Fit describes the wanted picture. The zero value keeps the size and writes PNG.
type Fit struct {
	Format  string  // PNG or JPEG; empty is PNG
	Scale   float64 // of both edges; 0 is 1
	Quality int     // of a JPEG, 1 to 100; 0 is 85
	Edge    int     // maximum of the longest edge in pixels; 0: any
	Bytes   int     // maximum size; 0: any
	Marks   *Marks  // drawn on it; nil: none
}

// Picture is an encoded picture.
type Picture struct {
	Data          []byte
	Width, Height int
	MIME          string
}

const usualQuality = 85

// Black reports whether a picture shows nothing: every pixel is black.
func Black(i image.Image) bool {
	switch i := i.(type) { // the usual forms of screens; the general way takes half a second
	case *image.RGBA:
		return black(i.Pix)
	case *image.NRGBA:
		return black(i.Pix)
	}
	size := i.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			if r, g, b, _ := i.At(x, y).RGBA(); r|g|b != 0 {
				return false
			}
		}
	}
	return true
}

// black examines pixels of four bytes, the last of which is the alpha value.
func black(pix []byte) bool {
	for i := 0; i+3 < len(pix); i += 4 {
		if pix[i]|pix[i+1]|pix[i+2] != 0 {
			return false
		}
	}
	return true
}

// Make fits a picture. If it is too large in bytes, Make lowers the quality (JPEG) and then the size until it fits; the error says when
// that is impossible.
func Make(source image.Image, f Fit) (Picture, error) {
	if f.Quality == 0 {
		f.Quality = usualQuality
	}
	if f.Scale == 0 {
		f.Scale = 1
	}
	size := source.Bounds()
	scale := f.Scale
	if longest := float64(max(size.Dx(), size.Dy())) * scale; f.Edge > 0 && longest > float64(f.Edge) {
		scale *= float64(f.Edge) / longest
	}
	for quality := f.Quality; ; {
		made, err := f.draw(source, scale, quality)
		switch {
		case err != nil:
			return Picture{}, err
		case f.Bytes == 0 || len(made.Data) <= f.Bytes:
			return made, nil
		case made.Width == 1 && made.Height == 1:
			return Picture{}, fmt.Errorf("no picture fits into %d bytes", f.Bytes)
		case f.Format == JPEG && quality > 40:
			quality = max(40, quality-15)
		default: // the remaining excess says how much smaller it must be
			scale *= min(0.9, math.Sqrt(float64(f.Bytes)/float64(len(made.Data))))
		}
	}
}

// draw is one attempt: a picture of this size and quality.
func (f Fit) draw(source image.Image, scale float64, quality int) (Picture, error) {
	small := resized(source, scale)
	if f.Marks != nil {
		var err error
		if small, err = annotate(small, *f.Marks, f.Marks.Scale*scale); err != nil {
			return Picture{}, err
		}
	}
	return encode(small, f.Format, quality)
}

func resized(source image.Image, scale float64) image.Image {
	size := source.Bounds()
	if scale == 1 {
		return source
	}
	w := max(1, int(math.Round(float64(size.Dx())*scale)))
	h := max(1, int(math.Round(float64(size.Dy())*scale)))
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), source, size, draw.Src, nil)
	return small
}

func encode(source image.Image, format string, quality int) (Picture, error) {
	var out bytes.Buffer
	made := Picture{Width: source.Bounds().Dx(), Height: source.Bounds().Dy(), MIME: "image/png"}
	var err error
	if format == JPEG {
		made.MIME = "image/jpeg"
		err = jpeg.Encode(&out, opaque(source), &jpeg.Options{Quality: quality})
	} else {
		err = png.Encode(&out, source)
	}
	made.Data = out.Bytes()
	return made, err
}

// opaque puts a picture with transparent parts (the corners of a screen) on white: a JPEG has no alpha channel and would show them black.
func opaque(source image.Image) image.Image {
	if o, ok := source.(interface{ Opaque() bool }); ok && o.Opaque() {
		return source
	}
	flat := image.NewRGBA(source.Bounds())
	draw.Draw(flat, flat.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), source, source.Bounds().Min, draw.Over)
	return flat
}
