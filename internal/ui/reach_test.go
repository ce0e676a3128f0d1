package ui

import "testing"

func at(kind string, x, y, w, h float64, children ...*Node) *Node {
	return &Node{Type: kind, Label: kind, Frame: Rect{x, y, w, h}, Children: children}
}

func TestReachFindsTouchPointOrReason(t *testing.T) {
	screen := func(nodes ...*Node) *Screen {
		return NewScreen("a", "running_foreground", at("Application", 0, 0, 400, 800, nodes...))
	}
	for name, c := range map[string]struct {
		node   *Node
		others []*Node
		method string
		at     Point
		why    string
	}{
		"plain":                {node: at("Button", 0, 100, 100, 40), method: AtCentre, at: Point{50, 120}},
		"wide switch":          {node: at("Switch", 0, 100, 400, 44), method: AtKnob, at: Point{368, 122}},
		"narrow switch":        {node: at("Switch", 300, 100, 51, 31), method: AtCentre, at: Point{326, 116}},
		"in the lowest strip":  {node: at("Button", 0, 740, 400, 60), method: AboveGesture, at: Point{200, 753}},
		"wholly in the strip":  {node: at("Button", 0, 770, 400, 30), method: AtCentre, at: Point{200, 785}},
		"covered at its heart": {node: at("Button", 0, 100, 400, 100), others: []*Node{at("Keyboard", 150, 100, 100, 100)}, method: AtVisible},
		"covered all over": {node: at("Button", 0, 100, 100, 40), others: []*Node{at("Sheet", 0, 0, 400, 800)},
			why: `it is covered by dialog "Sheet"`},
		"off the screen":      {node: at("Button", 0, 900, 100, 40), why: "it is off the screen"},
		"half off the screen": {node: at("Button", -100, 100, 160, 40), method: AtVisible},
		"disabled":            {node: &Node{Type: "Button", Disabled: true, Frame: Rect{0, 0, 10, 10}}, why: "it is disabled"},
	} {
		t.Run(name, func(t *testing.T) {
			s := screen(append([]*Node{c.node}, c.others...)...)
			got, why := s.Reach(c.node)
			if why != c.why || got.Method != c.method {
				t.Fatalf("got %+v, %q", got, why)
			}
			if c.at != (Point{}) && got.At != c.at {
				t.Errorf("at %v", got.At)
			}
			if why == "" && (!c.node.seen.Contains(got.At) || s.over(c.node, got.At) != nil) {
				t.Errorf("a tap at %v would miss", got.At)
			}
		})
	}
	tab := at("Button", 0, 750, 100, 50)
	s := screen(at("TabBar", 0, 750, 400, 50, tab))
	if got, _ := s.Reach(tab); got.Method != AtCentre {
		t.Errorf("a tab: %+v", got)
	}
}
