package deskapp_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// TestTapPrefersAccessibilityOverMouse: through accessibility if the element supports it, else with the mouse. The outcome comes from the
// windows.
func TestTapPrefersAccessibilityOverMouse(t *testing.T) {
	s := newStand(t)
	s.see()
	r, err := s.Tap(t.Context(), act.How{}, named("Action"))
	s.came(r, err, "said", ui.Changed)
	s.shows("Clicked: 1")
	r, err = s.Tap(t.Context(), act.How{}, ui.Query{Ref: "@" + r.Ref})
	s.came(r, err, "said", ui.Changed)
	s.shows("Clicked: 2")
	s.did("press Action")

	short := 50 * time.Millisecond
	r, err = s.Tap(t.Context(), act.How{React: &short}, named("Drag Source")) // nothing can be pressed there
	s.came(r, err, "done", ui.Unchanged)
	s.did("press Drag Source")
	_, err = s.Tap(t.Context(), act.How{NoWait: true}, named("Off"))
	refused(t, err, fault.ElementUnhittable, fault.NotDispatched, "disabled")
	s.did("press Drag Source")

	at := s.node("Action").Frame.Centre()
	r, err = s.TapAt(t.Context(), act.How{}, act.Spot{Point: at})
	s.came(r, err, "done", ui.Changed)
	s.shows("Clicked: 3")
}

// TestTapAvoidsTheDialogOverTheMiddle: a click on an element whose middle a dialog covers goes to the uncovered part.
func TestTapAvoidsTheDialogOverTheMiddle(t *testing.T) {
	s := newStand(t)
	text := s.node("Drag Source").Frame
	s.app.Ask("Sure?", "Yes", false, ui.Rect{X: text.X - 50, Y: text.Y - 10, W: text.W, H: 60})
	s.see()
	short := 50 * time.Millisecond
	r, err := s.Tap(t.Context(), act.How{React: &short}, named("Drag Source"))
	s.came(r, err, "done", ui.Unchanged)
	s.did("press Drag Source")
}

// TestTapReportsLateEffect: an effect that the app reports later counts. There is no look in between.
func TestTapReportsLateEffect(t *testing.T) {
	s := newStand(t)
	s.see()
	s.app.OnPress(func(_ string, looks uint64) {
		if s.app.NextLook(t.Context(), looks) == nil { // it was looked at after the press, and was as before
			s.app.Set("Drop Here", func(title, _ *string) { *title = "Came late" })
		}
	})
	s.Expect = true // until the timeout, however slow this machine is
	r, err := s.Tap(t.Context(), act.How{Timeout: time.Minute}, named("Drag Source"))
	s.came(r, err, "done", ui.Changed)
	s.shows("Came late")
}

// TestEnterReplacesTextOfField: accessibility sets the text, or keys where a field accepts only keys; the former text is replaced, and the
// field read back.
func TestEnterReplacesTextOfField(t *testing.T) {
	s := newStand(t)
	for field, method := range map[string]string{"Name": "said", "Keys": "done"} {
		for _, text := range []string{"héllo 世界", "again"} {
			r, err := s.Enter(t.Context(), act.How{}, named(field), act.Entry{Text: text, Replace: true})
			s.came(r, err, method, ui.Changed)
			if n := s.node(field); n.Value != text || !n.Focused {
				t.Errorf("%s holds %q, focused %v", field, n.Value, n.Focused)
			}
		}
		r, err := s.Enter(t.Context(), act.How{}, named(field), act.Entry{Text: "!"})
		s.came(r, err, "done", ui.Changed)
		s.did("type !")
		if all := s.app.Did(); !slices.Contains(all, "key end 0x100000") && runtime.GOOS == "linux" {
			t.Errorf("the caret was not moved to the end: %q", all)
		}
		if n := s.node(field); n.Value != "again!" {
			t.Errorf("%s holds %q", field, n.Value)
		}
		r, err = s.Clear(t.Context(), act.How{}, named(field))
		if err != nil || s.node(field).Value != "" {
			t.Errorf("%s by %q: %v", field, r.Method, err)
		}
	}
	_, err := s.Enter(t.Context(), act.How{}, named("Action"), act.Entry{Text: "x", Replace: true})
	refused(t, err, fault.ElementNotEditable, fault.NotDispatched)
}

// TestKeyRefusesUnknownKeyBeforeSending: keys go to the process; unknown ones are refused before anything is sent.
func TestKeyRefusesUnknownKeyBeforeSending(t *testing.T) {
	s := newStand(t)
	board := s.Device.(device.Keyboard)
	refused(t, board.Type(t.Context(), "x"), fault.NoFocus, fault.NotDispatched)
	for _, c := range []struct {
		key   string
		held  []string
		times int
		did   string
	}{
		{"s", []string{"command"}, 1, "key s 0x100000"}, {"Enter", nil, 2, "key return 0x0"}, {"é", nil, 1, "type é"},
		{"pagedown", []string{"shift", "alt"}, 1, "key pagedown 0xa0000"},
	} {
		guard := &device.Guard{}
		err := board.Key(device.WithGuard(t.Context(), guard), c.key, c.held, c.times)
		if err != nil || guard.Method != "done" {
			t.Errorf("%s: %q, %v", c.key, guard.Method, err)
		}
		s.did(c.did)
	}
	_, err := s.Key(t.Context(), "nosuchkey", nil, 1)
	refused(t, err, fault.InvalidInput, fault.NotDispatched, "unknown key: 'nosuchkey'")
	_, err = s.Key(t.Context(), "a", []string{"hyper"}, 1)
	refused(t, err, fault.InvalidInput, fault.NotDispatched, "unknown modifier")
	s.did("key pagedown 0xa0000")
}

// TestDoubleTapAndDragUseMouse: inputs that need a mouse.
func TestDoubleTapAndDragUseMouse(t *testing.T) {
	s := newStand(t)
	r, err := s.DoubleTap(t.Context(), act.How{}, named("Action"))
	s.came(r, err, "done", ui.Changed)
	s.shows("Clicked: 2")
	r, err = s.Drag(t.Context(), act.How{}, act.ElementDrag{Element: named("Drag Source"), Onto: named("Drop Here"),
		Finger: device.Drag{Press: 40 * time.Millisecond}})
	s.came(r, err, "done", ui.Changed)
	s.did("drag Drag Source to Drop Here")
	r, err = s.Drag(t.Context(), act.How{}, act.ElementDrag{Element: named("Items"), Onto: named("Name"), Finger: device.Drag{Pointer: true}})
	s.came(r, err, "pointed", ui.Unchanged)
	s.did("drag Items to Name by the pointer")
	_, err = s.Pinch(t.Context(), act.How{}, named("Action"), 2)
	refused(t, err, fault.Unsupported, fault.NotDispatched, "cannot pinch", "a desktop app cannot do this")
}

// TestSetValueSetsSlidersAndCheckBoxes: sliders take numbers and shares, check boxes are pressed.
func TestSetValueSetsSlidersAndCheckBoxes(t *testing.T) {
	s := newStand(t)
	for _, c := range []struct{ control, value, shows string }{
		{"Volume", "0.25", "0.25"}, {"Volume", "80%", "0.8"}, {"Enabled", "on", "1"}, {"Name", "Kim", "Kim"},
	} {
		r, err := s.SetValue(t.Context(), act.How{}, named(c.control), c.value)
		s.came(r, err, "said", ui.Changed)
		if n := s.node(c.control); n.Value != c.shows {
			t.Errorf("%s holds %q", c.control, n.Value)
		}
	}
	err := s.Device.(device.Adjust).SetValue(t.Context(), ui.Point{X: -5, Y: -5}, "1")
	refused(t, err, fault.Unsupported, fault.NotDispatched, "the point has no control")
}

// TestInputRefusesChangedElement: an input finds its element at the moment of the input, by identity, and refuses another element.
func TestInputRefusesChangedElement(t *testing.T) {
	s := newStand(t)
	touch := s.Device.(device.Touch)
	try := func(label string, change func(), send func(ctx context.Context, at ui.Point) error) (*device.Guard, error) {
		n := s.node(label)
		guard := &device.Guard{Aim: n, At: n.Frame.Centre()}
		change()
		return guard, send(device.WithGuard(t.Context(), guard), guard.At)
	}
	code := func(err error) fault.Code {
		no, is := errors.AsType[*device.RefusedError](err)
		if !is {
			t.Fatalf("%v", err)
		}
		return no.Code
	}
	if g, err := try("Action", func() { s.app.MoveTo(700, 80) }, touch.Tap); err != nil || g.Method != "said" {
		t.Errorf("a button that moved is the same button: %v", err)
	}
	s.did("press Action")
	if _, err := try("Action", func() { s.app.MoveTo(70, 80) }, touch.DoubleTap); code(err) != fault.ElementUnstable {
		t.Error(err)
	}
	if _, err := try("Action", func() { s.app.Remove("Action") }, touch.Tap); code(err) != fault.RefExpired {
		t.Error(err)
	}
	if all := s.app.Did(); !slices.Equal(all, []string{"press Action"}) {
		t.Errorf("%q", all)
	}
}

// TestProcessFindsElementsByID: operations that know desktop apps find the same elements by their ids, and act on them as a step.
func TestProcessFindsElementsByID(t *testing.T) {
	s := newStand(t)
	p, err := device.As[desktop.Process](device.Compose(s.Device))
	if err != nil || p.Seen() != nil || p.Node("btn_0000") != nil {
		t.Fatalf("%v", err)
	}
	s.see()
	id := ""
	p.Seen().Walk(func(n *desktop.Node) bool {
		if n.Title == "Volume" {
			id = n.ID
		}
		return true
	})
	if p.Node(id) == nil || p.Node("sld_nope") != nil {
		t.Fatalf("%q", id)
	}
	settle := desktop.UsualSettle
	r, err := s.Do(t.Context(), act.How{Settle: &settle}, func(ctx context.Context, _ *ui.Screen) (string, error) {
		return p.Performer().SetValue(ctx, p.Node(id), json.RawMessage("0.75"))
	})
	s.came(r, err, "said", ui.Changed)
	if n := p.Node(id); n == nil || n.Value == nil || *n.Value != "0.75" {
		t.Errorf("%+v", n)
	}
}
