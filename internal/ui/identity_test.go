package ui_test

import (
	"testing"

	"ios-agent/internal/ui"
)

// A banner of the system comes and goes by itself. Its window is not taken for the app's.
func TestABannerThatGoesIsNoChange(t *testing.T) {
	frame := ui.Rect{W: 393, H: 852}
	window := func(inside ...*ui.Node) []*ui.Node { return []*ui.Node{{Type: "Window", Frame: frame, Children: inside}} }
	app := func() *ui.Node {
		button := &ui.Node{Type: "Button", Label: "Go", Frame: ui.Rect{X: 16, Y: 300, W: 100, H: 44}}
		return &ui.Node{Type: "Application", Label: "App", Frame: frame, Children: window(button)}
	}
	banner := &ui.Node{Type: "Other", Identifier: "NotificationShortLookView", Label: "SHOP, now", Frame: ui.Rect{X: 8, Y: 59, W: 377, H: 80}}
	over := &ui.Node{Type: "Application", Label: " ", Frame: frame, Children: window(banner)}
	with := ui.NewScreen("app", "running_foreground", &ui.Node{Type: "Application", Made: true, Frame: frame, Children: []*ui.Node{app(), over}})
	without := ui.NewScreen("app", "running_foreground", app())
	for name, d := range map[string]ui.Diff{"gone": ui.Compare(with, without), "come": ui.Compare(without, with)} {
		if outcome, evidence := d.Judge(nil); outcome != ui.Unchanged {
			t.Errorf("%s: %s by %q", name, outcome, evidence)
		}
	}
}
