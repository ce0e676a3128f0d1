package page

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ios-agent/internal/ui"
)

// shown is a screen with a list of two cells, a field and a button, and texts that no XML likes.
func shown() *Page {
	value, hidden := "ada", 0
	at := func(y float64) ui.Rect { return ui.Rect{X: 10, Y: y, W: 100, H: 40} }
	el := func(ref, kind, id, label string, frame ui.Rect, children ...string) ui.Element {
		return ui.Element{Ref: "@" + ref, Type: TypePrefix + kind, Identifier: id, Label: label, Frame: frame, Enabled: true, Hittable: new(true),
			Children: children}
	}
	app := el("e1", "Application", "", "Shop", ui.Rect{W: 393, H: 852}, "@e2")
	table := el("e2", "Table", "list", "", ui.Rect{W: 393, H: 600}, "@e3", "@e5", "@e7", "@e8")
	field := el("e7", "TextField", "name", "Name", at(200))
	field.Value, field.Focused = &value, true
	button := el("e8", "Button", "buy", "Buy <now> & \"pay\"\x01", at(900))
	button.Visible, button.Hittable, button.Enabled = &hidden, new(false), false
	return Of(ui.Snapshot{App: "com.example.shop", Elements: []ui.Element{
		app, table, el("e3", "Cell", "first", "Coffee", at(0), "@e4"), el("e4", "Button", "", "Add", at(0)),
		el("e5", "Cell", "second", "Éclair", at(50), "@e6"), el("e6", "Button", "", "Add", at(50)), field, button,
	}})
}

func ids(found []*Node) string {
	var all []string
	for _, n := range found {
		all = append(all, n.ID())
	}
	return strings.Join(all, " ")
}

func TestFindReturnsElementsForEachStrategy(t *testing.T) {
	for _, c := range []struct{ using, selector, from, want string }{
		{"accessibility id", "first", "", "e3"},
		{"accessibility id", "Add", "", "e4 e6"},
		{"accessibility id", "Coffee", "", ""}, // it has an identifier, which is its name
		{"name", "Add", "e5", "e6"},
		{"id", "buy", "", "e8"},
		{"class name", "XCUIElementTypeCell", "", "e3 e5"},
		{"link text", "label=Coffee", "", "e3"},
		{"partial link text", "label=offe", "", "e3"},

		{"xpath", "//XCUIElementTypeButton", "", "e4 e6 e8"},
		{"xpath", "//XCUIElementTypeCell[@name='second']/XCUIElementTypeButton", "", "e6"},
		{"xpath", "(//XCUIElementTypeButton)[2]", "", "e6"},
		{"xpath", "//*[@value='ada' and @enabled='true']", "", "e7"},
		{"xpath", "//*[contains(@label, 'offee')]", "", "e3"},
		{"xpath", "/AppiumAUT/XCUIElementTypeApplication/XCUIElementTypeTable", "", "e2"},
		{"xpath", "/XCUIElementTypeApplication/*/*[last()]", "", "e8"},
		{"xpath", ".//XCUIElementTypeButton", "e3", "e4"},
		{"xpath", "//XCUIElementTypeButton/..", "", "e2 e3 e5"},
		{"xpath", "//XCUIElementTypeCell/following-sibling::XCUIElementTypeTextField", "", "e7"},
		{"xpath", "//XCUIElementTypeButton[@visible='false']", "", "e8"},
		{"xpath", "//XCUIElementTypeTextField | //XCUIElementTypeTable", "", "e2 e7"},

		{"predicate string", `label == "Coffee"`, "", "e3"},
		{"-ios predicate string", `type == 'XCUIElementTypeButton' AND visible == 1`, "", "e4 e6"},
		{"-ios predicate string", `label CONTAINS[c] 'COFF' OR name = "name"`, "", "e3 e7"},
		{"-ios predicate string", `label BEGINSWITH[cd] 'eclair'`, "", "e5"},
		{"-ios predicate string", `NOT (enabled == YES)`, "", "e8"},
		{"-ios predicate string", `value MATCHES '[a-d]+'`, "", "e7"},
		{"-ios predicate string", `name LIKE 'f*t'`, "", "e3"},
		{"-ios predicate string", `name IN {'buy', "list"}`, "", "e2 e8"},
		{"-ios predicate string", `rect.y BETWEEN {40, 250} && type ENDSWITH 'Cell'`, "", "e5"},
		{"-ios predicate string", `value != nil`, "", "e7"},
		{"-ios predicate string", `wdName == 'buy'`, "", "e8"},
		{"-ios predicate string", `focused == true`, "", "e7"},
		{"-ios predicate string", `label == 'Buy <now> & "pay"` + "\x01'", "", "e8"},
		{"-ios predicate string", `rect.width >= 393 and TRUEPREDICATE`, "", "e1 e2"},

		{"-ios class chain", "**/XCUIElementTypeButton", "", "e4 e6 e8"},
		{"-ios class chain", "**/XCUIElementTypeButton[2]", "", "e6"},
		{"-ios class chain", "**/XCUIElementTypeButton[-1]", "", "e8"},
		{"-ios class chain", "**/XCUIElementTypeCell[`name == 'second'`]/XCUIElementTypeButton", "", "e6"},
		{"-ios class chain", "**/XCUIElementTypeCell[$label == 'Add'$][1]", "", "e3"},
		{"-ios class chain", "XCUIElementTypeTable/*[3]", "", "e7"},
		{"-ios class chain", "*/XCUIElementTypeTextField", "", "e7"},
		{"-ios class chain", "**/XCUIElementTypeButton[9]", "", ""},
		{"-ios class chain", "XCUIElementTypeButton", "e5", "e6"},
	} {
		tree := shown()
		var from *Node
		if c.from != "" {
			from = tree.ByID(c.from)
		}
		found, err := strategies[c.using](t.Context(), tree, c.selector, from)
		if got := ids(found); err != nil || got != c.want {
			t.Errorf("%s %s: %q, %v; wanted %q", c.using, c.selector, got, err, c.want)
		}
	}
}

// TestInvalidSelectorsAreRefused: what is not supported is refused by its name, and never finds something else.
func TestInvalidSelectorsAreRefused(t *testing.T) {
	for _, c := range []struct{ using, selector, says string }{
		{"class name", "Button", "XCUIElementType"},
		{"xpath", "//[", "XPath"},
		{"xpath", "count(//*)", "value"},
		{"xpath", "//*/@name", "attributes"},
		{"xpath", "//*[nothing()]", "XPath"},
		{"xpath", "//*[@accessible='true']", "accessible"},
		{"-ios predicate string", `accessible == 1`, "accessible"},
		{"-ios predicate string", `colour == 'red'`, `"colour"`},
		{"-ios predicate string", `label ~ 'x'`, `"~"`},
		{"-ios predicate string", `SELF.label == 'x'`, `"SELF.label"`},
		{"-ios predicate string", `ANY label == 'x'`, `"ANY"`},
		{"-ios predicate string", `label == 'x`, "without an end"},
		{"-ios predicate string", `label ==`, "too early"},
		{"-ios predicate string", `(label == 'x'`, "too early"},
		{"-ios predicate string", `label == 'x' label`, "is unexpected"},
		{"-ios predicate string", `label MATCHES '('`, "pattern"},
		{"-ios predicate string", `label ==[x] 'a'`, `"x"`},
		{"-ios predicate string", strings.Repeat("(", 300) + "label == 'x'", "deeper"},
		{"-ios predicate string", strings.Repeat("NOT ", 300) + "label == 'x'", "deeper"},
		{"-ios predicate string", strings.Repeat("x", mostPredicate+1), "more than"},
		{"-ios class chain", "", "empty"},
		{"-ios class chain", "**/Button", `"Button"`},
		{"-ios class chain", "**/XCUIElementTypeButton[`label == 'x']", "no end"},
		{"-ios class chain", "**/XCUIElementTypeButton[0]", `"0"`},
		{"-ios class chain", "**/XCUIElementTypeButton[1", "not closed"},
		{"-ios class chain", "**/XCUIElementTypeButton[1]x", "unexpected"},
	} {
		found, err := strategies[c.using](t.Context(), shown(), c.selector, nil)
		wrong, is := errors.AsType[*InvalidSelector](err)
		if !is || !strings.Contains(wrong.Message, c.says) || len(found) > 0 {
			t.Errorf("%s %.60s: %q, %v; it should be an invalid selector that says %s", c.using, c.selector, ids(found), err, c.says)
		}
	}
}

// TestSourceIsXML: whatever a screen shows, a parser takes it and reads the same texts.
func TestSourceIsXML(t *testing.T) {
	source := shown().XML("AppiumAUT", []string{"index"})
	d := xml.NewDecoder(strings.NewReader(source))
	var names []string
	label := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, source)
		}
		if e, is := token.(xml.StartElement); is {
			names = append(names, e.Name.Local)
			for _, a := range e.Attr {
				if a.Name.Local == "label" {
					label = a.Value
				}
				if a.Name.Local == "index" {
					t.Error("an excluded attribute is there")
				}
			}
		}
	}
	want := "AppiumAUT XCUIElementTypeApplication XCUIElementTypeTable XCUIElementTypeCell XCUIElementTypeButton XCUIElementTypeCell " +
		"XCUIElementTypeButton XCUIElementTypeTextField XCUIElementTypeButton"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the elements are %s", got)
	}
	if label != "Buy <now> & \"pay\"\uFFFD" {
		t.Errorf("the last label is %q", label)
	}
}

func FuzzPredicate(f *testing.F) {
	for _, seed := range []string{`label == "x" AND NOT (value MATCHES[c] 'a.*')`, `name IN {'a', 1, YES}`, `rect.x BETWEEN {1, 2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		tree := shown()
		if fits, err := tree.predicate(text); err == nil {
			tree.All(nil, fits)
		}
	})
}

func FuzzChain(f *testing.F) {
	for _, seed := range []string{"**/XCUIElementTypeCell[`name == 'a'`][2]/*", "*/XCUIElementTypeTable[$label == 'x'$][-1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) { _, _ = byChain(shown(), text, nil) })
}

func FuzzXPath(f *testing.F) {
	for _, seed := range []string{"//XCUIElementTypeCell[@name='a'][2]/..", "//*[contains(@label,'x') or position()=last()]"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) { _, _ = byXPath(context.Background(), shown(), text, nil) })
}

// pile is a screen of n elements, each within the one before.
func pile(n int) *Page {
	var all []ui.Element
	for i := range n {
		e := ui.Element{Ref: fmt.Sprint("@e", i+1), Type: TypePrefix + "Other", Label: fmt.Sprint(i)}
		if i+1 < n {
			e.Children = []string{fmt.Sprint("@e", i+2)}
		}
		all = append(all, e)
	}
	return Of(ui.Snapshot{Elements: all})
}

// counted is the context of a caller that leaves when it was asked so often whether it is still there.
type counted struct {
	context.Context
	asked, leaves int
}

func (c *counted) Err() error {
	if c.asked++; c.asked > c.leaves {
		return context.Canceled
	}
	return nil
}

// nested is an expression that visits every element for every element, three times.
const nested = "//*[count(//*[count(//*[count(//*)>0])>0])>0]"

// TestXPathEndsWhenCallerCancels: an expression that would take minutes ends soon after its caller has left.
func TestXPathEndsWhenCallerCancels(t *testing.T) {
	who := &counted{Context: t.Context(), leaves: 5}
	found, err := byXPath(who, pile(2000), nested, nil)
	if !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("got %d elements, %v, want %v", len(found), err, context.Canceled)
	}
}

// TestXPathIsBounded: an expression that visits too much is refused, with what to do, though its caller waits.
func TestXPathIsBounded(t *testing.T) {
	_, err := byXPath(t.Context(), pile(2000), nested, nil)
	var selector *InvalidSelector
	if !errors.As(err, &selector) || !strings.Contains(err.Error(), "50000000 steps") || selector.Hint == "" {
		t.Errorf("got %v, want a refusal that names the bound, with a hint", err)
	}
}
