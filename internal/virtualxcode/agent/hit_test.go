package agent

import (
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/world"
)

func TestHittableRequiresVisibleUncoveredElement(t *testing.T) {
	screen := world.Rect{W: 390, H: 844}
	centre := world.Rect{X: 100, Y: 300, W: 200, H: 50}
	under := func(later ...*world.Element) *world.Element {
		target := &world.Element{Type: "Button", Identifier: "target", Frame: centre}
		page := &world.Element{Type: "Other", Frame: screen, Children: append([]*world.Element{target}, later...)}
		return &world.Element{Type: "Application", Frame: screen, Children: []*world.Element{page}}
	}
	in := func(parent, frame world.Rect) *world.Element {
		target := &world.Element{Type: "Cell", Identifier: "target", Frame: frame}
		table := &world.Element{Type: "Table", Frame: parent, Children: []*world.Element{target}}
		return &world.Element{Type: "Application", Frame: screen, Children: []*world.Element{table}}
	}
	for name, c := range map[string]struct {
		root *world.Element
		want bool
	}{
		"alone":             {under(), true},
		"under a view":      {under(&world.Element{Type: "Image", Frame: centre}), false},
		"beside a view":     {under(&world.Element{Type: "Image", Frame: world.Rect{X: 100, Y: 330, W: 9, H: 9}}), true},
		"under scaffolding": {under(&world.Element{Type: "Other", Frame: screen}), true},
		"under something in it": {under(&world.Element{Type: "Other", Frame: screen,
			Children: []*world.Element{{Type: "Key", Frame: centre}}}), false},
		"under another screen":      {under(&world.Element{Type: "Other", Frame: screen, Look: world.Look{Style: "screen"}}), false},
		"behind an alert elsewhere": {under(&world.Element{Type: "Alert", Frame: world.Rect{Y: 700, W: 100, H: 50}}), false},
		"before earlier siblings": {&world.Element{Type: "Application", Frame: screen, Children: []*world.Element{
			{Type: "Image", Frame: screen}, {Type: "Button", Identifier: "target", Frame: centre}}}, true},
		"off the screen":       {in(world.Rect{Y: 800, W: 390, H: 400}, world.Rect{Y: 900, W: 390, H: 50}), false},
		"scrolled out of view": {in(world.Rect{Y: 100, W: 390, H: 400}, world.Rect{Y: 50, W: 390, H: 50}), false},
		"half out of view":     {in(world.Rect{Y: 100, W: 390, H: 400}, world.Rect{Y: 90, W: 390, H: 50}), true},
		"without area":         {in(screen, world.Rect{X: 10, Y: 10, W: 10}), false},
	} {
		t.Run(name, func(t *testing.T) {
			at := newQuery("target", false, "").find(c.root)
			if got := (found{at, true}).hittable(); got != c.want {
				t.Errorf("hittable is %v", got)
			}
			if (found{at, false}).hittable() {
				t.Error("hittable in the background")
			}
		})
	}
}

func TestSelectorIndexIsParsed(t *testing.T) {
	for in, want := range map[string]query{
		"row":      {base: "row"},
		"row[2]":   {base: "row", index: 2},
		"row[007]": {base: "row", index: 7},
		"a[1][2]":  {base: "a[1]", index: 2},
		"row[]":    {base: "row[]"},
		"row[x]":   {base: "row[x]"},
		"row[-1]":  {base: "row[-1]"},
		"row[+1]":  {base: "row[+1]"},
		"row[1":    {base: "row[1"},
		"row1]":    {base: "row1]"},
		"row[1] ":  {base: "row[1] "},
		"":         {},
	} {
		if got := newQuery(in, false, ""); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}

func TestElementTypeNamesAreComplete(t *testing.T) {
	if n := len(strings.Fields(typeNames)); n != 83 {
		t.Errorf("%d type names, want 83", n)
	}
}
