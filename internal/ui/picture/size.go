package picture

import (
	"fmt"
	"image"
	"math"

	"ios-agent/internal/ui"
)

// Size is the size of a picture, and the relation of its pixels to points.
type Size struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"scale,omitempty"`  // pixels a point; absent: unknown
	Points string  `json:"points,omitempty"` // how to turn pixels into points: "pixels / 3"
}

// SizeOf is the size of a picture whose source has the given number of pixels a point.
func SizeOf(made Picture, source image.Image, scale float64) Size {
	size := source.Bounds()
	smaller := float64(max(made.Width, made.Height)) / float64(max(size.Dx(), size.Dy()))
	s := Size{Width: made.Width, Height: made.Height, Scale: math.Round(scale*smaller*1e4) / 1e4}
	if s.Scale > 0 {
		s.Points = fmt.Sprintf("pixels / %g", s.Scale)
	}
	return s
}

// Text is the size and the relation to points.
func (s Size) Text() string {
	if s.Points == "" {
		return fmt.Sprintf("%d×%d", s.Width, s.Height)
	}
	return fmt.Sprintf("%d×%d, points = %s", s.Width, s.Height, s.Points)
}

// PixelsPerPoint is the picture's scale on a screen; 0 if the proportions differ or the picture is sideways.
func PixelsPerPoint(view ui.Rect, size image.Rectangle) float64 {
	w, h := float64(size.Dx()), float64(size.Dy())
	if !view.Shows(w, h) {
		return 0
	}
	return w / view.W
}

// shortEdges are the widths of Apple's screens in points, by family: the narrowest and the widest.
var shortEdges = map[string][2]float64{"iPhone": {320, 440}, "iPad": {744, 1032}, "Apple Watch": {136, 211}, "Apple TV": {1080, 1080}}

// UsualScale is the whole number of pixels a point that gives a picture the width of a screen of its family; 0 if none fits.
func UsualScale(family string, size image.Rectangle) float64 {
	short := float64(min(size.Dx(), size.Dy()))
	for scale := 1.0; scale <= 3; scale++ {
		if edges, known := shortEdges[family]; known && short >= edges[0]*scale && short <= edges[1]*scale {
			return scale
		}
	}
	return 0
}
