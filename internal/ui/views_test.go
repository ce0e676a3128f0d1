package ui_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// list is a screen with a list that goes on above and below what can be seen.
func list() *ui.Screen {
	rows := []*ui.Node{}
	for i, name := range []string{"Above", "General", "Privacy", "Safari", "Maps", "News"} {
		rows = append(rows, at(&ui.Node{Type: "Cell", Label: name, Children: []*ui.Node{text(name)}}, float64(20+i*45)))
	}
	return screen(app(bar("Settings"), &ui.Node{Type: "Table", Identifier: "list", Frame: ui.Rect{Y: 62, W: 400, H: 138}, Children: rows},
		at(&ui.Node{Type: "StaticText", Label: "Version 1"}, 700)))
}

func outline(s *ui.Screen, how ui.Outlining) string {
	_, lines, _ := strings.Cut(s.OutlineOf(how, phone, &ui.Refs{}), "\n")
	return lines
}

func TestOutlineSaysWhatIsOutOfSight(t *testing.T) {
	want := `- list "list" [ref=e1]
  … 1 more above: "Above"
  - listitem "General" [ref=e2]
  - listitem "Privacy" [ref=e3]
  - listitem "Safari" [ref=e4]
  … 2 more below: "Maps", "News"
- text "Version 1" [ref=e5]`
	if got := outline(list(), ui.Outlining{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOutlineByChoice(t *testing.T) {
	s := list()
	if got := outline(s, ui.Outlining{Depth: 1}); !strings.Contains(got, "  … 3 deeper; `--depth` or `--within` shows them") ||
		strings.Contains(got, "Safari") {
		t.Errorf("depth 1:\n%s", got)
	}
	if got := outline(s, ui.Outlining{Within: find(t, s.Root, "list")}); strings.Contains(got, "Version") || !strings.Contains(got, "Safari") {
		t.Errorf("within the list:\n%s", got)
	}
	all := outline(s, ui.Outlining{All: true})
	if got := strings.Count(all, "\n") + 1; got != len(s.Nodes()) {
		t.Errorf("%d lines of %d elements:\n%s", got, len(s.Nodes()), all)
	}
	if !strings.Contains(all, `listitem "News"`) || !strings.Contains(all, "[off-screen]") {
		t.Errorf("all leaves out:\n%s", all)
	}
}

func TestOutlineWithinABudgetKeepsWhatCanBeActedOn(t *testing.T) {
	s := list()
	got := outline(s, ui.Outlining{Budget: 100})
	for _, row := range []string{"General", "Privacy", "Safari"} {
		if !strings.Contains(got, row) {
			t.Errorf("%s is left out:\n%s", row, got)
		}
	}
	if strings.Contains(got, "Version 1") || !strings.Contains(got, "more left out, 0 to act on: `--budget` ") {
		t.Errorf("not shortened, or without a word:\n%s", got)
	}
	if tiny := outline(s, ui.Outlining{Budget: 1}); !strings.Contains(tiny, "5 more left out, 3 to act on") {
		t.Errorf("next to nothing:\n%s", tiny)
	}
}

// TestABudgetKeepsWhatIsNew: a text that the last action brought is worth more than the rows that were there before, also when it was
// told once already; what has the focus stays too.
func TestABudgetKeepsWhatIsNew(t *testing.T) {
	refs := &ui.Refs{}
	refs.Remember(phone, list())
	after := func() *ui.Screen {
		rows := list().Root
		return screen(app(append(rows.Children, at(text("Order failed: no such card"), 740),
			at(&ui.Node{Type: "TextField", Label: "Card", Focused: true}, 780))...))
	}
	for range 2 {
		_, got, _ := strings.Cut(after().OutlineOf(ui.Outlining{Budget: 100}, phone, refs), "\n")
		if !strings.Contains(got, "Order failed: no such card") || !strings.Contains(got, `textbox "Card"`) ||
			strings.Contains(got, "Version 1") || !strings.Contains(got, "more left out, ") {
			t.Errorf("the budget has no room for what is new:\n%s", got)
		}
		refs.Remember(phone, after())
	}
}

func TestVisiblePercent(t *testing.T) {
	s := list()
	for name, want := range map[string]int{"General": 100, "Above": 0, "News": 0} {
		if n := s.Match(ui.Query{Label: name, Type: "Cell"})[0]; n.VisiblePercent() != want {
			t.Errorf("%s: %d %% visible", name, n.VisiblePercent())
		}
	}
	cut := screen(app(&ui.Node{Type: "Button", Label: "Cut", Frame: ui.Rect{X: -30, Y: 10, W: 40, H: 10}}))
	if n := find(t, cut.Root, "Cut"); n.VisiblePercent() != 25 || !strings.Contains(outline(cut, ui.Outlining{}), "[25% visible]") {
		t.Errorf("%d %%: %s", n.VisiblePercent(), outline(cut, ui.Outlining{}))
	}
}

// TestAWebViewWithoutItsPageSaysSo: silence would look like an empty page.
func TestAWebViewWithoutItsPageSaysSo(t *testing.T) {
	web := &ui.Node{Type: "WebView", Frame: ui.Rect{Y: 100, W: 400, H: 600},
		Children: []*ui.Node{{Type: "Other", Frame: ui.Rect{Y: 100, W: 400, H: 600}}}}
	if got := outline(screen(app(web)), ui.Outlining{}); got != "- document [ref=e1] [content hidden]" {
		t.Error(got)
	}
	web.Children = []*ui.Node{at(text("Hello"), 200)}
	if got := outline(screen(app(web)), ui.Outlining{}); strings.Contains(got, "hidden") {
		t.Error(got)
	}
}

// TestNothingShownTwice: wrappers that repeat their content, as React Native makes them, cost a line once.
func TestNothingShownTwice(t *testing.T) {
	wrap := func(label string, children ...*ui.Node) *ui.Node {
		return &ui.Node{Type: "Other", Label: label, Frame: ui.Rect{Y: 100, W: 400, H: 200}, Children: children}
	}
	field := at(&ui.Node{Type: "TextField", Label: "name"}, 120)
	s := screen(app(wrap("Hello name go", wrap("Hello name go", at(text("Hello"), 100), wrap("name", field), wrap("go", wrap("go"))))))
	want := "- text \"Hello\" [ref=e1]\n- textbox \"name\" [ref=e2]\n- generic \"go\" [ref=e3]"
	if got := outline(s, ui.Outlining{}); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestKeyboardsOfTheSnapshot(t *testing.T) {
	keys := &ui.Node{Type: "Keyboard", Frame: ui.Rect{Y: 500, W: 400, H: 300}}
	for d := range 10 {
		keys.Children = append(keys.Children, &ui.Node{Type: "Key", Label: string(rune('0' + d)),
			Frame: ui.Rect{X: float64(d * 30), Y: 510, W: 30, H: 30}})
	}
	root := app(
		at(&ui.Node{Type: "TextField", Label: "PIN", Focused: true}, 100), at(&ui.Node{Type: "TextField", Label: "Name"}, 150),
		at(&ui.Node{Type: "SecureTextField", Label: "Password"}, 200), at(&ui.Node{Type: "SearchField", Label: "Search"}, 250),
		at(&ui.Node{Type: "TextView", Label: "Notes"}, 300))
	root.Children = append(root.Children, keys)
	snapshot := screen(root).Snapshot(phone, &ui.Refs{}, time.Unix(0, 0))
	var boards []string
	for _, a := range snapshot.Actions {
		if a.Name == "type" {
			boards = append(boards, a.Keyboard)
		}
	}
	if !slices.Equal(boards, []string{"number", "text", "secure", "search", "multiline"}) {
		t.Errorf("%q", boards)
	}
}

func TestScreenIsNamedAfterWhatIsOnTop(t *testing.T) {
	root := login()
	if got := screen(root).Title(); got != "Sign in" {
		t.Error(got)
	}
	root.Children = append(root.Children, &ui.Node{Type: "Sheet", Identifier: "terms", Frame: ui.Rect{Y: 300, W: 400, H: 500}})
	if got := screen(root).Title(); got != "terms" {
		t.Error(got)
	}
	if got := screen(app(text("nothing"))).Title(); got != "Shop" {
		t.Error(got)
	}
}

func TestTypesOfEverySource(t *testing.T) {
	for _, c := range []struct {
		raw    string
		beside []string
		want   string
	}{
		{"XCUIElementTypeButton", nil, "Button"}, {"AXButton", nil, "Button"}, {"button", nil, "Button"}, {"TextArea", nil, "TextView"},
		{"TextField", []string{"AXSecureTextField"}, "SecureTextField"}, {"AXTextField", []string{"", "search text field"}, "SearchField"},
		{"CheckBox", []string{"AXSwitch"}, "Switch"}, {"AXRadioButton", []string{"AXTabButton"}, "Tab"},
		{"Group", []string{"", "Nav bar"}, "NavigationBar"},
		{"Group", []string{"", "tab bar"}, "TabBar"}, {"Other", []string{"Button"}, "Button"}, {"StaticText", []string{"Button"}, "StaticText"},
		{"", nil, "Other"}, {"AXSomethingNew", nil, "AXSomethingNew"},
	} {
		if got := ui.TypeOf(c.raw, c.beside...); got != c.want {
			t.Errorf("%s %q is %s, want %s", c.raw, c.beside, got, c.want)
		}
	}
}

func TestChildrenOf(t *testing.T) {
	inner := at(&ui.Node{Type: "Other", Label: "form", Identifier: "second", Children: []*ui.Node{text("In second")}}, 100)
	later := at(&ui.Node{Type: "Other", Identifier: "form", Children: []*ui.Node{text("In form"),
		{Type: "Other", Children: []*ui.Node{text("Deep")}}}}, 200)
	s := screen(app(inner, later))
	labels := func(of string) (out []string) {
		for _, e := range s.Flat(of, false).Elements {
			out = append(out, e.Label)
		}
		return out
	}
	// The identifier counts on the whole screen before any label does.
	if got := labels("form"); !slices.Equal(got, []string{"In form", "", "Deep"}) {
		t.Errorf("%q", got)
	}
	if got := labels("SECOND"); got != nil {
		t.Errorf("identifiers are exact: %q", got)
	}
	if tree := s.Flat("nobody", false); tree.Count != 0 || tree.Elements == nil {
		t.Errorf("%+v", tree)
	}
	if all := s.Flat("", false); all.Count != len(s.Nodes()) || len(all.Elements) != all.Count {
		t.Errorf("%d of %d", all.Count, len(s.Nodes()))
	}
	nested := s.Flat("", true)
	if nested.Count != len(s.Nodes()) || len(nested.Elements) != 1 {
		t.Errorf("%+v", nested)
	}
	child := func(e ui.FlatElement, i int) ui.FlatElement { return e.Children[i].(ui.FlatElement) }
	deep := child(child(child(nested.Elements[0], 0), 0), 1)
	if deep.Identifier == nil || *deep.Identifier != "form" || *child(deep, 0).ParentIdentifier != "form" ||
		child(deep, 0).ParentLabel != nil {
		t.Errorf("%+v", deep)
	}
}

func TestFlatElementHasQuernsNames(t *testing.T) {
	n := &ui.Node{Type: "Switch", Label: "News", Value: "1", Frame: ui.Rect{X: 1, Y: 2, W: 3, H: 4},
		Extra: map[string]any{"role_description": "switch", "help": "toggles"}}
	b, err := json.Marshal(screen(app(n)).ElementState(ui.Query{Label: "news"}))
	want := `{"type":"Switch","label":"News","identifier":null,"value":"1","frame":{"x":1,"y":2,"width":3,"height":4},"enabled":true,` +
		`"role":"AXSwitch","role_description":"switch","help":"toggles","custom_actions":[]}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func TestElementState(t *testing.T) {
	s := screen(app(button("Edit", 100), button("Edit", 150), button("Save", 200)))
	if e := s.ElementState(ui.Query{Label: "edit"}); e.MatchCount != 2 || e.Frame.Y != 100 {
		t.Errorf("%+v", e)
	}
	if e := s.ElementState(ui.Query{Label: "save"}); e.MatchCount != 0 {
		t.Errorf("%+v", e)
	}
	if e := s.ElementState(ui.Query{Label: "none"}); e != nil {
		t.Errorf("%+v", e)
	}
}

func TestConditions(t *testing.T) {
	s := screen(app(at(&ui.Node{Type: "TextField", Label: "Email", Value: "a@b"}, 100),
		at(&ui.Node{Type: "Button", Label: "Go", Disabled: true}, 2000)))
	email, button, none := ui.Query{Label: "Email"}, ui.Query{Label: "Go"}, ui.Query{Label: "None"}
	for _, c := range []struct {
		is    ui.Condition
		q     ui.Query
		value string
		want  bool
	}{
		{ui.Exists, email, "", true}, {ui.Exists, none, "", false}, {ui.NotExists, none, "", true}, {ui.NotExists, email, "", false},
		{ui.IsVisible, email, "", true}, {ui.IsVisible, button, "", false}, {ui.IsEnabled, email, "", true}, {ui.IsEnabled, button, "", false},
		{ui.IsDisabled, button, "", true}, {ui.IsDisabled, none, "", false}, {ui.ValueEquals, email, "a@b", true},
		{ui.ValueEquals, email, "A@b", false},
		{ui.ValueContains, email, "@", true}, {ui.ValueContains, none, "", false}, {"nonsense", email, "", false},
	} {
		if got, _ := s.Holds(c.is, c.q, c.value); got != c.want {
			t.Errorf("%s of %s is %v", c.is, c.q, got)
		}
	}
}

func TestSummary(t *testing.T) {
	demo := &ui.Node{Type: "Application", Label: "Demo", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
		button("Back", 60), at(&ui.Node{Type: "TextField", Label: "Email", Identifier: "email", Value: "a@b"}, 100),
		at(&ui.Node{Type: "CheckBox", Label: "Remember"}, 150), at(&ui.Node{Type: "Group", Label: "Tab Bar"}, 700), button("Feedback", 200),
	}}
	s := screen(demo).Summarize(20, false)
	want := "Demo screen with 2 buttons, 1 checkbox, 1 group, 1 textfield. " +
		"Interactive elements: Email, Remember, Feedback, Back. Values: Email: 'a@b'."
	if s.Summary != want {
		t.Errorf("got %s", s.Summary)
	}
	if s.Total != 3 || s.Truncated || s.Count != 6 || s.Types["Application"] != 1 || s.Interactive[3].Label != "Back" ||
		s.Interactive[0].Frame == nil {
		t.Errorf("%+v", s)
	}
	many := app(at(&ui.Node{Type: "Slider", Label: "Volume"}, 60))
	for i := range 11 {
		many.Children = append(many.Children, at(&ui.Node{Type: "Button", Label: "B", Identifier: string(rune('a' + i))}, float64(100+i*40)))
	}
	if s := screen(many).Summarize(3, false); !s.Truncated || s.Total != 12 || len(s.Interactive) != 3 || s.Most != 3 {
		t.Errorf("%+v", s)
	}
	if s := ui.NewScreen("", "", nil).Summarize(20, false); s.Summary != "Screen." || s.Count != 0 || s.Interactive == nil {
		t.Errorf("%+v", s)
	}
}

func TestSummarySaysWhatAnElementLiesIn(t *testing.T) {
	form := &ui.Node{Type: "ScrollView", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
		{Type: "Other", Label: "Card", Frame: ui.Rect{W: 400, H: 400}, Children: []*ui.Node{button("Submit", 100)}}}}
	s := screen(app(form)).Summarize(20, true)
	if !strings.HasSuffix(s.Summary, "\n- Button \"Submit\" (inside: ScrollView > Card)") ||
		!slices.Equal(s.Interactive[0].Inside, []string{"ScrollView", "Card"}) {
		t.Errorf("%+v", s)
	}
}

func TestSince(t *testing.T) {
	refs := &ui.Refs{}
	before := screen(login())
	refs.Remember(phone, before)
	if lines, _, known := screen(login()).Since(before.Hash(), phone, refs); !known || len(lines) != 2 ||
		lines[1] != "unchanged since "+before.Hash() {
		t.Errorf("%q", lines)
	}
	root := login()
	find(t, root, "email").Value = "x"
	lines, nodes, known := screen(root).Since(before.Hash(), phone, refs)
	if !known || lines[1] != `~ textbox "Email" [ref=e1] value: "" → "x"` || len(nodes) != 1 || nodes[0].Identifier != "email" {
		t.Errorf("%q %v", lines, nodes)
	}
	if _, _, known := before.Since("nonsense", phone, refs); known {
		t.Error("a look nobody remembers")
	}
	if refs.Recall("UDID-2", before.Hash()) != nil {
		t.Error("another device's look")
	}
	for i := range 100 {
		refs.Remember(phone, screen(app(button("B", float64(i)))))
	}
	if refs.Recall(phone, before.Hash()) != nil {
		t.Error("looks are kept forever")
	}
}

func TestQueryInManyWays(t *testing.T) {
	refs := &ui.Refs{}
	s := screen(app(bar("List"),
		at(&ui.Node{Type: "Other", Label: "First", Children: []*ui.Node{button("Edit", 100)}}, 100),
		at(&ui.Node{Type: "Other", Identifier: "second", Children: []*ui.Node{button("Edit", 150)}}, 150),
		at(&ui.Node{Type: "Switch", Label: "Push news", Value: "1"}, 200)))
	one := func(n int) *int { return &n }
	second := refs.Name(phone, s, find(t, s.Root, "second"))
	for _, c := range []struct {
		q    ui.Query
		y    float64
		code fault.Code
	}{
		{ui.Query{Contains: "NEWS"}, 200, ""}, {ui.Query{Role: "switch"}, 200, ""}, {ui.Query{Value: "1"}, 200, ""},
		{ui.Query{Type: "XCUIElementTypeSwitch"}, 200, ""}, {ui.Query{Type: "AXSwitch", Value: "0"}, 0, fault.ElementNotFound},
		{ui.Query{Label: "edit", Index: one(1)}, 150, ""}, {ui.Query{Label: "edit", Index: one(2)}, 0, fault.ElementNotFound},
		{ui.Query{Label: "Edit", Within: "second"}, 150, ""}, {ui.Query{Label: "Edit", Within: "first"}, 100, ""},
		{ui.Query{Label: "Edit", Within: "@" + second}, 150, ""}, {ui.Query{Label: "Edit", Within: "@e99"}, 0, fault.RefExpired},
		{ui.Query{Label: "Edit", Within: "nowhere"}, 0, fault.ElementNotFound},
		{ui.Query{Label: "Push news", Within: "Edit"}, 0, fault.ElementAmbiguous},
		{ui.Query{Label: "Edit"}, 0, fault.ElementAmbiguous}, {ui.Query{Contains: "newz"}, 0, fault.ElementNotFound},
	} {
		n, err := refs.Find(c.q, phone, s)
		switch {
		case c.code == "" && (err != nil || n.Frame.Y != c.y):
			t.Errorf("%s: %v", c.q, err)
		case c.code != "" && !fault.Is(err, c.code):
			t.Errorf("%s: %v", c.q, err)
		}
	}
}

// TestSinceShown: what changed since a screen was shown, without what changes by itself, until the session leaves the screen.
func TestSinceShown(t *testing.T) {
	var refs ui.Refs
	spinner := &ui.Node{Type: "ActivityIndicator", Label: "Busy", Frame: ui.Rect{X: 10, Y: 300, W: 20, H: 20}}
	before, busy := screen(app(button("A", 10))), screen(app(button("A", 10), spinner))
	after := screen(app(button("A", 10), button("B", 100), spinner))
	if lines := refs.SinceShown(phone, before); lines != nil {
		t.Errorf("nothing was shown: %q", lines)
	}
	refs.Remember(phone, before)
	if lines := refs.SinceShown(phone, busy); lines != nil {
		t.Errorf("a spinner is news: %q", lines)
	}
	if lines := refs.SinceShown(phone, after); len(lines) != 1 || !strings.HasPrefix(lines[0], `+ button "B"`) {
		t.Errorf("%q", lines)
	}
	if lines := refs.SinceShown("UDID-2", after); lines != nil {
		t.Errorf("another device was not shown: %q", lines)
	}
	refs.Leave(phone)
	if lines := refs.SinceShown(phone, after); lines != nil || refs.Shown(phone) != nil || refs.Recall(phone, before.Hash()) == nil {
		t.Errorf("the session left the screen: %q", lines)
	}
	refs.Glimpse(phone, after)
	if refs.Shown(phone).Hash() != after.Hash() || refs.Last(phone) != "" {
		t.Error("nobody waited until it was still")
	}
	if refs.Remember(phone, after); refs.Last(phone) != after.Hash() {
		t.Error("it is still")
	}
}

// TestAnOutlineOfSomeLines has those to act on, and counts the others. The header, which is not compared here, is one of them.
func TestAnOutlineOfSomeLines(t *testing.T) {
	var nodes []*ui.Node
	for i := range 10 {
		frame := ui.Rect{X: 10, Y: float64(20 * i), W: 90, H: 18}
		nodes = append(nodes, &ui.Node{Type: "StaticText", Label: fmt.Sprint("text ", i), Frame: frame})
	}
	s := screen(app(append(nodes, button("A", 300), button("B", 400))...))
	if got := outline(s, ui.Outlining{Lines: 13}); strings.Count(got, "\n") != 11 || strings.Contains(got, "left out") {
		t.Errorf("it fits:\n%s", got)
	}
	got := outline(s, ui.Outlining{Lines: 5})
	if lines := strings.Split(got, "\n"); len(lines) != 4 || !strings.Contains(got, `"A"`) || !strings.Contains(got, `"B"`) ||
		lines[3] != "… 9 more left out, 0 to act on: `ios-agent snapshot` shows all" {
		t.Error(got)
	}
}
