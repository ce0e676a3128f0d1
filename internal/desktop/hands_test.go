package desktop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
	"ios-agent/test/desktoptest"
)

// find is an element of the test app by its title.
func find(t *testing.T, app desktop.App, title string) (found *desktop.Node) {
	t.Helper()
	tree, err := app.Look(t.Context(), desktop.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	tree.Walk(func(n *desktop.Node) bool {
		if n.Title == title {
			found = n
		}
		return true
	})
	if found == nil {
		t.Fatalf("there is no %s", title)
	}
	return found
}

// TestPerformerPrefersAccessibilityOverInput: accessibility first, input second, and which of them it was.
func TestPerformerPrefersAccessibilityOverInput(t *testing.T) {
	app := desktoptest.NewApp()
	p := desktop.Performer{App: app, Methods: desktop.Methods{Accessibility: "ax", Input: "cgevent"}}
	nowhere := func(title string) *desktop.Node {
		n := *find(t, app, title)
		n.Bounds, n.Actions = nil, nil
		return &n
	}
	for _, c := range []struct {
		name   string
		do     func() (string, error)
		method string
		did    string // the last thing that reached the app
		says   string // of a refusal
	}{
		{"press", func() (string, error) { return p.Click(t.Context(), find(t, app, "Action")) }, "ax", "press Action", ""},
		{"click", func() (string, error) { return p.Click(t.Context(), find(t, app, "Drag Source")) }, "cgevent", "press Drag Source", ""},
		{"click nowhere", func() (string, error) { return p.Click(t.Context(), nowhere("Drag Source")) }, "", "press Drag Source",
			"Element has no bounds for CGEvent click"},
		{"type", func() (string, error) { return p.Type(t.Context(), find(t, app, "Name"), "héllo") }, "cgevent", "type héllo", ""},
		{"type after a click", func() (string, error) { return p.Type(t.Context(), find(t, app, "Volume"), "x") }, "cgevent", "type x", ""},
		{"key", func() (string, error) { return p.Key(t.Context(), "S", []string{"cmd", "shift"}) }, "cgevent", "key s 0x120000", ""},
		{"no key", func() (string, error) { return p.Key(t.Context(), "nosuchkey", nil) }, "", "key s 0x120000",
			"unknown key: 'nosuchkey'. Supported: a-z, 0-9, return, tab, space, delete, escape, arrow keys, f1-f12, " +
				"home, end, pageup, pagedown, forwarddelete"},
		{"down", func() (string, error) { return p.Scroll(t.Context(), find(t, app, "Items"), "down", 3) }, "cgevent", "scroll Items 0 -3", ""},
		{"up", func() (string, error) { return p.Scroll(t.Context(), find(t, app, "Items"), "up", 2) }, "cgevent", "scroll Items 0 2", ""},
		{"left", func() (string, error) { return p.Scroll(t.Context(), find(t, app, "Items"), "left", 1) }, "cgevent", "scroll Items 1 0", ""},
		{"right", func() (string, error) { return p.Scroll(t.Context(), find(t, app, "Items"), "right", 4) }, "cgevent", "scroll Items -4 0", ""},
		{"scroll nowhere", func() (string, error) { return p.Scroll(t.Context(), nowhere("Items"), "down", 3) }, "", "scroll Items -4 0",
			"Element has no bounds for scroll"},
		{"drag", func() (string, error) {
			return p.Drag(t.Context(), find(t, app, "Drag Source"), find(t, app, "Drop Here"), false)
		}, "cgevent",
			"drag Drag Source to Drop Here", ""},
		{"drag from nowhere", func() (string, error) {
			return p.Drag(t.Context(), nowhere("Drag Source"), find(t, app, "Drop Received"), false)
		}, "",
			"drag Drag Source to Drop Here", "Source element has no bounds for drag"},
		{"drag to nowhere", func() (string, error) {
			return p.Drag(t.Context(), find(t, app, "Drag Source"), nowhere("Drop Received"), true)
		}, "",
			"drag Drag Source to Drop Here", "Destination element has no bounds for drag"},
	} {
		method, err := c.do()
		no, refused := errors.AsType[*desktop.Refusal](err)
		if method != c.method || refused != (c.says != "") || refused && no.Says != c.says || !refused && err != nil {
			t.Errorf("%s: %q, %v", c.name, method, err)
		}
		if did := app.Did(); did[len(did)-1] != c.did {
			t.Errorf("%s: %q", c.name, did)
		}
	}
	n := find(t, app, "Drop Received")
	app.Remove("Drop Received")
	if err := app.Perform(t.Context(), n.Key, desktop.Press); !errors.As(err, new(*desktop.GoneError)) {
		t.Errorf("%v", err)
	}
}

// TestSetValueConvertsJSONForElement: numbers go as numbers, or as texts where an element takes texts; anything else as its JSON.
func TestSetValueConvertsJSONForElement(t *testing.T) {
	app := desktoptest.NewApp()
	p := desktop.Performer{App: app, Methods: desktop.Methods{Accessibility: "ax", Input: "cgevent"}}
	for _, c := range []struct{ element, value, holds, says string }{
		{"Volume", "0.25", "0.25", ""}, {"Volume", `"1"`, "1", ""}, {"Name", `"héllo"`, "héllo", ""}, {"Name", "42", "42", ""},
		{"Name", "true", "true", ""}, {"Name", `{"a":[1]}`, `{"a":[1]}`, ""}, {"Name", "null", "null", ""},
		{"Action", "1", "", "element does not support set_value; try 'type'"},
		{"Volume", `"x"`, "1", "element does not support set_value; try 'type'"},
	} {
		method, err := p.SetValue(t.Context(), find(t, app, c.element), json.RawMessage(c.value))
		no, refused := errors.AsType[*desktop.Refusal](err)
		if refused != (c.says != "") || refused && no.Says != c.says || !refused && (err != nil || method != "ax") {
			t.Errorf("%s to %s: %q, %v", c.element, c.value, method, err)
		}
		if n := find(t, app, c.element); n.Value != nil && *n.Value != c.holds {
			t.Errorf("%s to %s: it holds %q", c.element, c.value, *n.Value)
		}
	}
}

// TestDragToHoldsStillBeforeMoving: a drag that presses first stands still for as long.
func TestDragToHoldsStillBeforeMoving(t *testing.T) {
	app := &dragged{App: desktoptest.NewApp()}
	p := desktop.Performer{App: app}
	m := desktop.Move{From: ui.Point{X: 10}, Hold: time.Second}
	if _, err := p.DragTo(t.Context(), m, ui.Point{X: 110}, 40*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	still := slices.IndexFunc(app.move.Path, func(at ui.Point) bool { return at.X != 10 })
	if still != 3 || len(app.move.Path) != 13 || app.move.Path[12] != (ui.Point{X: 110}) || app.move.Hold != time.Second {
		t.Errorf("%v, held %s", app.move.Path, app.move.Hold)
	}
}

// TestDragNamesPointerOnlyWhereInputDoesNotMoveIt: the method says that the user's pointer moves, if that was asked for.
func TestDragNamesPointerOnlyWhereInputDoesNotMoveIt(t *testing.T) {
	app := &dragged{App: desktoptest.NewApp()}
	from, to := find(t, app, "Drag Source"), find(t, app, "Drop Here")
	mac, linux := desktop.Methods{Input: "cgevent", Pointer: "pointer"}, desktop.Methods{Input: "xtest"}
	for _, c := range []struct {
		desktop.Methods
		pointer bool
		want    string
	}{{mac, false, "cgevent"}, {mac, true, "pointer"}, {linux, false, "xtest"}, {linux, true, "xtest"}} {
		got, err := desktop.Performer{App: app, Methods: c.Methods}.Drag(t.Context(), from, to, c.pointer)
		if err != nil || got != c.want || app.move.Pointer != c.pointer {
			t.Errorf("%v, pointer %v: method = %q, %v, app got %v, want %q", c.Methods, c.pointer, got, err, app.move.Pointer, c.want)
		}
	}
}

// TestOpenFailsForUnknownProcess is the seed's Task 3: a process that is none is an error.
func TestOpenFailsForUnknownProcess(t *testing.T) {
	if app, err := desktoptest.New(1).Open(t.Context(), 99999); app != nil || err == nil {
		t.Errorf("%v, %v", app, err)
	}
}

// dragged notes the way of a drag.
type dragged struct {
	desktop.App
	move desktop.Move
}

func (d *dragged) Drag(_ context.Context, m desktop.Move) error {
	d.move = m
	return nil
}
