package render

import (
	"bytes"
	"image"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

func drawn(t *testing.T, text string) *image.Gray {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := newCoded(f, 51) // a label of 17 points at three pixels each
	if err != nil {
		t.Fatal(err)
	}
	p := image.NewGray(image.Rect(0, 0, 600, 80))
	pen := font.Drawer{Dst: p, Src: image.White, Face: face, Dot: fixed.P(5, 60)}
	pen.DrawString(text)
	if wide := font.MeasureString(face, text); pen.Dot.X-fixed.I(5) != wide {
		t.Errorf("%s: measured %v, drawn %v", text, wide, pen.Dot.X)
	}
	return p
}

// TestMissingGlyphsAreDrawnAsCodes: each is drawn, and differently from others: as its number in a box. What shows nothing is not.
func TestMissingGlyphsAreDrawnAsCodes(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{"中", "文", "あ", "한", "ש", "ل", "😀", "😁", "€", "Ж", "A"} {
		p := drawn(t, text)
		if before, twice := seen[string(p.Pix)]; twice {
			t.Errorf("%s looks like %s", text, before)
		}
		seen[string(p.Pix)] = text
		if bytes.Count(p.Pix, []byte{0}) == len(p.Pix) {
			t.Errorf("%s is not drawn", text)
		}
	}
	if got := rows('中'); got != [2]string{"4E", "2D"} {
		t.Errorf("%q", got)
	}
	if got := rows('😀'); got != [2]string{"01F", "600"} {
		t.Errorf("%q", got)
	}
	if !bytes.Equal(drawn(t, "A\u200d\ufe0f").Pix, drawn(t, "A").Pix) {
		t.Error("a joiner is drawn")
	}
}
