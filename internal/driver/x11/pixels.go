package x11

import (
	"image"
	"math/bits"
)

// Format is the memory format of pixels.
type Format struct {
	Bits, Pad int
	BigEnd    bool
	Masks     [3]uint32
}

// usualFormat is the format of nearly all servers.
var usualFormat = Format{32, 32, false, [3]uint32{0xFF0000, 0xFF00, 0xFF}}

// Pixels converts pixels to a picture; false for a format that no server has.
func Pixels(data []byte, w, h int, f Format) (*image.RGBA, bool) {
	n := f.Bits / 8
	if f.Bits != 16 && f.Bits != 24 && f.Bits != 32 || f.Pad < 8 || w <= 0 || h <= 0 {
		return nil, false
	}
	stride := (w*f.Bits + f.Pad - 1) / f.Pad * f.Pad / 8
	if len(data) < stride*h {
		return nil, false
	}
	var shift, wide [3]int
	for i, m := range f.Masks {
		if shift[i], wide[i] = bits.TrailingZeros32(m), bits.OnesCount32(m); m == 0 || wide[i] > 16 {
			return nil, false
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	if f == usualFormat {
		for y := range h {
			from, to := data[y*stride:y*stride+4*w], img.Pix[y*img.Stride:]
			for i := 0; i < len(from); i += 4 {
				to[i], to[i+1], to[i+2], to[i+3] = from[i+2], from[i+1], from[i], 255
			}
		}
		return img, true
	}
	for y := range h {
		from, to := data[y*stride:], img.Pix[y*img.Stride:]
		for x := range w {
			var p uint32
			for i := range n {
				b := uint32(from[x*n+i])
				if f.BigEnd {
					p = p<<8 | b
				} else {
					p |= b << (8 * i)
				}
			}
			for i := range 3 {
				c := p & f.Masks[i] >> shift[i]
				to[x*4+i] = byte(c * 255 / (1<<wide[i] - 1))
			}
			to[x*4+3] = 255
		}
	}
	return img, true
}
