package picture

import (
	"fmt"
	"image"
	"math"

	"ios-agent/internal/ui"
)

// Size is how large a picture is, and what its pixels are on the screen.
type Size struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"scale,omitempty"`  // pixels a point; absent: unknown
	Points string  `json:"points,omitempty"` // how to turn pixels into points: "pixels / 3"
}

// SizeOf is the size of a picture that was made of a source with so many pixels a point.
func SizeOf(made Picture, source image.Image, scale float64) Size {
	size := source.Bounds()
	smaller := float64(max(made.Width, made.Height)) / float64(max(size.Dx(), size.Dy()))
	s := Size{Width: made.Width, Height: made.Height, Scale: math.Round(scale*smaller*1e4) / 1e4}
	if s.Scale > 0 {
		s.Points = fmt.Sprintf("pixels / %g", s.Scale)
	}
	return s
}

// Text is the size with what its pixels are.
func (s Size) Text() string {
	if s.Points == "" {
		return fmt.Sprintf("%d×%d", s.Width, s.Height)
	}
	return fmt.Sprintf("%d×%d, points = %s", s.Width, s.Height, s.Points)
}

// PixelsPerPoint is 0 when a picture of this size does not show a screen of that size, or shows it sideways.
func PixelsPerPoint(view ui.Rect, size image.Rectangle) float64 {
	w, h := float64(size.Dx()), float64(size.Dy())
	if !view.Shows(w, h) {
		return 0
	}
	return w / view.W
}

// shortEdges are how many points Apple's screens have across, by family: the narrowest and the widest.
var shortEdges = map[string][2]float64{"iPhone": {320, 440}, "iPad": {744, 1032}, "Apple Watch": {136, 211}, "Apple TV": {1080, 1080}}

// UsualScale is the whole number of pixels a point that makes a picture as wide as a screen of its family; 0 when none does.
func UsualScale(family string, size image.Rectangle) float64 {
	short := float64(min(size.Dx(), size.Dy()))
	for scale := 1.0; scale <= 3; scale++ {
		if edges, known := shortEdges[family]; known && short >= edges[0]*scale && short <= edges[1]*scale {
			return scale
		}
	}
	return 0
}
