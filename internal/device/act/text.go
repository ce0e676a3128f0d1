package act

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// Entry is a text to enter.
type Entry struct {
	Text    string
	Replace bool // empty the field first
	Submit  bool // press return after
}

// Enter types into the element of the query, and taps it first if it does not have the focus. With an empty query it types into the
// focused element. Enter reads the field back: if the field holds only the beginning of the text, it types the rest again; any other
// difference is an error.
func (s Step) Enter(ctx context.Context, how How, q ui.Query, e Entry) (Report, error) {
	var typed *ui.Screen // the screen after the text arrived, before the return key
	r, err := s.perform(ctx, how, q, writing(s, func(ctx context.Context, w *writer, a aim) error {
		if err := w.put(ctx, a, e); err != nil {
			return err
		}
		typed = w.seen
		if e.Submit {
			return w.input(w.keys.Key(ctx, "return", nil, 1))
		}
		return nil
	}))
	if err == nil && e.Submit {
		r.Return = returned(typed, r)
	}
	return r, err
}

// put enters a text: at once if it replaces the field's text and the device can do that, otherwise by keys.
func (w *writer) put(ctx context.Context, a aim, e Entry) error {
	if e.Replace {
		if done, err := w.fill(ctx, a, e.Text); done || err != nil {
			return err
		}
	}
	field, err := w.focus(ctx, a)
	if err != nil {
		return err
	}
	if e.Replace && field != nil {
		if field, err = w.empty(ctx, field); err != nil {
			return err
		}
	}
	if caret, can := device.Has[device.Caret](w.Device); can && a.node != nil && field != nil && field.Typed() != "" {
		if err := w.input(caret.ToEnd(ctx)); err != nil {
			return err
		}
	}
	w.seen = nil
	return w.enter(ctx, field, e.Text)
}

// fill sets the target's text at once. If the device or the field does not support this, it reports false and the text is typed.
func (w *writer) fill(ctx context.Context, a aim, text string) (done bool, err error) {
	able, can := device.Has[device.Filler](w.Device)
	if !can || a.node == nil || !a.node.TakesText() {
		return false, nil
	}
	err = w.input(able.Fill(ctx, a.At, text))
	if fault.Is(err, fault.Unsupported) && notSent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !readable(a.node, text) {
		w.report.Method = "keyboard, not read back"
		return true, nil
	}
	now, err := w.read(ctx, func(n *ui.Node) bool { return arrived(n, "", text) })
	switch {
	case err != nil || now == nil || arrived(now, "", text):
		w.noteSecret(now)
		return true, nil // the field is gone: the diff shows the new screen
	case now.Secure:
		return true, secretDiffers(now, text)
	case now.Typed() == a.node.Typed():
		return false, nil
	}
	return true, fault.New(fault.TextNotEntered, "%s holds %s, not %s", now.Describe(), shown(now), ui.Quote(text)).
		WithDispatch(fault.Dispatched)
}

// returned judges the return key alone. A hidden keyboard or a moved focus is not an answer of the app.
func returned(typed *ui.Screen, r Report) ui.Outcome {
	if typed == nil || r.Outcome == ui.Unknown || r.After == nil {
		return ui.Unknown
	}
	if ui.Compare(typed, r.After).BeyondFocus() {
		return ui.Changed
	}
	return ui.Unchanged
}

// Clear empties the element of the query, or the focused element. An empty field stays unchanged.
func (s Step) Clear(ctx context.Context, how How, q ui.Query) (Report, error) {
	return s.perform(ctx, how, q, writing(s, func(ctx context.Context, w *writer, a aim) error {
		field, err := w.focus(ctx, a)
		if err != nil {
			return err
		}
		if field == nil {
			return w.input(w.keys.Clear(ctx))
		}
		_, err = w.empty(ctx, field)
		return err
	}))
}

// writer enters a text into a field. It sends several inputs and looks between them.
type writer struct {
	Step
	keys   device.Keyboard
	ref    string // ref of the field; empty means the focused element
	report *Report
	guard  *device.Guard // guard of the first input
	sent   sent
	seen   *ui.Screen // the last look
	other  *ui.Node   // the focused element of the last look, if it is another one than the field
	tapped *ui.Node   // a tapped field on a screen that shows no focus: only the device knows whether the field has the focus
}

// writing makes an input from a function that types.
func writing(s Step, write func(ctx context.Context, w *writer, a aim) error) input {
	return with(s, func(ctx context.Context, k device.Keyboard, a aim, r *Report) error {
		r.Method = "keyboard"
		w := &writer{Step: s, keys: k, ref: a.ref, report: r, guard: device.GuardOf(ctx)}
		w.guard.After = settled() // without patience: the writer reads the field whether it changed or not
		return w.sent.fail(write(ctx, w, a))
	})
}

// focus is the field for the text: the target, tapped first if it does not have the focus, or the focused element. It is nil if no
// element shows the focus; the device may still know the focused element. Some devices never show the focus, so focus trusts the tap as
// long as no other element shows the focus.
func (w *writer) focus(ctx context.Context, a aim) (*ui.Node, error) {
	switch {
	case a.node == nil:
		return a.screen.Focused(), nil
	case !a.node.TakesText():
		return nil, fault.New(fault.ElementNotEditable, "%s does not take text", a.node.Describe()).WithDispatch(fault.NotDispatched)
	case a.node.Focused:
		return a.node, nil
	}
	touch, err := device.As[device.Touch](w.Device)
	if err != nil {
		return nil, err
	}
	if err := w.sent.input(touch.Tap(ctx, a.At)); err != nil {
		return nil, err
	}
	field, err := w.read(ctx, func(n *ui.Node) bool { return n.Focused })
	if err != nil {
		return nil, err
	}
	switch {
	case field.Focused:
	case w.other != nil:
		return nil, noFocus(a.node)
	default:
		w.tapped = field
	}
	return field, nil
}

func noFocus(field *ui.Node) error {
	return fault.New(fault.NoFocus, "%s did not take the focus when tapped; no text was typed", field.Describe()).
		WithHint("%s shows what is in the way", hint.Do("snapshot")).WithDispatch(fault.Dispatched)
}

// input records the result of an input to the keyboard.
func (w *writer) input(err error) error {
	if w.tapped != nil && fault.Is(err, fault.NoFocus) {
		return noFocus(w.tapped)
	}
	return w.sent.input(err)
}

// see looks at an element again after an input; with an empty ref, at the focused element.
func (s Step) see(ctx context.Context, ref string, w device.Wait) (*ui.Node, error) {
	screen, err := s.observe(ctx, w)
	if err != nil {
		return nil, err
	}
	return s.on(screen, ref)
}

func (s Step) on(screen *ui.Screen, ref string) (*ui.Node, error) {
	if ref == "" {
		return screen.Focused(), nil
	}
	n, _, err := s.find(ui.Query{Ref: ref}, screen)
	return n, err
}

// mostReads is the maximum number of looks at a field until two agree.
const mostReads = 4

// read looks at the field until it is good. A look may still show the screen before the input, so a bad or missing field counts after
// two looks in a row agree. Nil without an error means that no element has the focus.
func (w *writer) read(ctx context.Context, good func(*ui.Node) bool) (*ui.Node, error) {
	last, err := w.firstLook(ctx)
	for looks := 1; ; looks++ {
		if err == nil && last != nil && good(last) || err != nil && !missing(err) || looks == mostReads {
			return last, err
		}
		now, failed := w.see(ctx, again(time.Second))
		agree := missing(failed) && missing(err) || failed == nil && err == nil && sameField(last, now)
		if last, err = now, failed; agree {
			return last, err
		}
	}
}

// firstLook is the first look after an input: the device's own look if there is one.
func (w *writer) firstLook(ctx context.Context) (*ui.Node, error) {
	if seen := w.pages(ctx, w.guard.Take()); seen != nil && seen.Root != nil && seen.Settled {
		return w.field(seen)
	}
	return w.see(ctx, settled())
}

func (w *writer) see(ctx context.Context, how device.Wait) (*ui.Node, error) {
	screen, err := w.observe(ctx, how)
	if err != nil {
		return nil, err
	}
	return w.field(screen)
}

// field finds the field on a screen, and the element that has the focus instead of it.
func (w *writer) field(screen *ui.Screen) (*ui.Node, error) {
	w.seen = screen
	n, err := w.on(screen, w.ref)
	if w.other = screen.Focused(); w.other == n {
		w.other = nil
	}
	return n, err
}

// missing reports whether an error means that the element is not on the screen.
func missing(err error) bool {
	return fault.Is(err, fault.ElementNotFound) || fault.Is(err, fault.RefExpired)
}

// sameField reports whether two looks show a field with the same text and focus.
func sameField(a, b *ui.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Typed() == b.Typed() && a.Focused == b.Focused
}

// clearTries is the maximum number of attempts to empty a field.
const clearTries = 3

func (w *writer) empty(ctx context.Context, field *ui.Node) (_ *ui.Node, err error) {
	for try := 0; field != nil && field.Typed() != ""; try++ {
		if try == clearTries {
			return nil, fault.New(fault.TextNotEntered, "cannot empty %s: %s is left", field.Describe(), shown(field)).
				WithDispatch(fault.Dispatched)
		}
		if err := w.input(w.keys.Clear(ctx)); err != nil {
			return nil, err
		}
		if field, err = w.read(ctx, func(n *ui.Node) bool { return n.Typed() == "" }); err != nil {
			return nil, err
		}
	}
	return field, nil
}

// typeTries is the maximum number of attempts to type a missing end.
const typeTries = 3

// enter types a text at the end of a field, and reads the field back until it holds the text. A missing end is typed again. field is
// nil if no element shows the focus.
func (w *writer) enter(ctx context.Context, field *ui.Node, text string) error {
	if err := w.input(w.keys.Type(ctx, text)); err != nil {
		return err
	}
	if field == nil || !readable(field, text) {
		w.report.Method = "keyboard, not read back"
		return nil
	}
	before := field.Typed()
	want := before + text
	for try := 0; ; try++ {
		now, err := w.read(ctx, func(n *ui.Node) bool { return arrived(n, before, text) })
		if err != nil || now == nil {
			return nil // the field is gone: the diff shows the new screen
		}
		got := now.Typed()
		switch {
		case arrived(now, before, text):
			w.noteSecret(now)
			return nil
		case now.Secure:
			return secretDiffers(now, want)
		case try == typeTries || !strings.HasPrefix(want, got) || len(got) < len(before) || w.tapped != nil && got == before:
			return fault.New(fault.TextNotEntered, "%s holds %s, not %s", now.Describe(), shown(now), ui.Quote(want)).
				WithHint("%s replaces the text; %s turns autocorrection off", hint.Do("fill", "text", "TEXT"), hint.Do("prepare_device")).
				WithDispatch(fault.Dispatched)
		}
		w.report.Method = "keyboard, end typed again"
		if err := w.input(w.keys.Type(ctx, want[len(got):])); err != nil {
			return err
		}
	}
}

// readable reports whether a field can hold a text exactly as typed. A return is a new line only in an editor; a tab or a delete has
// another effect than text.
func readable(field *ui.Node, text string) bool {
	return !strings.ContainsAny(text, "\t\b") && (field.Type == "TextView" || !strings.Contains(text, "\n"))
}

// arrived reports whether a field holds its earlier text followed by the new text. For a secure field it compares only the length.
func arrived(field *ui.Node, before, text string) bool {
	got := field.Typed()
	if field.Secure {
		return utf8.RuneCountInString(got) == utf8.RuneCountInString(before+text)
	}
	return got == before+text || formatted(got, bare(before)+text)
}

// noteSecret adds a note that only the length of a secure field was compared.
func (w *writer) noteSecret(field *ui.Node) {
	if field != nil && field.Secure {
		w.report.Note = "the field is secure: only the number of its characters was compared"
	}
}

// secretDiffers is the fault of a secure field that shows a wrong number of characters. A field that shows no characters may hide even
// their number, so its content is unknown.
func secretDiffers(field *ui.Node, want string) error {
	shows, typed := utf8.RuneCountInString(field.Typed()), utf8.RuneCountInString(want)
	if shows == 0 {
		return fault.New(fault.OutcomeUnknown, "%s shows nothing after %d characters were typed", field.Describe(), typed).
			WithHint("check whether the app accepts it, or type again: %s", hint.Do("fill", "text", "TEXT")).WithDispatch(fault.MaybeDispatched)
	}
	return fault.New(fault.TextNotEntered, "%s shows %d characters, not %d", field.Describe(), shows, typed).
		WithHint("replace the text: %s", hint.Do("fill", "text", "TEXT")).WithDispatch(fault.Dispatched)
}

// separators are characters that apps put between the digits of a number.
const separators = " ,.()-/\u00a0\u202f"

func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, s)
}

// formatted reports whether a field shows a typed number with separators of its own: 1234567 as 1,234,567, or a phone number with
// spaces. Each typed character must be present: 15 is not 1.5. Two equal separators in a row mean that a key arrived twice. In words, a
// space comes from autocorrection and not from formatting.
func formatted(got, typed string) bool {
	if !strings.ContainsAny(typed, "0123456789") || strings.ContainsFunc(typed, unicode.IsLower) {
		return false
	}
	left := []rune(typed)
	var last rune
	for _, r := range got {
		own := len(left) > 0 && r == left[0]
		switch {
		case own:
			left = left[1:]
		case !strings.ContainsRune(separators, r) || r == last:
			return false
		}
		last = r
	}
	return len(left) == 0
}

func shown(n *ui.Node) string {
	if n.Secure {
		return "something"
	}
	return ui.Quote(n.Typed())
}

// Key presses a key.
func (s Step) Key(ctx context.Context, name string, modifiers []string, times int) (Report, error) {
	return s.perform(ctx, How{}, ui.Query{}, with(s, func(ctx context.Context, k device.Keyboard, a aim, r *Report) error {
		r.Method = "key"
		if err := keysArrive(a.screen); err != nil {
			return err
		}
		return k.Key(ctx, name, modifiers, times)
	}))
}

// Keys presses keys one after the other, with a pause between them.
func (s Step) Keys(ctx context.Context, names []string, pause time.Duration) (Report, error) {
	return s.perform(ctx, How{}, ui.Query{}, with(s, func(ctx context.Context, k device.Keyboard, a aim, r *Report) error {
		r.Method = "keys"
		if err := keysArrive(a.screen); err != nil {
			return err
		}
		device.GuardOf(ctx).After = device.Wait{}
		for i, name := range names {
			if i > 0 && pause > 0 {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return fault.From(ctx.Err()).Within(fmt.Sprintf("key %d of %d", i+1, len(names))).WithDispatch(fault.Dispatched)
				}
			}
			if err := k.Key(ctx, name, nil, 1); err != nil {
				if i > 0 && notSent(err) { // the earlier keys were sent
					return fault.New(fault.From(err).Code, "key %d of %d, %q: %w", i+1, len(names), name, err).WithDispatch(fault.Dispatched)
				}
				return err
			}
		}
		return nil
	}))
}

// keysArrive refuses keys while an alert of another program, such as the system, covers the focused app: the keys reach neither of
// them, and some drivers do not report that.
func keysArrive(screen *ui.Screen) error {
	if screen == nil {
		return nil
	}
	field, over := screen.Focused(), screen.Modal()
	if field == nil || over == nil || field.Within(over) || program(field) == program(over) {
		return nil
	}
	return fault.New(fault.NoFocus, "%s covers %s, which had the keyboard focus", over.Describe(), field.Describe()).
		WithHint("answer it first: %s or %s", hint.Do("alert", "answer", "accept"), hint.Do("alert", "answer", "dismiss")).
		WithDispatch(fault.NotDispatched)
}

// program is the application of an element.
func program(n *ui.Node) *ui.Node {
	for p := n; p != nil; p = p.Parent() {
		if p.Type == "Application" {
			return p
		}
	}
	return nil
}
