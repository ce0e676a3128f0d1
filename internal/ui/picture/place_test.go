package picture

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// TestTagsOverlapNeitherTagsNorTexts: rows with text at their left, side by side and without room between them, as a list and a form have
// them.
func TestTagsOverlapNeitherTagsNorTexts(t *testing.T) {
	for name, size := range map[string]image.Point{"upright": {400, 800}, "lying": {800, 400}} {
		t.Run(name, func(t *testing.T) {
			screen := image.NewRGBA(image.Rectangle{Max: size})
			draw.Draw(screen, screen.Bounds(), image.White, image.Point{}, draw.Src)
			var boxes, texts, tags []image.Rectangle
			var sizes []image.Point
			for y := 40; y+40 < size.Y; y += 40 {
				text := image.Rect(10, y+8, 200, y+32)
				for x := text.Min.X; x < text.Max.X; x += 4 { // letters, nearly
					draw.Draw(screen, image.Rect(x, text.Min.Y, x+2, text.Max.Y), image.Black, image.Point{}, draw.Src)
				}
				button := image.Rect(size.X-60, y+5, size.X-10, y+35)
				boxes, texts = append(boxes, image.Rect(0, y, size.X, y+40), button), append(texts, text)
				sizes = append(sizes, image.Pt(30, 14), image.Pt(30, 14))
			}
			tags = newPlaces(screen).all(boxes, sizes, false)
			for i, tag := range tags {
				if !tag.In(screen.Bounds()) || !tag.Overlaps(boxes[i].Inset(-1)) {
					t.Errorf("the tag of %v is at %v", boxes[i], tag)
				}
				for _, other := range tags[:i] {
					if tag.Overlaps(other) {
						t.Errorf("%v lies over %v", tag, other)
					}
				}
				for _, text := range texts {
					if tag.Overlaps(text) {
						t.Errorf("%v hides the text %v", tag, text)
					}
				}
			}
		})
	}
}

// TestTagsHaveOneSize: as large in both orientations, and never too small to be read.
func TestTagsHaveOneSize(t *testing.T) {
	height := func(size image.Point, f Fit) int {
		source := image.NewRGBA(image.Rectangle{Max: size})
		draw.Draw(source, source.Bounds(), image.White, image.Point{}, draw.Src)
		small := resized(source, f.Scale)
		marked, err := annotate(small, *f.Marks, f.Marks.Scale*f.Scale)
		if err != nil {
			t.Fatal(err)
		}
		box := f.Marks.Boxes[0].pixels(f.Marks.Scale * f.Scale)
		rows := 0
		for y := box.Min.Y; y < box.Max.Y-box.Dy()/4; y++ { // without the frame's lines at the left and below
			for x := box.Min.X + box.Dx()/40; x < box.Max.X-box.Dx()/4; x++ {
				if marked.At(x, y) == color.Color(red) {
					rows++
					break
				}
			}
		}
		return rows
	}
	marks := &Marks{Boxes: []Box{{X: 50, Y: 50, W: 200, H: 100, Name: "e1"}}, Scale: 3}
	upright, lying := height(image.Pt(1179, 2556), Fit{Scale: 1, Marks: marks}), height(image.Pt(2556, 1179), Fit{Scale: 1, Marks: marks})
	if upright != lying || upright < 3*tagPoints {
		t.Errorf("tags of %d and %d rows", upright, lying)
	}
	if small := height(image.Pt(1179, 2556), Fit{Scale: 0.2, Marks: marks}); small < leastTag {
		t.Errorf("a tag of %d rows on a small picture", small)
	}
}
