package house_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/client/connect"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// These hold policies to the operations that the product has; the tests of client/connect know only a few that are made for them, so
// that to fuzz that package is not to compile a database for it. The screen never changes: what is allowed is called, the rest never is.

// everything is the catalogue of the product.
func everything() *op.Catalogue { return product.Catalogue() }

// chooser makes decisions one after the other. It is also who performs them, so that it knows which were.
type chooser struct {
	screen    string
	decisions []connect.Decision
	offered   []string // in the first turn
	performed []bool   // of each decision
	came      []connect.Event
}

func (c *chooser) Close() error { return nil }

func (c *chooser) Decide(_ context.Context, turn connect.Turn) (connect.Decision, error) {
	if turn.Step == 1 {
		for _, a := range turn.Actions {
			c.offered = append(c.offered, a.Name)
		}
	} else {
		c.came = append(c.came, *turn.Last)
	}
	if turn.Step > len(c.decisions) {
		return connect.Decision{Action: connect.Done}, nil
	}
	c.performed = append(c.performed, false)
	return c.decisions[turn.Step-1], nil
}

func (c *chooser) Call(_ context.Context, name string, _ []byte, _ func(op.Event)) op.Envelope {
	if at := len(c.performed); at > len(c.came) && name == c.decisions[at-1].Action {
		c.performed[at-1] = true
	}
	return op.Envelope{Status: op.Success, Stdout: "a screen", Result: json.RawMessage(c.screen)}
}

func (c *chooser) Stream(context.Context, string, []byte, func(json.RawMessage) error) op.Envelope {
	return op.Envelope{Status: op.Success}
}

// screenOf has a button, a secure field, and more.
func screenOf(more string) string {
	return `{"id":"1","app":"com.shop","elements":[
	{"ref":"@e1","type":"XCUIElementTypeApplication","label":"Shop","frame":{"x":0,"y":0,"w":400,"h":800},"children":["@e2","@e5","@e6"]},
	{"ref":"@e2","type":"XCUIElementTypeButton","label":"Save","frame":{"x":0,"y":0,"w":100,"h":50}},
	{"ref":"@e5","type":"XCUIElementTypeSecureTextField","label":"PIN","secure":true,"frame":{"x":0,"y":300,"w":200,"h":50}}` + more + `]}`
}

const keyboard = `,
	{"ref":"@e6","type":"XCUIElementTypeKeyboard","frame":{"x":0,"y":500,"w":400,"h":300},"children":["@e7","@e8"]},
	{"ref":"@e7","type":"XCUIElementTypeKey","label":"a","frame":{"x":0,"y":500,"w":40,"h":50}},
	{"ref":"@e8","type":"XCUIElementTypeButton","label":"return","frame":{"x":300,"y":700,"w":100,"h":50}}`

// choose has the decisions made under a policy, on a screen without a keyboard.
func choose(t *testing.T, c *op.Catalogue, p connect.Policy, decisions ...connect.Decision) *chooser {
	t.Helper()
	return chooseOn(t, screenOf(""), c, p, decisions...)
}

func chooseOn(t *testing.T, screen string, c *op.Catalogue, p connect.Policy, decisions ...connect.Decision) *chooser {
	t.Helper()
	d := &chooser{screen: screen, decisions: decisions}
	most := len(decisions) + 2
	run := connect.Run{Caller: d, Catalogue: c, Decider: d, Goal: "x", Policy: p, MaxSteps: most, MaxIdle: most}
	if _, err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// forbidden reports whether the policy refused a decision. One that it refused was not performed.
func (c *chooser) forbidden(t *testing.T, at int) bool {
	t.Helper()
	came := c.came[at]
	forbidden := came.Verdict == "refused" && strings.Contains(came.Text, "policy")
	if forbidden && c.performed[at] {
		t.Errorf("%s was performed, and %s: %s", came.Action, came.Verdict, came.Text)
	}
	return forbidden
}

func parsed(t *testing.T, c *op.Catalogue, key string, names ...string) connect.Policy {
	t.Helper()
	raw, err := json.Marshal(map[string]any{key: names})
	if err != nil {
		t.Fatal(err)
	}
	p, err := connect.ParsePolicy(raw, c)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return p
}

// spellings are the ways in which a person may write the name of an operation.
func spellings(o op.Op) []string {
	kebab := strings.ReplaceAll(o.Name, "_", "-")
	all := []string{o.Name, kebab, "core_" + o.Name, "core-" + kebab, strings.ToUpper(o.Name), " " + kebab + " ", o.Verb}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// TestDenyMatchesEverySpellingOfOperation: whatever operation of ours is denied, in whatever spelling, is not offered, and nothing else
// goes; what is allowed is that operation and no other.
func TestDenyMatchesEverySpellingOfOperation(t *testing.T) {
	t.Parallel()
	c := everything()
	all := choose(t, c, connect.Policy{}).offered
	if len(all) < 20 {
		t.Fatalf("only %q are offered", all)
	}
	for _, o := range c.Ops() {
		if o.Family != op.Core {
			continue
		}
		for _, name := range spellings(o) {
			want := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == c.ID(o) || isKeyOp(o.Name) && isKeyOp(s) })
			if got := choose(t, c, parsed(t, c, "deny", name)).offered; !slices.Equal(got, want) {
				t.Errorf("deny %q offers %q", name, got)
			}
			if o.Name == "batch" || o.Streams() {
				continue
			}
			if got := choose(t, c, parsed(t, c, "allow", name)).offered; !slices.Equal(got, []string{c.ID(o)}) {
				t.Errorf("allow %q offers %q", name, got)
			}
		}
	}
}

func isKeyOp(name string) bool { return name == "press_key" || name == "key_sequence" }

// TestDeniedKeysAreNotPressed: with the keys denied, no operation that is offered presses one, whatever text each of its
// inputs holds; the same text without a key passes.
func TestDeniedKeysAreNotPressed(t *testing.T) {
	t.Parallel()
	c := everything()
	for _, name := range []string{"press_key", "press-key", "key_sequence", "core_key_sequence", "key-sequence"} {
		p := parsed(t, c, "deny", name)
		var decisions []connect.Decision
		var presses []bool
		for _, offered := range choose(t, c, p).offered {
			o, err := c.Lookup(offered)
			if err != nil {
				t.Fatal(err)
			}
			if o.Hints.Has(op.ReadOnly) {
				continue
			}
			for _, f := range o.Fields() {
				for value, press := range values(f) {
					decisions, presses = append(decisions, typing(offered, o, f.Name, value)), append(presses, press)
				}
			}
		}
		if len(decisions) < 20 {
			t.Errorf("deny %s: only %d inputs were tried", name, len(decisions))
		}
		d := choose(t, c, p, decisions...)
		done := 0
		for i, press := range presses {
			if d.forbidden(t, i) != press {
				t.Errorf("deny %s: %+v", name, d.came[i])
			}
			if d.performed[i] {
				done++
			}
		}
		if done < 10 { // some have inputs that do not go together
			t.Errorf("deny %s: only %d were performed", name, done)
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

// typing is a decision with one input spelled in another way.
func typing(action string, o op.Op, input, value string) connect.Decision {
	d := connect.Decision{Action: action, Input: map[string]json.RawMessage{}}
	for _, f := range o.Fields() {
		switch {
		case f.Required:
			d.Input[f.Name] = json.RawMessage(`"x"`)
		case f.Name == "ref":
			d.Input[f.Name] = json.RawMessage(`"@e2"`)
		}
	}
	d.Input[strings.ToUpper(input[:1])+input[1:]] = json.RawMessage(value)
	delete(d.Input, input)
	return d
}

// TestUnknownPolicyNamesAreRefused: they are refused with the name that was perhaps meant, also when another family has them.
func TestUnknownPolicyNamesAreRefused(t *testing.T) {
	t.Parallel()
	c := everything()
	for name, hint := range map[string]string{
		"tap_elemnt": "did you mean tap_element", "presskeys": "did you mean press_key",
		"xcode_tap": "such as tap_element", "": "such as tap_element",
	} {
		for _, key := range []string{"allow", "deny"} {
			raw, _ := json.Marshal(map[string]any{key: []string{"swipe", name}})
			_, err := connect.ParsePolicy(raw, c)
			if f, ok := fault.In(err); !ok || f.Code != fault.InvalidInput || !strings.Contains(f.Message, "item 2 of "+key) ||
				!strings.Contains(f.Hint, hint) {
				t.Errorf("%s %q: %v", key, name, err)
			}
		}
	}
}

// TestDeniedKeysCannotBeTappedOnScreen: with the keys denied, those of the keyboard on the screen are not touched either.
func TestDeniedKeysCannotBeTappedOnScreen(t *testing.T) {
	t.Parallel()
	c := everything()
	tries := []struct {
		action, input string
		allowed       bool
	}{
		{"tap_element", `{"ref":"@e7"}`, false}, {"tap_element", `{"ref":"@e8"}`, false}, {"long_press", `{"ref":"@e6"}`, false},
		{"tap_element", `{"label":"return"}`, false}, {"tap_element", `{"x":310,"y":710}`, false}, {"touch", `{"x":310,"y":710}`, false},
		{"drag", `{"ref":"@e2","to_x":310,"to_y":710}`, false}, {"drag", `{"ref":"@e2","onto":"@e8"}`, false},
		{"tap_element", `{"ref":"@e2"}`, true}, {"fill", `{"ref":"@e5","text":"x"}`, true}, {"type_text", `{"text":"x"}`, true},
		{"tap_element", `{"x":10,"y":10}`, true}, {"hide_keyboard", `{}`, true}, {"snapshot", `{}`, true},
	}
	var decisions []connect.Decision
	for _, try := range tries {
		d := connect.Decision{Action: try.action}
		if err := json.Unmarshal([]byte(try.input), &d.Input); err != nil {
			t.Fatal(err)
		}
		decisions = append(decisions, d)
	}
	d := chooseOn(t, screenOf(keyboard), c, parsed(t, c, "deny", "press_key"), decisions...)
	for i, try := range tries {
		if d.forbidden(t, i) == try.allowed || d.performed[i] != try.allowed {
			t.Errorf("%s %s: performed %v: %+v", try.action, try.input, d.performed[i], d.came[i])
		}
	}
}
