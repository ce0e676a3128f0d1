package act

import (
	"context"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Entry is a text to enter.
type Entry struct {
	Text    string
	Replace bool // empty the field first
	Submit  bool // press return after
}

// Enter types into the element q means, and taps it first if it does not have the focus. With an empty query it types into
// the element that has the focus. The field is read back: if it holds only the beginning of the text, the rest is typed
// again; any other difference is an error.
func (s Step) Enter(ctx context.Context, how How, q ui.Query, e Entry) (Report, error) {
	return s.perform(ctx, how, q, with(s, func(ctx context.Context, k device.Keyboard, a aim, r *Report) error {
		field, err := s.focus(ctx, a, r)
		if err != nil {
			return err
		}
		if e.Replace && field != nil {
			if field, err = s.empty(ctx, k, field, a.ref); err != nil {
				return err
			}
		}
		if err := s.enter(ctx, k, typing{field: field, ref: a.ref, text: e.Text}, r); err != nil {
			return err
		}
		if e.Submit {
			return k.Key(ctx, "return", nil, 1)
		}
		return nil
	}))
}

// Clear empties the element q means, or the one that has the focus. A field that is empty stays as it is.
func (s Step) Clear(ctx context.Context, how How, q ui.Query) (Report, error) {
	return s.perform(ctx, how, q, with(s, func(ctx context.Context, k device.Keyboard, a aim, r *Report) error {
		field, err := s.focus(ctx, a, r)
		if err != nil {
			return err
		}
		if field == nil {
			return k.Clear(ctx)
		}
		_, err = s.empty(ctx, k, field, a.ref)
		return err
	}))
}

// focus gives the field that will get the text: the target, which is tapped if it does not have the focus, or the element
// that has the focus. It is nil when no element shows the focus; the agent may still find one.
func (s Step) focus(ctx context.Context, a aim, r *Report) (*ui.Node, error) {
	r.Method = "keyboard"
	switch {
	case a.node == nil:
		return a.screen.Focused(), nil
	case !a.node.TakesText():
		return nil, fault.New(fault.ElementNotEditable, "%s does not take text", a.node.Describe()).WithDispatch(fault.NotDispatched)
	case a.node.Focused:
		return a.node, nil
	}
	touch, err := device.As[device.Touch](s.Device)
	if err != nil {
		return nil, err
	}
	if err := touch.Tap(ctx, a.At); err != nil {
		return nil, err
	}
	field, err := s.see(ctx, a.ref)
	if err != nil {
		return nil, err
	}
	if !field.Focused {
		return nil, fault.New(fault.NoFocus, "%s was tapped but did not take the focus; nothing was typed", a.node.Describe()).
			WithHint("take a `snapshot` and see what is in the way").WithDispatch(fault.NotDispatched)
	}
	return field, nil
}

// see looks at an element again after an input; with an empty ref, at the one that has the focus.
func (s Step) see(ctx context.Context, ref string) (*ui.Node, error) {
	screen, err := s.observe(ctx, settled())
	if err != nil {
		return nil, err
	}
	if ref == "" {
		return screen.Focused(), nil
	}
	n, _, err := s.find(ui.Query{Ref: ref}, screen)
	return n, err
}

// clearTries is how often a field is cleared until it is empty.
const clearTries = 3

func (s Step) empty(ctx context.Context, k device.Keyboard, field *ui.Node, ref string) (*ui.Node, error) {
	for try := 0; field != nil && field.Typed() != ""; try++ {
		if try == clearTries {
			return nil, fault.New(fault.TextNotEntered, "%s cannot be emptied: %s is left", field.Describe(), shown(field)).
				WithDispatch(fault.Dispatched)
		}
		if err := k.Clear(ctx); err != nil {
			return nil, err
		}
		now, err := s.see(ctx, ref)
		if err != nil {
			return nil, err
		}
		field = now
	}
	return field, nil
}

// typing is a text on its way into a field.
type typing struct {
	field *ui.Node // before the text is typed; nil when no element shows that it has the focus
	ref   string   // the field's; empty means the focus
	text  string
}

// enter types a text at the end of a field and reads the field back.
func (s Step) enter(ctx context.Context, k device.Keyboard, t typing, r *Report) error {
	if err := k.Type(ctx, t.text); err != nil {
		return err
	}
	if t.field == nil || strings.ContainsAny(t.text, "\n\t\b") {
		return nil // there is nothing to read, or a key whose effect is not a text
	}
	return s.verify(ctx, k, t, r)
}

// typeTries is how often a missing end is typed again.
const typeTries = 3

// verify reads the field until it holds the text. A missing end is typed again. Of a secure field only the length is known.
func (s Step) verify(ctx context.Context, k device.Keyboard, t typing, r *Report) error {
	before := t.field.Typed()
	want := before + t.text
	for try := 0; ; try++ {
		now, err := s.see(ctx, t.ref)
		if err != nil || now == nil {
			return nil // the field is gone: the diff tells what came instead
		}
		got := now.Typed()
		switch {
		case now.Secure:
			return verifyLength(now, want)
		case got == want || strings.HasSuffix(got, t.text) || formatted(got, want):
			return nil
		case try == typeTries || !strings.HasPrefix(want, got) || len(got) < len(before):
			return fault.New(fault.TextNotEntered, "%s holds %s, not %s", now.Describe(), shown(now), ui.Quote(want)).
				WithHint("`ios-agent fill` replaces what is there; `ios-agent prepare` turns autocorrection off").WithDispatch(fault.Dispatched)
		}
		r.Method = "keyboard, end typed again"
		if err := k.Type(ctx, want[len(got):]); err != nil {
			return err
		}
	}
}

// verifyLength compares what can be known of a secure field. One that shows nothing at all is not doubted.
func verifyLength(field *ui.Node, want string) error {
	shows, typed := utf8.RuneCountInString(field.Typed()), utf8.RuneCountInString(want)
	if shows == 0 || shows == typed {
		return nil
	}
	return fault.New(fault.TextNotEntered, "%s shows %d characters, not %d", field.Describe(), shows, typed).
		WithHint("empty it and type again: `ios-agent fill`").WithDispatch(fault.Dispatched)
}

// formatted reports whether a field shows the typed text with separators of its own: 1234567 as 1,234,567, a phone number
// with spaces.
func formatted(got, want string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" ,.()-/\u00a0\u202f", r) {
				return -1
			}
			return r
		}, s)
	}
	return got != "" && bare(got) == bare(want)
}

func shown(n *ui.Node) string {
	if n.Secure {
		return "something"
	}
	return ui.Quote(n.Typed())
}

// Key presses a key.
func (s Step) Key(ctx context.Context, name string, modifiers []string, times int) (Report, error) {
	return s.perform(ctx, How{}, ui.Query{}, with(s, func(ctx context.Context, k device.Keyboard, _ aim, r *Report) error {
		r.Method = "key"
		return k.Key(ctx, name, modifiers, times)
	}))
}

// Keys presses keys one after the other.
func (s Step) Keys(ctx context.Context, names []string) (Report, error) {
	return s.perform(ctx, How{}, ui.Query{}, with(s, func(ctx context.Context, k device.Keyboard, _ aim, r *Report) error {
		r.Method = "keys"
		for i, name := range names {
			if err := k.Key(ctx, name, nil, 1); err != nil {
				if i > 0 && notSent(err) { // the keys before it were sent
					return fault.New(fault.From(err).Code, "key %d of %d, %q: %w", i+1, len(names), name, err).WithDispatch(fault.Dispatched)
				}
				return err
			}
		}
		return nil
	}))
}

// HideKeyboard hides the keyboard: by its dismiss key, by a Done button above it, or by the return key. If the keyboard is
// not shown, it does nothing.
func (s Step) HideKeyboard(ctx context.Context) (Report, error) {
	return s.perform(ctx, How{}, ui.Query{}, with(s, func(ctx context.Context, t device.Touch, a aim, r *Report) error {
		r.Method = "none: the keyboard is down"
		if a.screen.Keyboard() == nil {
			return nil
		}
		if key := a.screen.KeyboardExit(); key != nil {
			reach, err := s.reach(a.screen, key)
			if err == nil {
				r.At, r.Method = reach.At, "key "+ui.Quote(key.Name())
				return t.Tap(ctx, reach.At)
			}
		}
		keyboard, err := device.As[device.Keyboard](s.Device)
		if err != nil {
			return err
		}
		r.Method = "return key"
		return keyboard.Key(ctx, "return", nil, 1)
	}))
}
