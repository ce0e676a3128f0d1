package act

import (
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// Spot is a place on the screen, in points or in pixels of a picture of the whole screen.
type Spot struct {
	ui.Point
	Width, Height float64 // of the picture, in pixels; 0: the spot is in points
}

// on is the spot in points of the screen. It refuses a picture with other proportions than the current screen: its rotation is unknown.
func (s Spot) on(view ui.Rect) (ui.Point, error) {
	at := s.Point
	if s.Width > 0 {
		if !view.Shows(s.Width, s.Height) {
			return at, fault.New(fault.InvalidInput, "a picture of %g×%g pixels does not show this screen, which is %g×%g points",
				s.Width, s.Height, view.W, view.H).With("field", "pixels").WithDispatch(fault.NotDispatched).
				WithHint("take a new one: %s; if that is sideways too, name an element instead", hint.Do("take_screenshot"))
		}
		at = ui.Point{X: view.X + at.X*view.W/s.Width, Y: view.Y + at.Y*view.H/s.Height}
	}
	if !view.Contains(at) {
		return at, offTheScreen(at, view)
	}
	return at, nil
}

func offTheScreen(at ui.Point, view ui.Rect) error {
	return fault.New(fault.InvalidInput, "%g, %g is not on the screen, which is %g×%g points", at.X, at.Y, view.W, view.H).
		WithDispatch(fault.NotDispatched)
}
