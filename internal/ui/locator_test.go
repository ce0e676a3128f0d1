package ui_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/uitree"
)

// row is a list item with a name and an Add button.
func row(name string, y float64) *ui.Node {
	return at(&ui.Node{Type: "Cell", Label: name, Children: []*ui.Node{{Type: "Button", Label: "Add"}}}, y)
}

// TestLocatorIsMinimal: an identifier that is unique is enough, then role and label, then an element around it, then an index.
func TestLocatorIsMinimal(t *testing.T) {
	s := screen(app(
		at(&ui.Node{Type: "TextField", Identifier: "email", Label: "Email"}, 100),
		button("Buy", 150),
		at(&ui.Node{Type: "Button", Identifier: "edit", Label: "Edit"}, 200),
		at(&ui.Node{Type: "Button", Identifier: "edit", Label: "Change"}, 250),
		row("Espresso", 300), row("Latte", 350),
		row("Tea", 400), row("Tea", 450),
		button("Twin", 500), button("Twin", 550),
	))
	for _, c := range []struct {
		role  string
		label string
		nth   int
		want  string
		said  string
	}{
		{"textbox", "Email", 0, `{"identifier":"email","matches":{"by_identifier":1,"by_role_label":1,"whole":1}}`, `identifier "email"`},
		{"button", "Buy", 0, `{"role":"button","label":"Buy","matches":{"by_role_label":1,"whole":1}}`, `label "Buy", role "button"`},
		{"button", "Change", 0, `{"role":"button","label":"Change","matches":{"by_identifier":2,"by_role_label":1,"whole":1}}`,
			`label "Change", role "button"`},
		{"button", "Add", 1, `{"role":"button","label":"Add","within":"Latte","matches":{"by_role_label":4,"whole":1}}`,
			`label "Add", role "button" within "Latte"`},
		{"button", "Add", 3, `{"role":"button","label":"Add","index":3,"matches":{"by_role_label":4,"whole":4}}`,
			`label "Add", role "button", index 3 of 4`},
		{"button", "Twin", 1, `{"role":"button","label":"Twin","index":1,"matches":{"by_role_label":2,"whole":2}}`,
			`label "Twin", role "button", index 1 of 2`},
	} {
		n := s.Match(ui.Query{Role: c.role, Label: c.label})[c.nth]
		l := s.Locate(n).Smallest()
		got, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want || l.String() != c.said {
			t.Errorf("%s %d is\n%s, %s\nwant\n%s, %s", c.label, c.nth, got, l, c.want, c.said)
		}
	}
}

// TestCandidatesHaveDistinctNames: elements of one name are offered with what tells them apart.
func TestCandidatesHaveDistinctNames(t *testing.T) {
	s := screen(app(
		at(&ui.Node{Type: "Button", Identifier: "edit-1", Label: "Edit"}, 100),
		at(&ui.Node{Type: "Button", Identifier: "edit-2", Label: "Edit"}, 150),
		row("Espresso", 200), row("Latte", 250), button("Twin", 300), button("Twin", 350),
	))
	for label, want := range map[string]string{
		"Edit": `pass one of: @e1 button "Edit" with identifier "edit-1", @e2 button "Edit" with identifier "edit-2"`,
		"Add":  `pass one of: @e1 button "Add" within "Espresso", @e2 button "Add" within "Latte"`,
		"Twin": `pass one of: @e1 button "Twin" (1 of 2), @e2 button "Twin" (2 of 2)`,
	} {
		_, err := (&ui.Refs{}).Find(ui.Query{Label: label}, phone, s)
		if got := fault.From(err).Hint; got != "no input was sent; "+want {
			t.Errorf("%s: got %s, want %s", label, got, want)
		}
	}
}

// TestLocatorReportsMatchesOnLaterScreen: on a later screen the counts say what of a locator still holds.
func TestLocatorReportsMatchesOnLaterScreen(t *testing.T) {
	before := screen(login())
	l := before.Locate(find(t, before.Root, "login"))
	renamed := login()
	find(t, renamed, "login").Label = "Sign in now"
	found, matches := screen(renamed).Resolve(l)
	if len(found) != 0 || matches != (ui.Matches{Identifier: 1}) {
		t.Errorf("after a new label: got %v, %+v, want the identifier alone", found, matches)
	}
	doubled := screen(app(find(t, login(), "login"), at(&ui.Node{Type: "Button", Identifier: "login", Label: "Log in"}, 500)))
	if found, matches = doubled.Resolve(l); len(found) != 2 || matches != (ui.Matches{Identifier: 2, RoleLabel: 2, Whole: 2}) {
		t.Errorf("with a twin: got %v, %+v, want both", found, matches)
	}
	none := ui.Locator{Role: "button", Index: new(7)}
	if found, _ = before.Resolve(none); found != nil {
		t.Errorf("an index beyond the last: got %v, want none", found)
	}
}

// TestLocatorHasNoSecret: what was typed into a secure field is in no locator, even where a source tells it as a label.
func TestLocatorHasNoSecret(t *testing.T) {
	field := at(&ui.Node{Type: "SecureTextField", Label: "hunter2", Value: "hunter2", Secure: true, Children: []*ui.Node{
		text("hunter2"), {Type: "Button", Label: "Show"},
	}}, 100)
	s := screen(app(field, at(&ui.Node{Type: "SecureTextField", Label: "Repeat", Value: "•••", Secure: true}, 200)))
	for _, n := range s.Nodes() {
		l := s.Locate(n)
		if said, _ := json.Marshal(l); strings.Contains(string(said)+l.String(), "hunter2") {
			t.Errorf("%s is located by %s", n.Type, said)
		}
		if found, _ := s.Resolve(l); !slices.Contains(found, n) {
			t.Errorf("%s is not found by %s", n.Type, l)
		}
	}
	if got := s.Locate(find(t, s.Root, "Repeat")).Label; got != "Repeat" {
		t.Errorf("the name of a secure field is %q, want Repeat", got)
	}
}

// TestLocatorIsBounded: texts of any length give a short locator, which still finds its element.
func TestLocatorIsBounded(t *testing.T) {
	long := strings.Repeat("terms\nand conditions ", 5000)
	s := screen(app(
		at(&ui.Node{Type: "StaticText", Label: long}, 100), at(&ui.Node{Type: long, Identifier: long}, 150),
		at(&ui.Node{Type: "Cell", Identifier: long, Children: []*ui.Node{{Type: "Button", Label: "Add"}}}, 200), row("Latte", 250),
	))
	for _, n := range s.Nodes() {
		l := s.Locate(n)
		if said, _ := json.Marshal(l); len(said) > 500 {
			t.Errorf("the locator of a %.20s has %d bytes", n.Type, len(said))
		}
		if found, _ := s.Resolve(l); !slices.Contains(found, n) {
			t.Errorf("%.20s is not found by %s", n.Type, l)
		}
	}
}

// TestLocatorFindsItsElement: over many random trees a locator, whole, as small as it may be and after a way through JSON, finds the
// element that it was made for, and no other when it says that it is unique. An action that is given it finds the same.
func TestLocatorFindsItsElement(t *testing.T) {
	f, unique, within, indexed := uitree.NewForest(3), 0, 0, 0
	for range 400 {
		for range 1 + f.IntN(12) {
			f.Change()
		}
		root, _ := f.Draw()
		repeat(f, root)
		s := screen(root)
		for _, n := range s.Nodes() {
			l := s.Locate(n)
			checkLocator(t, s, n, l)
			checkLocator(t, s, n, l.Smallest())
			switch {
			case l.Within != "":
				within++
			case l.Unique():
				unique++
			default:
				indexed++
			}
		}
	}
	if min(unique, within, indexed) < 100 {
		t.Errorf("%d by themselves, %d by what is around them, %d by an index: the test tests little", unique, within, indexed)
	}
}

// repeat gives a third of the elements below one a button of the same name, and a few a child with their own names, or with their label as
// its identifier, as SwiftUI's rows have it.
func repeat(f *uitree.Forest, n *ui.Node) {
	for _, c := range n.Children {
		repeat(f, c)
	}
	switch f.IntN(9) {
	case 0, 1, 2:
		n.Children = append(n.Children, &ui.Node{Type: "Button", Label: "Add", Frame: n.Frame})
	case 3:
		n.Children = append(n.Children, &ui.Node{Type: n.Type, Label: n.Label, Identifier: n.Identifier, Frame: n.Frame})
	case 4:
		n.Children = append(n.Children, &ui.Node{Type: "StaticText", Label: n.Label, Identifier: n.Label, Frame: n.Frame})
	}
}

func checkLocator(t *testing.T, s *ui.Screen, n *ui.Node, l ui.Locator) {
	t.Helper()
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var again ui.Locator
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	found, matches := s.Resolve(again)
	if len(found) != 1 || found[0] != n || matches.Whole != l.Matches.Whole || l.Unique() != (l.Index == nil) {
		t.Fatalf("%s finds %v with %+v, want %s alone", text, found, matches, n.Describe())
	}
	q := ui.Query{Identifier: l.Identifier, Role: l.Role, Label: l.Label, Within: l.Within, Index: l.Index}
	if acted, err := (&ui.Refs{}).Find(q, phone, s); err == nil && acted != n || err != nil && l.Unique() {
		t.Fatalf("an action on %s: got %v, %v, want %s", text, acted, err, n.Describe())
	}
}
