package ui_test

import (
	"testing"

	"ios-agent/internal/ui"
)

// A banner of the system comes and goes by itself. Its window is not taken for the app's, nor does the tree that holds it take
// touches.
func TestSystemBannerIsNotTakenForApp(t *testing.T) {
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

// TestSourceKeysKeepRefsOfEqualElements: elements that nothing else tells apart keep their refs where the source has keys for them; one
// whose label changed is the same element in a diff, but no longer what its ref meant: lists show other rows in the same elements.
func TestSourceKeysKeepRefsOfEqualElements(t *testing.T) {
	look := func(children ...*ui.Node) *ui.Screen {
		return ui.NewScreen("app", "running_foreground", &ui.Node{Type: "Application", Label: "app", Key: "root", Children: children})
	}
	field := func(key, value string) *ui.Node { return &ui.Node{Type: "TextField", Key: key, Value: value} }
	row := func(key, label string) *ui.Node { return &ui.Node{Type: "Cell", Key: key, Label: label} }
	var r ui.Refs
	name := func(s *ui.Screen) (all []string) {
		for _, n := range s.Nodes()[1:] {
			all = append(all, r.Name("device", s, n))
		}
		return all
	}
	before := look(field("a", ""), field("b", ""), row("c", "First"))
	was := name(before)
	after := look(field("new", ""), field("a", ""), field("b", "typed"), row("c", "Ninth"))
	now := name(after)
	if now[1] != was[0] || now[2] != was[1] || now[0] == was[0] {
		t.Errorf("refs %v became %v", was, now)
	}
	if _, err := r.Resolve("@"+was[2], "device", after); err == nil {
		t.Error("the ref of a row means another row")
	}
	d := ui.Compare(before, after)
	if len(d.Added) != 1 || len(d.Removed) != 0 || len(d.Changed) != 2 || d.Changed[1].Field != "label" {
		t.Errorf("%d new, %d gone, %+v", len(d.Added), len(d.Removed), d.Changed)
	}
}
