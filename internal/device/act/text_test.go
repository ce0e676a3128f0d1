package act_test

import (
	"context"
	"ios-agent/internal/virtualxcode/flaw"
	"strings"
	"testing"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// entering is a step that enters a text into what has a name; with an empty name, into what has the focus.
func entering(field string, e act.Entry) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) {
		return s.Enter(ctx, act.How{}, named(field), e)
	}
}

// after performs steps that must work before the last.
func after(steps ...func(context.Context, *stand) (act.Report, error)) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (report act.Report, err error) {
		for i, step := range steps {
			if report, err = step(ctx, s); err != nil && i < len(steps)-1 {
				s.t.Fatalf("step %d: %v", i, err)
			}
		}
		return report, err
	}
}

func pressing(key string, times int) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) { return s.Key(ctx, key, nil, times) }
}

func emptying(field string) func(context.Context, *stand) (act.Report, error) {
	return func(ctx context.Context, s *stand) (act.Report, error) { return s.Clear(ctx, act.How{}, named(field)) }
}

func hideKeyboard(ctx context.Context, s *stand) (act.Report, error) { return s.HideKeyboard(ctx) }

func TestTextEntryReportsExpectedOutcome(t *testing.T) {
	fields := []string{"Text Input"}
	const user, search = "text-username-field", "text-search-field"
	typed := entering(user, act.Entry{Text: "grace"})
	perform(t, []step{
		{name: "typed", way: fields, do: entering(user, act.Entry{Text: "ada"}),
			want: want{outcome: ui.Changed, method: "keyboard", line: "Username: ada"}},
		{name: "appended", way: fields, do: after(entering(user, act.Entry{Text: "ada"}), entering(user, act.Entry{Text: "_l"})),
			want: want{line: "Username: ada_l"}},
		{name: "replaced", way: fields, do: after(entering(user, act.Entry{Text: "ada"}),
			entering(user, act.Entry{Text: "grace", Replace: true})),
			want: want{line: "Username: grace"}},
		{name: "into what has the focus", way: []string{"Text Input", user}, do: entering("", act.Entry{Text: "ada"}),
			want: want{line: "Username: ada"}},
		{name: "submitted", way: fields, do: entering(search, act.Entry{Text: "shoes", Replace: true, Submit: true}),
			want: want{line: "Searched: shoes"}},
		{name: "nothing has the focus", way: fields, do: entering("", act.Entry{Text: "x"}), want: want{code: fault.NoFocus}},
		{name: "not a field", way: fields, do: entering("text-submit-button", act.Entry{Text: "x"}), want: want{code: fault.ElementNotEditable}},
		{name: "emptied", way: fields, do: after(typed, emptying(user)), want: want{outcome: ui.Changed, line: `value: "grace" → ""`}},
		{name: "emptied by focus", way: fields, do: after(typed, emptying("")), want: want{line: `value: "grace" → ""`}},
		{name: "empty already", way: []string{"Text Input", user}, do: emptying(user), want: want{outcome: ui.Unchanged}},
		{name: "by keys", way: fields, do: after(typed, pressing("delete", 2)), want: want{method: "key", line: "Username: gra"}},
		{name: "by a sequence of keys", way: []string{"Text Input", user}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Keys(ctx, []string{"c", "e"}, 0)
		}, want: want{method: "keys", line: "Username: ce"}},
		{name: "a sequence that breaks off", way: []string{"Text Input", user}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Keys(ctx, []string{"c", "no-such-key"}, 0)
		}, want: want{code: fault.InvalidInput, dispatched: fault.Dispatched, says: `key 2 of 2, "no-such-key"`}},
		{name: "no such key", way: []string{"Text Input", user}, do: pressing("no-such-key", 1), want: want{code: fault.InvalidInput}},
		{name: "no such modifier", way: []string{"Text Input", user}, do: func(ctx context.Context, s *stand) (act.Report, error) {
			return s.Key(ctx, "a", []string{"hyper"}, 1)
		}, want: want{code: fault.InvalidInput, says: "shift, control, option or command"}},
		{name: "the keyboard put away", way: []string{"Text Input", user}, do: hideKeyboard,
			want: want{outcome: ui.Changed, method: "drag", line: "- keyboard"}},
		{name: "no keyboard to put away", way: fields, do: hideKeyboard, want: want{outcome: ui.Unchanged, method: "none: the keyboard is down"}},
	})
}

// What arrived is read back. An end that is missing is typed again; everything else is told.
func TestLostTextIsTypedAgainOrReported(t *testing.T) {
	const email, password = "email-field", "password-field"
	address := act.Entry{Text: "grace@example.com"}
	perform(t, []step{
		{name: "the end is lost", app: rig.Shop, do: entering(email, address), fault: wrong(flaw.DroppedCharacters, "every", "1", "after", "6"),
			want: want{outcome: ui.Changed, method: "keyboard, end typed again", shows: `"Email" [ref=e1] [focused]: grace@example.com`}},
		{name: "a hole in the middle", app: rig.Shop, do: entering(email, address), fault: wrong(flaw.DroppedCharacters, "every", "4"),
			want: want{code: fault.TextNotEntered, dispatched: fault.Dispatched, says: `not "grace@example.com"`}},
		{name: "mended by replacing it", app: rig.Shop, fault: wrong(flaw.DroppedCharacters, "every", "4"),
			do: func(ctx context.Context, s *stand) (act.Report, error) {
				if _, err := s.Enter(ctx, act.How{}, named(email), address); !fault.Is(err, fault.TextNotEntered) {
					s.t.Errorf("the first time: %v", err)
				}
				return s.Enter(ctx, act.How{}, named(email), act.Entry{Text: address.Text, Replace: true})
			}, want: want{method: "keyboard", shows: ": grace@example.com"}},
		{name: "all of it is lost once", app: rig.Shop, do: entering(email, address), fault: wrong(flaw.NoOpType),
			want: want{method: "keyboard, end typed again", shows: ": grace@example.com"}},
		{name: "all of it is lost every time", app: rig.Shop, do: entering(email, address), fault: always(wrong(flaw.NoOpType)),
			want: want{code: fault.TextNotEntered, dispatched: fault.Dispatched, says: `holds "", not "grace@example.com"`}},
		{name: "characters come twice", app: rig.Shop, do: entering(email, address), fault: wrong(flaw.DoubledCharacters),
			want: want{code: fault.TextNotEntered, dispatched: fault.Dispatched}},
		{name: "autocorrected", app: rig.Shop, do: entering(email, act.Entry{Text: "teh cat"}), fault: wrong(flaw.Autocorrect),
			want: want{code: fault.TextNotEntered, dispatched: fault.Dispatched, says: "turns autocorrection off"}},
		{name: "a secret is counted", app: rig.Shop, do: entering(password, act.Entry{Text: "secret"}),
			fault: wrong(flaw.DroppedCharacters, "every", "1", "after", "3"),
			want:  want{code: fault.TextNotEntered, dispatched: fault.Dispatched, says: "shows 3 characters, not 6"}},
		{name: "a secret is never shown", app: rig.Shop, do: entering(password, act.Entry{Text: "secret"}),
			want: want{line: "••••••"}},
		{name: "the keyboard comes late", app: rig.Shop, do: entering(email, act.Entry{Text: "tea"}),
			fault: wrong(flaw.SlowKeyboard, "ms", "700"),
			want:  want{method: "keyboard, end typed again", shows: ": tea"}},
		{name: "the keyboard comes in the middle", app: rig.Shop, do: entering(email, address), fault: wrong(flaw.SlowKeyboard, "ms", "350"),
			want: want{code: fault.TextNotEntered, dispatched: fault.Dispatched}},
		{name: "the keyboard does not come", app: rig.Shop, do: entering(email, act.Entry{Text: "ada"}),
			fault: wrong(flaw.SlowKeyboard, "ms", "60000"),
			want:  want{code: fault.TextNotEntered, dispatched: fault.Dispatched, says: `holds "", not "ada"`}},
		{name: "a field that was tapped in vain is not typed into", app: rig.Shop, way: []string{email},
			do:    entering(password, act.Entry{Text: "secret"}),
			fault: wrong(flaw.NoOpTap), want: want{code: fault.NoFocus, dispatched: fault.Dispatched, says: "no text was typed"}},
		{name: "a lost agent is not typed to twice", app: rig.Shop, way: []string{email}, do: entering(email, act.Entry{Text: "ada"}),
			fault: wrong(flaw.AgentCrashAfterAct), want: want{outcome: ui.Unknown, shows: ": ada\n"}},
	})
}

// boards is an app with fields that the return key would do something to: a search, an editor, and a field on a screen that
// neither scrolls nor has a place where nothing reacts.
const boards = `
start: top
state: {search: "", found: "", notes: "", name: "", typing: true, lines: 0}
screens:
  top:
    title: Top
    scroll: true
    elements:
      - {search: Search, id: search, bind: search, submit: [{set: {found: yes}}]}
      - {editor: Notes, id: notes, bind: notes, height: 80}
      - {text: "found=<{found}> notes=<{notes}>"}
      - {button: Beside, id: go-beside, do: [{go: beside}]}
      - {button: Stuck, id: go-stuck, do: [{go: stuck}]}
      - {button: Full, id: go-full, do: [{go: full}]}
      - repeat: {count: 30, each: {text: "Line {index}"}}
  beside:
    title: Beside
    elements:
      - {field: Name, id: name, bind: name, visible: {typing: true}}
      - {area: Background, height: 700, do: [{set: {typing: false}}]}
  stuck:
    title: Stuck
    elements:
      - {field: Name, id: name, bind: name, submit: [{set: {found: yes}}]}
      - {text: "found=<{found}>"}
  full:
    title: Full
    elements:
      - {editor: Notes, id: notes, bind: notes, height: 80}
      - {text: "found=<{found}>"}
`

// Hiding the keyboard types nothing: no new line in an editor, no search that is submitted.
func TestHideKeyboardNeverTypes(t *testing.T) {
	s := newStand(t)
	const app = "com.example.boards"
	s.Install(app, boards)
	for _, c := range []struct {
		name string
		way  []string
		want want
	}{
		{"a search", []string{"search"}, want{outcome: ui.Changed, method: "drag", line: "- keyboard", shows: "found=<> notes=<>"}},
		{"an editor", []string{"notes"}, want{outcome: ui.Changed, method: "drag", line: "- keyboard", shows: "found=<> notes=<>"}},
		{"a tap beside", []string{"go-beside", "name"}, want{outcome: ui.Changed, method: "tap beside the field", line: "- keyboard"}},
		{"no way", []string{"go-stuck", "name"},
			want{code: fault.Unsupported, dispatched: fault.Dispatched, says: "cannot hide the keyboard"}},
		{"no way, in an editor", []string{"go-full", "notes"},
			want{code: fault.Unsupported, dispatched: fault.Dispatched, says: "cannot hide the keyboard"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.begin(t, app, c.way...)
			report, err := s.HideKeyboard(t.Context())
			s.check(c.want, report, err)
			if c.want.code == "" {
				return
			}
			s.shows("found=<>", "[focused]")
			oneLine := c.way[len(c.way)-1] == "name"
			if got := strings.Contains(fault.From(err).Hint, "return"); got != oneLine {
				t.Errorf("the hint suggests the return key: %v; want %v: %s", got, oneLine, fault.From(err).Hint)
			}
		})
	}
}

// forms is an app with a form in a sheet, which a pull down or a tap beside it closes, and a screen that a tap beside its field leaves.
const forms = `
start: mail
state: {to: "", closed: 0}
screens:
  mail:
    title: Mail
    elements:
      - {text: "closed {closed}"}
      - {button: Compose, id: go-compose, do: [{sheet: compose}]}
      - {button: Draft, id: go-draft, do: [{go: draft}]}
      - {button: Long, id: go-long, do: [{sheet: long}]}
  long:
    title: Long
    scroll: true
    elements:
      - repeat: {count: 30, each: {text: "Row {index}", id: "row-{index}"}}
  compose:
    title: Compose
    dismissed: [{add: {closed: 1}}]
    elements:
      - {field: To, id: to, bind: to}
      - {list: [{text: Ada}, {text: Grace}], height: 200}
      - {image: Stamp, height: 200}
      - {button: Send, id: send}
  draft:
    title: Draft
    elements:
      - {field: To, id: to, bind: to}
      - {area: Background, height: 700, do: [{go: mail}]}
`

// A sheet with a form stays: what was typed into it would be lost. The hints of a tap on what the keyboard covers lead to no gesture that
// closes it.
func TestHideKeyboardKeepsSheet(t *testing.T) {
	s := newStand(t)
	const app = "com.example.forms"
	s.Install(app, forms)
	s.begin(t, app, "go-compose", "to")
	_, err := s.Tap(t.Context(), act.How{NoWait: true}, named("send"))
	s.check(want{code: fault.ElementUnhittable, says: hint.Do("hide_keyboard")}, act.Report{}, err)
	_, err = s.HideKeyboard(t.Context())
	s.check(want{code: fault.Unsupported, dispatched: fault.Dispatched, says: "cannot hide the keyboard"}, act.Report{}, err)
	_, err = s.ScrollTo(t.Context(), named("send"), act.Scroll{})
	s.check(want{code: fault.ElementUnhittable, says: "covered by keyboard"}, act.Report{}, err)
	s.shows("keyboard:shown", "[focused]", "closed 0")
}

// A search for what is not there closes no sheet.
func TestScrollToKeepsSheet(t *testing.T) {
	s := newStand(t)
	const app = "com.example.forms"
	s.Install(app, forms)
	s.begin(t, app, "go-compose")
	_, err := s.ScrollTo(t.Context(), named("nothing"), act.Scroll{})
	s.check(want{code: fault.ElementNotFound, dispatched: fault.Dispatched, says: "may close the sheet"}, act.Report{}, err)
	s.shows("closed 0", "Send")
	s.begin(t, app, "go-long")
	for _, name := range []string{"row-30", "row-1"} { // a scroll view shows that it has more above
		report, err := s.ScrollTo(t.Context(), named(name), act.Scroll{})
		s.check(want{method: "scrolled"}, report, err)
	}
	s.shows("Row 1", "closed 0")
}

// A way that hides the keyboard by leaving the screen has failed, and the report says where it led.
func TestHideKeyboardReportsScreenItLeft(t *testing.T) {
	s := newStand(t)
	const app = "com.example.forms"
	s.Install(app, forms)
	s.begin(t, app, "go-draft", "to")
	report, err := s.HideKeyboard(t.Context())
	s.check(want{outcome: ui.Changed, method: "tap beside the field", line: `"Draft" → "Mail"`}, report, err)
	f := fault.From(report.Failed)
	if f == nil || f.Code != fault.ScreenLeft || f.Dispatched != fault.Dispatched || !strings.Contains(f.Message, `from "Draft" to "Mail"`) {
		t.Errorf("fault = %+v, want %s from Draft to Mail", f, fault.ScreenLeft)
	}
}
