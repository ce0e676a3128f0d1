package world

import (
	"math"
	"time"
)

// gesture is what a finger does.
type gesture int

// The gestures.
const (
	tapped gesture = iota
	held
	swiped
	pinched
	dragged // held first, then moved
)

// finger is one finger on the screen.
type finger struct {
	gesture  gesture
	now      time.Time
	from, to Point // the same unless it swiped
	took     time.Duration
	taps     int     // in a row, this one included
	rests    bool    // it lay still before it was lifted: what it moved does not glide on
	scale    float64 // of a pinch: how many times farther apart the fingers are at its end
}

// act answers a finger and reports whether it did; if not, the parent of the element may answer.
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

// press is an act for a tap, and for a finger that stays longer than need be.
func press(f func(finger)) act {
	return func(at finger) bool {
		if at.gesture != tapped && at.gesture != held {
			return false
		}
		f(at)
		return true
	}
}

// first is the first of several acts that answers.
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

// direction is where a swipe went, and how far.
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

// touch lets the topmost element under a finger answer it, or else its parents.
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

// topmost is the path from e to the innermost element at a point, later siblings first: they are drawn later.
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

// clipping are the types that show only part of what they contain.
var clipping = map[string]bool{"ScrollView": true, "Table": true, "CollectionView": true, "TextView": true, "WebView": true}

// Clips reports whether e shows only that part of its children that lies in its own frame.
func (e *Element) Clips() bool { return clipping[e.Type] }

// passesThrough reports whether touches beside e's children go to what is behind e. That is so of windows and containers,
// but not of screens and the keyboard.
func passesThrough(e *Element) bool {
	return e.Type == "Window" || e.Type == "Other" && e.Look.Style == ""
}
