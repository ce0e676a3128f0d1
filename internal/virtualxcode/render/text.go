package render

import (
	"fmt"
	"image/color"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"ios-agent/internal/virtualxcode/world"
)

// weight is how heavy a text is.
type weight int

const (
	regular weight = iota
	medium
	bold
)

// fonts are the faces used for one picture; a face must not be shared between goroutines.
type fonts struct {
	scale float64
	fonts map[weight]*opentype.Font
	faces map[weight]map[float64]font.Face
}

func loadFonts(scale float64) (fonts, error) {
	f := fonts{scale: scale, fonts: map[weight]*opentype.Font{}, faces: map[weight]map[float64]font.Face{}}
	for w, data := range map[weight][]byte{regular: goregular.TTF, medium: gomedium.TTF, bold: gobold.TTF} {
		parsed, err := opentype.Parse(data)
		if err != nil {
			return fonts{}, fmt.Errorf("font: %w", err)
		}
		f.fonts[w] = parsed
		f.faces[w] = map[float64]font.Face{}
	}
	return f, nil
}

// face returns the face of a size in points, or nil if the size does not exist.
func (f fonts) face(w weight, size float64) font.Face {
	if face := f.faces[w][size]; face != nil {
		return face
	}
	face, err := newCoded(f.fonts[w], size*f.scale)
	if err != nil {
		return nil
	}
	f.faces[w][size] = face
	return face
}

// align is the alignment of a text in its frame.
type align float64

const (
	left   align = 0
	centre align = 0.5
	right  align = 1
)

// style is the style of a text.
type style struct {
	size   float64
	weight weight
	colour color.Color
	align  align
}

// text draws s into r, vertically centred, and returns the end of the last line.
func (c *canvas) text(s string, r world.Rect, st style) float64 {
	face := c.fonts.face(st.weight, st.size)
	if face == nil || s == "" {
		return r.X
	}
	lines := wrap(face, s, fixed.I(int(r.W*c.scale)+1))
	m := face.Metrics()
	height := m.Ascent + m.Descent
	y := fixed.I(int((r.Y+r.H/2)*c.scale)) - height.Mul(fixed.I(len(lines)))/2 + m.Ascent
	var end float64
	for _, l := range lines {
		end = c.lineOfText(face, l, r, y, st)
		y += height
	}
	return end
}

func (c *canvas) lineOfText(face font.Face, s string, r world.Rect, y fixed.Int26_6, st style) float64 {
	wide := font.MeasureString(face, s)
	x := r.X*c.scale + (r.W*c.scale-float64(wide)/64)*float64(st.align)
	d := font.Drawer{Dst: c.picture, Src: c.ink(st.colour), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: y}}
	m, seen := face.Metrics(), c.picture.Bounds()
	if (y+m.Descent).Ceil() < seen.Min.Y || (y-m.Ascent).Floor() > seen.Max.Y {
		d.Dot.X += wide // outside the visible part
	} else {
		d.DrawString(s)
	}
	return float64(d.Dot.X) / 64 / c.scale
}

// wrap breaks s at spaces into lines no wider than width, where possible.
func wrap(face font.Face, s string, width fixed.Int26_6) (lines []string) {
	var last strings.Builder // the current line
	var wide fixed.Int26_6   // its width
	for i, word := range strings.Fields(s) {
		before, _ := utf8.DecodeLastRuneInString(last.String())
		longer := wide + advance(face, before, " "+word)
		if i > 0 && longer <= width {
			last.WriteString(" " + word)
			wide = longer
			continue
		}
		if i > 0 {
			lines = append(lines, last.String())
		}
		last.Reset()
		last.WriteString(word)
		wide = font.MeasureString(face, word)
	}
	if last.Len() > 0 {
		lines = append(lines, last.String())
	}
	if len(lines) == 1 {
		return []string{s} // with the spaces at its ends
	}
	return lines
}

// advance is the additional width of a text that ends with a character.
func advance(face font.Face, before rune, s string) (wide fixed.Int26_6) {
	for _, r := range s {
		one, _ := face.GlyphAdvance(r) // a face draws every character
		wide += face.Kern(before, r) + one
		before = r
	}
	return wide
}
