package world

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Orientation is a device's orientation, in the words of XCUIDevice.
type Orientation string

// The orientations. Left and right give the side of the device's top, with its notch.
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

// rotateTime is the duration of a rotation.
const rotateTime = 400 * time.Millisecond

// Rotate turns a booted device and lays out its screen again. Like a real iPhone, an iPhone held upside down stays upright.
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

// landscape reports whether d's screen is in landscape. The home screen of an iPhone does not turn.
func (d *device) landscape() bool {
	turns := d.Front != "" || d.deviceType.Family != "iPhone"
	return turns && (d.Orientation == LandscapeLeft || d.Orientation == LandscapeRight)
}

// screen is the screen of d in its orientation.
func (d *device) screen() Screen {
	s := d.deviceType.Screen
	if !d.landscape() {
		return s
	}
	s.Width, s.Height = s.Height, s.Width
	if d.deviceType.Family == "iPhone" { // without a status bar; both sides stay clear of the notch
		s.Side, s.Top, s.Bottom = s.Top, 0, 21
	}
	return s
}
