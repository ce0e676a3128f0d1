package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"testing"
)

// noise does not compress: the worst case for a byte cap.
func noise(w, h int) image.Image {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	seed := uint32(1)
	for i := range p.Pix {
		seed = seed*1664525 + 1013904223
		p.Pix[i] = byte(seed >> 24)
	}
	return p
}

func TestMakeFitsSizeAndFormat(t *testing.T) {
	for name, c := range map[string]struct {
		fit  Fit
		w, h int
	}{
		"as it is":               {Fit{}, 300, 600},
		"half":                   {Fit{Scale: 0.5}, 150, 300},
		"longest edge":           {Fit{Edge: 200}, 100, 200},
		"never larger":           {Fit{Edge: 5000}, 300, 600},
		"scale, then edge":       {Fit{Scale: 0.5, Edge: 100}, 50, 100},
		"jpeg":                   {Fit{Format: JPEG, Quality: 50}, 300, 600},
		"never less than a line": {Fit{Scale: 0.001}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Make(noise(300, 600), c.fit)
			if err != nil || got.Width != c.w || got.Height != c.h {
				t.Fatalf("%d×%d, %v", got.Width, got.Height, err)
			}
			read := png.Decode
			if c.fit.Format == JPEG {
				read = jpeg.Decode
			}
			if p, err := read(bytes.NewReader(got.Data)); err != nil || p.Bounds().Dx() != c.w || p.Bounds().Dy() != c.h {
				t.Errorf("what was made is no %s of that size: %v", got.MIME, err)
			}
		})
	}
}

func TestMakeStaysUnderByteLimit(t *testing.T) {
	for _, format := range []string{PNG, JPEG} {
		for _, most := range []int{200_000, 20_000, 2_000} {
			got, err := Make(noise(300, 600), Fit{Format: format, Bytes: most})
			if err != nil || len(got.Data) > most {
				t.Errorf("%s under %d: %d bytes, %v", format, most, len(got.Data), err)
			}
		}
	}
	if _, err := Make(noise(300, 600), Fit{Bytes: 10}); err == nil {
		t.Error("a picture of ten bytes was made")
	}
}

func TestTransparentPixelsBecomeWhiteInJPEG(t *testing.T) {
	got, err := Make(image.NewNRGBA(image.Rect(0, 0, 8, 8)), Fit{Format: JPEG, Quality: 100})
	if err != nil {
		t.Fatal(err)
	}
	p, err := jpeg.Decode(bytes.NewReader(got.Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := p.At(4, 4).RGBA(); min(r, g, b) < 0xf000 {
		t.Errorf("colour %v", color.RGBA64{uint16(r), uint16(g), uint16(b), 0xffff})
	}
}

func TestBlackDetectsFullyBlackPicture(t *testing.T) {
	size := image.Rect(0, 0, 3, 2)
	for _, i := range []draw.Image{image.NewRGBA(size), image.NewNRGBA(size), image.NewGray(size)} {
		draw.Draw(i, size, image.Black, image.Point{}, draw.Src)
		if !Black(i) {
			t.Errorf("%T is black", i)
		}
		i.Set(2, 1, color.White)
		if Black(i) {
			t.Errorf("%T is not black", i)
		}
	}
}
