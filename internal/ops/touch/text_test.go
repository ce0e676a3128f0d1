package touch_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ops/touch"
	"ios-agent/internal/ui"
	"ios-agent/test/fakedevice"
)

func TestFillReplacesFieldText(t *testing.T) {
	f, got := newForm(t), answer{}
	f.typed = "old"
	f.Must("fill", `{"identifier":"mail","text":"new"}`, &got)
	if f.typed != "new" || got.Action != "fill" || got.Outcome != "changed" {
		t.Errorf("got the text %q by %q (%s), want new by fill (changed)", f.typed, got.Action, got.Outcome)
	}
	f.Must("type_text", `{"identifier":"mail","text":"er"}`, nil)
	if f.typed != "newer" {
		t.Errorf("got the text %q, want newer: typing appends", f.typed)
	}
	f.Must("clear", `{"identifier":"mail"}`, &got)
	if f.typed != "" || got.Action != "clear" {
		t.Errorf("got the text %q by %q, want none by clear", f.typed, got.Action)
	}
}

func TestNoteSaysThatReturnHadNoEffect(t *testing.T) {
	f, got := newForm(t), answer{}
	f.count = false
	e := f.Must("fill", `{"identifier":"mail","text":"shoes","submit":true}`, &got)
	if got.Return != "unchanged" || !strings.Contains(e.Stdout, "fill textbox \"Mail\"") ||
		!strings.Contains(e.Stdout, " and return → changed") ||
		!strings.HasSuffix(e.Stdout, "\nnote: return moved at most the focus; to send the text, tap the button for that") {
		t.Errorf("got the return %q and the text\n%s\nwant it told that the return did nothing", got.Return, e.Stdout)
	}
	f.count = true
	if e := f.Must("fill", `{"identifier":"mail","text":"boots","submit":true}`, &got); strings.Contains(e.Stdout, "note:") {
		t.Errorf("got the note in\n%s\nwant none: the return changed the screen", e.Stdout)
	}
}

func TestTextStaysHiddenInASecureField(t *testing.T) {
	f := newForm(t)
	secure := false
	f.phone.Draw = func() []*ui.Node {
		nodes := f.draw()
		nodes[3].Secure = secure
		if secure {
			nodes[3].Value = strings.Repeat("•", len(f.typed))
		}
		return nodes
	}
	var told map[string]any
	f.Room = fakedevice.Open(t, f.room.Ops(), op.Ended(func(_ context.Context, x *op.Exchange) { told = x.Input() }))
	for _, hidden := range []bool{false, true} {
		secure, f.typed = hidden, ""
		f.Must("type_text", `{"identifier":"mail","text":"letmein"}`, nil)
		if shown := told["text"] == "letmein"; shown == hidden {
			t.Errorf("secure %t: observers are told the text %v, want it shown %t", hidden, told["text"], !hidden)
		}
	}
}

func TestSecretIsTypedByItsName(t *testing.T) {
	f := newForm(t)
	home, known := t.TempDir(), &mask.Set{}
	if err := os.MkdirAll(secrets.Dir(home), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(secrets.Dir(home), "pin"), []byte("correct horse"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Room = fakedevice.Open(t, touch.New(fakedevice.Reach(t, f.phone), secrets.Of(home, known)).Ops())
	f.Must("type_text", `{"identifier":"mail","text":"$SECRET:pin"}`, nil)
	f.sent("type correct horse")
	f.Refused("fill", `{"identifier":"mail","text":"$SECRET:none"}`, fault.SecretNotFound, `unknown secret "none"`)
	f.sent()
}

func TestAlertIsReadAndAnswered(t *testing.T) {
	for _, c := range []struct{ input, sent, action string }{
		{`{}`, "", "alert"},
		{`{"accept":true}`, "answer accept", `answer "accept"`},
		{`{"dismiss":true}`, "answer dismiss", `answer "dismiss"`},
		{`{"button":"Later"}`, "answer Later", `answer "Later"`},
		{`{"answer":"Allow Once"}`, "answer Allow Once", `answer "Allow Once"`},
	} {
		f, got := newForm(t), answer{}
		f.phone.Question = &device.Alert{Title: "Location", Text: "May it?", Buttons: []string{"Later", "Allow Once"}}
		e := f.Must("alert", c.input, &got)
		if c.sent == "" {
			f.sent()
		} else {
			f.sent(c.sent)
		}
		if got.Action != c.action || got.Alert == nil || got.Alert.Title != "Location" {
			t.Errorf("%s: got the action %q on %+v, want %q on the alert", c.input, got.Action, got.Alert, c.action)
		}
		want, first := `alert "Location" "May it?", buttons "Later", "Allow Once"`, "alert"
		if c.sent != "" {
			first, want = c.action+" → changed", "\nanswered: "+want
		}
		if !strings.HasPrefix(e.Stdout, first) || !strings.HasSuffix(e.Stdout, want) || c.sent == "" && e.Stdout != want {
			t.Errorf("%s: got the text\n%s\nwant\n%s\n…\n%s", c.input, e.Stdout, first, want)
		}
	}
	f := newForm(t)
	if e := f.Must("alert", `{}`, nil); e.Stdout != "no alert" {
		t.Errorf("got the text %q, want no alert", e.Stdout)
	}
}

func TestSetValueMovesAControl(t *testing.T) {
	f, got := newForm(t), answer{}
	f.Must("set_value", `{"identifier":"volume","to":"40%"}`, &got)
	if got.Action != "set 40%" || len(f.phone.Sent) == 0 {
		t.Errorf("got the action %q with the inputs %q, want set 40%%", got.Action, f.phone.Sent)
	}
	f.Refused("set_value", `{"identifier":"save","to":"on"}`, fault.Unsupported, `button "Save" has no value to set`)
}

func TestScrollToSendsNoInputForVisibleElement(t *testing.T) {
	f, got := newForm(t), answer{}
	e := f.Must("scroll_to", `{"identifier":"save"}`, &got)
	if want := "→ unchanged: it is in sight already, so no input was sent"; !strings.Contains(e.Stdout, want) {
		t.Errorf("got the text %q, want %q", e.Stdout, want)
	}
	if got.Action != "scroll to" || got.Method != "in sight already" || got.Target.Identifier != "save" {
		t.Errorf("got %+v, want the button that is in sight", got)
	}
	f.sent()
}

func TestScrollToGivesUpAfterItsSwipes(t *testing.T) {
	f := newForm(t)
	row := 0
	f.phone.Draw = func() []*ui.Node {
		row++ // a list without an end
		return []*ui.Node{{Type: "Table", Identifier: "list", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
			{Type: "Cell", Label: "row " + strings.Repeat("x", row), Frame: ui.Rect{W: 400, H: 80}},
		}}}
	}
	f.Refused("scroll_to", `{"label":"Z","max_swipes":2,"direction":"down"}`, fault.ElementNotFound, "was not found in 2 swipes")
	if len(f.phone.Sent) != 2 {
		t.Errorf("got the inputs %q, want two swipes", f.phone.Sent)
	}
	f.Refused("scroll_to", `{"label":"Z","list":"nowhere"}`, fault.ElementNotFound, "nowhere")
}

func TestFingerLiftedAtSamePointPresses(t *testing.T) {
	f := newForm(t)
	c := &op.Call{Session: "a"}
	at, err := f.room.Down(t.Context(), c, touch.FingerIn{ElementIn: target.ElementIn{Identifier: "save"}})
	if err != nil || at != (ui.Point{X: 200, Y: 220}) {
		t.Fatalf("got %v, %v, want the middle of the button", at, err)
	}
	f.sent() // it touches when it is lifted
	if _, err := f.room.Up(t.Context(), c, touch.FingerIn{At: &ui.Point{X: 200, Y: 220}}); err != nil {
		t.Fatal(err)
	}
	if len(f.phone.Sent) != 1 || !strings.HasPrefix(f.phone.Sent[0], "press 200,220 for ") {
		t.Errorf("got the inputs %q, want one press on the button", f.phone.Sent)
	}
	_, err = f.room.Up(t.Context(), c, touch.FingerIn{At: &ui.Point{X: 200, Y: 220}})
	if got := fault.From(err); got.Code != fault.InvalidInput || got.Message != "no finger is down on Paper Phone" ||
		got.Details["field"] != "up" {
		t.Errorf("got %v, want the fault that no finger is down", err)
	}
}

func TestFingerLiftedAtOtherPointSwipes(t *testing.T) {
	f := newForm(t)
	c := &op.Call{Session: "a"}
	if _, err := f.room.Down(t.Context(), c, touch.FingerIn{At: &ui.Point{X: 10, Y: 20}}); err != nil {
		t.Fatal(err)
	}
	out, err := f.room.Up(t.Context(), c, touch.FingerIn{ElementIn: target.ElementIn{Identifier: "save"}})
	if err != nil || out.Action != "swipe 10, 20 to 200, 220" {
		t.Errorf("got %q, %v, want a swipe to the button", out.Action, err)
	}
	f.sent("swipe 10,20 to 200,220 in 300ms")
}

func TestFingerOutsideScreenIsRefused(t *testing.T) {
	f := newForm(t)
	c := &op.Call{Session: "a"}
	for _, in := range []touch.FingerIn{{At: &ui.Point{X: 400, Y: 20}}, {ElementIn: target.ElementIn{Identifier: "nowhere"}}} {
		want := fault.InvalidInput
		if in.At == nil {
			want = fault.ElementNotFound
		}
		if _, err := f.room.Down(t.Context(), c, in); !fault.Is(err, want) {
			t.Errorf("down: got %v, want %s", err, want)
		}
		if _, err := f.room.Up(t.Context(), c, in); !fault.Is(err, want) {
			t.Errorf("up: got %v, want %s", err, want)
		}
	}
}

func TestSwipeReportsNameGivenByCaller(t *testing.T) {
	f := newForm(t)
	c := &op.Call{Session: "a"}
	out, err := f.room.Swipe(t.Context(), c, touch.SwipeIn{Direction: "up"}.Called("scroll down"))
	if err != nil || out.Action != "scroll down" {
		t.Errorf("got %q, %v, want scroll down", out.Action, err)
	}
	if out, err = f.room.Keys(t.Context(), c, touch.KeysIn{Keys: []string{"a", "b"}}.Pausing(0.001)); err != nil || out.Action != "press a b" {
		t.Errorf("got %q, %v, want press a b", out.Action, err)
	}
}

func TestUnknownDeviceIsRefused(t *testing.T) {
	f := newForm(t)
	f.Refused("tap_element", `{"identifier":"save","udid":"X"}`, fault.DeviceNotFound, "X")
	f.Refused("tap_element", `{"identifier":"save","sim":"iPhone 99"}`, fault.DeviceNotFound, "iPhone 99")
	_, err := f.room.Down(t.Context(), &op.Call{Session: "a"}, touch.FingerIn{Target: target.Target{UDID: "X"}})
	if !fault.Is(err, fault.DeviceNotFound) {
		t.Errorf("got %v, want %s", err, fault.DeviceNotFound)
	}
	f.sent()
}
