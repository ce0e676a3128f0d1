package ui

import "testing"

// TestMotionWithoutInputIsNotEvidence: what moved or flickered between looks without an input proves nothing later; everything else does.
func TestMotionWithoutInputIsNotEvidence(t *testing.T) {
	screen := func(starY float64, flicker bool, light string, more ...*Node) *Screen {
		star, text := at("Image", 0, starY, 40, 40), at("StaticText", 0, 100, 100, 20)
		star.Identifier, text.Identifier, text.Label = "star", "light", light
		nodes := append([]*Node{star, text}, more...)
		if flicker {
			nodes = append(nodes, at("Link", 0, 600, 40, 40))
		}
		return NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, nodes...))
	}
	refs := &Refs{}
	refs.LearnMotion("d", nil, screen(300, false, "dark"), screen(320, true, "dark"))
	if refs.AtRest("d", screen(300, false, "dark"), screen(320, true, "dark")) {
		t.Error("what came may have come for good")
	}
	refs.LearnMotion("d", nil, screen(320, true, "dark"), screen(300, false, "dark"))
	if !refs.Restless("d") || refs.Restless("other") {
		t.Error("the device that does not rest is not known")
	}
	for name, c := range map[string]struct {
		after *Screen
		rests bool
	}{
		"moved again":   {screen(340, false, "dark"), true},
		"flickers":      {screen(300, true, "dark"), true},
		"another text":  {screen(340, true, "bright"), false},
		"something new": {screen(340, true, "dark", at("Button", 0, 500, 40, 40)), false},
	} {
		if got := refs.AtRest("d", screen(300, false, "dark"), c.after); got != c.rests {
			t.Errorf("%s: at rest is %v", name, got)
		}
		if refs.AtRest("other", screen(300, false, "dark"), screen(340, false, "dark")) {
			t.Error("another device's picture moved")
		}
	}
	refs.ForgetMotion("d")
	if refs.Restless("d") || refs.AtRest("d", screen(300, false, "dark"), screen(340, false, "dark")) {
		t.Error("what rests again is still known as moving")
	}
}
