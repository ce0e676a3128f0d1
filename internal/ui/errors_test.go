package ui_test

import (
	"encoding/json"
	"errors"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// Each error is one fault to a caller: nothing was sent, and the details are those that callers know.
func TestErrorsBecomeFaultsWithDetails(t *testing.T) {
	unique := ui.Locator{Role: "keyboard", Label: "k", Matches: ui.Matches{RoleLabel: 1, Whole: 1}}
	some := []ui.Candidate{{Ref: "@e2", Type: "Keyboard", Locator: unique}}
	const listed = `"candidates":[{"ref":"@e2","type":"XCUIElementTypeKeyboard","role":"keyboard","label":"k",` +
		`"matches":{"by_role_label":1,"whole":1},"centre":{"x":0,"y":0}}]`
	beside := []ui.Candidate{{Ref: "@e3", Type: "Other", Locator: ui.Locator{Role: "generic", Identifier: "PopoverDismissRegion"}}}
	const region = `"candidates":[{"ref":"@e3","type":"XCUIElementTypeOther","identifier":"PopoverDismissRegion","role":"generic",` +
		`"matches":{"by_role_label":0,"whole":0},"centre":{"x":0,"y":0}}]`
	for _, c := range []struct {
		err     error
		code    fault.Code
		message string
		hint    string
		details string
	}{
		{&ui.NotFoundError{Message: "none"}, fault.ElementNotFound, "none", fault.ElementNotFound.Hint(), `null`},
		{
			&ui.NotFoundError{Message: "none", Hint: "try", Candidates: []ui.Candidate{}},
			fault.ElementNotFound, "none", "try", `{"candidates":[]}`,
		},
		{&ui.AmbiguousError{Message: "two", Candidates: some}, fault.ElementAmbiguous, "two",
			`no input was sent; pass one of: @e2 keyboard "k"`, `{` + listed + `}`},
		{&ui.ExpiredError{Ref: "@e1", Was: `button "a"`, Reason: ui.RefGone, Why: "is gone", Candidates: some}, fault.RefExpired,
			`ref @e1 (button "a") is gone`, `no input was sent; on the screen now: @e2 keyboard "k"`,
			`{` + listed + `,"reason":"gone","ref":"@e1"}`},
		{&ui.ExpiredError{Ref: "@e1", Reason: ui.RefUnknown, Why: "was never given out"}, fault.RefExpired, "ref @e1 was never given out",
			fault.RefExpired.Hint(), `{"candidates":null,"reason":"unknown","ref":"@e1"}`},
		{&ui.UnreachableError{Element: `button "a"`, Ref: "@e1", Why: "it is disabled"}, fault.ElementUnhittable,
			`button "a" cannot be tapped: it is disabled`, fault.ElementUnhittable.Hint(), `{"reason":"unreachable","ref":"@e1"}`},
		{&ui.UnreachableError{Element: "button", Ref: "@e1", Why: "it is covered", Cover: some}, fault.ElementUnhittable,
			"button cannot be tapped: it is covered", hint.Do("hide_keyboard") + " puts the keyboard away, or " + hint.Do("type_text",
				"text", "TEXT", "submit", true) + " with the text",
			`{` + listed + `,"reason":"unreachable","ref":"@e1"}`},
		{&ui.UnreachableError{Element: "button", Ref: "@e1", Why: "it is covered", Cover: beside}, fault.ElementUnhittable,
			"button cannot be tapped: it is covered", "use the sheet; ‹do:back› closes it, or ‹do:tap_element {\"ref\":\"@e3\"}› beside it",
			`{` + region + `,"reason":"unreachable","ref":"@e1"}`},
		{&ui.UnreachableError{Element: "button", Ref: "@e1", Why: "it is covered", Cover: beside, Filled: true}, fault.ElementUnhittable,
			"button cannot be tapped: it is covered", "use the sheet: closing it loses the values in it; ‹do:snapshot› shows it",
			`{` + region + `,"reason":"unreachable","ref":"@e1"}`},
		{&ui.UnreachableError{Element: "button", Ref: "@e1", Why: "it is covered", Cover: beside, Pages: true}, fault.ElementUnhittable,
			"button cannot be tapped: it is covered", "use the sheet; ‹do:back› goes back in it",
			`{` + region + `,"reason":"unreachable","ref":"@e1"}`},
		{&ui.UnreachableError{Element: "button", Ref: "@e1", Why: "it is off the screen", OffScreen: true}, fault.ElementUnhittable,
			"button cannot be tapped: it is off the screen", "bring it into view: ‹do:scroll_to {\"ref\":\"@e1\"}›",
			`{"off_screen":true,"reason":"unreachable","ref":"@e1"}`},
	} {
		f := fault.From(c.err)
		details, err := json.Marshal(f.Details)
		if err != nil {
			t.Fatal(err)
		}
		if f.Code != c.code || f.Message != c.message || f.Hint != c.hint || string(details) != c.details ||
			f.Dispatched != fault.NotDispatched || !errors.Is(f, c.err) {
			t.Errorf("%T is %+v with %s\nwant %s %q %q %s", c.err, f, details, c.code, c.message, c.hint, c.details)
		}
	}
}
