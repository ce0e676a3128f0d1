package atspi

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// outline writes a tree down, one element a line.
func outline(t *desktop.Tree) string {
	var b strings.Builder
	var write func(n *desktop.Node, depth int)
	write = func(n *desktop.Node, depth int) {
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), n.Role)
		if n.Subrole != "" {
			fmt.Fprintf(&b, "/%s", n.Subrole)
		}
		fmt.Fprintf(&b, " %q", n.Title)
		if n.Value != nil {
			fmt.Fprintf(&b, " =%q", *n.Value)
		}
		if n.Bounds != nil {
			fmt.Fprintf(&b, " %g,%g %gx%g", n.Bounds.X, n.Bounds.Y, n.Bounds.W, n.Bounds.H)
		}
		for word, is := range map[string]bool{" disabled": !n.Enabled} {
			if is {
				b.WriteString(word)
			}
		}
		if n.Hidden {
			b.WriteString(" hidden")
		}
		if n.Selected {
			b.WriteString(" selected")
		}
		if n.Focused {
			b.WriteString(" focused")
		}
		if len(n.Actions) > 0 {
			fmt.Fprintf(&b, " %v", n.Actions)
		}
		b.WriteByte('\n')
		for _, c := range n.Children {
			write(c, depth+1)
		}
	}
	for _, w := range t.Windows {
		write(w, 0)
	}
	return b.String()
}

const gtk3Outline = `AXWindow "Test App" 100,50 400x400
  AXMenuBar "" 100,50 400x20
    AXMenuBarItem "File" 100,50 40x20 [AXPress]
      AXMenuItem "Quit" hidden [AXPress]
  AXCheckBox/AXToggle "Bold" ="0" 110,70 80x30 [AXPress]
  AXSlider "Volume" ="50" 110,110 200x30
  AXStaticText "Full name" 110,150 80x30
  AXTextField "Full name" ="Ada" 200,150 100x30 [AXConfirm]
  AXTextField/AXSecureTextField "Password" ="•••••••" 200,190 100x30
  AXTable "Rows" 110,230 200x100
    AXCell "one" 110,230 200x20 [AXExpand atspi:edit AXConfirm]
    AXCell "two" 110,250 200x20 [AXExpand atspi:edit AXConfirm]
  AXButton "Off" 110,340 80x30 disabled [AXPress]
  AXIncrementor "" ="7.5" 110,380 80x30 [AXConfirm]
`

// TestLookIsSameWithAndWithoutCache: a program as GTK 3 makes them gives the same tree with the cache that comes when events are wanted,
// with the older form of it, and without any.
func TestLookIsSameWithAndWithoutCache(t *testing.T) {
	for _, cache := range []string{"gtk3", "always", "old", ""} {
		t.Run("cache "+cache, func(t *testing.T) {
			app := gtk3App()
			app.program.cache = cache
			other := &fakeProgram{name: ":1.7", pid: 1, toolkit: "gtk", version: "3.24.38", cache: "always",
				root: &fakeWidget{path: "/org/a11y/atspi/accessible/root", kids: []*fakeWidget{{path: "/other", role: 23, name: "Another's",
					states: shownStates()}}}}
			f := &fakeBus{programs: []*fakeProgram{app.program, other}}
			a := openFake(t, f, nil)
			tree := look(t, a)
			if got := outline(tree); got != gtk3Outline {
				t.Errorf("got\n%s\nwant\n%s", got, gtk3Outline)
			}
			if tree.Toolkit != "gtk 3.24.38" || tree.Left != 0 {
				t.Errorf("%q, left %d %s", tree.Toolkit, tree.Left, tree.LeftWhy)
			}
			if n := titled(t, tree, "Volume"); n.Source != "atspi" {
				t.Errorf("source = %q, want atspi", n.Source)
			}
			tree.Walk(func(n *desktop.Node) bool {
				if n.Role == "AXTextField" && n.Subrole == "" && n.Placeholder != "who" {
					t.Errorf("placeholder %q", n.Placeholder)
				}
				return true
			})
			f.mu.Lock()
			walked, hidden := f.calls["GetRole"] > 12, f.calls["GetExtents"] > 13
			f.mu.Unlock()
			if walked == (cache != "") || hidden {
				t.Errorf("the cache does not save calls: %v", f.calls)
			}
		})
	}
}

// TestElementKeysStayAcrossLooks: an element has the same key in every look; what gets its path after it died has another, and the old key
// is gone.
func TestElementKeysStayAcrossLooks(t *testing.T) {
	app := gtk3App()
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	keys := func() (all []string) {
		look(t, a).Walk(func(n *desktop.Node) bool { all = append(all, n.Key); return true })
		return all
	}
	first := keys()
	if again := keys(); !slices.Equal(first, again) {
		t.Fatalf("%q\n%q", first, again)
	}
	if slices.Sort(first); len(slices.Compact(slices.Clone(first))) != len(first) {
		t.Errorf("two have the same: %q", first)
	}
	for _, dies := range []func(){
		func() { f.object(app.toggle, "StateChanged", "defunct", 1, int32(0)) },
		func() {
			f.object(app.window, "ChildrenChanged", "remove", 1, wireRef{":1.5", dbus.ObjectPath(app.toggle.path)})
		},
	} {
		old := titled(t, look(t, a), "Bold").Key
		before := a.Events()
		dies()
		if err := a.Next(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if now := titled(t, look(t, a), "Bold").Key; now == old {
			t.Errorf("a path that was used again has the key %s", now)
		}
		if err := a.Perform(t.Context(), old, desktop.Press); !isGone(err) {
			t.Errorf("the old key: %v", err)
		}
	}
}

// TestLookCorrectsGTK4NamesAndPlaces: no state shows visibility, names are doubled or are class names, and places begin at the window's
// corner.
func TestLookCorrectsGTK4NamesAndPlaces(t *testing.T) {
	visible := []uint{stateEnabled, stateSensitive, stateVisible}
	const base = "/org/gnome/Calculator/a11y/"
	button := &fakeWidget{path: base + "b", role: 43, name: "7 7", desc: "GtkButton", states: visible, rect: [4]int32{10, 100, 40, 30},
		faces: []string{component, action}, actions: []string{"Click"}}
	box := &fakeWidget{path: base + "g", role: 39, name: "GtkBox", states: visible, rect: [4]int32{0, 0, 300, 400}, faces: []string{component},
		kids: []*fakeWidget{button}}
	window := &fakeWidget{path: base + "w", role: 23, name: "Calculator", states: visible, rect: [4]int32{0, 0, 300, 400},
		faces: []string{component},
		kids:  []*fakeWidget{box}}
	root := &fakeWidget{path: "/org/a11y/atspi/accessible/root", kids: []*fakeWidget{window}}
	f := &fakeBus{programs: []*fakeProgram{{name: ":1.5", pid: os.Getpid(), toolkit: "GTK", version: "4.8.3", cache: "always", root: root}}}
	a := openFake(t, f, func(o *Options) {
		o.windows = []xwindow{
			{id: 1, title: "About", rect: ui.Rect{X: 5, Y: 5, W: 50, H: 50}, viewable: true},
			{id: 2, title: "Calculator", rect: ui.Rect{X: 600, Y: 480, W: 320, H: 420}, shadow: [4]int{10, 10, 4, 16}, viewable: true},
		}
	})
	const want = `AXWindow "Calculator" 610,484 300x400
  AXGroup "" 610,484 300x400
    AXButton "7" 620,584 40x30 [AXPress]
`
	if got := outline(look(t, a)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWindowsAreOrderedBackToFront: the X server reports the stacking of windows; an open menu is above all.
func TestWindowsAreOrderedBackToFront(t *testing.T) {
	win := func(path, name string, role uint32) *fakeWidget {
		return &fakeWidget{path: path, role: role, name: name, states: shownStates(), faces: []string{component}, rect: [4]int32{0, 0, 100, 100}}
	}
	root := &fakeWidget{path: "/root", kids: []*fakeWidget{win("/a", "A", 23), win("/m", "", 69), win("/b", "B", 16)}}
	root.kids[1].rect = [4]int32{5, 5, 20, 60}
	f := &fakeBus{programs: []*fakeProgram{{name: ":1.5", pid: os.Getpid(), toolkit: "gtk", version: "3.24", cache: "always", root: root}}}
	at := ui.Rect{W: 100, H: 100}
	a := openFake(t, f, func(o *Options) {
		o.windows = []xwindow{{id: 1, title: "B", rect: at}, {id: 2, title: "A", rect: at}, {id: 3, override: true, rect: ui.Rect{X: 5, Y: 5,
			W: 20, H: 60}}}
	})
	var got []string
	for _, w := range look(t, a).Windows {
		got = append(got, w.Title+"/"+w.Role+"/"+w.Subrole)
	}
	if want := []string{"B/AXWindow/AXDialog", "A/AXWindow/", "/AXWindow/"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTreeReportsElementsCutByLimits: the tree reports the elements that the limits cut.
func TestTreeReportsElementsCutByLimits(t *testing.T) {
	app := gtk3App()
	for _, cache := range []string{"always", ""} {
		app.program.cache = cache
		a := openFake(t, &fakeBus{programs: []*fakeProgram{app.program}}, nil)
		tree, err := a.Look(t.Context(), desktop.Limits{Nodes: 5})
		count := 0
		tree.Walk(func(*desktop.Node) bool { count++; return true })
		if err != nil || count != 5 || tree.Left == 0 || tree.LeftWhy != "more than 5 elements" {
			t.Errorf("cache %q: %d elements, left %d (%s), %v", cache, count, tree.Left, tree.LeftWhy, err)
		}
		tree, err = a.Look(t.Context(), desktop.Limits{Depth: 2})
		deep := 0
		for _, w := range tree.Windows {
			for _, c := range w.Children {
				deep += len(c.Children)
			}
		}
		if err != nil || deep != 0 || tree.Left == 0 || tree.LeftWhy != "deeper than 2 levels" {
			t.Errorf("cache %q: %d too deep, left %d (%s), %v", cache, deep, tree.Left, tree.LeftWhy, err)
		}
	}
}

// TestActionsAreRequestedOncePerState: a new request for an element's actions needs a new state.
func TestActionsAreRequestedOncePerState(t *testing.T) {
	app := gtk3App()
	f := &fakeBus{programs: []*fakeProgram{app.program}}
	a := openFake(t, f, nil)
	asked := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		defer func() { f.calls["GetActions"] = 0 }()
		return f.calls["GetActions"]
	}
	look(t, a)
	asked()
	if tree := look(t, a); outline(tree) != gtk3Outline || asked() != 0 {
		t.Errorf("asked again, or forgotten:\n%s", outline(tree))
	}
	f.mu.Lock()
	app.toggle.states, app.toggle.actions = append(app.toggle.states, stateChecked), []string{"frobnicate"}
	f.mu.Unlock()
	if n := titled(t, look(t, a), "Bold"); asked() != 1 || !slices.Equal(n.Actions, []string{"atspi:frobnicate"}) {
		t.Errorf("%q", n.Actions)
	}
}

// TestChromiumWithoutAccessibilityIsExplained: the tree of a browser without the accessibility switch says why its windows are empty.
func TestChromiumWithoutAccessibilityIsExplained(t *testing.T) {
	window := &fakeWidget{path: "/w", role: 23, name: "Page", states: shownStates(), faces: []string{component}, rect: [4]int32{0, 0, 100,
		100}}
	root := &fakeWidget{path: "/root", kids: []*fakeWidget{window}}
	f := &fakeBus{programs: []*fakeProgram{{name: ":1.5", pid: os.Getpid(), toolkit: "Chromium", version: "1.0", cache: "always", root: root}}}
	a := openFake(t, f, nil)
	if tree := look(t, a); tree.Left != 1 || !strings.Contains(tree.LeftWhy, "--force-renderer-accessibility") {
		t.Errorf("left %d: %s", tree.Left, tree.LeftWhy)
	}
	f.mu.Lock()
	window.kids = []*fakeWidget{{path: "/b", role: 43, name: "Hello", states: shownStates()}}
	f.mu.Unlock()
	if tree := look(t, a); tree.Left != 0 {
		t.Errorf("left %d: %s", tree.Left, tree.LeftWhy)
	}
}

// TestModalWindowsAndRangesAreReported: a modal window is recognised, and a number has its range.
func TestModalWindowsAndRangesAreReported(t *testing.T) {
	slider := &fakeWidget{path: "/s", role: 51, name: "Volume", number: 50, states: shownStates(), faces: []string{component, value}}
	window := func(path string, more ...uint) *fakeWidget {
		return &fakeWidget{path: path, role: 16, name: path, states: shownStates(more...), faces: []string{component},
			rect: [4]int32{0, 0, 100, 100}}
	}
	plain, dialog := window("/w"), window("/d", stateModal)
	plain.kids = []*fakeWidget{slider}
	root := &fakeWidget{path: "/root", kids: []*fakeWidget{plain, dialog}}
	tree := look(t, openFake(t, &fakeBus{programs: []*fakeProgram{{
		name: ":1.5", pid: os.Getpid(), toolkit: "gtk", version: "3.24", cache: "always", root: root,
	}}}, nil))
	tree.Walk(func(n *desktop.Node) bool {
		if n.Modal != (n.Title == "/d") {
			t.Errorf("%s: %v", n.Title, n.Modal)
		}
		if n.Role == "AXSlider" && (n.Min == nil || *n.Min != 0 || n.Max == nil || *n.Max != 100) {
			t.Errorf("its range is %v to %v", n.Min, n.Max)
		}
		return true
	})
}
