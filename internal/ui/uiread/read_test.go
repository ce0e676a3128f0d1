package uiread_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/ui/summary"
	"ios-agent/internal/ui/uiread"
)

// brief writes a tree on one line: Type "label" #identifier =value (children).
func brief(nodes []*ui.Node) string {
	var parts []string
	for _, n := range nodes {
		said := n.Type
		if n.Label != "" {
			said += fmt.Sprintf(" %q", n.Label)
		}
		if n.Identifier != "" {
			said += " #" + n.Identifier
		}
		if n.Value != "" {
			said += " =" + n.Value
		}
		for _, state := range []struct {
			holds bool
			sign  string
		}{{n.Disabled, "disabled"}, {n.Focused, "focused"}, {n.Selected, "selected"}, {n.Secure, "secure"}, {n.Hidden, "hidden"},
			{n.Unplaced, "unplaced"}} {
			if state.holds {
				said += " " + state.sign
			}
		}
		if len(n.Children) > 0 {
			said += " (" + brief(n.Children) + ")"
		}
		parts = append(parts, said)
	}
	return strings.Join(parts, ", ")
}

const placed = `"frame":{"x":0,"y":0,"width":9,"height":9}`

// inputs are trees as tools write them, who wrote them, and what is read.
var inputs = map[string]struct{ input, source, want string }{
	"agent, version 1": {`[{"AXLabel":"a","type":"Button",` + placed + `,"children":[]}]`, uiread.Agent, `Button "a"`},
	"agent, version 2": {`[{"AXUniqueId":"p","type":"SecureTextField",` + placed +
		`,"children":[],"enabled":false,"focused":true,"secure":true,"placeholder":"x"}]`, uiread.Agent,
		`SecureTextField #p disabled focused secure`},
	"one agent element": {`{"AXLabel":"a","type":"Button",` + placed + `,"children":[],"hittable":true}`, uiread.Agent, `Button "a"`},
	"nothing there":     {`null`, uiread.IDB, ``},
	"numbers and lists": {`[{"AXValue":0.50,"AXUniqueId":7,` + placed + `},{"AXValue":[1,{"a":null}],` + placed + `},{"AXValue":true,` +
		placed + `}]`, uiread.IDB, `Other #7 =0.50, Other =[1,{"a":null}], Other =true`},
	"frame as a text": {`[{"AXLabel":"a","AXFrame":"{{1, 2.5}, {3, 4}}"}]`, uiread.IDB, `Other "a"`},
	"no frame":        {`[{"AXLabel":"a"}]`, uiread.IDB, `Other "a" unplaced`},
	"idb complete": {`{"backend":"axbridge","truncated":true,"elements":[{"label":"a","identifier":"b","type":"Button",` + placed +
		`}]}`, uiread.IDB, `Button "a" #b`},
	"traits": {`[{"AXLabel":"a","type":"Other","traits":["Button","Selected","NotEnabled"],` + placed + `}]`, uiread.IDB,
		`Button "a" disabled selected`},
	"wda json": {`{"value":{"type":"Other","isEnabled":"0","isVisible":"0","rect":{"x":0,"y":0,"width":9,"height":9},` +
		`"children":[{"type":"Button","label":"a","name":"b","rawIdentifier":null}]}}`, uiread.WDAJSON,
		`Other disabled hidden (Button "a" #b unplaced)`},
	"wda xml in json": {`{"value":"<XCUIElementTypeOther name=\"n\" x=\"0\" y=\"0\" width=\"1\" height=\"1\"/>","sessionId":"1"}`,
		uiread.WDAXML, `Other #n`},
	"xml fragments": {`<XCUIElementTypeButton label="a" name="a"/><XCUIElementTypeButton label="b"/>`, uiread.WDAXML,
		`Button "a" unplaced, Button "b" unplaced`},
	"xml, a new type":    {`<XCUIElementTypeHologram x="0" y="0" width="1" height="1"/>`, uiread.WDAXML, `Hologram`},
	"xml, broken number": {`<XCUIElementTypeButton x="NaN" y="0" width="1" height="1" label="a"/>`, uiread.WDAXML, `Button "a" unplaced`},
	"a stream":           {"{\"AXLabel\":\"a\"," + placed + "}\n{\"AXLabel\":\"b\"," + placed + "}", uiread.IDB, `Other "a", Other "b"`},
	"noise first":        {"warning: no companion\n[{\"AXLabel\":\"a\"," + placed + "}]", uiread.IDB, `Other "a"`},
	"two spaces": {"Application \"A\"\n  Window\n    Button \"x\"\n  Button 'y'", uiread.Text,
		`Application "A" unplaced (Window unplaced (Button "x" unplaced), Button "y" unplaced)`},
	"tabs": {"Application\n\tWindow\n\t\tButton \"x\"\n\n\tButton \"y\"", uiread.Text,
		`Application unplaced (Window unplaced (Button "x" unplaced), Button "y" unplaced)`},
	"tabs and spaces": {"Application\n\tWindow\n\t    Button \"x\"\n        Button \"z\"\n    Button \"y\"", uiread.Text,
		`Application unplaced (Window unplaced (Button "x" unplaced, Button "z" unplaced), Button "y" unplaced)`},
	"uneven steps": {"Application\n Window\n      Button \"x\"\n Button \"y\"", uiread.Text,
		`Application unplaced (Window unplaced (Button "x" unplaced), Button "y" unplaced)`},
	"ambiguous": {"Application\n        Window\n            Button \"x\"\n      Button \"y\"", uiread.Text,
		`Application unplaced, Window unplaced, Button "x" unplaced, Button "y" unplaced`},
	"branches": {"Application\n├── Window\n│   └── Button \"x\"\n└── Window", uiread.Text,
		`Application unplaced (Window unplaced (Button "x" unplaced), Window unplaced)`},
	"objects on lines": {"{\"AXLabel\":\"a\"," + placed + "}\n{\"AXLabel\":\"b\"," + placed + "}\n", uiread.IDB, `Other "a", Other "b"`},
	"debug description": {"Application, 0x6000, pid: 3, label: 'Demo'\n" +
		"  Button, 0x6001, {{1.0, 2.0}, {3.0, 4.0}}, identifier: 'go', label: 'Go on', value: 1, Disabled",
		uiread.Text, `Application "Demo" unplaced (Button "Go on" #go =1 disabled)`},
	"a key given twice":  {`[{"AXLabel":"a","AXLabel":"b",` + placed + `}]`, uiread.IDB, `Other "a"`},
	"children of nobody": {`[{"AXLabel":"a","children":null,` + placed + `}]`, uiread.IDB, `Other "a"`},
	"byte order mark":    {"\ufeff[{\"AXLabel\":\"a\"," + placed + "}]", uiread.IDB, `Other "a"`},
	"quern's hierarchy": {`{"elements":[{"type":"Button","label":"a","identifier":null,"frame":{"x":1,"y":1,"width":1,"height":1},` +
		`"role_description":"button","children":[{"type":"StaticText","label":"b","frame":null}]}],"element_count":2}`, uiread.Snapshot,
		`Button "a" (StaticText "b" unplaced)`},
	"our snapshot": {`{"id":"1","app":"a.b","elements":[{"ref":"@e1","type":"XCUIElementTypeButton","label":"a","frame":{"x":0,` +
		`"y":0,"w":1,"h":1},"children":["@e2"]},{"ref":"@e2","type":"XCUIElementTypeStaticText","label":"b","frame":{"x":0,"y":0,"w":1,` +
		`"h":1},"children":[]}]}`, uiread.Snapshot, `Button "a" (StaticText "b")`},
	"a snapshot in rings": {`{"elements":[{"ref":"@e1","type":"Button","label":"a","children":["@e2"]},{"ref":"@e2","type":"Button",` +
		`"label":"b","children":["@e1","@e9"]}]}`, uiread.Snapshot, `Button "a" unplaced (Button "b" unplaced)`},
}

func TestReadParsesEverySource(t *testing.T) {
	for name, c := range inputs {
		tree, err := uiread.Read([]byte(c.input))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := brief(tree.Roots); got != c.want || tree.Source != c.source {
			t.Errorf("%s: %s by %s, want %s by %s", name, got, tree.Source, c.want, c.source)
		}
	}
}

// TestDoubtfulReadingsHaveWarnings: a doubtful reading has a warning.
func TestDoubtfulReadingsHaveWarnings(t *testing.T) {
	for input, want := range map[string]string{
		"Application\n        Window\n            Button 'x'\n      Button 'y'": "the indentation is ambiguous",
		`[{"AXLabel":"a"},3]`:                                             "1 items of the list",
		`[{"AXLabel":"a","children":[{"AXLabel":"b"},"c"]}]`:              "child 1 of",
		"note\n[{\"AXLabel\":\"a\"}]":                                     "1 lines precede the tree",
		`[{"AXLabel":"a"}] and so on`:                                     "bytes follow the tree",
		"[{\"AXLabel\":\"a\xff\"}]":                                       "not valid UTF-8",
		`<hierarchy><XCUIElementTypeButton/></hierarchy>`:                 "<hierarchy> is not a UI element",
		`<XCUIElementTypeButton>text</XCUIElementTypeButton>`:             "text between the elements",
		`{"elements":[{"AXLabel":"a"}],"truncated":true}`:                 "left elements out",
		"Button 'a'\n  Wibble wobble\n  Button 'b'\n":                     "line 2 is an unknown element",
		`{"elements":[{"ref":"@e1","type":"Button","children":["@e1"]}]}`: "@e1 contains itself",
	} {
		tree, err := uiread.Read([]byte(input))
		if err != nil || !strings.Contains(strings.Join(tree.Warnings, "\n"), want) {
			t.Errorf("%q: %v, %v", input, tree.Warnings, err)
		}
	}
}

// TestReadRefusesInvalidInputWithPlace: what is no tree is refused, with the place.
func TestReadRefusesInvalidInputWithPlace(t *testing.T) {
	for input, want := range map[string]string{
		``:                              "line 1, column 1: the input is empty",
		"  \n ":                         "the input is empty",
		"[{\"AXLabel\":\"a\"":           "line 1, column 16: the JSON is cut off",
		"[\n{\"AXLabel\":}]":            "line 2, column 12: not JSON",
		`{"hello":"world"}`:             "the JSON holds no UI elements",
		`[1,2,3]`:                       "the JSON holds no UI elements",
		`[{"path":"$","type":"array"}]`: "the JSON holds no UI elements",
		`<html><body/></html>`:          "the XML holds no UI elements",
		"<XCUIElementTypeOther>\n<XCUIElementTypeButton": "line 2, column 23: the XML is cut off: 1 elements are still open",
		`<XCUIElementTypeOther></XCUIElementTypeButton>`: "not XML",
		"Dear reader,\nthis is a letter.":                "not a UI tree",
		strings.Repeat("[", 5000):                        "nests deeper than",
		strings.Repeat("<XCUIElementTypeOther>", 5000):   "nests deeper than",
		strings.Repeat(`{"children":[`, 5000):            "nests deeper than",
	} {
		_, err := uiread.Read([]byte(input))
		if f := fault.From(err); err == nil || f.Code != fault.ParseFailed || !strings.Contains(f.Message, want) || f.Details["offset"] == nil {
			t.Errorf("%.40q: %v", input, err)
		}
	}
}

// TestUnknownAttributesAreKept, numbers digit by digit.
func TestUnknownAttributesAreKept(t *testing.T) {
	tree, err := uiread.Read([]byte(`{"elements":[{"AXLabel":"a","pid":12345678901234567890,"new":{"x":[1.50,null,"<&>"]},` +
		`"AXLabel":"again","frame":{"x":1,"y":2,"width":3,"height":4,"z":5}}],"profile":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(tree.Screen().Snapshot("", &ui.Refs{}, time.Time{}).Elements[0].Extra)
	want := `{"AXLabel#2":"again","frame":{"height":4,"width":3,"x":1,"y":2,"z":5},"new":{"x":[1.50,null,"\u003c\u0026\u003e"]},` +
		`"pid":12345678901234567890}`
	if err != nil || string(b) != want || tree.Document["profile"] != "p" {
		t.Errorf("%s, %v, %v", b, err, tree.Document)
	}
}

// FuzzJSON: our JSON reader takes what encoding/json takes, and nothing else.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`[1,-0.5e+3,01,1.,"a\u00e9\n",{"a":{},"a":[]},true,false,null]`, `[nul`, "[\"\t\"]", `["\ud800"]`, `[-]`,
		`[1e]`, `{"a" 1}`, `[1,]`, `{,}`, `[]]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if !strings.HasPrefix(text, "[") {
			return
		}
		_, err := uiread.Read([]byte(`[{"AXLabel":"a","new":` + text + `}]`))
		if valid := json.Valid([]byte(text)); valid != (err == nil) && strings.Count(text, "[") < 1000 && strings.Count(text, "{") < 1000 {
			// What follows a tree that ended early is told, not refused.
			if tree, err := uiread.Read([]byte(`[{"AXLabel":"a","new":` + text + `}]`)); err == nil && len(tree.Warnings) > 0 {
				return
			}
			t.Errorf("valid is %v, but %v: %s", valid, err, text)
		}
	})
}

// FuzzRead: whatever comes in, it is read or refused with a place; what was read can be rendered and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`[{"AXLabel":"a","type":"Button","frame":{"x":0,"y":0,"width":9,"height":9},"children":[{"AXValue":1}]}]`,
		`{"value":{"tree":{"isEnabled":"1","rect":{"origin":{"x":0,"y":0},"size":{"width":1,"height":1}}}},"status":0}`,
		`<AppiumAUT><XCUIElementTypeButton label="&quot;" x="-1" y="1e300" width="1e300" height="2"/></AppiumAUT>`,
		"Application\n\tWindow\n  Button \"x\", {{1, 2}, {3, 4}}\n",
		"screen:1 title:\"a\" app:b\n- button \"x\\\"\" [ref=e1] [disabled]: v\n  … 3 more below",
		`{"elements":[{"ref":"@e1","type":"Button","children":["@e1","@e2"]}]}`, `"elementAttributes":{"label":"x","frame":"{{1, 2}, {3, 4}}"}`,
		`{"elements":[{"AXFrame":"{{1e999, 2}, {3, 4}}","frame":{"x":-1e300,"y":0,"width":2e300,"height":1e308}}],"truncated":5}`,
	} {
		f.Add([]byte(seed))
	}
	for _, b := range samples(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		uiread.Kind().Sniff(b)
		tree, err := uiread.Read(b)
		if err != nil {
			if got := fault.From(err); got.Code != fault.ParseFailed || got.Details["offset"] == nil {
				t.Fatalf("refused without a place: %v", err)
			}
			return
		}
		s := tree.Screen()
		refs := &ui.Refs{}
		outline.Of(s, outline.Choice{All: true, Budget: 50}, "", refs)
		summary.Of(s, 3, true)
		if got := len(s.Snapshot("", refs, time.Time{}).Elements); got != tree.Nodes() {
			t.Fatalf("%d elements became %d", tree.Nodes(), got)
		}
		back := again(t, s.Snapshot("", &ui.Refs{}, time.Time{}))
		if back.Nodes() != tree.Nodes() {
			t.Fatalf("%d elements, %d when read again", tree.Nodes(), back.Nodes())
		}
	})
}

// BenchmarkLook is a look from the bytes on: read, index, name, write down.
func BenchmarkLook(b *testing.B) {
	for _, n := range []int{500, 5000} {
		rows := make([]string, n/4)
		for i := range rows {
			y := 60 + i%20*40
			row := func(kind, label string) string {
				return fmt.Sprintf(`{"AXUniqueId":"id-%d","AXLabel":%q,"type":%q,"frame":{"x":0,"y":%d,"width":390,"height":40},"children":[]}`, i,
					label, kind, y)
			}
			cell := strings.TrimSuffix(row("Cell", fmt.Sprintf("Row %d", i)), "]}")
			rows[i] = cell + row("StaticText", "Title") + "," + row("StaticText", "Subtitle") + "," + row("Button", "Edit") + "]}"
		}
		input := []byte(`[{"AXLabel":"App","type":"Application","frame":{"x":0,"y":0,"width":390,"height":844},"children":[` +
			strings.Join(rows, ",") + `]}]`)
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			refs := &ui.Refs{}
			for b.Loop() {
				tree, err := uiread.Read(input)
				if err != nil {
					b.Fatal(err)
				}
				outline.Of(tree.Screen(), outline.Choice{}, "", refs)
			}
		})
	}
}
