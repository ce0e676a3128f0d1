package ui_test

import (
	"testing"

	"ios-agent/internal/ui"
)

// A banner of the system comes and goes by itself. Its window is not taken for the app's, nor does the tree that holds it take
// touches.
func TestABanner(t *testing.T) {
	frame := ui.Rect{W: 393, H: 852}
	window := func(inside ...*ui.Node) []*ui.Node {
		return []*ui.Node{{Type: "Window", Frame: frame, Children: inside}}
	}
	app := func() *ui.Node {
		button := &ui.Node{Type: "Button", Label: "Go", Frame: ui.Rect{X: 16, Y: 300, W: 100, H: 44}}
		return &ui.Node{Type: "Application", Label: "App", Frame: frame, Children: window(button)}
	}
	banner := &ui.Node{Type: "Other", Identifier: "NotificationShortLookView", Label: "SHOP", Frame: ui.Rect{X: 8, Y: 59, W: 377, H: 80}}
	over := &ui.Node{Type: "Application", Label: " ", Frame: frame, Children: window(banner)}
	both := &ui.Node{Type: "Application", Made: true, Frame: frame, Children: []*ui.Node{app(), over}}
	with := ui.NewScreen("app", "running_foreground", both)
	without := ui.NewScreen("app", "running_foreground", app())
	for n, touchable := range map[*ui.Node]bool{over: false, over.Children[0]: false, banner: true} { // beside it a finger meets the app
		if reach, why := with.Reach(n); (why == "") != touchable || n.Hittable() != touchable {
			t.Errorf("%s %q can be touched: %t, at %v", n.Type, n.Label, why == "", reach.At)
		}
	}
	for name, d := range map[string]ui.Diff{"gone": ui.Compare(with, without), "come": ui.Compare(without, with)} {
		if outcome, evidence := d.Judge(nil); outcome != ui.Unchanged {
			t.Errorf("%s: %s by %q", name, outcome, evidence)
		}
	}
}
