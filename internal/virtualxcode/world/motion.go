package world

import (
	"fmt"
	"math"
	"time"
)

// Durations. Animations are drawn; the other durations are the cost of an operation for its caller.
const (
	bootTime     = 1200 * time.Millisecond
	shutdownTime = 300 * time.Millisecond
	slideTime    = 350 * time.Millisecond // one screen over another
	sheetTime    = 400 * time.Millisecond // a sheet
	keyboardTime = 250 * time.Millisecond // the keyboard

	installCost   = 300 * time.Millisecond
	launchCost    = 400 * time.Millisecond
	terminateCost = 50 * time.Millisecond
	tapCost       = 50 * time.Millisecond
	keyCost       = 10 * time.Millisecond // a character typed

	samplePeriod = 50 * time.Millisecond // between two looks of Observe
)

// Costs describes the cost of an input and a look. The agent and AXe cost the same. Figures of different days are comparable as long as
// this text is the same.
func Costs() string {
	return fmt.Sprintf("a tap %s, a typed character %s, reading a tree nothing", tapCost, keyCost)
}

// under reports whether a change that began at since and takes d is running at now.
func under(since, now time.Time, d time.Duration) bool {
	passed := now.Sub(since)
	return passed >= 0 && passed < d
}

// progress is the progress, from 0 to 1, of a change that began at since, on the easing curve.
func progress(since, now time.Time, d time.Duration) float64 {
	if !under(since, now, d) {
		return 1
	}
	return ease(float64(now.Sub(since)) / float64(d))
}

// ease is slow at both ends, as UIKit's default curve is.
func ease(t float64) float64 {
	if t < 0.5 {
		return 4 * t * t * t
	}
	return 1 - math.Pow(2-2*t, 3)/2
}

// shift moves e and its descendants to whole pixels, so that frames at rest are exact.
func shift(e *Element, dx, dy, scale float64) {
	dx, dy = math.Round(dx*scale)/scale, math.Round(dy*scale)/scale
	for one := range e.All() {
		one.Frame.X += dx
		one.Frame.Y += dy
	}
}
