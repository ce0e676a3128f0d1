package page

import (
	"encoding/json"
	"strings"
	"testing"

	"ios-agent/internal/ui"
)

func TestByRefusesUnknownStrategies(t *testing.T) {
	for using, says := range map[string]string{"tag name": `"tag name"`, "": `""`} {
		how, err := By(using)
		wrong, is := err.(*InvalidSelector)
		if how != nil || !is || !strings.Contains(wrong.Message, says) || wrong.Hint == "" {
			t.Errorf("By(%q): %#v; it should be an invalid selector with a hint that says %s", using, err, says)
		}
	}
}

func TestAttributeReadsElementProperties(t *testing.T) {
	told := Of(ui.Snapshot{Elements: []ui.Element{{Ref: "@e9", Extra: map[string]any{"accessible": true}}}})
	for _, c := range []struct {
		page     *Page
		id, name string
		want     any
		known    bool
	}{
		{shown(), "e7", "value", "ada", true},
		{shown(), "e7", "wdValue", "ada", true},
		{shown(), "e3", "value", nil, true},
		{shown(), "e3", "name", "first", true},
		{shown(), "e4", "name", "Add", true},
		{shown(), "e4", "rawIdentifier", nil, true},
		{shown(), "e8", "enabled", "false", true},
		{shown(), "e8", "visible", "false", true},
		{shown(), "e5", "y", "50", true},
		{shown(), "e5", "rect.width", "100", true},
		{shown(), "e5", "index", "1", true},
		{shown(), "e5", "rect", `{"height":40,"width":100,"x":10,"y":50}`, true},
		{shown(), "e5", "frame", "{{10, 50}, {100, 40}}", true},
		{shown(), "e5", "accessible", nil, true}, // the driver does not tell it
		{told, "e9", "accessible", "true", true},
		{shown(), "e5", "colour", nil, false},
	} {
		got, known := c.page.ByID(c.id).Attribute(c.name)
		if got != c.want || known != c.known {
			t.Errorf("%s of %s: got %v, known %t; want %v, %t", c.name, c.id, got, known, c.want, c.known)
		}
	}
}

func TestBoxRoundsOutwardsAtTheCorner(t *testing.T) {
	got, want := BoxOf(ui.Rect{X: 1.7, Y: -0.2, W: 10.5, H: 3.4}), Box{X: 1, Y: -1, Width: 11, Height: 3}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWindowIsTheFirstRootWithASize(t *testing.T) {
	wide := Of(ui.Snapshot{Elements: []ui.Element{{Ref: "@e1"}, {Ref: "@e2", Frame: ui.Rect{W: 852, H: 393}}}})
	for _, c := range []struct {
		page      *Page
		want      ui.Rect
		landscape bool
	}{
		{shown(), ui.Rect{W: 393, H: 852}, false}, {wide, ui.Rect{W: 852, H: 393}, true}, {Of(ui.Snapshot{}), ui.Rect{}, false},
	} {
		if got := c.page.Window(); got != c.want || c.page.Landscape() != c.landscape {
			t.Errorf("got %+v, landscape %t; want %+v, %t", got, c.page.Landscape(), c.want, c.landscape)
		}
	}
}

func TestInsideChecksElementAndAncestors(t *testing.T) {
	for _, c := range []struct {
		id, kind string
		want     bool
	}{{"e4", "Button", true}, {"e4", "Table", true}, {"e4", "Application", true}, {"e4", "TextField", false}} {
		if got := shown().ByID(c.id).Inside(TypePrefix + c.kind); got != c.want {
			t.Errorf("%s inside %s: got %t, want %t", c.id, c.kind, got, c.want)
		}
	}
}

func TestSourceJSONHasWebDriverAgentKeys(t *testing.T) {
	page := Of(ui.Snapshot{Elements: []ui.Element{
		{Ref: "@e1", Type: TypePrefix + "Application", Label: "Shop", Enabled: true, Frame: ui.Rect{W: 393, H: 852}, Children: []string{"@e2"}},
		{Ref: "@e2", Type: TypePrefix + "Switch", Identifier: "dark", Value: new("1"), Focused: true, Extra: map[string]any{"isAccessible": "1"}},
	}})
	got, err := json.Marshal(page.Front().JSON())
	want := `{"children":[{"frame":"{{0, 0}, {0, 0}}","isAccessible":"1","isEnabled":"0","isFocused":"1","isVisible":"1","label":null,` +
		`"name":"dark","placeholderValue":null,"rawIdentifier":"dark","rect":{"height":0,"width":0,"x":0,"y":0},"type":"Switch","value":"1"}],` +
		`"frame":"{{0, 0}, {393, 852}}","isEnabled":"1","isFocused":"0","isVisible":"1","label":"Shop","name":"Shop",` +
		`"placeholderValue":null,"rawIdentifier":null,"rect":{"height":852,"width":393,"x":0,"y":0},"type":"Application","value":null}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestDescriptionHasOneLinePerElement(t *testing.T) {
	got := strings.Split(strings.TrimSpace(shown().Description()), "\n")
	for at, want := range map[int]string{
		0: `Application, {{0, 0}, {393, 852}}, label: "Shop"`,
		1: `  Table, {{0, 0}, {393, 600}}, identifier: "list"`,
		3: `      Button, {{10, 0}, {100, 40}}, label: "Add"`,
		6: `    TextField, {{10, 200}, {100, 40}}, identifier: "name", label: "Name", value: "ada"`,
	} {
		if len(got) != 8 || got[at] != want {
			t.Errorf("line %d of %d is %q; want %q of 8", at, len(got), got[at], want)
		}
	}
}

func TestFrontIsNilOnAnEmptyScreen(t *testing.T) {
	if got := Of(ui.Snapshot{}).Front(); got != nil {
		t.Errorf("got %v, want nil", got)
	}
	if got := shown().Front().ID(); got != "e1" {
		t.Errorf("got %s, want e1", got)
	}
}

func TestIsNameRefusesInvalidXMLNames(t *testing.T) {
	for name, want := range map[string]bool{"AppiumAUT": true, "a b": false, "a<": false, strings.Repeat("x", 41): false} {
		if got := IsName(name); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}
