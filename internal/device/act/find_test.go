package act_test

import (
	"context"
	"errors"
	"ios-agent/internal/virtualxcode/flaw"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// Which element is meant can be said in many ways; all that is said must hold.
func TestQueryMustMatchAllGivenProperties(t *testing.T) {
	const email = "email-field"
	index := func(i int) *int { return &i }
	s := newStand(t)
	s.begin(t, rig.Shop)
	_, err := s.Enter(t.Context(), act.How{}, named(email), act.Entry{Text: "ada@example.com"})
	s.Must(err)
	ref := s.ref(email)
	for _, c := range []struct {
		name   string
		query  ui.Query
		target string // identifier of what is tapped
		want   want
	}{
		{name: "part of an identifier, and a role", query: ui.Query{Contains: "mail-", Role: "textbox"}, target: email},
		{name: "a ref and a type", query: ui.Query{Ref: ref, Type: "TextField"}, target: email},
		{name: "a ref without its sign", query: ui.Query{Ref: strings.TrimPrefix(ref, "@")}, target: email},
		{name: "a ref and another type", query: ui.Query{Ref: ref, Type: "Button"},
			want: want{code: fault.ElementNotFound, says: "does not also have"}},
		{name: "one of several", query: ui.Query{Role: "textbox", Index: index(0)}, target: email},
		{name: "a value", query: ui.Query{Value: "ada@example.com"}, target: email},
		{name: "a label in other letters", query: ui.Query{Label: "EMAIL"}, target: email},
		{name: "several", query: ui.Query{Role: "textbox"}, want: want{code: fault.ElementAmbiguous, says: "no input was sent; pass one of: @e"}},
		{name: "one of too few", query: ui.Query{Role: "textbox", Index: index(7)},
			want: want{code: fault.ElementNotFound, says: `2 elements fit; none has role "textbox", index 7`}},
		{name: "within what it is not in", query: ui.Query{Role: "textbox", Within: "Sign in"}, want: want{code: fault.ElementNotFound}},
		{name: "within what is not there", query: ui.Query{Role: "textbox", Within: "no-such-place"}, want: want{code: fault.ElementNotFound}},
		{name: "a text that is nowhere", query: ui.Query{Contains: "nowhere"}, want: want{code: fault.ElementNotFound}},
		{name: "nearly its name", query: ui.Query{Identifier: "login-buton"},
			want: want{code: fault.ElementNotFound, says: `near names on the screen: "login-button"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			report, err := s.Tap(t.Context(), act.How{NoWait: true}, c.query)
			s.check(c.want, report, err)
			if c.target != "" && report.Target.Identifier != c.target {
				t.Errorf("tapped %s", report.Target.Describe())
			}
		})
	}
	_, err = s.Tap(t.Context(), act.How{}, ui.Query{Role: "textbox"})
	several, ok := errors.AsType[*ui.AmbiguousError](err)
	if !ok || len(several.Candidates) != 2 || several.Candidates[1].Identifier != "password-field" || several.Candidates[1].Centre.X <= 0 {
		t.Errorf("the candidates are %+v", several)
	}
}

// A ref is an identity: it survives changes around it, and is refused when its element is gone or no longer certain.
func TestRefSurvivesChangesUntilElementIsGone(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Shop)
	login, email := s.ref("login-button"), s.ref("email-field")
	_, err := s.Enter(t.Context(), act.How{}, ui.Query{Ref: email}, act.Entry{Text: "ada@example.com"})
	s.Must(err)
	_, err = s.Enter(t.Context(), act.How{}, named("password-field"), act.Entry{Text: "secret"})
	s.Must(err)
	report, err := s.Tap(t.Context(), act.How{}, ui.Query{Ref: login})
	s.check(want{outcome: ui.Changed, line: `~ screen: "Sign in" → "Shop"`}, report, err)

	waited := s.took(func() { _, err = s.Tap(t.Context(), act.How{}, ui.Query{Ref: login}) })
	s.check(want{code: fault.RefExpired, says: "ref " + login + ` (button "Log in") is gone from the screen`}, act.Report{}, err)
	gone, ok := errors.AsType[*ui.ExpiredError](err)
	if !ok || gone.Reason != ui.RefGone || gone.Candidates[0].Type != "Button" ||
		!strings.Contains(fault.From(err).Hint, "no input was sent; on the screen now: @e") {
		t.Errorf("got %+v", fault.From(err))
	}
	if waited > time.Second {
		t.Errorf("an element that is gone from a screen at rest was waited for: %s", waited)
	}
	s.tap("Sign in") // back
	if again := s.ref("login-button"); again != login {
		t.Errorf("the same element is now %s, not %s", again, login)
	}

	reason := func(step act.Step, ref string) ui.Reason {
		_, err := step.Tap(t.Context(), act.How{NoWait: true}, ui.Query{Ref: ref})
		expired, ok := errors.AsType[*ui.ExpiredError](err)
		if !ok {
			t.Fatalf("%s: %v", ref, err)
		}
		return expired.Reason
	}
	other := act.Step{Device: s.Device, Session: (&session.Store{}).Get("other")}
	if got := reason(other, login); got != ui.RefUnknown {
		t.Errorf("a ref of another session: %s", got)
	}
	if got := reason(s.Step, "@e99999"); got != ui.RefUnknown {
		t.Errorf("a ref that was made up: %s", got)
	}
	s.Launch(rig.Conformance)
	if _, err = s.Tap(t.Context(), act.How{NoWait: true}, ui.Query{Ref: login}); !fault.Is(err, fault.AppNotInFront) {
		t.Errorf("a ref of another app: %v", err)
	}
	if _, err = s.Tap(t.Context(), act.How{}, ui.Query{Ref: "login-button"}); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("what is no ref: %v", err)
	}
}

// twins has two buttons that nothing tells apart.
const twins = `
start: list
state: {edited: 0}
screens:
  list:
    title: List
    elements:
      - {text: "Edited: {edited}", id: edited}
      - {button: Edit, do: [{set: {edited: 1}}]}
      - {button: Edit, do: [{set: {edited: 2}}]}
`

// A candidate's ref is good while the screen is the very same, and not after.
func TestCandidateRefExpiresWhenScreenChanges(t *testing.T) {
	s := newStand(t)
	s.Install("com.example.twins", twins)
	s.begin(t, "com.example.twins")
	_, err := s.Tap(t.Context(), act.How{}, ui.Query{Label: "edit"})
	s.check(want{code: fault.ElementAmbiguous, says: `2 elements have label "edit"`}, act.Report{}, err)
	several, _ := errors.AsType[*ui.AmbiguousError](err)
	second := ui.Query{Ref: several.Candidates[1].Ref}
	report, err := s.Tap(t.Context(), act.How{}, second)
	s.check(want{line: `"Edited: 0" → "Edited: 2"`}, report, err)
	_, err = s.Tap(t.Context(), act.How{}, second)
	s.check(want{code: fault.RefExpired, says: "is ambiguous"}, act.Report{}, err)
	if expired, ok := errors.AsType[*ui.ExpiredError](err); !ok || expired.Reason != ui.RefAmbiguous {
		t.Errorf("got %+v", expired)
	}
}

// Buttons of one name are a question, also when accessibility only says so.
func TestDuplicateLabelsAreAmbiguous(t *testing.T) {
	perform(t, []step{{name: "asked", way: []string{"Dynamic"}, fault: always(wrong(flaw.DuplicateLabels)),
		do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Tap(ctx, act.How{}, ui.Query{Label: "Show Delayed"})
		},
		want: want{code: fault.ElementAmbiguous, says: `button "Show Delayed"`}}})
}

// Checking out asks a server; a spinner turns until it has answered.
func TestCheckoutShowsServerAnswerAfterSpinner(t *testing.T) {
	s := newStand(t)
	checkOut := func(env map[string]string) act.Report {
		t.Helper()
		_, err := s.Device.(device.Apps).Launch(t.Context(), rig.Shop, device.Launch{Restart: true, Env: env})
		s.Must(err)
		for _, name := range []string{"guest-button", "add-tea", "open-cart"} {
			s.tap(name)
		}
		return s.tap("checkout")
	}
	until := func(text string) {
		t.Helper()
		got, err := s.Wait(t.Context(), act.Waiting{Condition: ui.HasText, Value: text, Timeout: 20 * time.Second})
		if err != nil || !got.Matched {
			t.Errorf("%q does not come: %v\n%s", text, err, s.screen())
		}
	}
	report := checkOut(nil)
	s.check(want{line: `+ progressbar "Placing your order"`}, report, nil)
	until("Thank you! Your order is on its way.")
	s.shows("Order A-1001", "0 items in your cart")
	if strings.Contains(s.screen(), "Placing your order") {
		t.Error("the spinner still turns")
	}
	s.tap("notify-me")
	s.tap("Allow")
	s.shows("We will let you know.")
	// Told where the shop is, the app asks there, over the real network: nobody listens on that port.
	checkOut(map[string]string{"SHOP_API": "http://127.0.0.1:1"})
	until("Could not connect to the server.")
	s.shows("1 item in your cart")
	checkOut(map[string]string{"SHOP_API": "http://shop.invalid", "HTTP_PROXY": "http://127.0.0.1:1"})
	until("Could not connect to the server.")
}
