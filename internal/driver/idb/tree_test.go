package idb

import (
	"ios-agent/internal/device"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/test/samples"
)

// TestRealTreesAreRead reads output of the real idb: every element has a type, and facts that an old companion does not report stay
// unknown.
func TestRealTreesAreRead(t *testing.T) {
	t.Parallel()
	empty := []string{"idb-golden-complete-empty.json", "idb-golden-legacy-empty.json", "idb-format-complete-excerpt.json"}
	for _, file := range samples.Of(t, "ui-describe") {
		if !strings.HasPrefix(file.Name, "idb-") {
			continue
		}
		s, err := read(t.Context(), string(file.Data))
		if slices.Contains(empty, file.Name) != (err != nil) {
			t.Errorf("%s: %v", file.Name, err)
		}
		if err != nil {
			continue
		}
		if s.focus || s.left != -1 || s.guest {
			t.Errorf("%s: %+v", file.Name, s)
		}
		s.root.Walk(func(n *ui.Node) bool {
			if n.Type == "" || n.Extra != nil {
				t.Errorf("%s: %+v", file.Name, n)
			}
			return true
		})
	}
}

// TestTreeReportsItsLimits: a read inside the simulator is complete unless it says otherwise, a system alert hides the rest, an empty
// field has no value, and traits show disabled elements.
func TestTreeReportsItsLimits(t *testing.T) {
	t.Parallel()
	tree := func(more string) string {
		return `{"backend":"axbridge-persistent","elements":[{"type":"Application","label":"Shop","pid":7,
			"frame":{"x":0,"y":0,"width":9,"height":9},
			"children":[{"type":"TextField","value":"Name","placeholder":"Name","enabled":null,"traits":["NotEnabled","TextEntry"],
				"focused":false,"frame":{"x":0,"y":0,"width":9,"height":9}},
			{"type":"Other","label":"x","traits":["Button"],"frame":{"x":0,"y":0,"width":9,"height":9}}]}]` + more + `}`
	}
	s, err := read(t.Context(), tree(`,"truncated":false,"modal":{"kind":"app","element_type":"A","label":null}`))
	if err != nil || s.left != 0 || !s.guest || !s.focus || s.blocked || s.pid != 7 {
		t.Errorf("%+v, %v", s, err)
	}
	if f := s.root.Children[0]; f.Value != "" || !f.Disabled || f.Focused {
		t.Errorf("%+v", f)
	}
	if other := s.root.Children[1]; other.Type != "Other" {
		t.Errorf("%+v", other)
	}
	if s, _ := read(t.Context(), tree(`,"truncated":true`)); s.left != -1 {
		t.Errorf("%+v", s)
	}
	s, _ = read(t.Context(), tree(`,"modal":{"kind":"system","element_type":"SBAlertItemWindow","label":"?"}`))
	if s.left != -1 || !s.blocked {
		t.Errorf("%+v", s)
	}
}

// FuzzRead reads trees of strangers.
func FuzzRead(f *testing.F) {
	f.Add(`{"elements":[{"type":"Button","frame":{"x":1e300,"y":0,"width":1,"height":1}}],"backend":"ax","truncated":true}`)
	f.Add(`[{"AXLabel":"a","type":"Group","pid":-1},{"traits":[1,null,"IsEditing"]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := read(t.Context(), text)
		if err != nil {
			return
		}
		_ = device.Digest("app", "", s.root)
		_ = closed(s.root)
		ui.NewScreen("app", "", s.root)
	})
}
