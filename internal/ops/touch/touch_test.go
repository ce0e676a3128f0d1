package touch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

// form is a screen with a button, a second one, a field, a switch and a slider. Every input is counted on it, if it counts.
type form struct {
	*fakedevice.Room
	phone *fakedevice.Paper
	room  *touch.Touch

	count  bool
	inputs string
	typed  string
}

func newForm(t *testing.T) *form {
	t.Helper()
	f := &form{phone: &fakedevice.Paper{}, count: true, inputs: "none"}
	f.phone.Draw = f.draw
	f.phone.React = func(sent string) {
		if text, is := strings.CutPrefix(sent, "type "); is {
			f.typed += text
		}
		if sent == "clear" {
			f.typed = ""
		}
		if f.count {
			f.inputs = "got " + strings.Repeat("i", len(f.phone.Sent))
		}
	}
	f.room = touch.New(fakedevice.Reach(t, f.phone), secrets.Of(t.TempDir(), &mask.Set{}))
	f.Room = fakedevice.Open(t, f.room.Ops())
	return f
}

func (f *form) draw() []*ui.Node {
	return []*ui.Node{
		{Type: "StaticText", Identifier: "inputs", Label: f.inputs, Frame: ui.Rect{X: 0, Y: 100, W: 400, H: 40}},
		{Type: "Button", Identifier: "save", Label: "Save", Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}},
		{Type: "Button", Identifier: "send", Label: "Send", Frame: ui.Rect{X: 100, Y: 300, W: 200, H: 40}},
		{Type: "TextField", Identifier: "mail", Label: "Mail", Value: f.typed, Focused: true, Frame: ui.Rect{X: 0, Y: 400, W: 400, H: 40}},
		{Type: "Slider", Identifier: "volume", Label: "Volume", Value: "10%", Frame: ui.Rect{X: 0, Y: 500, W: 400, H: 40}},
	}
}

// sent fails unless exactly these inputs reached the phone since the last question.
func (f *form) sent(want ...string) {
	f.T.Helper()
	if !slices.Equal(f.phone.Sent, want) {
		f.T.Errorf("got the inputs %q, want %q", f.phone.Sent, want)
	}
	f.phone.Sent = nil
}

// answer is what came of an action, as clients read it.
type answer struct {
	Action, Outcome, Return, Method, Screen, Snapshot string
	Evidence, Diff                                    []string
	Settled                                           bool
	Target                                            *struct {
		Ref, Type, Label, Identifier string
		At                           ui.Point
	}
	Alert *device.Alert
}

func TestActionsSendRequestedInputs(t *testing.T) {
	for _, c := range []struct {
		name, input string
		sent        []string
		action      string
		method      string
	}{
		{"tap_element", `{"identifier":"save"}`, []string{"tap 200,220"}, "tap", "centre"},
		{"tap_element", `{"x":10,"y":20}`, []string{"tap 10,20"}, "tap 10, 20", "point"},
		{"tap_element", `{"x":10,"y":20,"pixels":"800x1600"}`, []string{"tap 5,10"}, "tap 10, 20", "point"},
		{"tap_element", `{"x":10,"y":20,"pixels":"800×1600"}`, []string{"tap 5,10"}, "tap 10, 20", "point"},
		{"tap_element", `{"x":10,"y":20,"pixels":"800X1600"}`, []string{"tap 5,10"}, "tap 10, 20", "point"},
		{"double_tap", `{"identifier":"save"}`, []string{"double tap 200,220"}, "double tap", "centre"},
		{"double_tap", `{"x":10,"y":20}`, []string{"double tap 10,20"}, "double tap", "point"},
		{"long_press", `{"identifier":"save"}`, []string{"press 200,220 for 1s"}, "long press", "centre"},
		{"long_press", `{"identifier":"save","seconds":1.5}`, []string{"press 200,220 for 1.5s"}, "long press", "centre"},
		{"touch", `{"x":10.5,"y":20}`, []string{"press 10.5,20 for 100ms"}, "touch 10.5, 20", "point"},
		{"swipe", `{"direction":"up"}`, []string{"swipe 200,616 to 200,184 in 300ms"}, "swipe up", "swipe"},
		{"swipe", `{"direction":"left","identifier":"volume","distance":1,"seconds":0.5}`, []string{"swipe 360,520 to 40,520 in 500ms"},
			"swipe left", "swipe"},
		{"swipe", `{"start_x":1,"start_y":2,"end_x":3,"end_y":4}`, []string{"swipe 1,2 to 3,4 in 300ms"}, "swipe 1, 2 to 3, 4", "swipe"},
		{"drag", `{"identifier":"save","onto":"send"}`, []string{"drag 200,220 to 200,320, press 600ms, hold 200ms"}, "drag", "drag to 200, 320"},
		{"drag", `{"identifier":"save","to_x":7,"to_y":8,"press":0,"hold":1}`, []string{"drag 200,220 to 7,8, press 0s, hold 1s"}, "drag",
			"drag to 7, 8"},
		{"drag", `{"from_x":5,"from_y":6,"to_x":7,"to_y":8}`, []string{"drag 5,6 to 7,8, press 600ms, hold 200ms"}, "drag", "drag to 7, 8"},
		{"pinch", `{"scale":2}`, []string{"pinch 200,400 by 2"}, "pinch 2", "pinch"},
		{"pinch", `{"scale":0.5,"identifier":"save"}`, []string{"pinch 200,220 by 0.5"}, "pinch 0.5", "pinch"},
		{"pinch", `{"scale":3,"x":10,"y":20}`, []string{"pinch 10,20 by 3"}, "pinch 3", "pinch"},
		{"back", `{}`, []string{"swipe 1,400 to 320,400 in 300ms"}, "back", "edge swipe"},
		{"home", `{}`, []string{"button home for 0s"}, "press home", "button"},
		{"press_button", `{"button":"lock","hold":2,"times":2}`, []string{"button lock for 2s", "button lock for 2s"}, "press lock", "button"},
		{"rotate", `{"orientation":"landscape"}`, []string{"rotate landscape-left"}, "rotate landscape-left", "rotate"},
		{"rotate", `{"orientation":"landscape-right"}`, []string{"rotate landscape-right"}, "rotate landscape-right", "rotate"},
		{"press_key", `{"key":"a","modifiers":["command","shift"],"times":3}`, []string{"key command+shift+a ×3"},
			"press command+shift+a", "key"},
		{"press_key", `{"key":"return"}`, []string{"key return ×1"}, "press return", "key"},
		{"key_sequence", `{"keys":["tab","return"]}`, []string{"key tab ×1", "key return ×1"}, "press tab return", "keys"},
		{"type_text", `{"identifier":"mail","text":"a@b.c"}`, []string{"type a@b.c"}, "type", "keyboard"},
		{"type_text", `{"text":"x"}`, []string{"type x"}, "type", "keyboard"},
		{"type_text", `{"text":"x","submit":true}`, []string{"type x", "key return ×1"}, "type", "keyboard"},
	} {
		t.Run(c.name+c.input, func(t *testing.T) {
			f, got := newForm(t), answer{}
			f.Must(c.name, c.input, &got)
			f.sent(c.sent...)
			if got.Action != c.action || got.Method != c.method {
				t.Errorf("got the action %q by %q, want %q by %q", got.Action, got.Method, c.action, c.method)
			}
			if got.Outcome != "changed" {
				t.Errorf("got the outcome %q, want changed", got.Outcome)
			}
		})
	}
}

func TestTapReportsTargetEvidenceAndDiff(t *testing.T) {
	f, got := newForm(t), answer{}
	e := f.Must("tap_element", `{"label":"save"}`, &got)
	target := got.Target
	if target == nil || target.Type != "XCUIElementTypeButton" || target.Label != "Save" || target.Identifier != "save" ||
		target.At != (ui.Point{X: 200, Y: 220}) || !strings.HasPrefix(target.Ref, "@e") {
		t.Fatalf("got the target %+v, want the button Save", target)
	}
	if len(got.Evidence) == 0 || len(got.Diff) != 1 || !strings.Contains(got.Diff[0], `"got i"`) {
		t.Errorf("got the evidence %q and the diff %q, want the text that changed", got.Evidence, got.Diff)
	}
	if !got.Settled || got.Snapshot == "" {
		t.Errorf("got settled %t and the snapshot %q, want a still screen with an id", got.Settled, got.Snapshot)
	}
	ref := strings.TrimPrefix(target.Ref, "@")
	want := `tap button "Save" [ref=` + ref + `] → changed (` + strings.Join(got.Evidence, ", ") + ")\n" + got.Diff[0]
	if e.Stdout != want {
		t.Errorf("got the text\n%s\nwant\n%s", e.Stdout, want)
	}
	if e.Meta.Device == nil || e.Meta.Device.UDID != fakedevice.UDID || e.Meta.Device.Name != fakedevice.Name {
		t.Errorf("got the device %+v, want the paper phone", e.Meta.Device)
	}
	f.Must("tap_element", `{"ref":"`+target.Ref+`"}`, nil)
	f.sent("tap 200,220", "tap 200,220")
}

func TestActionWithoutEffectIsNotASuccess(t *testing.T) {
	f, got := newForm(t), answer{}
	f.count = false
	e := f.Must("tap_element", `{"identifier":"save"}`, &got)
	if got.Outcome != "unchanged" || len(got.Diff) != 0 {
		t.Errorf("got %q with the diff %q, want unchanged without one", got.Outcome, got.Diff)
	}
	if !strings.Contains(e.Stdout, "→ unchanged: nothing on the screen reacted in 1.") {
		t.Errorf("got the text %q, want the seconds that it was looked for", e.Stdout)
	}
	failed := f.Refused("tap_element", `{"identifier":"save","expect_change":true}`, fault.OutcomeUnchanged,
		`tap button "Save" [ref=`, "changed nothing on the screen in 5.")
	if failed.Dispatched != fault.Dispatched {
		t.Errorf("got dispatched %q, want %q: the tap was sent", failed.Dispatched, fault.Dispatched)
	}
}

func TestExpectedChangeSucceeds(t *testing.T) {
	f := newForm(t)
	for _, call := range []struct{ name, input string }{
		{"tap_element", `{"identifier":"save","expect_change":true}`}, {"double_tap", `{"identifier":"save","expect_change":true}`},
		{"home", `{"expect_change":true}`}, {"rotate", `{"orientation":"portrait","expect_change":true}`},
	} {
		f.Must(call.name, call.input, nil)
	}
}

// TestEveryActionHonoursExpectChange: an action that forgets it calls nothing a success.
func TestEveryActionHonoursExpectChange(t *testing.T) {
	for name, input := range map[string]string{
		"tap_element": `"x":1,"y":1`, "double_tap": `"x":1,"y":1`, "long_press": `"identifier":"save"`, "touch": `"x":1,"y":1`,
		"swipe": `"direction":"up"`, "drag": `"identifier":"save","onto":"send"`, "pinch": `"scale":2`, "back": ``, "home": ``,
		"press_button": `"button":"lock"`, "rotate": `"orientation":"portrait"`, "press_key": `"key":"tab"`, "key_sequence": `"keys":["tab"]`,
		"hide_keyboard": ``, "set_value": `"identifier":"volume","to":"40%"`, "clear": `"identifier":"mail"`,
	} {
		f := newForm(t)
		f.count = false
		input = strings.Replace(`{`+input+`,"expect_change":true}`, "{,", "{", 1)
		f.Refused(name, input, fault.OutcomeUnchanged, "changed nothing on the screen")
	}
}

func TestLostInputHasUnknownDispatch(t *testing.T) {
	f := newForm(t)
	f.phone.Refuse = func(string) error {
		return fault.New(fault.AgentFailed, "the line broke").WithDispatch(fault.MaybeDispatched)
	}
	e := f.Run("tap_element", `{"identifier":"save"}`)
	if e.Error == nil || e.Error.Code != fault.AgentFailed || e.Error.Dispatched != fault.MaybeDispatched {
		t.Fatalf("got %+v, want the driver's fault and dispatched unknown", e.Error)
	}
	var got answer
	if err := json.Unmarshal(e.Result, &got); err != nil || got.Outcome != "unknown" {
		t.Errorf("got %s (%v), want the outcome unknown in the result", e.Result, err)
	}
	if !strings.Contains(e.Text(), "unknown: the input may or may not have arrived") && !strings.Contains(e.Text(), "the line broke") {
		t.Errorf("got the text %q, want it to say that nobody knows", e.Text())
	}
}

func TestRefusedInputReturnsDriverFault(t *testing.T) {
	f := newForm(t)
	f.phone.Refuse = func(string) error { return fault.New(fault.AgentFailed, "no").WithDispatch(fault.NotDispatched) }
	if got := f.Refused("tap_element", `{"identifier":"save"}`, fault.AgentFailed, "no"); got.Dispatched != fault.NotDispatched {
		t.Errorf("got dispatched %q, want %q", got.Dispatched, fault.NotDispatched)
	}
}

func TestUnreadableScreenFailsBeforeTheInput(t *testing.T) {
	f := newForm(t)
	f.phone.Blind = errors.New("fog")
	f.Refused("tap_element", `{"identifier":"save"}`, fault.Internal, "fog")
	f.sent()
}

func TestActionsRefuseInvalidInputs(t *testing.T) {
	f := newForm(t)
	for _, c := range []struct{ name, input, field, says string }{
		{"tap_element", `{}`, "", "ref"},
		{"tap_element", `{"x":1}`, "y", "tap_element: a point is x and y"},
		{"tap_element", `{"x":1,"y":1,"ref":"@e1"}`, "", "x"},
		{"tap_element", `{"x":1,"y":1,"pixels":"800"}`, "pixels", `pixels "800" does not fit`},
		{"tap_element", `{"x":1,"y":1,"pixels":"0x10"}`, "pixels", `pixels is "0x10"`},
		{"tap_element", `{"x":1,"y":1,"pixels":"10x0"}`, "pixels", `pixels is "10x0"`},
		{"tap_element", `{"x":1,"y":1,"pixels":"99999999x10"}`, "pixels", "does not show this screen"},
		{"tap_element", `{"identifier":"save","pixels":"400x800"}`, "pixels", "472x1024"},
		{"tap_element", `{"x":1,"y":1,"pixels":"800x400"}`, "pixels", "800×400"},
		{"double_tap", `{"x":1}`, "y", "double_tap: a point is x and y"},
		{"pinch", `{"y":1,"scale":2}`, "y", "pinch: a point is x and y"},
		{"pinch", `{"scale":0}`, "scale", "0.01"},
		{"drag", `{"identifier":"save"}`, "", "onto"},
		{"drag", `{"identifier":"save","to_x":1}`, "y", "drag: a point is x and y"},
		{"drag", `{"from_x":1,"to_x":1,"to_y":1}`, "y", "drag: a point is x and y"},
		{"swipe", `{}`, "", "direction"},
		{"swipe", `{"start_x":1,"start_y":1,"end_x":1}`, "end_y", "swipe: a path needs start_x, start_y, end_x and end_y"},
		{"swipe", `{"direction":"up","start_y":1}`, "end_y", "swipe: a path needs start_x, start_y, end_x and end_y"},
		{"swipe", `{"direction":"up","end_x":1}`, "end_y", "swipe: a path needs start_x, start_y, end_x and end_y"},
		{"swipe", `{"direction":"up","end_y":1}`, "end_y", "swipe: a path needs start_x, start_y, end_x and end_y"},
		{"swipe", `{"start_x":1,"start_y":1,"end_x":401,"end_y":1}`, "", "401, 1 is not on the screen, which is 400×800 points"},
		{"rotate", `{"orientation":"sideways"}`, "orientation", "portrait"},
		{"press_button", `{"button":"power"}`, "button", "volume-up"},
		{"alert", `{"accept":true,"dismiss":true}`, "button", "exclude each other"},
		{"alert", `{"answer":"OK","button":"OK"}`, "button", "exclude each other"},
		{"set_value", `{"to":"1"}`, "", "ref"},
		{"scroll_to", `{}`, "", "ref"},
	} {
		got := f.Refused(c.name, c.input, fault.InvalidInput, c.says)
		if c.field != "" && got.Details["field"] != c.field {
			t.Errorf("%s %s: got the field %v, want %q", c.name, c.input, got.Details["field"], c.field)
		}
	}
	f.sent()
}

func TestUnsettledScreenIsReportedAsMoving(t *testing.T) {
	f, got := newForm(t), answer{}
	f.phone.Moving = true
	e := f.Must("tap_element", `{"identifier":"save"}`, &got)
	if got.Settled || !strings.Contains(e.Stdout, "), still moving\n") {
		t.Errorf("got settled %t and the text\n%s\nwant a screen that is still moving", got.Settled, e.Stdout)
	}
}

func TestLongDiffIsCutInTheText(t *testing.T) {
	out := touch.ActionOut{Action: "tap", Outcome: ui.Changed, Evidence: []string{"tree"}, Settled: true}
	for i := range 60 {
		out.Diff = append(out.Diff, fmt.Sprintf("+ line %d", i))
	}
	text := out.Text()
	if !strings.HasPrefix(text, "tap → changed (tree)\n+ line 0\n") || strings.Contains(text, "line 41") {
		t.Errorf("got the text\n%s\nwant its first 40 lines", text)
	}
}

func TestAmbientChangeIsNotReportedAsEffect(t *testing.T) {
	out := touch.ActionOut{Action: "tap", Outcome: ui.Unchanged, Evidence: []string{ui.EvidenceAmbient}, Settled: true, LookedMS: 1540}
	if got, want := out.Text(), "tap → unchanged: only elements that always change did so in 1.5 s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHideKeyboardFailsIfScreenChanges(t *testing.T) {
	f := newForm(t)
	f.phone.Draw = func() []*ui.Node {
		if len(f.phone.Sent) > 0 {
			return []*ui.Node{{Type: "NavigationBar", Identifier: "Elsewhere", Label: "Elsewhere", Frame: ui.Rect{W: 400, H: 90}}}
		}
		return append(f.draw(), &ui.Node{Type: "Keyboard", Frame: ui.Rect{Y: 550, W: 400, H: 250}})
	}
	got := f.Refused("hide_keyboard", `{}`, fault.ScreenLeft, "changed the screen from", `to "Elsewhere"`)
	if got.Dispatched != fault.Dispatched {
		t.Errorf("got dispatched %q, want %q: the gesture was sent", got.Dispatched, fault.Dispatched)
	}
}

func TestTapCheckRefusesInvalidPixels(t *testing.T) {
	x := 1.0
	if err := (touch.TapIn{Pixels: "big"}).Check(); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("got %v, want %s", err, fault.InvalidInput)
	}
	in := touch.TapIn{}
	in.X, in.Y = &x, &x
	if err := in.Check(); err != nil {
		t.Errorf("got %v, want no fault of a point", err)
	}
}

// bare is a phone without eyes and fingers.
type bare struct{ device.Device }

func TestTapIsUnsupportedWithoutScreenReading(t *testing.T) {
	room := touch.New(fakedevice.Reach(t, bare{&fakedevice.Paper{}}), secrets.Folder{})
	f := fakedevice.Open(t, room.Ops())
	f.Refused("tap_element", `{"identifier":"save"}`, fault.Unsupported, "Paper Phone", "which cannot look at the screen")
}
