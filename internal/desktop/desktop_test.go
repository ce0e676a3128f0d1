package desktop

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

func tree(nodes ...*Node) *Tree { return &Tree{Windows: nodes} }

// TestMintedIDsMatchStrobe: the ids of strobe, by its own hash.
func TestMintedIDsMatchStrobe(t *testing.T) {
	for _, c := range []struct {
		role, title string
		index       int
		want        string
	}{
		{"AXWindow", "UITestApp", 0, "w_7cdd"}, {"button", "Play", 0, "btn_c3b5"}, {"button", "Play", 1, "btn_c202"},
		{"button", "Stop", 0, "btn_36b3"}, {"AXButton", "", 0, "btn_68ec"},
	} {
		if got := mint(c.role, c.title, c.index); got != c.want {
			t.Errorf("%s %q %d: %s, not %s", c.role, c.title, c.index, got, c.want)
		}
	}
	for role, prefix := range map[string]string{
		"AXSlider": "sld_", "AXTextArea": "txt_", "AXRow": "itm_", "AXTabGroup": "tab_", "atspi:canvas": "el_", "": "el_",
	} {
		if got := mint(role, "x", 3); !strings.HasPrefix(got, prefix) || len(got) != len(prefix)+4 {
			t.Errorf("%s: %s", role, got)
		}
	}
}

// TestElementKeepsIDWhenTitleOrPlaceChanges: an element keeps its id, whatever becomes of its title and its place; no two elements ever
// share one.
func TestElementKeepsIDWhenTitleOrPlaceChanges(t *testing.T) {
	var n Names
	play := func(key, title string) *Node { return &Node{Role: "button", Title: title, Key: key} }
	window := func(children ...*Node) *Tree {
		return tree(&Node{Role: "AXWindow", Title: "UITestApp", Key: "w", Children: children})
	}
	ids := func(tr *Tree) (all []string) {
		n.Name(tr)
		tr.Walk(func(c *Node) bool { all = append(all, c.ID); return true })
		return all
	}
	for _, c := range []struct {
		name string
		look *Tree
		want []string
	}{
		{"first", window(play("a", "Play"), play("b", "Play")), []string{"w_7cdd", "btn_c3b5", "btn_c202"}},
		{"another title", window(play("a", "Pause"), play("b", "Play")), []string{"w_7cdd", "btn_c3b5", "btn_c202"}},
		{"another place", window(play("b", "Play"), play("a", "Pause")), []string{"w_7cdd", "btn_c202", "btn_c3b5"}},
		{"another element where it was", window(play("c", "Play")), []string{"w_7cdd", "btn_c3b5_2"}},
		{"and one more", window(play("d", "Play")), []string{"w_7cdd", "btn_c3b5_3"}},
		{"it comes back", window(play("a", "Play")), []string{"w_7cdd", "btn_c3b5"}},
	} {
		if got := ids(c.look); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
	if n.Key("btn_c3b5") != "a" || n.Key("btn_c3b5_2") != "c" || n.Key("btn_ffff") != "" {
		t.Error("ids lead to other elements")
	}
}

// TestRememberedElementIDsAreBounded: an app that makes elements for ever does not fill the memory, and still no id is given twice.
func TestRememberedElementIDsAreBounded(t *testing.T) {
	var n Names
	seen := map[string]bool{}
	const perLook, looks = 1000, 30
	for look := range looks {
		w := &Node{Role: "AXWindow", Title: "Log", Key: "w"}
		for i := range perLook {
			w.Children = append(w.Children, &Node{Role: "AXRow", Title: fmt.Sprint(i), Key: fmt.Sprint(look, " ", i)})
		}
		n.Name(tree(w))
		if w.ID != "w_"+strings.TrimPrefix(w.ID, "w_") || n.Key(w.ID) != "w" {
			t.Fatalf("the window that is always there lost its id: %s", w.ID)
		}
		for _, c := range w.Children {
			if seen[c.ID] {
				t.Fatalf("%s was given twice", c.ID)
			}
			seen[c.ID] = true
			if n.Key(c.ID) != c.Key {
				t.Fatalf("%s is not known", c.ID)
			}
		}
	}
	if most := mostNames + perLook + 1; len(n.ids) > most || len(n.keys) > most || len(n.given) > 1<<16+1 {
		t.Errorf("%d elements, %d ids and %d minted ones are remembered", len(n.ids), len(n.keys), len(n.given))
	}
	if len(n.ids) < mostNames/2 {
		t.Errorf("only %d elements are remembered", len(n.ids))
	}
}

// TestRequestCheckNamesMissingField is the seed's Task 1: what a request must have, and how it is written.
func TestRequestCheckNamesMissingField(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		r     Request
		field string // of the fault; empty: the request is good
		says  string
	}{
		"valid click":       {Request{Session: "s1", Action: Click, ID: text("btn_a1b2")}, "", ""},
		"empty session":     {Request{Action: Click, ID: text("btn_a1b2")}, "sessionId", "sessionId must not be empty"},
		"click without id":  {Request{Session: "s1", Action: Click}, "id", "id is required for all actions except 'key'"},
		"key without id":    {Request{Session: "s1", Action: PressKey, Key: text("s"), Modifiers: []string{"cmd"}}, "", ""},
		"key without key":   {Request{Session: "s1", Action: PressKey}, "key", "key is required for 'key' action"},
		"type without text": {Request{Session: "s1", Action: Type, ID: text("txt_1234")}, "text", "text is required for 'type' action"},
		"drag without toId": {Request{Session: "s1", Action: Drag, ID: text("el_1234")}, "toId", "toId is required for 'drag' action"},
		"scroll, no way": {Request{Session: "s1", Action: Scroll, ID: text("lst_1")},
			"direction", "direction is required for 'scroll' action"},
		"set_value, no value": {Request{Session: "s1", Action: SetValue, ID: text("sld_1")}, "value", "value is required for 'set_value' action"},
		"empty text":          {Request{Session: "s1", Action: Type, ID: text("txt_1234"), Text: text("")}, "", ""},
		"unknown modifier": {Request{Session: "s1", Action: PressKey, Key: text("s"), Modifiers: []string{"cmmd"}},
			"modifiers", "unknown modifier: 'cmmd'"},
	} {
		err := c.r.Check()
		f := fault.From(err)
		good := err == nil
		if good != (c.field == "") || !good && (f.Code != fault.InvalidInput || f.Details["field"] != c.field || f.Message != c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	settle := 100
	raw, err := json.Marshal(Request{Session: "s1", Action: Click, ID: text("btn_a1b2"), SettleMS: &settle})
	if err != nil || string(raw) != `{"sessionId":"s1","action":"click","id":"btn_a1b2","settleMs":100}` {
		t.Errorf("%s, %v", raw, err)
	}
	yes := true
	raw, err = json.Marshal(Response{Success: true, Method: "ax", Changed: &yes})
	if err != nil || string(raw) != `{"success":true,"method":"ax","changed":true}` {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestDiffersIgnoresBoundsAndChildren is the seed's Task 2.
func TestDiffersIgnoresBoundsAndChildren(t *testing.T) {
	half, more := "0.5", "0.8"
	before := Node{ID: "sld_1234", Role: "AXSlider", Title: "Volume", Value: &half, Enabled: true, Bounds: &ui.Rect{W: 200, H: 30}}
	for name, c := range map[string]struct {
		change func(*Node)
		want   bool
	}{
		"nothing":  {func(*Node) {}, false},
		"value":    {func(n *Node) { n.Value = &more }, true},
		"no value": {func(n *Node) { n.Value = nil }, true},
		"focus":    {func(n *Node) { n.Focused = true }, true},
		"enabled":  {func(n *Node) { n.Enabled = false }, true},
		"title":    {func(n *Node) { n.Title = "Pause" }, true},
		"place":    {func(n *Node) { n.Bounds = &ui.Rect{X: 9, W: 200, H: 30} }, false},
		"content":  {func(n *Node) { n.Children = []*Node{{}} }, false},
	} {
		after := before
		c.change(&after)
		if Differs(&before, &after) != c.want {
			t.Errorf("%s", name)
		}
	}
}

// TestElementCentreAndDragPathAreComputed is the geometry of the seed's Task 4.
func TestElementCentreAndDragPathAreComputed(t *testing.T) {
	for r, want := range map[ui.Rect]ui.Point{
		{X: 100, Y: 200, W: 80, H: 30}: {X: 140, Y: 215}, {W: 100, H: 50}: {X: 50, Y: 25}, {X: -100, Y: -50, W: 10, H: 10}: {X: -95, Y: -45},
	} {
		if got := middle(r); got != want {
			t.Errorf("%+v: %+v", r, got)
		}
	}
	for _, empty := range []*Node{{}, {Bounds: &ui.Rect{X: 5}}} {
		if _, ok := centre(empty); ok {
			t.Error("an element that is nowhere has a middle")
		}
	}
	path := dragPath(ui.Point{}, ui.Point{X: 100, Y: 200}, dragSteps)
	if len(path) != 10 || path[0] != (ui.Point{X: 10, Y: 20}) || path[9] != (ui.Point{X: 100, Y: 200}) {
		t.Errorf("%v", path)
	}
	if !slices.IsSortedFunc(path, func(a, b ui.Point) int { return int(a.X-b.X) + int(a.Y-b.Y) }) {
		t.Errorf("it goes back: %v", path)
	}
	if one := dragPath(ui.Point{X: 10, Y: 20}, ui.Point{X: 50, Y: 80}, 1); !slices.Equal(one, []ui.Point{{X: 50, Y: 80}}) {
		t.Errorf("%v", one)
	}
}

// TestModifiersRefuseUnknownName is the rest of the seed's Task 4; unlike there, an unknown one is refused.
func TestModifiersRefuseUnknownName(t *testing.T) {
	for names, want := range map[string]Modifiers{
		"": 0, "cmd shift": Command | Shift, "cmd shift alt ctrl": Command | Shift | Option | Control,
		"COMMAND Option control": Command | Option | Control, "cmd cmd": Command,
	} {
		if got, err := ModifiersOf(strings.Fields(names)); err != nil || got != want {
			t.Errorf("%q: %#x, %v", names, got, err)
		}
	}
	if _, err := ModifiersOf([]string{"hyper"}); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("%v", err)
	}
}

// TestKeyOfReadsAliasesAndRefusesUnknownKeys: the seed's keys and ours, by every name they have.
func TestKeyOfReadsAliasesAndRefusesUnknownKeys(t *testing.T) {
	for name, want := range map[string]Key{
		"a": "a", "Z": "z", "0": "0", "return": "return", "Enter": "return", "backspace": "delete", "delete": "delete", "esc": "escape",
		"F12": "f12", "pageup": "pageup", "page_down": "pagedown", "Home": "home", "end": "end", "forwarddelete": "forwarddelete", "up": "up",
	} {
		if got, err := KeyOf(name); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"nosuchkey", "", "aa", "é"} {
		_, err := KeyOf(name)
		if unknown, is := errors.AsType[*UnknownKeyError](err); !is || unknown.Name != name {
			t.Errorf("%q: %v", name, err)
		}
	}
	const says = "unknown key: 'nosuchkey'. Supported: a-z, 0-9, return, tab, space, delete, "
	if _, err := KeyOf("nosuchkey"); !strings.HasPrefix(err.Error(), says) {
		t.Errorf("%v", err)
	}
	macs, syms := map[uint16]Key{}, map[uint32]Key{}
	for k := range keys {
		if other, twice := macs[k.MacCode()]; twice {
			t.Errorf("%s and %s have one code on macOS", k, other)
		}
		if other, twice := syms[k.Keysym()]; twice || k.Keysym() == 0 {
			t.Errorf("%s and %s have one symbol of X", k, other)
		}
		macs[k.MacCode()], syms[k.Keysym()] = k, k
	}
	if Key("s").MacCode() != 0x01 || Key("return").MacCode() != 0x24 || Key("return").Keysym() != 0xFF0D || len(keys) != 26+10+9+12+5 {
		t.Errorf("%d keys", len(keys))
	}
}
