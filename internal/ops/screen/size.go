package screen

import (
	"image"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
)

// Sized is the size of a picture that was made of one of a device's screen.
func (s *Screen) Sized(c *op.Call, info device.Info, source image.Image, made picture.Picture) picture.Size {
	return picture.SizeOf(made, source, s.scaleOf(c, info, source))
}

// scaleOf is how many pixels of a picture of the whole screen a point has; 0 when nobody knows. It does not look at the screen: a
// picture can be had when nothing else answers.
func (s *Screen) scaleOf(c *op.Call, info device.Info, source image.Image) (scale float64) {
	size := source.Bounds()
	s.d.Access.Sessions.Get(c.Session).Refs(func(r *ui.Refs) {
		if shown := r.Shown(info.UDID); shown != nil {
			scale = picture.PixelsPerPoint(shown.Viewport(), size)
			if scale == 0 { // it may have been turned since
				v := shown.Viewport()
				scale = picture.PixelsPerPoint(ui.Rect{W: v.H, H: v.W}, size)
			}
		}
	})
	if scale == 0 {
		scale = picture.UsualScale(info.Family, size)
	}
	return scale
}
