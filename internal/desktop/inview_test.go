package desktop_test

import (
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// TestInViewClipsElementsToScrollArea: of a long list the part is meant that its scroll area shows; what is out of sight has no place to
// click.
func TestInViewClipsElementsToScrollArea(t *testing.T) {
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

// TestOverReturnsTopWindowAtPoint: input at a point reaches the window on top there, whichever element it is for; menus stand out of
// theirs.
func TestOverReturnsTopWindowAtPoint(t *testing.T) {
	at := ui.Rect{X: 10, Y: 10, W: 20, H: 20}
	row, item := &desktop.Node{Role: "AXRow", Key: "row", Bounds: &at}, &desktop.Node{Role: "AXMenuItem", Key: "item", Bounds: &at}
	window := func(key string, bounds ui.Rect, in ...*desktop.Node) *desktop.Node {
		return &desktop.Node{Role: "AXWindow", Key: key, Bounds: &bounds, Children: in}
	}
	low, high := window("low", ui.Rect{W: 100, H: 100}, row, item), window("high", ui.Rect{X: 15, W: 100, H: 100})
	tree := &desktop.Tree{Windows: []*desktop.Node{low, high}}
	for _, c := range []struct {
		of   *desktop.Node
		at   ui.Point
		want *desktop.Node
	}{
		{row, ui.Point{X: 20, Y: 20}, high}, {row, ui.Point{X: 12, Y: 20}, nil},
		{item, ui.Point{X: 20, Y: 20}, nil}, {high, ui.Point{X: 20, Y: 20}, nil},
	} {
		if got := tree.Over(c.of, c.at); got != c.want {
			t.Errorf("over %s at %v: got %+v, want %+v", c.of.Key, c.at, got, c.want)
		}
	}
	high.Hidden = true
	if got := tree.Over(row, ui.Point{X: 20, Y: 20}); got != nil {
		t.Errorf("got %+v, want nothing of a minimized window", got)
	}
}
