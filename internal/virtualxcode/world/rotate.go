package world

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Orientation is how a device is held, in the words of XCUIDevice.
type Orientation string

// The orientations. Left and right say where the top of the device is, with its cut-out.
const (
	Portrait           Orientation = "portrait"
	PortraitUpsideDown Orientation = "portraitUpsideDown"
	LandscapeLeft      Orientation = "landscapeLeft"
	LandscapeRight     Orientation = "landscapeRight"
)

// Orientations lists the orientations.
func Orientations() []Orientation {
	return []Orientation{Portrait, PortraitUpsideDown, LandscapeLeft, LandscapeRight}
}

// rotateTime is how long turning a device takes.
const rotateTime = 400 * time.Millisecond

// Rotate turns a booted device. What lies on its screen is laid out anew; a telephone held upside down stays upright,
// as a real one does.
func (w *World) Rotate(ctx context.Context, udid string, to Orientation) error {
	return w.act(ctx, udid, rotateTime, func(d *device, now time.Time) error {
		if !slices.Contains(Orientations(), to) || !slices.Contains([]string{"iPhone", "iPad"}, d.deviceType.Family) {
			return cannotRotate(d.deviceType, to)
		}
		d.note(InputRotation, finger{now: now})
		d.Orientation = to
		return nil
	})
}

// Orientation is how a device is held.
func (w *World) Orientation(udid string) (Orientation, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return "", err
	}
	return cmp.Or(d.Orientation, Portrait), nil
}

// landscape reports whether what d shows lies sideways. The home screen of a telephone does not turn.
func (d *device) landscape() bool {
	turns := d.Front != "" || d.deviceType.Family != "iPhone"
	return turns && (d.Orientation == LandscapeLeft || d.Orientation == LandscapeRight)
}

// screen is the screen of d as it is held.
func (d *device) screen() Screen {
	s := d.deviceType.Screen
	if !d.landscape() {
		return s
	}
	s.Width, s.Height = s.Height, s.Width
	if d.deviceType.Family == "iPhone" { // no status bar; the cut-out is at a side, and both sides keep clear of it
		s.Side, s.Top, s.Bottom = s.Top, 0, 21
	}
	return s
}
