package outline_test

import (
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/uitree"
)

// shelf is a list of rows without names: what it is, what it costs, a button.
func shelf(goods ...string) *ui.Node {
	list := &ui.Node{Type: "CollectionView", Identifier: "shelf", Frame: ui.Rect{Y: 100, W: 400, H: 600}}
	for i, name := range goods {
		y := 100 + float64(i)*50
		cell := &ui.Node{Type: "Cell", Frame: ui.Rect{Y: y, W: 400, H: 50}}
		cell.Children = []*ui.Node{at(text(name), y+5), at(text("€"+name[:1]), y+10), button("Add "+name, y+15)}
		list.Children = append(list.Children, cell)
	}
	return list
}

func told(before, after *ui.Node) []string {
	return outline.Changes(ui.Compare(screen(before), screen(after)), phone, &ui.Refs{})
}

func TestSimilarAddedRowsAreFolded(t *testing.T) {
	got := told(login(), app(bar("Shop"), shelf("Tea", "Mug", "Jam", "Cup")))
	want := []string{
		`~ screen: "Sign in" → "Shop"`,
		`+ grid "shelf" [ref=e1]`,
		`+ "Tea", "€T", button "Add Tea" [ref=e2]`,
		`+ "Mug", "€M", button "Add Mug" [ref=e3]`,
		`+ 2 more like this: "Add Jam" [ref=e4], "Add Cup" [ref=e5]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Mug and Milk cost the same: what Milk costs came with Milk, though a text like it was there before.
func TestAddedRowIncludesItsTexts(t *testing.T) {
	got := told(app(bar("Shop"), shelf("Mug", "Tea")), app(bar("Shop"), shelf("Tea", "Milk")))
	want := []string{`- text "Mug", text "€M", button "Add Mug"`, `+ "Milk", "€M", button "Add Milk" [ref=e1]`}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Four texts to read are named, as their dots would be as long.
func TestFourFoldedTextsAreNamed(t *testing.T) {
	list := shelf("A", "B", "C", "D", "E", "F")
	for _, row := range list.Children {
		row.Children = row.Children[:1]
	}
	if got := strings.Join(told(login(), app(bar("Shop"), list)), "\n"); !strings.Contains(got, `4 more like this: "C", "D", "E", "F"`) {
		t.Error(got)
	}
}

// Three rows are told whole: folding one would save nothing.
func TestFewAddedRowsAreListedInFull(t *testing.T) {
	if got := strings.Join(told(login(), app(bar("Shop"), shelf("Tea", "Mug", "Jam"))), "\n"); strings.Contains(got, "more like this") {
		t.Error(got)
	}
}

// A row in another state is no row like the ones before: what is different about it is told.
func TestDifferentRowIsListedInFull(t *testing.T) {
	goods := shelf("Tea", "Mug", "Jam", "Cup", "Pot")
	goods.Children[3].Children[2].Disabled = true
	got := strings.Join(told(login(), app(bar("Shop"), goods)), "\n")
	if !strings.Contains(got, `button "Add Cup" [ref=e5] [disabled]`) {
		t.Error(got)
	}
}

func TestElementsRemovedTogetherAreCounted(t *testing.T) {
	got := told(app(bar("Shop"), shelf("Tea", "Mug", "Jam", "Cup", "Pot")), app(bar("Shop"), shelf("Mug")))
	want := []string{`- 4 of grid "shelf" [ref=e1]: "Tea", "Jam", "Cup", …`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestChangesOfOneElementAreOneLine(t *testing.T) {
	before, after := login(), login()
	find(t, before, "login").Focused = true
	find(t, after, "email").Value, find(t, after, "email").Focused = "x", true
	got := told(before, after)
	want := []string{`~ textbox "Email" [ref=e1] value: "" → "x", focused`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestEveryActionableAdditionHasRef: however a diff is shortened, an agent can act on all that came.
func TestEveryActionableAdditionHasRef(t *testing.T) {
	for seed := range uint64(200) {
		f := uitree.NewForest(seed)
		refs := &ui.Refs{}
		root, _ := f.Draw()
		before := screen(root)
		for range 10 {
			f.Change()
			root, _ := f.Draw()
			after := screen(root)
			d := ui.Compare(before, after)
			lines := strings.Join(outline.Changes(d, phone, refs), "\n")
			for _, n := range d.Added {
				if n.Hittable() && n.Role() == "button" && !strings.Contains(lines, "[ref="+refs.Name(phone, after, n)+"]") {
					t.Fatalf("seed %d: %s [ref=%s] is not told:\n%s", seed, n.Describe(), refs.Name(phone, after, n), lines)
				}
			}
			before = after
		}
	}
}

// TestKeyboardLineNamesCoveredElements: a tap under the keyboard would be refused, so the answer that brings the keyboard names what lies
// there.
func TestKeyboardLineNamesCoveredElements(t *testing.T) {
	keyboard := &ui.Node{Type: "Keyboard", Frame: ui.Rect{Y: 500, W: 400, H: 300}}
	for name, c := range map[string]struct {
		below []*ui.Node
		want  string
	}{
		"nothing": {nil, "+ keyboard"},
		"one":     {[]*ui.Node{button("Send", 600)}, `+ keyboard over button "Send" [ref=e1]`},
		"many": {[]*ui.Node{button("A", 520), button("B", 580), button("C", 640), button("D", 700)},
			`+ keyboard over button "A" [ref=e1], button "B" [ref=e2], 2 more`},
	} {
		page := append([]*ui.Node{bar("Compose"), button("Attach", 200)}, c.below...)
		got := told(app(page...), app(append(slices.Clone(page), keyboard)...))
		if want := []string{c.want}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestNewScreenIsOneLinePlusElements(t *testing.T) {
	lines := outline.Changes(ui.Compare(screen(login()), screen(app(bar("Shop"), button("Buy", 100)))), phone, &ui.Refs{})
	want := []string{`~ screen: "Sign in" → "Shop"`, `+ button "Buy" [ref=e1]`}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
}
