package act_test

import (
	"strings"
	"testing"

	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/test/rig"
)

// TestElementsKeepTheirRefsUnderAnAlert: what an alert covers is the same as before, and as after it.
func TestElementsKeepTheirRefsUnderAnAlert(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Shop)
	shown := s.screen()
	opened := s.tap("forgot-button")
	for _, line := range opened.Lines {
		if strings.HasPrefix(line, "+") && strings.Contains(line, "Welcome back") || strings.HasPrefix(line, "-") {
			t.Errorf("got %q of what was there before", line)
		}
	}
	closed := s.tap("OK")
	lines := strings.Join(closed.Lines, "\n")
	if strings.Contains(lines, "+ ") || !strings.Contains(lines, "- alertdialog \"Forgot password?\"") {
		t.Errorf("got\n%s\nwant the alert gone, and nothing that came", lines)
	}
	if again := s.screen(); again != shown {
		t.Errorf("got\n%s\nwant the screen as before the alert:\n%s", again, shown)
	}
}

// TestElementsKeepTheirRefsUnderASheet: a page sheet has a title of its own, and leaves the elements beneath it theirs.
func TestElementsKeepTheirRefsUnderASheet(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Conformance, "Navigation")
	shown := s.ref("nav-push-button")
	if opened := strings.Join(s.tap("nav-sheet-button").Lines, "\n"); strings.Contains(opened, "Push") || strings.Contains(opened, "- ") {
		t.Errorf("got\n%s\nwant the sheet alone", opened)
	}
	closed := strings.Join(s.tap("nav-sheet-dismiss").Lines, "\n")
	if strings.Contains(closed, "+ ") || !strings.Contains(closed, `- text "Sheet Content"`) {
		t.Errorf("got\n%s\nwant the sheet gone, and nothing that came", closed)
	}
	if again := s.ref("nav-push-button"); again != shown {
		t.Errorf("got %s, want %s as before the sheet", again, shown)
	}
}

// What is offered instead of an element that is not there can be reached now.
func TestCandidatesUnderAnAlertAreReachable(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Shop, "forgot-button")
	_, err := s.Tap(t.Context(), act.How{NoWait: true}, named("No such thing"))
	f := fault.From(err)
	if offered, _ := f.Details["candidates"].([]ui.Candidate); len(offered) == 0 || offered[0].Label != "OK" {
		t.Errorf("got %+v, want OK alone", offered)
	}
	if !strings.Contains(f.Hint, `button "OK"`) || strings.Contains(f.Hint, "Log in") {
		t.Errorf("got the hint %q, want OK and nothing that is covered", f.Hint)
	}
}

// A swipe without an element moves what scrolls, wherever it lies on the screen.
func TestSwipeWithoutElementScrollsList(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Shop, "guest-button")
	s.shows("Add Coffee")
	for _, c := range []struct{ direction, gone, come string }{{"up", "Add Coffee", "Add Scone 11"}, {"down", "Add Scone 11", "Add Coffee"}} {
		report, err := s.Swipe(t.Context(), act.How{}, ui.Query{}, act.Swipe{Direction: c.direction})
		s.check(want{outcome: ui.Changed, line: c.come}, report, err)
		if shown := s.screen(); strings.Contains(shown, c.gone) {
			t.Errorf("after a swipe %s got\n%s\nwant %q out of sight", c.direction, shown, c.gone)
		}
	}
}

// Of a secure field only the number of characters can be read back: the answer says so.
func TestSecureFieldIsComparedByLength(t *testing.T) {
	s := newStand(t)
	s.begin(t, rig.Shop)
	report, err := s.Enter(t.Context(), act.How{}, named("password-field"), act.Entry{Text: "secret", Replace: true})
	s.check(want{outcome: ui.Changed, note: "only the number of its characters was compared"}, report, err)
	report, err = s.Enter(t.Context(), act.How{}, named("email-field"), act.Entry{Text: "a@b.c", Replace: true})
	if s.check(want{outcome: ui.Changed}, report, err); report.Note != "" {
		t.Errorf("got the note %q of a field that was read", report.Note)
	}
}
