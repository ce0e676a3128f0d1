package world

import (
	"math"
	"time"
)

// gesture is a kind of touch.
type gesture int

// The gestures.
const (
	tapped gesture = iota
	held
	swiped
	pinched
	dragged // held first, then moved
)

// finger is one touch on the screen.
type finger struct {
	gesture  gesture
	now      time.Time
	from, to Point // the end point; equal to the start unless it moved
	took     time.Duration
	taps     int     // number of consecutive taps, including this one
	rests    bool    // it rested before it was lifted, so the content does not glide
	scale    float64 // of a pinch: the ratio of the fingers' distances at the end and the beginning
}

// act handles a touch and reports whether it did; otherwise the parent of the element gets the touch.
type act func(finger) bool

// on is an act for one gesture.
func on(g gesture, f func(finger)) act {
	return func(at finger) bool {
		if at.gesture != g {
			return false
		}
		f(at)
		return true
	}
}

// press is an act for a tap, also for a tap that lasts long.
func press(f func(finger)) act {
	return func(at finger) bool {
		if at.gesture != tapped && at.gesture != held {
			return false
		}
		f(at)
		return true
	}
}

// first returns an act that tries several acts in order.
func first(acts ...act) act {
	return func(at finger) bool {
		for _, a := range acts {
			if a(at) {
				return true
			}
		}
		return false
	}
}

// direction returns the direction and the distance of a swipe.
func (f finger) direction() (string, float64) {
	dx, dy := f.to.X-f.from.X, f.to.Y-f.from.Y
	switch {
	case math.Abs(dx) > math.Abs(dy) && dx > 0:
		return "right", dx
	case math.Abs(dx) > math.Abs(dy):
		return "left", -dx
	case dy > 0:
		return "down", dy
	}
	return "up", -dy
}

// touch gives a touch to the topmost element under it, and then to its parents until one handles it.
func (v *view) touch(f finger) {
	path := topmost(v.root, f.from)
	if f.gesture == dragged {
		if v.dragAndDrop(path, f) {
			return
		}
		f.gesture = swiped // a finger that waits before it moves still scrolls
	}
	for _, e := range path {
		if stop := v.stops[e]; stop != nil && f.gesture != swiped {
			stop(f.now)
			return
		}
	}
	for i := len(path) - 1; i >= 0; i-- {
		if answer := v.acts[path[i]]; answer != nil && answer(f) {
			return
		}
	}
}

// topmost is the path from e to the innermost element at a point, later siblings first, because they are drawn on top.
func topmost(e *Element, at Point) []*Element {
	inside := e.Frame.Contains(at)
	if clipping[e.Type] && !inside {
		return nil
	}
	for _, children := range [][]*Element{e.Look.Unseen, e.Children} {
		for i := len(children) - 1; i >= 0; i-- {
			if path := topmost(children[i], at); path != nil {
				return append([]*Element{e}, path...)
			}
		}
	}
	if inside && !passesThrough(e) {
		return []*Element{e}
	}
	return nil
}

// clipping are the types that clip their content.
var clipping = map[string]bool{"ScrollView": true, "Table": true, "CollectionView": true, "TextView": true, "WebView": true}

// Clips reports whether e clips its children to its own frame.
func (e *Element) Clips() bool { return clipping[e.Type] }

// passesThrough reports whether touches outside e's children reach the elements behind e. Windows and containers pass them on, screens
// and the keyboard do not.
func passesThrough(e *Element) bool {
	return e.Type == "Window" || e.Type == "Other" && e.Look.Style == ""
}
