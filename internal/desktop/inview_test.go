package desktop_test

import (
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// TestInView: of a long list the part is meant that its scroll area shows; what is out of sight has no place to click.
func TestInView(t *testing.T) {
	node := func(role, key string, at ui.Rect, in ...*desktop.Node) *desktop.Node {
		return &desktop.Node{Role: role, Key: key, Bounds: &at, Children: in}
	}
	far := node("AXRow", "far", ui.Rect{X: 0, Y: 200, W: 100, H: 20})
	list := node("AXList", "list", ui.Rect{X: 0, Y: 10, W: 100, H: 300}, far)
	item := node("AXMenuItem", "item", ui.Rect{X: 0, Y: 500, W: 80, H: 20}) // of a menu that stands out of its window
	window := node("AXWindow", "w", ui.Rect{W: 100, H: 100}, node("AXScrollArea", "s", ui.Rect{X: 0, Y: 10, W: 100, H: 60}, list), item)
	tree := &desktop.Tree{Windows: []*desktop.Node{window}}
	if got := tree.InView(list); *got.Bounds != (ui.Rect{X: 0, Y: 10, W: 100, H: 60}) || list.Bounds.H != 300 {
		t.Errorf("%+v", got.Bounds)
	}
	if got := tree.InView(far); got.Bounds != nil || far.Bounds == nil {
		t.Errorf("%+v", got.Bounds)
	}
	for _, whole := range []*desktop.Node{item, window, {Role: "AXButton", Key: "nowhere"}} {
		if got := tree.InView(whole); got != whole {
			t.Errorf("%s: %+v", whole.Key, got)
		}
	}
}
