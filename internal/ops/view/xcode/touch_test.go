package xcode

import (
	gotest "testing" // the package has a type of that name

	"ios-agent/internal/ui"
)

// TestGesturePresetsMatchAXePoints: the points are those that AXe prints for a screen of its usual size.
func TestGesturePresetsMatchAXePoints(t *gotest.T) {
	want := map[string][2]ui.Point{
		"scroll-up":              {{X: 195, Y: 522}, {X: 195, Y: 322}},
		"scroll-down":            {{X: 195, Y: 322}, {X: 195, Y: 522}},
		"scroll-left":            {{X: 295, Y: 422}, {X: 95, Y: 422}},
		"scroll-right":           {{X: 95, Y: 422}, {X: 295, Y: 422}},
		"swipe-from-left-edge":   {{X: 20, Y: 422}, {X: 370, Y: 422}},
		"swipe-from-right-edge":  {{X: 370, Y: 422}, {X: 20, Y: 422}},
		"swipe-from-top-edge":    {{X: 195, Y: 20}, {X: 195, Y: 824}},
		"swipe-from-bottom-edge": {{X: 195, Y: 824}, {X: 195, Y: 20}},
	}
	if len(presets) != len(want) {
		t.Errorf("there are %d presets", len(presets))
	}
	for name, points := range want {
		if from, to := presets[preset(name)](390, 844); from != points[0] || to != points[1] {
			t.Errorf("%s goes from %v to %v, want %v", name, from, to, points)
		}
	}
}
