package connect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	every "ios-agent/internal/ops/catalogue"
)

// product is the catalogue of the product.
func product() *op.Catalogue { return op.NewCatalogue(every.All(ops.Services{})) }

// spellings are the ways in which a person may write the name of an operation.
func spellings(o op.Op) []string {
	kebab := strings.ReplaceAll(o.Name, "_", "-")
	all := []string{o.Name, kebab, "core_" + o.Name, "core-" + kebab, strings.ToUpper(o.Name), " " + kebab + " ", o.Verb}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

func parsed(t *testing.T, c *op.Catalogue, key string, names ...string) Policy {
	t.Helper()
	raw, err := json.Marshal(map[string]any{key: names})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePolicy(raw, c)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return p
}

// TestEverySpellingDenies: whatever operation of ours is denied, in whatever spelling, is not offered, and nothing else goes;
// what is allowed is that operation and no other.
func TestEverySpellingDenies(t *testing.T) {
	c := product()
	names := func(p Policy) []string {
		var out []string
		for _, a := range actionsOf(c, p) {
			out = append(out, a.op.Name)
		}
		return out
	}
	all := names(Policy{})
	for _, o := range c.Ops() {
		if o.Family != op.Core {
			continue
		}
		for _, name := range spellings(o) {
			want := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == o.Name || isKeyOp(o.Name) && isKeyOp(s) })
			if got := names(parsed(t, c, "deny", name)); !slices.Equal(got, want) {
				t.Errorf("deny %q offers %q", name, got)
			}
			if o.Name == "batch" || o.Streams() {
				continue
			}
			if got := names(parsed(t, c, "allow", name)); !slices.Equal(got, []string{o.Name}) {
				t.Errorf("allow %q offers %q", name, got)
			}
		}
	}
}

func isKeyOp(name string) bool { return name == "press_key" || name == "key_sequence" }

// TestDeniedKeysAreNotPressed: with the keys denied, no operation that is offered presses one, whatever text each of its
// inputs holds; the same text without a key passes.
func TestDeniedKeysAreNotPressed(t *testing.T) {
	c := product()
	for _, name := range []string{"press_key", "press-key", "key_sequence", "core_key_sequence", "key-sequence"} {
		p := parsed(t, c, "deny", name)
		typed := 0
		for _, a := range actionsOf(c, p) {
			if a.op.Hints.Has(op.ReadOnly) {
				continue
			}
			for _, f := range a.op.Fields() {
				for value, presses := range values(f) {
					err := permitted(p, a.op, f.Name, value)
					if presses != fault.Is(err, fault.Forbidden) {
						t.Errorf("deny %s: %s %s=%s: %v", name, a.Name, f.Name, value, err)
					}
					typed++
				}
			}
		}
		if typed < 20 {
			t.Errorf("deny %s: only %d inputs were tried", name, typed)
		}
	}
}

// values are what a decider may give to one input, as JSON, and whether it presses a key.
func values(f op.Field) map[string]bool {
	switch {
	case f.Name == "submit":
		return map[string]bool{`true`: true, `"true"`: true, `false`: false}
	case f.Name == "text" || f.Name == "to":
		return map[string]bool{`"x\n"`: true, `"x\r"`: true, `"\u0003"`: true, `"a\tb"`: true, `"x\u2028"`: true, `"x"`: false,
			`"Zoë 👩‍👩‍👧"`: false}
	case f.Name == "label" || f.Name == "body": // what finds an element and what a notification says are not typed
		return map[string]bool{`"Two\nlines"`: false}
	}
	return nil
}

func permitted(p Policy, o op.Op, input, value string) error {
	d := Decision{Action: o.Name, Input: map[string]json.RawMessage{"ref": json.RawMessage(`"@e2"`)}}
	for _, f := range o.Fields() {
		if f.Required {
			d.Input[f.Name] = json.RawMessage(`"x"`)
		}
	}
	d.Input[strings.ToUpper(input[:1])+input[1:]] = json.RawMessage(value)
	if input != "ref" {
		delete(d.Input, input)
	}
	given, err := d.read(o)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	return p.check(o, given, page())
}

// TestNamesThatMeanNothing: they are refused with the name that was perhaps meant, also when another family has them.
func TestNamesThatMeanNothing(t *testing.T) {
	c := product()
	for name, hint := range map[string]string{
		"tap_elemnt": "did you mean tap_element", "presskeys": "did you mean press_key",
		"xcode_tap": "such as tap_element", "": "such as tap_element",
	} {
		for _, key := range []string{"allow", "deny"} {
			raw, _ := json.Marshal(map[string]any{key: []string{"swipe", name}})
			_, err := ParsePolicy(raw, c)
			if f, ok := fault.In(err); !ok || f.Code != fault.InvalidInput || !strings.Contains(f.Message, "item 2 of "+key) ||
				!strings.Contains(f.Hint, hint) {
				t.Errorf("%s %q: %v", key, name, err)
			}
		}
	}
}

// TestForbiddenTextsInDisguise: a text that reads the same is the same.
func TestForbiddenTextsInDisguise(t *testing.T) {
	p := policy(t, `forbidden_texts: ["Delete café", "Delete account", "Straße"]`)
	for text, forbidden := range map[string]bool{
		"delete cafe\u0301":                true,
		"DELETE CAFÉ":                      true,
		"Dele\u200bte acc\u00adount":       true,
		"\u202aDelete\u2069 account\u200f": true,
		"Delete \ufe0faccount":             true,
		"Dele\u034fte account":             true,
		"Ｄｅｌｅｔｅ\u3000ａｃｃｏｕｎｔ":              true,
		"Delete\n\taccount":                true,
		"STRASSE":                          true,
		"Delete cafeteria":                 false,
		"Save":                             false,
	} {
		if got := p.forbids(text) != ""; got != forbidden {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestKeysOnTheScreen: with the keys denied, those of the keyboard on the screen are not touched either.
func TestKeysOnTheScreen(t *testing.T) {
	c := product()
	p := parsed(t, c, "deny", "press_key")
	shown := page()
	shown.Elements = append(shown.Elements,
		element{Ref: "@e6", Type: "XCUIElementTypeKeyboard", Frame: frame{0, 500, 400, 300}, Children: []string{"@e7", "@e8"}},
		element{Ref: "@e7", Type: "XCUIElementTypeKey", Label: "a", Frame: frame{0, 500, 40, 50}},
		element{Ref: "@e8", Type: "XCUIElementTypeButton", Label: "return", Frame: frame{300, 700, 100, 50}})
	for _, try := range []struct {
		action, input string
		allowed       bool
	}{
		{"tap_element", `{"ref":"@e7"}`, false}, {"tap_element", `{"ref":"@e8"}`, false}, {"long_press", `{"ref":"@e6"}`, false},
		{"tap_element", `{"label":"return"}`, false}, {"tap_element", `{"x":310,"y":710}`, false}, {"touch", `{"x":310,"y":710}`, false},
		{"drag", `{"ref":"@e2","to_x":310,"to_y":710}`, false}, {"drag", `{"ref":"@e2","onto":"@e8"}`, false},
		{"tap_element", `{"ref":"@e2"}`, true}, {"fill", `{"ref":"@e5","text":"x"}`, true}, {"type_text", `{"text":"x"}`, true},
		{"tap_element", `{"x":10,"y":10}`, true}, {"hide_keyboard", `{}`, true}, {"snapshot", `{}`, true},
	} {
		o, err := c.Lookup(try.action)
		if err != nil {
			t.Fatal(err)
		}
		d := Decision{Action: try.action}
		if err := json.Unmarshal([]byte(try.input), &d.Input); err != nil {
			t.Fatal(err)
		}
		given, err := d.read(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.check(o, given, shown); (err == nil) != try.allowed || err != nil && !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s %s: %v", try.action, try.input, err)
		}
	}
}
