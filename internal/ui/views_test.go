package ui_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
	"ios-agent/internal/ui/summary"
)

func TestSnapshotReportsKeyboardKind(t *testing.T) {
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

func TestTitleIsTheTopmostModalOrBar(t *testing.T) {
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

func TestTypeOfMapsTypesOfEverySource(t *testing.T) {
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

func TestFlatTreeListsChildrenOfMatch(t *testing.T) {
	inner := at(&ui.Node{Type: "Other", Label: "form", Identifier: "second", Children: []*ui.Node{text("In second")}}, 100)
	later := at(&ui.Node{Type: "Other", Identifier: "form", Children: []*ui.Node{text("In form"),
		{Type: "Other", Children: []*ui.Node{text("Deep")}}}}, 200)
	s := screen(app(inner, later))
	labels := func(of string) (out []string) {
		for _, e := range flat.Of(s, of, false).Elements {
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
	if tree := flat.Of(s, "nobody", false); tree.Count != 0 || tree.Elements == nil {
		t.Errorf("%+v", tree)
	}
	if all := flat.Of(s, "", false); all.Count != len(s.Nodes()) || len(all.Elements) != all.Count {
		t.Errorf("%d of %d", all.Count, len(s.Nodes()))
	}
	nested := flat.Of(s, "", true)
	if nested.Count != len(s.Nodes()) || len(nested.Elements) != 1 {
		t.Errorf("%+v", nested)
	}
	child := func(e flat.Element, i int) flat.Element { return e.Children[i].(flat.Element) }
	deep := child(child(child(nested.Elements[0], 0), 0), 1)
	if deep.Identifier == nil || *deep.Identifier != "form" || *child(deep, 0).ParentIdentifier != "form" ||
		child(deep, 0).ParentLabel != nil {
		t.Errorf("%+v", deep)
	}
}

func TestFlatElementHasQuernsNames(t *testing.T) {
	n := &ui.Node{Type: "Switch", Label: "News", Value: "1", Frame: ui.Rect{X: 1, Y: 2, W: 3, H: 4},
		Extra: map[string]any{"role_description": "switch", "help": "toggles"}}
	b, err := json.Marshal(flat.State(screen(app(n)), ui.Query{Label: "news"}))
	want := `{"type":"Switch","label":"News","identifier":null,"value":"1","frame":{"x":1,"y":2,"width":3,"height":4},"enabled":true,` +
		`"role":"AXSwitch","role_description":"switch","help":"toggles","custom_actions":[]}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func TestStateReportsMatchCountOfQuery(t *testing.T) {
	s := screen(app(button("Edit", 100), button("Edit", 150), button("Save", 200)))
	if e := flat.State(s, ui.Query{Label: "edit"}); e.MatchCount != 2 || e.Frame.Y != 100 {
		t.Errorf("%+v", e)
	}
	if e := flat.State(s, ui.Query{Label: "save"}); e.MatchCount != 0 {
		t.Errorf("%+v", e)
	}
	if e := flat.State(s, ui.Query{Label: "none"}); e != nil {
		t.Errorf("%+v", e)
	}
}

func TestHoldsEvaluatesEachCondition(t *testing.T) {
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

func TestSummaryDescribesScreenElements(t *testing.T) {
	demo := &ui.Node{Type: "Application", Label: "Demo", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
		button("Back", 60), at(&ui.Node{Type: "TextField", Label: "Email", Identifier: "email", Value: "a@b"}, 100),
		at(&ui.Node{Type: "CheckBox", Label: "Remember"}, 150), at(&ui.Node{Type: "Group", Label: "Tab Bar"}, 700), button("Feedback", 200),
	}}
	s := summary.Of(screen(demo), 20, false)
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
	if s := summary.Of(screen(many), 3, false); !s.Truncated || s.Total != 12 || len(s.Interactive) != 3 || s.Most != 3 {
		t.Errorf("%+v", s)
	}
	if s := summary.Of(ui.NewScreen("", "", nil), 20, false); s.Summary != "Screen." || s.Count != 0 || s.Interactive == nil {
		t.Errorf("%+v", s)
	}
}

func TestSummaryNamesTheContainers(t *testing.T) {
	form := &ui.Node{Type: "ScrollView", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
		{Type: "Other", Label: "Card", Frame: ui.Rect{W: 400, H: 400}, Children: []*ui.Node{button("Submit", 100)}}}}
	s := summary.Of(screen(app(form)), 20, true)
	if !strings.HasSuffix(s.Summary, "\n- Button \"Submit\" (inside: ScrollView > Card)") ||
		!slices.Equal(s.Interactive[0].Inside, []string{"ScrollView", "Card"}) {
		t.Errorf("%+v", s)
	}
}

func TestFindAcceptsEveryQueryProperty(t *testing.T) {
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

// TestActionsMatchElementRole: everything that can be done with an element is offered, and nothing that cannot.
func TestActionsMatchElementRole(t *testing.T) {
	frame := func(y float64) ui.Rect { return ui.Rect{X: 10, Y: y, W: 200, H: 40} }
	root := &ui.Node{Type: "Application", Frame: ui.Rect{W: 390, H: 844}, Children: []*ui.Node{
		{Type: "Button", Label: "Go", Frame: frame(60)},
		{Type: "TextField", Label: "Name", Frame: frame(120)},
		{Type: "Slider", Label: "Volume", Frame: frame(180)},
		{Type: "Button", Label: "Off", Disabled: true, Frame: frame(240)},
		{Type: "Table", Label: "List", Frame: ui.Rect{X: 0, Y: 300, W: 390, H: 400}},
		{Type: "StaticText", Label: "Words", Frame: frame(740)},
	}}
	s, refs := screen(root), &ui.Refs{}
	got := map[string][]string{}
	labels := map[string]string{}
	snapshot := s.Snapshot(phone, refs, time.Time{})
	for _, e := range snapshot.Elements {
		labels[e.Ref] = e.Label
	}
	for _, a := range snapshot.Actions {
		got[labels[a.Target]] = append(got[labels[a.Target]], a.Name)
	}
	for label, want := range map[string]string{
		"Go": "tap double_tap long_press", "Name": "tap double_tap long_press type fill clear", "Volume": "tap double_tap long_press set_value",
		"Off": "", "List": "swipe scroll_to", "Words": "",
	} {
		if said := strings.Join(got[label], " "); said != want {
			t.Errorf("%s: %q, want %q", label, said, want)
		}
	}
}

// TestDisabledElementIsHittable: hittable means what Apple's tools mean by it, and being enabled is another field.
func TestDisabledElementIsHittable(t *testing.T) {
	off := button("Pay", 300)
	off.Disabled = true
	s := screen(app(off))
	e := s.Snapshot(phone, &ui.Refs{}, time.Time{}).Elements[3]
	if e.Hittable == nil || !*e.Hittable || e.Enabled || off.Hittable() {
		t.Errorf("got %+v, want it hittable and not enabled", e)
	}
}
