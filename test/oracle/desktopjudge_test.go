package oracle_test

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// deskCheck compares one thing that an answer says with the app's own state.
type deskCheck struct {
	class string
	find  func(*desk, worked) string // what is wrong; empty: nothing
}

func deskChecks() []deskCheck {
	return []deskCheck{
		{"another app", (*desk).another},
		{"dispatched", (*desk).dispatched},
		{"elements", (*desk).elements},
		{"outcome", (*desk).outcome},
		{"target", (*desk).hit},
		{"ref", (*desk).ref},
		{"text", (*desk).text},
		{"barred", (*desk).barred},
		{"meanwhile", (*desk).meanwhile},
	}
}

// Nothing reaches an app that is not meant, and the answer is of the one that is.
func (d *desk) another(w worked) string {
	switch of := w.answer.Meta.Device; {
	case w.answer.Meta.Toolchain != "":
		return "a real program is called " + w.answer.Meta.Toolchain
	case len(w.others) > 0:
		return fmt.Sprintf("%q reached the other app", w.others)
	case w.answer.Error == nil && (of == nil || !strings.HasPrefix(of.UDID, d.ids[d.app]+":")):
		return fmt.Sprintf("the answer is of %+v, and %s was meant", of, d.ids[d.app])
	}
	return ""
}

// After "no" nothing has reached the app.
func (d *desk) dispatched(w worked) string {
	f := w.answer.Error
	switch {
	case w.name == "snapshot" || w.name == "wait":
		if len(w.did) > 0 {
			return fmt.Sprintf("a look sent %q", w.did)
		}
	case f != nil && f.Dispatched == "no" && (len(w.did) > 0 || len(w.changes()) > 0):
		return fmt.Sprintf("%s says that nothing was sent: %q", f.Code, w.did)
	case f != nil && f.Dispatched == "":
		return fmt.Sprintf("%s does not say whether something was sent", f.Code)
	case f == nil && w.name == "tap_element" && (len(w.did) > 1 || len(w.did) == 0 && !w.focuses()):
		return fmt.Sprintf("one tap is called done, and this reached the app: %q", w.did)
	}
	return ""
}

// focuses reports whether a tap gave a field the focus, which is done without a press.
func (w worked) focuses() bool {
	a := w.action()
	return a != nil && a.Target != nil && ui.TypeOf(a.Target.Type) == "TextField"
}

// The elements of a look are those that the app shows.
func (d *desk) elements(w worked) string {
	s := w.snapshot()
	if s == nil || s.Truncated != 0 {
		return ""
	}
	var shown, really []line
	for _, e := range s.Elements {
		if l := (line{label: e.Label}); e.Label != "" && ui.TypeOf(e.Type) != "Application" {
			l.frame.X, l.frame.Y, l.frame.W, l.frame.H = e.Frame.X, e.Frame.Y, e.Frame.W, e.Frame.H
			shown = append(shown, l)
		}
	}
	for _, l := range slices.Concat(w.after.lines, w.after.beyond) {
		if l.label != "" {
			really = append(really, line{label: l.label, frame: l.frame})
		}
	}
	if wrong := differences(really, shown); len(wrong) > 0 {
		return "the look differs from the windows (- is only in them):\n" + strings.Join(wrong, "\n")
	}
	return ""
}

// "changed" is said only when the app shows something else, "unchanged" only when it does not.
func (d *desk) outcome(w worked) string {
	a := w.action()
	switch {
	case a == nil:
	case a.Outcome == ui.Changed && len(w.changes()) == 0:
		return "it is called changed, and the app shows what it did"
	case a.Outcome == ui.Unchanged && len(w.changes()) > 0:
		return "it is called unchanged, and the app shows something else"
	}
	return ""
}

// A tap reaches the element that the answer names.
func (d *desk) hit(w worked) string {
	a := w.action()
	if a == nil || a.Target == nil || w.name != "tap_element" || len(w.did) != 1 {
		return ""
	}
	meant, met := w.before.called(a.Target.Label), w.before.called(strings.TrimPrefix(w.did[0], "press "))
	holds := func(m line) bool { // a row is pressed by pressing its list, and a window by pressing something in it
		return slices.ContainsFunc(met, func(l line) bool {
			return l.frame.Contains(m.frame.Centre()) || m.kind == "AXWindow" && m.frame.Contains(l.frame.Centre())
		})
	}
	if len(meant) > 0 && !slices.ContainsFunc(meant, holds) {
		return fmt.Sprintf("%q was meant, and the app got %q", a.Target.Label, w.did)
	}
	return ""
}

// called are the lines with a label.
func (s *standingWindows) called(label string) (all []line) {
	for _, l := range s.lines {
		if l.label == label {
			all = append(all, l)
		}
	}
	return all
}

// A ref is the element that it was given to, which may have another title now, or expired.
func (d *desk) ref(w worked) string {
	a, ref := w.action(), fmt.Sprint(w.input["ref"])
	was := d.shown[d.app][ref]
	if a == nil || a.Target == nil || was == nil || a.Target.Label == was.Label {
		return ""
	}
	if len(w.before.called(was.Label)) > 0 {
		return fmt.Sprintf("%s was %q, which is there, and is called %q", ref, was.Label, a.Target.Label)
	}
	return ""
}

// What is called filled in stands in the field.
func (d *desk) text(w worked) string {
	a, want := w.action(), fmt.Sprint(w.input["text"])
	if a == nil || a.Target == nil || w.name != "fill" || w.answer.Error != nil {
		return ""
	}
	if field := w.after.called(a.Target.Label); len(field) != 1 || field[0].value != want {
		return fmt.Sprintf("%q is called filled in, and the field is %v", want, field)
	}
	return ""
}

// Behind a modal dialog nothing is done.
func (d *desk) barred(w worked) string {
	if w.before.modal == "" {
		return ""
	}
	for _, what := range w.did {
		if !strings.HasPrefix(what, "press "+dialogButton) {
			return fmt.Sprintf("%q was done behind the dialog %q", what, w.before.modal)
		}
	}
	return ""
}

// An answer tells what changed since the session was shown the windows, and nothing when nothing did.
func (d *desk) meanwhile(w worked) string {
	last := d.seen[d.app]
	if last == nil || w.answer.Error != nil || w.name == "wait" {
		return ""
	}
	told := slices.ContainsFunc(w.answer.Meta.Notices, func(n op.Notice) bool { return n.Kind == op.Meanwhile })
	changed := differences(slices.Concat(last.lines, last.beyond), slices.Concat(w.before.lines, w.before.beyond))
	switch {
	case told && len(changed) == 0:
		return "something is told of that did not happen meanwhile"
	case !told && len(changed) > 0:
		return "nothing is told of what happened meanwhile:\n" + strings.Join(changed, "\n")
	}
	return ""
}
