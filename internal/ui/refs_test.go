package ui_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
)

func reason(err error) any { return fault.From(err).Details["reason"] }

func TestRefSurvivesRedrawing(t *testing.T) {
	refs := &ui.Refs{}
	first := screen(login())
	ref := refs.Name(phone, first, find(t, first.Root, "login"))
	redrawn := login()
	find(t, redrawn, "login").Label = "Continue" // its developer's identifier stays
	redrawn.Children[0].Children[0].Children = append([]*ui.Node{at(text("Banner"), 70)}, redrawn.Children[0].Children[0].Children...)
	second := screen(redrawn)
	n, err := refs.Resolve(ref, phone, second)
	if err != nil || n.Label != "Continue" {
		t.Fatalf("%v", err)
	}
	if again := refs.Name(phone, second, n); again != ref {
		t.Errorf("%s became %s", ref, again)
	}
}

func TestRefIsRefusedWhenUncertain(t *testing.T) {
	first := screen(app(bar("Notes"), button("Delete", 100)))
	given := func() (*ui.Refs, string) {
		refs := &ui.Refs{}
		return refs, refs.Name(phone, first, find(t, first.Root, "Delete"))
	}
	for want, s := range map[string]*ui.Screen{
		"gone":      screen(app(bar("Notes"), button("Share", 100))),
		"ambiguous": screen(app(bar("Notes"), button("Delete", 100), button("Delete", 150))),
	} {
		refs, ref := given()
		if _, err := refs.Resolve(ref, phone, s); !fault.Is(err, fault.RefExpired) || reason(err) != want {
			t.Errorf("%s: %v (%v)", want, err, reason(err))
		}
		// What was in doubt once stays so: the Delete that is left may be the other one.
		if _, err := refs.Resolve(ref, phone, first); (err == nil) != (want != "ambiguous") {
			t.Errorf("after %s, back on its screen: %v", want, err)
		}
	}
	refs, ref := given()
	other := ui.NewScreen("com.other", "running_foreground", app(bar("Notes"), button("Delete", 100)))
	if _, err := refs.Resolve(ref, phone, other); !fault.Is(err, fault.AppNotInFront) {
		t.Errorf("another app: %v", err)
	}
	if _, err := refs.Resolve(ref, "UDID-2", first); reason(err) != "foreign" {
		t.Errorf("another device: %v", err)
	}
	if _, err := refs.Resolve("e99", phone, first); reason(err) != "unknown" {
		t.Errorf("never given out: %v", err)
	}
	// The same words on another screen are another button.
	if _, err := refs.Resolve(ref, phone, screen(app(bar("Photos"), button("Delete", 100)))); reason(err) != "gone" {
		t.Errorf("another screen's Delete: %v", err)
	}
}

// TestRefDoesNotMoveToRemainingRow: the row that is left when its twin is removed is not the twin.
func TestRefDoesNotMoveToRemainingRow(t *testing.T) {
	row := func(label string, y float64) *ui.Node {
		return at(&ui.Node{Type: "Button", Identifier: "remove", Label: label}, y)
	}
	refs := &ui.Refs{}
	two := screen(app(bar("Cart"), row("Remove tea", 100), row("Remove mug", 150)))
	tea := refs.Name(phone, two, find(t, two.Root, "Remove tea"))
	one := screen(app(bar("Cart"), row("Remove mug", 100)))
	if n, err := refs.Resolve(tea, phone, one); err == nil {
		t.Errorf("the ref of tea now means %q", n.Label)
	}
}

// TestIdenticalElementRefsExpireOnChange: elements that nothing tells apart can be used while the screen is the very same, and not after.
func TestIdenticalElementRefsExpireOnChange(t *testing.T) {
	list := func() *ui.Node { return app(bar("List"), button("Edit", 100), button("Edit", 150)) }
	refs := &ui.Refs{}
	s := screen(list())
	var names []string
	s.Root.Walk(func(n *ui.Node) bool {
		if n.Label == "Edit" {
			names = append(names, refs.Name(phone, s, n))
		}
		return true
	})
	same := screen(list())
	if n, err := refs.Resolve(names[1], phone, same); err != nil || n.Frame.Y != 150 {
		t.Errorf("the same screen: %v", err)
	}
	inserted := list()
	inserted.Children[0].Children[0].Children = append(inserted.Children[0].Children[0].Children, button("Edit", 50))
	changed := screen(inserted)
	if _, err := refs.Resolve(names[1], phone, changed); reason(err) != "ambiguous" {
		t.Errorf("a third twin appeared: %v", err)
	}
	changed.Root.Walk(func(n *ui.Node) bool {
		if n.Label == "Edit" {
			if fresh := refs.Name(phone, changed, n); fresh == names[0] || fresh == names[1] {
				t.Errorf("%s was given to another element", fresh)
			}
		}
		return true
	})
	if _, err := refs.Resolve(names[1], phone, screen(list())); err == nil {
		t.Error("a ref that was once uncertain became certain again")
	}
}

// TestRefsFindTheirRowsUnderRandomChange mutates a list of labelled and identified rows at random. Rows carry a serial number that
// refs know nothing of; a ref that still resolves must find the row it was given for.
func TestRefsFindTheirRowsUnderRandomChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	refs := &ui.Refs{}
	type row struct {
		serial int
		label  string // unique while the row lives and never used again, as in a list of things
	}
	var rows []row
	serial := 0
	given := map[string]int{} // ref → serial
	for step := range 400 {
		switch at := random.IntN(len(rows) + 1); {
		case len(rows) < 3 || random.IntN(3) == 0 && len(rows) < 60:
			serial++
			rows = append(rows[:at:at], append([]row{{serial, fmt.Sprintf("Row %d", serial)}}, rows[at:]...)...)
		case random.IntN(2) == 0 && at < len(rows):
			rows = append(rows[:at:at], rows[at+1:]...)
		default:
			random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		}
		children := []*ui.Node{bar("List")}
		bySerial := map[*ui.Node]int{}
		for i, r := range rows {
			n := button(r.label, float64(100+i*10))
			if r.serial%3 == 0 {
				n.Identifier = fmt.Sprintf("row-%d", r.serial)
			}
			children = append(children, n)
			bySerial[n] = r.serial
		}
		s := screen(app(children...))
		tried := 0
		for ref, want := range given { // a random few, as maps go: most are dead rows' by now
			if tried++; tried > 30 {
				break
			}
			if n, err := refs.Resolve(ref, phone, s); err == nil && bySerial[n] != want {
				t.Fatalf("step %d: ref %s of row %d now means row %d", step, ref, want, bySerial[n])
			}
		}
		for n, number := range bySerial {
			ref := refs.Name(phone, s, n)
			if old, ok := given[ref]; ok && old != number {
				t.Fatalf("step %d: ref %s was row %d's and is row %d's", step, ref, old, number)
			}
			given[ref] = number
		}
	}
}

// TestSharedIdentifierDoesNotIdentifyElement: once other elements were seen to carry a developer's name, the name alone does
// not say which one is left.
func TestSharedIdentifierDoesNotIdentifyElement(t *testing.T) {
	row := func(label string) *ui.Node {
		return at(&ui.Node{Type: "Button", Identifier: "remove", Label: label}, 100)
	}
	show := func(labels ...string) *ui.Screen {
		nodes := []*ui.Node{bar("Cart")}
		for _, l := range labels {
			nodes = append(nodes, row(l))
		}
		return screen(app(nodes...))
	}
	refs := &ui.Refs{}
	alone := show("tea")
	tea := refs.Name(phone, alone, find(t, alone.Root, "tea"))
	outline.Of(show("mug", "cup"), outline.Choice{}, phone, refs)
	if n, err := refs.Resolve(tea, phone, show("pot")); err == nil {
		t.Errorf("the ref of tea now means %s", n.Label)
	}

	refs = &ui.Refs{}
	outline.Of(show("tea", "mug"), outline.Choice{}, phone, refs)
	alone = show("tea")
	tea = refs.Name(phone, alone, find(t, alone.Root, "tea"))
	if n, err := refs.Resolve(tea, phone, show("mug")); err == nil {
		t.Errorf("the ref of tea now means %s, which has one of its own", n.Label)
	}
}

// TestRemainingRowKeepsItsRef: removing one of two rows with one identifier says nothing against the other.
func TestRemainingRowKeepsItsRef(t *testing.T) {
	row := func(label string) *ui.Node {
		return at(&ui.Node{Type: "Button", Identifier: "remove", Label: label}, 100)
	}
	refs := &ui.Refs{}
	two := screen(app(bar("Cart"), row("tea"), row("mug")))
	mug := refs.Name(phone, two, find(t, two.Root, "mug"))
	one := screen(app(bar("Cart"), row("mug")))
	if n, err := refs.Resolve(mug, phone, one); err != nil || refs.Name(phone, one, n) != mug {
		t.Errorf("%v", err)
	}
	if lines := outline.Changes(ui.Compare(two, one), phone, refs); len(lines) != 1 || lines[0] != `- button "tea"` {
		t.Errorf("the diff is %q", lines)
	}
}

// TestInventedRefIsAlwaysRefused: a ref that somebody made up does not begin to mean something later.
func TestInventedRefIsAlwaysRefused(t *testing.T) {
	refs := &ui.Refs{}
	s := screen(login())
	for range 2 {
		if _, err := refs.Resolve("@e2", phone, s); !fault.Is(err, fault.RefExpired) {
			t.Errorf("@e2 was never given out: %v", err)
		}
	}
}

// TestUnreachableElementNamesItsObstacle names what is in the way.
func TestUnreachableElementNamesItsObstacle(t *testing.T) {
	root := login()
	root.Children = append(root.Children, &ui.Node{Type: "Alert", Label: "Allow?", Frame: ui.Rect{W: 400, H: 800}})
	s, refs := screen(root), &ui.Refs{}
	_, err := refs.Reach(phone, s, find(t, s.Root, "email"))
	f := fault.From(err)
	if f.Code != fault.ElementUnhittable || reason(err) != "unreachable" || f.Details["candidates"].([]ui.Candidate)[0].Label != "Allow?" {
		t.Errorf("%+v", f)
	}
}

// TestRemainingIdenticalElementIsAmbiguous: one Edit, then two, then one again: nothing says which of them.
func TestRemainingIdenticalElementIsAmbiguous(t *testing.T) {
	refs := &ui.Refs{}
	one := screen(app(bar("List"), button("Edit", 100)))
	first := refs.Name(phone, one, find(t, one.Root, "Edit"))
	outline.Of(screen(app(bar("List"), button("Edit", 100), button("Edit", 150))), outline.Choice{}, phone, refs)
	left := screen(app(bar("List"), button("Edit", 100)))
	if _, err := refs.Resolve(first, phone, left); reason(err) != "ambiguous" {
		t.Errorf("%v", err)
	}
	if again := refs.Name(phone, left, find(t, left.Root, "Edit")); again == first {
		t.Errorf("%s was given again", first)
	}
}
