package render

import (
	"fmt"
	"image"
	"image/color"
	"unicode"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// coded is a face that draws the hexadecimal code of a character for which its font lacks a glyph. The Go fonts have Latin, Greek and
// Cyrillic only; fonts with all scripts and emoji would be larger than the rest of the product. A reader of the picture sees which
// character it is, and that a device would draw it differently.
type coded struct {
	font.Face
	font   *opentype.Font
	digits font.Face
	em     int // in pixels

	// Cached results of the font: long texts have few different characters.
	lacking  map[rune]bool
	advances map[rune]fixed.Int26_6
	kerns    map[[2]rune]fixed.Int26_6
}

// newCoded makes a face of a font with a size in pixels.
func newCoded(f *opentype.Font, size float64) (font.Face, error) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		return nil, err
	}
	digits, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size * 0.44, DPI: 72})
	if err != nil {
		return nil, err
	}
	return coded{
		Face: face, font: f, digits: digits, em: int(size + 0.5),
		lacking: map[rune]bool{}, advances: map[rune]fixed.Int26_6{}, kerns: map[[2]rune]fixed.Int26_6{},
	}, nil
}

// lacks reports whether the font lacks a glyph for a visible character.
func (c coded) lacks(r rune) bool {
	return once(c.lacking, r, func() bool {
		var b sfnt.Buffer
		index, err := c.font.GlyphIndex(&b, r)
		return err != nil || index == 0
	})
}

// once returns the cached value for a key, or computes and caches it.
func once[K comparable, V any](known map[K]V, key K, find func() V) V {
	v, is := known[key]
	if !is {
		v = find()
		known[key] = v
	}
	return v
}

// unseen reports whether a character is invisible by itself: a joiner or a variation selector.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// GlyphAdvance is the width of the box.
func (c coded) GlyphAdvance(r rune) (fixed.Int26_6, bool) {
	return once(c.advances, r, func() fixed.Int26_6 { return c.advance(r) }), true
}

func (c coded) advance(r rune) fixed.Int26_6 {
	switch {
	case !c.lacks(r):
		wide, _ := c.Face.GlyphAdvance(r) // the font has the glyph
		return wide
	case unseen(r):
		return 0
	}
	return fixed.I(c.width(r) + c.gap())
}

// GlyphBounds are the bounds of the box, relative to the dot.
func (c coded) GlyphBounds(r rune) (fixed.Rectangle26_6, fixed.Int26_6, bool) {
	if !c.lacks(r) {
		return c.Face.GlyphBounds(r)
	}
	advance, ok := c.GlyphAdvance(r)
	return fixed.R(0, -c.height(), c.width(r), 0), advance, ok
}

// Kern is zero for boxes.
func (c coded) Kern(a, b rune) fixed.Int26_6 {
	return once(c.kerns, [2]rune{a, b}, func() fixed.Int26_6 {
		if c.lacks(a) || c.lacks(b) {
			return 0
		}
		return c.Face.Kern(a, b)
	})
}

// Glyph draws the box.
func (c coded) Glyph(dot fixed.Point26_6, r rune) (image.Rectangle, image.Image, image.Point, fixed.Int26_6, bool) {
	if !c.lacks(r) {
		return c.Face.Glyph(dot, r)
	}
	advance, _ := c.GlyphAdvance(r)
	if unseen(r) {
		return image.Rectangle{}, image.Transparent, image.Point{}, advance, true
	}
	mask := c.box(r)
	at := image.Pt(dot.X.Round(), dot.Y.Round()-c.height())
	return mask.Bounds().Add(at), mask, image.Point{}, advance, true
}

func (c coded) gap() int    { return max(1, c.em/12) }
func (c coded) height() int { return c.em }

// rows are the hexadecimal code of a character in two rows: 4E2D, 01F600.
func rows(r rune) [2]string {
	code := fmt.Sprintf("%04X", r)
	if len(code) > 4 {
		code = fmt.Sprintf("%06X", r)
	}
	return [2]string{code[:len(code)/2], code[len(code)/2:]}
}

func (c coded) width(r rune) int {
	widest := 0
	for _, row := range rows(r) {
		widest = max(widest, font.MeasureString(c.digits, row).Ceil())
	}
	return widest + 4*c.gap()
}

// box draws the code in a frame.
func (c coded) box(r rune) *image.Alpha {
	mask := image.NewAlpha(image.Rect(0, 0, c.width(r), c.height()))
	ink := image.NewUniform(color.Alpha{0xff})
	draw.Draw(mask, mask.Bounds(), ink, image.Point{}, draw.Src)
	draw.Draw(mask, mask.Bounds().Inset(max(1, c.gap()/2)), image.Transparent, image.Point{}, draw.Src)
	for i, row := range rows(r) {
		x := (mask.Bounds().Dx() - font.MeasureString(c.digits, row).Ceil()) / 2
		pen := font.Drawer{Dst: mask, Src: ink, Face: c.digits, Dot: fixed.P(x, c.height()*(11+10*i)/24)}
		pen.DrawString(row)
	}
	return mask
}
