package desktop

import (
	"image"
	"image/draw"
	"math"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// WindowOf is the window that an element is in; nil when the tree does not have it.
func (t *Tree) WindowOf(n *Node) *Node {
	for _, w := range t.Windows {
		if within := !w.Walk(func(other *Node) bool { return other.Key != n.Key }); within {
			return w
		}
	}
	return nil
}

// Crop is the part of a window's picture that shows an element. Pixels a point are worked out for each axis: they may differ.
func Crop(picture image.Image, window ui.Rect, n *Node) (image.Image, error) {
	refuse := func(says string) error {
		return fault.New(fault.ScreenshotFailed, "%s", says).With("id", n.ID).
			WithHint("take the picture without %s, or of a visible element", hint.Field("id"))
	}
	size := picture.Bounds()
	switch {
	case n.Bounds == nil:
		return nil, refuse("Element has no bounds for screenshot")
	case n.Bounds.W <= 0 || n.Bounds.H <= 0:
		return nil, refuse("Element has zero size")
	case window.W <= 0 || window.H <= 0 || size.Empty():
		return nil, refuse("Window has zero size")
	}
	b := *n.Bounds
	if b.X < window.X || b.Y < window.Y || b.X >= window.X+window.W || b.Y >= window.Y+window.H {
		return nil, refuse("Element is outside the window")
	}
	sx, sy := float64(size.Dx())/window.W, float64(size.Dy())/window.H
	at := image.Rect(
		int(math.Floor((b.X-window.X)*sx)), int(math.Floor((b.Y-window.Y)*sy)),
		int(math.Ceil((b.X+b.W-window.X)*sx)), int(math.Ceil((b.Y+b.H-window.Y)*sy)),
	).Add(size.Min).Intersect(size)
	if at.Empty() {
		return nil, refuse("Element is outside the window")
	}
	out := image.NewRGBA(image.Rect(0, 0, at.Dx(), at.Dy()))
	draw.Draw(out, out.Bounds(), picture, at.Min, draw.Src)
	return out, nil
}
