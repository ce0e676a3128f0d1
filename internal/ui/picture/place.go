package picture

import "image"

// places finds room for tags on a picture. Letters and lines differ from pixel to pixel; a tag goes where neighbouring pixels differ least.
type places struct {
	bounds image.Rectangle
	sums   []int32 // of the differences above and left of each pixel
	taken  []image.Rectangle
}

// sharp is the least difference of two neighbouring pixels that counts as drawn content.
const sharp = 24

func newPlaces(p *image.RGBA) *places {
	b := p.Bounds()
	w, h := b.Dx(), b.Dy()
	s := &places{bounds: b, sums: make([]int32, (w+1)*(h+1))}
	brightness := func(x, y int) int {
		c := p.Pix[p.PixOffset(b.Min.X+x, b.Min.Y+y):]
		return (2*int(c[0]) + 5*int(c[1]) + int(c[2])) / 8
	}
	for y := range h {
		row := int32(0)
		for x := range w {
			here := brightness(x, y)
			if x > 0 && differ(here, brightness(x-1, y)) || y > 0 && differ(here, brightness(x, y-1)) {
				row++
			}
			s.sums[(y+1)*(w+1)+x+1] = s.sums[y*(w+1)+x+1] + row
		}
	}
	return s
}

func differ(a, b int) bool { return a-b > sharp || b-a > sharp }

// drawn counts the pixels of a rectangle with drawn content.
func (s *places) drawn(r image.Rectangle) int {
	r = r.Intersect(s.bounds).Sub(s.bounds.Min)
	if r.Empty() {
		return 0
	}
	w := s.bounds.Dx() + 1
	at := func(x, y int) int { return int(s.sums[y*w+x]) }
	return at(r.Max.X, r.Max.Y) - at(r.Min.X, r.Max.Y) - at(r.Max.X, r.Min.Y) + at(r.Min.X, r.Min.Y)
}

// all places one tag for each box: above the box if requested, else where it hides least.
func (s *places) all(boxes []image.Rectangle, sizes []image.Point, above bool) []image.Rectangle {
	for i, box := range boxes {
		var best image.Rectangle
		least := -1
		for rank, corner := range around(box, sizes[i], above) {
			at := s.onPicture(corner, sizes[i])
			if cost := s.cost(at, i, boxes) + rank; least < 0 || cost < least {
				best, least = at, cost
			}
		}
		s.taken = append(s.taken, best)
	}
	return s.taken
}

func (s *places) onPicture(at, size image.Point) image.Rectangle {
	at.X = max(s.bounds.Min.X, min(at.X, s.bounds.Max.X-size.X))
	at.Y = max(s.bounds.Min.Y, min(at.Y, s.bounds.Max.Y-size.Y))
	return image.Rectangle{at, at.Add(size)}
}

// around are the possible places of a tag at a box, the best first: in its corners, at the middle of its edges, outside.
func around(box image.Rectangle, size image.Point, above bool) (corners []image.Point) {
	left, right, centre := box.Min.X, box.Max.X-size.X, (box.Min.X+box.Max.X-size.X)/2
	high, low, middle := box.Min.Y, box.Max.Y-size.Y, (box.Min.Y+box.Max.Y-size.Y)/2
	over, under := box.Min.Y-size.Y, box.Max.Y
	if above {
		return []image.Point{{left, over}}
	}
	if size.X <= box.Dx() && size.Y <= box.Dy() {
		corners = []image.Point{
			{left, high}, {right, high}, {left, low}, {right, low}, {left, middle}, {right, middle}, {centre, high}, {centre, low},
		}
	}
	return append(corners, image.Pt(left, over), image.Pt(right, over), image.Pt(box.Min.X-size.X, middle), image.Pt(box.Max.X, middle),
		image.Pt(left, under), image.Pt(right, under))
}

// The cost of hiding a pixel, by its content: another tag, another box, content outside the box, content inside it.
const (
	overTag   = 1000
	overBox   = 2
	overOther = 24
	overOwn   = 20
	outside   = 8 // a row of pixels outside the box: the tag may seem to belong to another box
)

// cost is the sum of everything that a tag would hide. A box around the tag's own box does not count as another one.
func (s *places) cost(at image.Rectangle, of int, boxes []image.Rectangle) int {
	own := s.drawn(at.Intersect(boxes[of]))
	cost := overOwn*own + overOther*(s.drawn(at)-own)
	for i, b := range boxes {
		if i != of && !boxes[of].In(b) {
			cost += overBox * area(at.Intersect(b))
		}
	}
	if !at.In(boxes[of]) {
		cost += outside * at.Dy()
	}
	for _, t := range s.taken {
		cost += overTag * area(at.Intersect(t))
	}
	return cost
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }
