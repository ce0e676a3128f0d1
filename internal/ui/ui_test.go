package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/uitree"
)

const phone = "UDID-1"

var (
	login, app, bar, text, button = uitree.Login, uitree.App, uitree.Bar, uitree.Text, uitree.Button
	at, screen, find              = uitree.At, uitree.Screen, uitree.Find
)

func FuzzQuote(f *testing.F) {
	f.Add("a\nb\"c\\")
	f.Add("\xff\u202e…")
	f.Fuzz(func(t *testing.T, s string) {
		for _, q := range []string{ui.Quote(s), ui.Inline(s)} {
			if strings.ContainsFunc(q, unicode.IsControl) {
				t.Errorf("%q has a control character", q)
			}
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(ui.Quote(s), `"`), `"`)
		if strings.Contains(strings.NewReplacer(`\\`, "", `\"`, "").Replace(inner), `"`) {
			t.Errorf("%q ends its own quotes", ui.Quote(s))
		}
	})
}

func TestHittableReportsReason(t *testing.T) {
	root := login()
	root.Children = append(root.Children, &ui.Node{Type: "Keyboard", Frame: ui.Rect{Y: 190, W: 400, H: 610}})
	root.Children[0].Children[0].Children = append(root.Children[0].Children[0].Children,
		at(&ui.Node{Type: "Button", Label: "Below", Identifier: "below"}, 2000))
	s := screen(root)
	for name, why := range map[string]string{
		"email": "", "login": "it is disabled", "password": "it is covered by keyboard", "below": "it is off the screen",
	} {
		n := find(t, s.Root, name)
		if n.Hittable() != (why == "") || n.WhyNotHittable() != why {
			t.Errorf("%s: hittable %v, %q", name, n.Hittable(), n.WhyNotHittable())
		}
	}
}

// TestScrolledOutRowIsNotHittable: a row that is scrolled out of its list is neither to be seen nor in anybody's way.
func TestScrolledOutRowIsNotHittable(t *testing.T) {
	list := &ui.Node{Type: "Table", Identifier: "list", Frame: ui.Rect{Y: 200, W: 400, H: 100}, Children: []*ui.Node{
		at(&ui.Node{Type: "Button", Identifier: "gone"}, 100), at(&ui.Node{Type: "Button", Identifier: "half"}, 175),
		at(&ui.Node{Type: "Button", Identifier: "row"}, 230),
	}}
	s := screen(app(at(&ui.Node{Type: "Button", Identifier: "above"}, 100), list))
	for name, why := range map[string]string{"above": "", "row": "", "gone": "it is off the screen",
		"half": "its centre is scrolled out of view"} {
		if n := find(t, s.Root, name); n.WhyNotHittable() != why {
			t.Errorf("%s: %q", name, n.WhyNotHittable())
		}
	}
}

func TestSnapshotMatchesSpecification(t *testing.T) {
	s := screen(login()).Snapshot(phone, &ui.Refs{}, time.Date(2026, 1, 16, 10, 12, 0, 0, time.UTC))
	if s.App != "com.shop" || s.Screen != "Sign in" || s.Timestamp != "2026-01-16T10:12:00Z" {
		t.Errorf("%+v", s)
	}
	i := slices.IndexFunc(s.Elements, func(e ui.Element) bool { return e.Identifier == "email" })
	e := s.Elements[i]
	if e.Type != "XCUIElementTypeTextField" || e.Value != nil || e.Hittable == nil || !*e.Hittable || !strings.HasPrefix(e.Ref, "@e") {
		t.Errorf("%+v", e)
	}
	if !slices.Contains(s.Actions, ui.Action{Name: "type", Target: e.Ref, Keyboard: "text"}) {
		t.Errorf("typing into the field is not offered: %+v", s.Actions)
	}
	for _, e := range s.Elements {
		for _, child := range e.Children {
			if !slices.ContainsFunc(s.Elements, func(o ui.Element) bool { return o.Ref == child }) {
				t.Errorf("child %s of %s is not in the list", child, e.Ref)
			}
		}
	}
}

func TestFindReturnsUniqueElementOrFault(t *testing.T) {
	refs := &ui.Refs{}
	s := screen(app(bar("List"), button("Edit", 100), button("Edit", 150),
		at(&ui.Node{Type: "Button", Identifier: "save", Label: "Save", Children: []*ui.Node{text("Save")}}, 200)))
	if n, err := refs.Find(ui.Query{Label: "save"}, phone, s); err != nil || n.Identifier != "save" {
		t.Errorf("a button and its caption are one thing: %v", err)
	}
	shop := app(bar("Start"), button("Shop", 100))
	shop.Label = "Shop"
	if n, err := refs.Find(ui.Query{Label: "Shop"}, phone, screen(shop)); err != nil || n.Type != "Button" {
		t.Errorf("got %v, %v, want the button: an app is not meant beside it", n, err)
	}
	_, err := refs.Find(ui.Query{Label: "Edit"}, phone, s)
	if f := fault.From(err); f.Code != fault.ElementAmbiguous || len(f.Details["candidates"].([]ui.Candidate)) != 2 {
		t.Errorf("two Edit: %+v", f)
	}
	off := button("Find", 250)
	off.Hidden, off.Unplaced = true, true
	menu := screen(app(off, button("Find", 300)))
	if n, err := refs.Find(ui.Query{Label: "Find"}, phone, menu); err != nil || n.Hidden {
		t.Errorf("one that shows and one that is nowhere: got %+v, %v, want the one that shows", n, err)
	}
	_, err = refs.Find(ui.Query{Identifier: "savve"}, phone, s)
	if f := fault.From(err); f.Code != fault.ElementNotFound || !strings.Contains(f.Hint, `"save"`) {
		t.Errorf("near name: %+v", f)
	}
	ref := refs.Name(phone, s, find(t, s.Root, "save"))
	if _, err := refs.Find(ui.Query{Ref: ref, Label: "Edit"}, phone, s); !fault.Is(err, fault.ElementNotFound) {
		t.Errorf("a ref and a label that disagree: %v", err)
	}
}

func TestDiffGivesOutcomeAndEvidence(t *testing.T) {
	before := login()
	for _, c := range []struct {
		name     string
		change   func(*ui.Node)
		outcome  ui.Outcome
		evidence []string
		line     string
	}{
		{"nothing", func(*ui.Node) {}, ui.Unchanged, nil, ""},
		{"the target", func(r *ui.Node) { find(t, r, "login").Disabled = false }, ui.Changed, []string{"target"},
			`~ button "Log in" [ref=e1] enabled`},
		{"something else", func(r *ui.Node) { find(t, r, "email").Value = "x" }, ui.Changed, []string{"screen"},
			`~ textbox "Email" [ref=e1] value: "" → "x"`},
		{"the focus", func(r *ui.Node) { find(t, r, "email").Focused = true }, ui.Changed, []string{"focus"},
			`~ textbox "Email" [ref=e1] focused`},
		{"only a spinner", func(r *ui.Node) {
			r.Children = append(r.Children, at(&ui.Node{Type: "ActivityIndicator", Label: "In progress"}, 400))
		}, ui.Unchanged, []string{"ambient"}, `+ progressbar "In progress"`},
		{"a new element", func(r *ui.Node) { r.Children = append(r.Children, at(text("Wrong password."), 300)) }, ui.Changed,
			[]string{"screen"}, `+ text "Wrong password."`},
		{"moved", func(r *ui.Node) { find(t, r, "email").Frame.Y += 30 }, ui.Changed, []string{"screen"}, `~ 1 elements moved`},
	} {
		old, now := screen(before), login()
		c.change(now)
		d := ui.Compare(old, screen(now))
		outcome, evidence := d.Judge(find(t, old.Root, "login"))
		if outcome != c.outcome || !slices.Equal(evidence, c.evidence) {
			t.Errorf("%s: %s by %v", c.name, outcome, evidence)
		}
		if got := strings.Join(outline.Changes(d, phone, &ui.Refs{}), "\n"); got != c.line {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
