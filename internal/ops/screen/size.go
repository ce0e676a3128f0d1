package screen

import (
	"image"

	"ios-agent/internal/device"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
)

// Sized is the size of a picture that was made from a picture of a device's screen.
func (s *Screen) Sized(c *op.Call, info device.Info, source image.Image, made picture.Picture) picture.Size {
	return picture.SizeOf(made, source, s.scaleOf(c, info, source))
}

// scaleOf is the number of pixels per point in a picture of the whole screen; 0 if unknown. It does not read the screen: a picture must
// work even if the agent does not answer.
func (s *Screen) scaleOf(c *op.Call, info device.Info, source image.Image) (scale float64) {
	size := source.Bounds()
	s.d.Access.Sessions.Get(c.Session).Refs(func(r *ui.Refs) {
		if shown := r.Shown(info.UDID); shown != nil {
			scale = picture.PixelsPerPoint(shown.Viewport(), size)
			if scale == 0 { // the device may have been turned since
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
