package world

import (
	"slices"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/app"
	"ios-agent/internal/virtualxcode/apps"
)

var testScreen = Screen{Width: 402, Height: 874, Scale: 3, Top: 62, Bottom: 34}

// everything makes all that is optional on a screen visible at once, as far as one state can.
func everything(a *app.App) app.Vars {
	vars := a.State.Clone()
	for name, v := range vars {
		switch v.(type) {
		case bool:
			vars[name] = true
		case string:
			if v == "" {
				vars[name] = "some text"
			}
		}
	}
	return vars
}

// TestBuiltinScreenControlsDoNotOverlap looks at every screen of every built-in app: what can be touched does not overlap, and
// lies on the screen unless it can be scrolled there.
func TestBuiltinScreenControlsDoNotOverlap(t *testing.T) {
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bundles {
		for name := range b.App.Screens {
			for state, vars := range map[string]app.Vars{"first": b.App.State.Clone(), "full": everything(b.App)} {
				t.Run(b.Name+"/"+name+"/"+state, func(t *testing.T) {
					p := newProcess(testDevice(t), b, 1, LaunchOptions{})
					p.Stack, p.Values, p.Timers = []string{name}, vars, nil
					v := p.view(time.Unix(1, 0), testScreen)
					checkLayout(t, v)
				})
			}
		}
	}
}

func checkLayout(t *testing.T, v *view) {
	t.Helper()
	var touchable []*Element
	var walk func(e *Element, clipped bool)
	walk = func(e *Element, clipped bool) {
		inside := e.Frame.X >= 0 && e.Frame.X+e.Frame.W <= testScreen.Width && e.Frame.Y >= 0 && e.Frame.Y+e.Frame.H <= testScreen.Height
		if !inside && !clipped {
			t.Errorf("%s %q is at %v, outside of the screen", e.Type, e.Identifier+e.Label, e.Frame)
		}
		if v.acts[e] != nil && e.Type != "ScrollView" && e.Type != "CollectionView" {
			touchable = append(touchable, e)
		}
		for _, c := range e.Children {
			walk(c, clipped || e.Clips())
		}
	}
	walk(v.root, false)
	for i, a := range touchable {
		for _, b := range touchable[i+1:] {
			if overlap(a.Frame, b.Frame) && !slices.Contains(a.Children, b) && sameHolder(v.root, a, b) {
				t.Errorf("%q at %v and %q at %v overlap", a.Identifier+a.Label, a.Frame, b.Identifier+b.Label, b.Frame)
			}
		}
	}
}

func overlap(a, b Rect) bool {
	const hair = 0.01
	return a.X+hair < b.X+b.W && b.X+hair < a.X+a.W && a.Y+hair < b.Y+b.H && b.Y+hair < a.Y+a.H
}

// sameHolder reports whether the same scrolling container, or none, holds both: what one clips away does not overlap.
func sameHolder(root, a, b *Element) bool { return holder(root, a) == holder(root, b) }

func holder(root, e *Element) *Element {
	var last *Element
	for one := range root.All() {
		if one.Clips() && slices.Contains(slices.Collect(one.All()), e) {
			last = one
		}
	}
	return last
}

func longList(t testing.TB) *process {
	t.Helper()
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bundles {
		if b.ID == "com.iosagent.shop" {
			p := newProcess(testDevice(t), b, 1, LaunchOptions{})
			p.Stack, p.Timers = []string{"items"}, nil
			return p
		}
	}
	t.Fatal("there is no Shop")
	return nil
}

// BenchmarkLongList builds a screen with a list of 200 rows.
func BenchmarkLongList(b *testing.B) {
	p := longList(b)
	for b.Loop() {
		p.changed()
		p.view(time.Unix(1, 0), testScreen)
	}
}

func TestUnchangedScreenIsBuiltOnce(t *testing.T) {
	p := longList(t)
	a, b := p.view(time.Unix(1, 0), testScreen), p.view(time.Unix(2, 0), testScreen)
	if a != b {
		t.Error("it was built again")
	}
	p.use([]app.Step{app.Add{{Var: "cart", Value: 1.0}}}, time.Unix(3, 0))
	if c := p.view(time.Unix(3, 0), testScreen); c == a {
		t.Error("a change does not show")
	}
}

func TestURLOpensAppWithItsScheme(t *testing.T) {
	bundles, err := apps.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Options{Clock: RequestClock(time.Unix(1, 0)), Preinstalled: bundles})
	if err != nil {
		t.Fatal(err)
	}
	d := w.devices[0]
	if bundle, ok := d.follow("shop://item/42", time.Unix(2, 0)); !ok || bundle != "com.iosagent.shop" || d.Front != bundle {
		t.Fatalf("opened %q, %v", bundle, ok)
	}
	p := d.process(d.Front)
	if p.top().Name != "item" || p.Values["id"] != "42" {
		t.Errorf("the link led to %s with %v", p.top().Name, p.Values["id"])
	}
	if _, ok := d.follow("nobody://x", time.Unix(2, 0)); ok {
		t.Error("a link of nobody was opened")
	}
}

// testDevice is a device of a world of its own.
func testDevice(t testing.TB) *device {
	t.Helper()
	w, err := New(Options{Clock: RequestClock(time.Unix(1, 0))})
	if err != nil {
		t.Fatal(err)
	}
	return w.devices[0]
}
