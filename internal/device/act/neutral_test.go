package act

import (
	"testing"

	"ios-agent/internal/ui"
)

// TestNeutralPointLiesOnSheet: a tap beside a sheet closes it, so a sheet without a free place has no neutral point.
func TestNeutralPointLiesOnSheet(t *testing.T) {
	node := func(kind, id string, y, h float64, children ...*ui.Node) *ui.Node {
		return &ui.Node{Type: kind, Identifier: id, Frame: ui.Rect{Y: y, W: 400, H: h}, Children: children}
	}
	for name, c := range map[string]struct {
		editor float64 // where the sheet's editor begins
		free   bool
	}{"full": {60, false}, "with a free place": {200, true}} {
		screen := ui.NewScreen("com.example.notes", "", node("Application", "", 0, 800, node("Window", "", 0, 800,
			node("Other", "PopoverDismissRegion", 0, 800),
			node("Other", "", 60, 740, node("TextView", "notes", c.editor, 800-c.editor)),
		), node("Keyboard", "", 500, 300)))
		at, ok := neutral(screen)
		if ok != c.free || ok && at.Y < 60 {
			t.Errorf("%s: neutral point = %v, %v; want one on the sheet: %v", name, at, ok, c.free)
		}
	}
}
