package act_test

import (
	"context"
	"strings"
	"testing"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// TestTypedTextIsReadBackAndCompleted: a missing end is typed again, three times at most; anything else is told.
func TestTypedTextIsReadBackAndCompleted(t *testing.T) {
	for _, c := range []struct {
		name   string
		secure bool
		before string
		entry  act.Entry
		after  []string // what the field holds after each input; the last one stays
		want   string   // what is sent, then the code
	}{
		{"it arrives", false, "", act.Entry{Text: "abc"}, []string{"abc"}, "type abc"},
		{"after a text", false, "xy", act.Entry{Text: "abc"}, []string{"xyabc"}, "type abc"},
		{"its end is missing", false, "", act.Entry{Text: "abc"}, []string{"ab", "abc"}, "type abc; type c"},
		{"it never arrives", false, "", act.Entry{Text: "abc"}, []string{""}, "type abc; type abc; type abc; type abcTEXT_NOT_ENTERED"},
		{"it comes late", false, "", act.Entry{Text: "abc"}, []string{"", "a", "ab", "abc"}, "type abc; type abc; type bc; type c"},
		{"another text", false, "", act.Entry{Text: "abc"}, []string{"abd"}, "type abcTEXT_NOT_ENTERED"},
		{"what was there is gone", false, "xy", act.Entry{Text: "abc"}, []string{"x"}, "type abcTEXT_NOT_ENTERED"},
		{"only what was there", false, "xy", act.Entry{Text: "abc"}, []string{"xy", "xyabc"}, "type abc; type abc"},
		{"replaced", false, "xy", act.Entry{Text: "abc", Replace: true}, []string{"", "abc"}, "clear; type abc"},
		{"replaced in an empty field", false, "", act.Entry{Text: "abc", Replace: true}, []string{"abc"}, "type abc"},
		{"it cannot be emptied", false, "xy", act.Entry{Text: "abc", Replace: true}, []string{"x"}, "clear; clear; clearTEXT_NOT_ENTERED"},
		{"submitted", false, "", act.Entry{Text: "abc", Submit: true}, []string{"abc"}, "type abc; key return ×1"},
		{"a line end", false, "", act.Entry{Text: "a\nb"}, []string{"x"}, "type a\nb"},
		{"a password", true, "", act.Entry{Text: "äbc"}, []string{"•••"}, "type äbc"},
		{"half a password", true, "", act.Entry{Text: "abc"}, []string{"••"}, "type abcTEXT_NOT_ENTERED"},
		{"a hidden password", true, "", act.Entry{Text: "abc"}, []string{""}, "type abc, of which nothing is known"},
	} {
		w := newWatched()
		value := c.before
		w.Draw = func() []*ui.Node {
			return []*ui.Node{{Type: "TextField", Identifier: "name", Value: value, Focused: true, Secure: c.secure,
				Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}}}
		}
		w.Paper.React = func(string) { value = c.after[min(len(w.Sent), len(c.after))-1] }
		report, err := w.step().Enter(t.Context(), quick, named("name"), c.entry)
		got := strings.Join(w.Sent, "; ")
		if err != nil {
			got += string(fault.From(err).Code)
		} else if report.Outcome == ui.Unknown {
			got += ", of which nothing is known"
		}
		if got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, err, c.want)
		}
	}
}

// TestTextIsTypedIntoRequestedField: it is tapped unless it has the focus, and one that takes no text is refused.
func TestTextIsTypedIntoRequestedField(t *testing.T) {
	for _, c := range []struct {
		name, kind, on string
		focused, takes bool // it has the focus, or takes it when it is tapped
		other          bool // another field has the focus, whatever is done
		want           string
	}{
		{"it has the focus", "TextField", "name", true, false, false, "type abc"},
		{"it takes the focus", "TextField", "name", false, true, false, "tap 200,220; type abc"},
		{"no element shows the focus", "TextField", "name", false, false, false, "tap 200,220; type abc"},
		{"another keeps the focus", "TextField", "name", false, false, true, "tap 200,220NO_FOCUS"},
		{"a button", "Button", "name", false, false, false, "ELEMENT_NOT_EDITABLE"},
		{"what has the focus", "TextField", "", true, false, false, "type abc"},
	} {
		w := newWatched()
		value, focused := "", c.focused
		w.Draw = func() []*ui.Node {
			return []*ui.Node{
				{Type: c.kind, Identifier: "name", Value: value, Focused: focused, Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}},
				{Type: "TextField", Identifier: "other", Focused: c.other, Frame: ui.Rect{X: 100, Y: 300, W: 200, H: 40}},
			}
		}
		w.Paper.React = func(sent string) {
			focused = focused || c.takes
			if strings.HasPrefix(sent, "type") {
				value = "abc"
			}
		}
		_, err := w.step().Enter(t.Context(), quick, named(c.on), act.Entry{Text: "abc"})
		got := strings.Join(w.Sent, "; ")
		if err != nil {
			got += string(fault.From(err).Code)
		}
		if got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, err, c.want)
		}
	}
}

// TestFieldTextNeedsTwoEqualReadings: a look may show the screen before the input, or the field not at all.
func TestFieldTextNeedsTwoEqualReadings(t *testing.T) {
	const gone = "gone"
	for _, c := range []struct {
		looks []string // what the field shows at each look after the text was typed; the last one stays
		want  string
	}{
		{[]string{"abc"}, "type abc"},
		{[]string{"", "abc"}, "type abc"},
		{[]string{"", "a", "abc"}, "type abc"},
		{[]string{"", "a", "ab", "abc"}, "type abc"},
		{[]string{"", "", "abc"}, "type abc; type abc"},
		{[]string{"", "a", "", "a", "abc"}, "type abc; type bc"}, // after four looks the last one counts
		{[]string{gone, "abc"}, "type abc"},
		{[]string{gone, gone}, "type abc"},
		{[]string{gone, "", "", "abc"}, "type abc; type abc"},
		{[]string{"", gone, "abc"}, "type abc"},
	} {
		w := newWatched()
		at := -1 // before the text
		w.Draw = func() []*ui.Node {
			value := ""
			if at >= 0 {
				value = c.looks[min(at, len(c.looks)-1)]
				at++
			}
			if value == gone {
				return []*ui.Node{box("Button", "else", 0, 600, 100, 100)}
			}
			return []*ui.Node{{Type: "TextField", Identifier: "name", Value: value, Focused: true, Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}}}
		}
		w.Paper.React = func(string) { at = max(at, 0) }
		_, err := w.step().Enter(t.Context(), quick, named("name"), act.Entry{Text: "abc"})
		if got := strings.Join(w.Sent, "; "); err != nil || got != c.want {
			t.Errorf("the looks show %q: got %q and %v, want %q", c.looks, got, err, c.want)
		}
	}
}

// TestReturnOutcomeIsSeparateFromText: whether the app did something at the return, and not at the text before it.
func TestReturnOutcomeIsSeparateFromText(t *testing.T) {
	for _, c := range []struct {
		text    string
		submit  bool
		answers bool
		want    ui.Outcome
	}{
		{"abc", true, true, ui.Changed}, {"abc", true, false, ui.Unchanged}, {"abc", false, true, ""},
		{"a\nb", true, true, ui.Unknown}, // the field was not read back: how the screen was before the return is not known
	} {
		w := newWatched()
		value, found := "", "nothing found"
		w.Draw = func() []*ui.Node {
			return []*ui.Node{
				{Type: "TextField", Identifier: "name", Value: value, Focused: true, Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}},
				{Type: "StaticText", Identifier: "found", Label: found, Frame: ui.Rect{X: 100, Y: 300, W: 200, H: 40}},
			}
		}
		w.Paper.React = func(sent string) {
			if value = c.text; c.answers && strings.HasPrefix(sent, "key return") {
				found = "a shoe"
			}
		}
		report, err := w.step().Enter(t.Context(), quick, named("name"), act.Entry{Text: c.text, Submit: c.submit})
		if err != nil || report.Return != c.want {
			t.Errorf("%q, submitted %v, answered %v: got %q and %v, want %q", c.text, c.submit, c.answers, report.Return, err, c.want)
		}
	}
}

// filler is a phone on paper that takes a text in one go, and moves the caret.
type filler struct {
	*watched
	fill func(text string) error
}

func (f filler) Fill(_ context.Context, _ ui.Point, text string) error {
	f.Sent = append(f.Sent, "fill "+text)
	return f.fill(text)
}

func (f filler) ToEnd(context.Context) error { f.Sent = append(f.Sent, "to the end"); return nil }

// TestFillFallsBackToTyping: a field that does not take it is typed into, and the caret goes to the end first.
func TestFillFallsBackToTyping(t *testing.T) {
	keysOnly := fault.New(fault.Unsupported, "keys only").WithDispatch(fault.NotDispatched)
	for _, c := range []struct {
		name, before string
		replace      bool
		secure       bool
		fails        error
		filled       string // what the field holds after it was filled
		want         string
	}{
		{"filled", "xy", true, false, nil, "abc", "fill abc"},
		{"not taken", "xy", true, false, nil, "xy", "fill abc; clear; type abc"},
		{"by keys only", "", true, false, keysOnly, "", "fill abc; type abc"},
		{"another text", "xy", true, false, nil, "ab", "fill abcTEXT_NOT_ENTERED"},
		{"half a password", "", true, true, nil, "••", "fill abcTEXT_NOT_ENTERED"},
		{"it fails", "xy", true, false, fault.New(fault.AgentFailed, "no").WithDispatch(fault.NotDispatched), "", "fill abcAGENT_FAILED"},
		{"appended", "xy", false, false, nil, "", "to the end; type abc"},
		{"appended to nothing", "", false, false, nil, "", "type abc"},
	} {
		w := newWatched()
		value := c.before
		w.Draw = func() []*ui.Node {
			return []*ui.Node{{Type: "TextField", Identifier: "name", Value: value, Focused: true, Secure: c.secure,
				Frame: ui.Rect{X: 100, Y: 200, W: 200, H: 40}}}
		}
		w.Paper.React = func(sent string) {
			if sent == "clear" {
				value = ""
			} else {
				value += "abc"
			}
		}
		s := w.step()
		s.Device = filler{w, func(string) error {
			if c.fails == nil {
				value = c.filled
			}
			return c.fails
		}}
		_, err := s.Enter(t.Context(), quick, named("name"), act.Entry{Text: "abc", Replace: c.replace})
		got := strings.Join(w.Sent, "; ")
		if err != nil {
			got += string(fault.From(err).Code)
		}
		if got != c.want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, err, c.want)
		}
	}
}
