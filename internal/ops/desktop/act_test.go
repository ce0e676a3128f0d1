package desktop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

func TestActionsReachTheApp(t *testing.T) {
	for name, c := range map[string]struct {
		title string
		desktop.Request
		did, method string
		outcome     ui.Outcome
		changed     *bool
	}{
		"click":             {"Action", desktop.Request{Action: desktop.Click}, "press Action", "said", ui.Changed, new(false)},
		"click on a switch": {"Enabled", desktop.Request{Action: desktop.Click}, "press Enabled", "said", ui.Changed, new(true)},
		"set a value": {
			"Volume", desktop.Request{Action: desktop.SetValue, Value: json.RawMessage(`0.8`)}, "", "said", ui.Changed, new(true),
		},
		"type": {
			"Name", desktop.Request{Action: desktop.Type, Text: new("héllo")}, "type héllo", "done", ui.Changed, new(true),
		},
		"scroll": {
			"Items", desktop.Request{Action: desktop.Scroll, Direction: new("down")}, "scroll Items 0 -3", "done", ui.Unchanged, new(false),
		},
		"scroll further": {
			"Items", desktop.Request{Action: desktop.Scroll, Direction: new("up"), Amount: new(7)}, "scroll Items 0 7", "done",
			ui.Unchanged, new(false),
		},
		"a key": {
			"", desktop.Request{Action: desktop.PressKey, Key: new("s"), Modifiers: []string{"cmd"}}, "key s 0x100000", "done", ui.Unchanged, nil,
		},
	} {
		r := start(t)
		c.SettleMS = new(0)
		got, err := r.act(c.title, c.Request)
		if err != nil || !got.Success || got.Method != c.method || got.Outcome != c.outcome || got.Error != "" {
			t.Errorf("%s: got %+v, %v, want it done by %s, %s", name, got.Response, err, c.method, c.outcome)
			continue
		}
		if did := strings.Join(r.app.Did(), ","); did != c.did {
			t.Errorf("%s: got %q, want %q to reach the app", name, did, c.did)
		}
		if (got.Changed == nil) != (c.changed == nil) || c.changed != nil && *got.Changed != *c.changed {
			t.Errorf("%s: got changed %v, want %v", name, got.Changed, c.changed)
		}
		if (got.Before == nil) != (c.title == "") || got.Before != nil && (got.Before.Title != c.title || got.After == nil) {
			t.Errorf("%s: got before %+v and after %+v, want the element", name, got.Before, got.After)
		}
		if (len(got.Diff) > 0) != (c.outcome == ui.Changed) || got.Settled {
			t.Errorf("%s: got the diff %q, settled %v, want what changed, and no wait for stillness", name, got.Diff, got.Settled)
		}
	}
}

func TestTypingThatChangesNoValueIsSaid(t *testing.T) {
	r := start(t)
	for title, want := range map[string]string{"Volume": "the element's value is the same as before", "Name": "", "Action": ""} {
		got, err := r.act(title, desktop.Request{Action: desktop.Type, Text: new("7")})
		if err != nil || !got.Success || !strings.HasPrefix(got.Advice, want) || (want == "") != (got.Advice == "") {
			t.Errorf("%s: got %+v, %v, advice %q, want %q", title, got.Response, err, got.Advice, want)
		}
	}
}

func TestDragByPointerIsSaid(t *testing.T) {
	r := start(t)
	got, err := r.act("Drag Source", desktop.Request{Action: desktop.Drag, ToID: new(r.id("Drop Here")), Pointer: true})
	did := strings.Join(r.app.Did(), ",")
	if err != nil || got.Method != "pointed" || did != "drag Drag Source to Drop Here by the pointer" {
		t.Errorf("got %+v, %v after %q, want a drag by the pointer", got.Response, err, did)
	}
}

func TestDragRequiresExistingDestination(t *testing.T) {
	r := start(t)
	got, err := r.act("Drag Source", desktop.Request{Action: desktop.Drag, ToID: new(r.id("Drop Here"))})
	if err != nil || !got.Success || !got.Settled || !slices.Equal(r.app.Did(), []string{"drag Drag Source to Drop Here"}) {
		t.Errorf("got %+v, %v after %q, want the drag", got.Response, err, r.app.Did())
	}
	got, err = r.act("Drag Source", desktop.Request{Action: desktop.Drag, ToID: new("lbl_none")})
	if err != nil || got.Success || got.Error != desktop.ErrNoDestination.Error() || got.Before == nil {
		t.Errorf("got %+v, %v, want a destination that is not there answered", got.Response, err)
	}
}

func TestMissingElementIsAnAnswerNotAFault(t *testing.T) {
	r := start(t)
	got, err := r.act("", desktop.Request{Action: desktop.Click, ID: new("btn_none")})
	if err != nil || got.Success || got.Error != desktop.ErrNoNode.Error() || got.Before != nil || got.Changed != nil {
		t.Errorf("got %+v, %v, want an id that is not there answered", got.Response, err)
	}
	if did := r.app.Did(); len(did) != 0 {
		t.Errorf("got %q, want nothing sent", did)
	}
	got, err = r.act("Items", desktop.Request{Action: desktop.SetValue, Value: json.RawMessage(`"x"`)})
	if err != nil || got.Success || got.Error == "" {
		t.Errorf("got %+v, %v, want a value that it does not take answered", got.Response, err)
	}
}

func TestActionRefusesInvalidRequest(t *testing.T) {
	r := start(t)
	for want, in := range map[string]desktop.Request{
		"id is required for all actions except 'key'": {Session: r.s.ID, Action: desktop.Click},
		"text is required for 'type' action":          {Session: r.s.ID, Action: desktop.Type, ID: new("x")},
		"sessionId must not be empty":                 {Action: desktop.Click, ID: new("x")},
	} {
		_, err := r.Act(t.Context(), r.Call, in)
		refused(t, want, err, fault.InvalidInput, want)
	}
	_, err := r.Act(t.Context(), r.Call, desktop.Request{Session: "none", Action: desktop.Click, ID: new("x")})
	refused(t, "a session that is not there", err, fault.SessionNotFound)
}

func TestSecretIsTypedByItsName(t *testing.T) {
	r := start(t)
	r.Call.Env = map[string]string{}
	if err := os.MkdirAll(filepath.Join(r.Dir, "secrets"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, "secrets", "pin"), []byte("4711"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.act("Name", desktop.Request{Action: desktop.Type, Text: new("$SECRET:pin")}); err != nil {
		t.Fatal(err)
	}
	if did := r.app.Did(); !slices.Equal(did, []string{"type 4711"}) {
		t.Errorf("got %q, want the secret", did)
	}
	_, err := r.act("Name", desktop.Request{Action: desktop.Type, Text: new("$SECRET:none")})
	refused(t, "a secret that is not there", err, fault.SecretNotFound)
}

func TestRemovedElementHasNoStateAfterAction(t *testing.T) {
	r := start(t)
	r.app.Ask("Sure?", "OK", true, ui.Rect{X: 120, Y: 300, W: 300, H: 100})
	got, err := r.act("OK", desktop.Request{Action: desktop.Click})
	if err != nil || !got.Success || got.Before == nil || got.After != nil || got.Changed != nil || got.Outcome != ui.Changed {
		t.Errorf("got %+v, %v, want the dialog gone", got, err)
	}
}
