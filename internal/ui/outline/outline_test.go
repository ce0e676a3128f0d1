package outline_test

import (
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/test/uitree"
)

const phone = "UDID-1"

var (
	login, app, bar, text, button = uitree.Login, uitree.App, uitree.Bar, uitree.Text, uitree.Button
	at, screen, find              = uitree.At, uitree.Screen, uitree.Find
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

func outlined(s *ui.Screen, how outline.Choice) string {
	_, lines, _ := strings.Cut(outline.Of(s, how, phone, &ui.Refs{}), "\n")
	return lines
}

func TestOutlineCountsElementsOutOfSight(t *testing.T) {
	want := `- list "list" [ref=e1]
  … 1 more above: "Above"
  - listitem "General" [ref=e2]
  - listitem "Privacy" [ref=e3]
  - listitem "Safari" [ref=e4]
  … 2 more below: "Maps", "News"
- text "Version 1" [ref=e5]`
	if got := outlined(list(), outline.Choice{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOutlineFollowsDepthWithinAndAll(t *testing.T) {
	s := list()
	if got := outlined(s, outline.Choice{Depth: 1}); !strings.Contains(got, "  … 3 deeper; ‹input:depth› or ‹input:within› shows them") ||
		strings.Contains(got, "Safari") {
		t.Errorf("depth 1:\n%s", got)
	}
	within := outlined(s, outline.Choice{Within: find(t, s.Root, "list")})
	if strings.Contains(within, "Version") || !strings.Contains(within, "Safari") {
		t.Errorf("within the list:\n%s", within)
	}
	all := outlined(s, outline.Choice{All: true})
	if got := strings.Count(all, "\n") + 1; got != len(s.Nodes()) {
		t.Errorf("%d lines of %d elements:\n%s", got, len(s.Nodes()), all)
	}
	if !strings.Contains(all, `listitem "News"`) || !strings.Contains(all, "[off-screen]") {
		t.Errorf("all leaves out:\n%s", all)
	}
}

func TestBudgetKeepsActionableElements(t *testing.T) {
	s := list()
	got := outlined(s, outline.Choice{Budget: 100})
	for _, row := range []string{"General", "Privacy", "Safari"} {
		if !strings.Contains(got, row) {
			t.Errorf("%s is left out:\n%s", row, got)
		}
	}
	if strings.Contains(got, "Version 1") || !strings.Contains(got,
		"more left out, 0 to act on, 1 more above, 2 more below: ‹input:budget› ") {
		t.Errorf("not shortened, or without a word:\n%s", got)
	}
	if tiny := outlined(s, outline.Choice{Budget: 1}); !strings.Contains(tiny, "5 more left out, 3 to act on") {
		t.Errorf("next to nothing:\n%s", tiny)
	}
}

// TestBudgetKeepsNewElements: a text that the last action brought is worth more than the rows that were there before, also when it was
// told once already; what has the focus stays too.
func TestBudgetKeepsNewElements(t *testing.T) {
	refs := &ui.Refs{}
	refs.Remember(phone, list())
	after := func() *ui.Screen {
		rows := list().Root
		return screen(app(append(rows.Children, at(text("Order failed: no such card"), 740),
			at(&ui.Node{Type: "TextField", Label: "Card", Focused: true}, 780))...))
	}
	for range 2 {
		_, got, _ := strings.Cut(outline.Of(after(), outline.Choice{Budget: 100}, phone, refs), "\n")
		if !strings.Contains(got, "Order failed: no such card") || !strings.Contains(got, `textbox "Card"`) ||
			strings.Contains(got, "Version 1") || !strings.Contains(got, "more left out, ") {
			t.Errorf("the budget has no room for what is new:\n%s", got)
		}
		refs.Remember(phone, after())
	}
}

// TestBudgetKeepsEarlierChanges: a text that changed some steps ago, and not in the last, is worth more than what never changes.
func TestBudgetKeepsEarlierChanges(t *testing.T) {
	refs := &ui.Refs{}
	show := func(status, field string) *ui.Screen {
		rows := list().Root
		return screen(app(append(rows.Children, at(text("Upload: "+status), 740), at(&ui.Node{Type: "TextField", Label: field}, 780))...))
	}
	for _, s := range []*ui.Screen{show("waiting", "Card"), show("failed", "Card"), show("failed", "Account")} {
		refs.Remember(phone, s)
	}
	got := outline.Of(show("failed", "Account"), outline.Choice{Budget: 100}, phone, refs)
	if !strings.Contains(got, "Upload: failed") || !strings.Contains(got, "more left out, ") {
		t.Errorf("got\n%s\nwant the text that changes", got)
	}
}

// TestBudgetSkipsATooLongLine: what comes after it has its room.
func TestBudgetSkipsATooLongLine(t *testing.T) {
	refs := &ui.Refs{}
	refs.Remember(phone, list())
	rows := list().Root
	long := &ui.Node{Type: "Button", Label: strings.Repeat("é very long ", 20), Identifier: strings.Repeat("x", 300)}
	now := screen(app(append(rows.Children, at(long, 740), at(text("Order failed"), 780))...))
	if got := outline.Of(now, outline.Choice{Budget: 85}, phone, refs); !strings.Contains(got, "Order failed") {
		t.Errorf("got\n%s\nwant the short line that is new, too", got)
	}
}

// TestOutlineOfUnseenElementSaysWhy: a header alone would look as if the element were empty.
func TestOutlineOfUnseenElementSaysWhy(t *testing.T) {
	s := list()
	for name, want := range map[string]string{"News": "cannot be seen: off the screen or hidden", "Above": "‹input:all› shows them"} {
		n := s.Match(ui.Query{Label: name, Type: "Cell"})[0]
		if got := outlined(s, outline.Choice{Within: n}); !strings.Contains(got, want) {
			t.Errorf("within %s: got\n%s\nwant %q", name, got, want)
		}
	}
}

func TestVisiblePercentCountsVisibleArea(t *testing.T) {
	s := list()
	for name, want := range map[string]int{"General": 100, "Above": 0, "News": 0} {
		if n := s.Match(ui.Query{Label: name, Type: "Cell"})[0]; n.VisiblePercent() != want {
			t.Errorf("%s: %d %% visible", name, n.VisiblePercent())
		}
	}
	cut := screen(app(&ui.Node{Type: "Button", Label: "Cut", Frame: ui.Rect{X: -30, Y: 10, W: 40, H: 10}}))
	if n := find(t, cut.Root, "Cut"); n.VisiblePercent() != 25 || !strings.Contains(outlined(cut, outline.Choice{}), "[25% visible]") {
		t.Errorf("%d %%: %s", n.VisiblePercent(), outlined(cut, outline.Choice{}))
	}
}

// TestWebViewWithoutPageIsMarkedHidden: silence would look like an empty page.
func TestWebViewWithoutPageIsMarkedHidden(t *testing.T) {
	web := &ui.Node{Type: "WebView", Frame: ui.Rect{Y: 100, W: 400, H: 600},
		Children: []*ui.Node{{Type: "Other", Frame: ui.Rect{Y: 100, W: 400, H: 600}}}}
	if got := outlined(screen(app(web)), outline.Choice{}); got != "- document [ref=e1] [content hidden]" {
		t.Error(got)
	}
	web.Children = []*ui.Node{at(text("Hello"), 200)}
	if got := outlined(screen(app(web)), outline.Choice{}); strings.Contains(got, "hidden") {
		t.Error(got)
	}
}

// TestRepeatedWrapperTextIsShownOnce: wrappers that repeat their content, as React Native makes them, cost a line once.
func TestRepeatedWrapperTextIsShownOnce(t *testing.T) {
	wrap := func(label string, children ...*ui.Node) *ui.Node {
		return &ui.Node{Type: "Other", Label: label, Frame: ui.Rect{Y: 100, W: 400, H: 200}, Children: children}
	}
	field := at(&ui.Node{Type: "TextField", Label: "name"}, 120)
	s := screen(app(wrap("Hello name go", wrap("Hello name go", at(text("Hello"), 100), wrap("name", field), wrap("go", wrap("go"))))))
	want := "- text \"Hello\" [ref=e1]\n- textbox \"name\" [ref=e2]\n- generic \"go\" [ref=e3]"
	if got := outlined(s, outline.Choice{}); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestLineLimitKeepsActionableElements has those to act on, and counts the others. The header, which is not compared here, is one of them.
func TestLineLimitKeepsActionableElements(t *testing.T) {
	var nodes []*ui.Node
	for i := range 10 {
		frame := ui.Rect{X: 10, Y: float64(20 * i), W: 90, H: 18}
		nodes = append(nodes, &ui.Node{Type: "StaticText", Label: fmt.Sprint("text ", i), Frame: frame})
	}
	s := screen(app(append(nodes, button("A", 300), button("B", 400))...))
	if got := outlined(s, outline.Choice{Lines: 13}); strings.Count(got, "\n") != 11 || strings.Contains(got, "left out") {
		t.Errorf("it fits:\n%s", got)
	}
	got := outlined(s, outline.Choice{Lines: 5})
	if lines := strings.Split(got, "\n"); len(lines) != 4 || !strings.Contains(got, `"A"`) || !strings.Contains(got, `"B"`) ||
		lines[3] != "… 9 more left out, 0 to act on: ‹do:snapshot› shows them" {
		t.Error(got)
	}
}

// TestOutlineReportsThatListMayContinue: rows out of sight are often not told. Said where a row meets the lower edge, also when all is
// shown, and before texts that are new.
func TestOutlineReportsThatListMayContinue(t *testing.T) {
	long, short := shelf(strings.Split("abcdefghijkl", "")...), shelf("a", "b")
	for _, how := range []outline.Choice{{}, {All: true}, {Lines: 8}} {
		if got := outlined(screen(app(bar("Shop"), long)), how); !strings.Contains(got, " may go on below") {
			t.Errorf("%+v:\n%s", how, got)
		}
		if got := outlined(screen(app(bar("Shop"), short)), how); strings.Contains(got, "go on") {
			t.Errorf("%+v:\n%s", how, got)
		}
	}
}

// TestScopeMatchesOutlineChoice: what a snapshot for programs has is what its outline is about.
func TestScopeMatchesOutlineChoice(t *testing.T) {
	s := screen(login())
	all := outline.Scope(s, outline.Choice{})
	if len(all) != len(s.Nodes()) {
		t.Errorf("%d of %d elements without a choice", len(all), len(s.Nodes()))
	}
	box := s.Nodes()[len(s.Nodes())-1]
	if in := outline.Scope(s, outline.Choice{Within: box}); len(in) != 1 || in[0] != box {
		t.Errorf("within %s: %v", box.Describe(), in)
	}
	if flat := outline.Scope(s, outline.Choice{Depth: 1, All: true}); len(flat) != 1 {
		t.Errorf("%d elements at depth 1", len(flat))
	}
}
