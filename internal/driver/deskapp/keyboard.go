package deskapp

import (
	"context"
	"errors"
	"runtime"
	"unicode/utf8"

	"ios-agent/internal/desktop"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// Type types into the element with the focus.
func (p *process) Type(ctx context.Context, text string) error {
	if _, err := p.holder(ctx); err != nil {
		return err
	}
	return p.input(ctx, ui.Point{}, false, func(do desktop.Performer, _ target) (string, error) {
		return do.Methods.Input, do.App.Type(ctx, text)
	})
}

// Clear empties the element with the focus: through accessibility, or with keys that select and delete all text.
func (p *process) Clear(ctx context.Context) error {
	key, err := p.holder(ctx)
	if err != nil {
		return err
	}
	return p.input(ctx, ui.Point{}, false, func(do desktop.Performer, _ target) (string, error) {
		err := do.App.SetText(ctx, key, "")
		if _, cannot := errors.AsType[*desktop.UnsupportedError](err); !cannot {
			return do.Methods.Accessibility, err
		}
		if err := do.App.Press(ctx, desktop.Chord{Key: "a", Modifiers: desktop.Command}, 1); err != nil {
			return "", err
		}
		return do.Methods.Input, do.App.Press(ctx, desktop.Chord{Key: "delete"}, 1)
	})
}

// ToEnd moves the caret behind the text: an element that was focused through accessibility keeps its caret or selects all of its text.
func (p *process) ToEnd(ctx context.Context) error {
	end := desktop.Chord{Key: "end", Modifiers: desktop.Command}
	if runtime.GOOS == "darwin" {
		end.Key = "down"
	}
	return p.input(ctx, ui.Point{}, false, func(do desktop.Performer, _ target) (string, error) {
		return do.Methods.Input, do.App.Press(ctx, end, 1)
	})
}

// holder is the element with the focus: the element that shows it, or else the last element that the driver focused, because some apps
// do not show it.
func (p *process) holder(ctx context.Context) (key string, err error) {
	now, err := p.present(ctx, 0)
	if err != nil {
		return "", err
	}
	now.tree.Walk(func(n *desktop.Node) bool {
		if n.Focused && (key == "" || len(n.Children) == 0) {
			key = n.Key
		}
		return true
	})
	p.mu.Lock()
	given := p.focus
	p.mu.Unlock()
	if key == "" && now.tree.ByKey(given) != nil {
		key = given
	}
	if key == "" {
		return "", fault.New(fault.NoFocus, "no element in the windows of %s has the focus", p.name).WithDispatch(fault.NotDispatched)
	}
	return key, nil
}

// Key presses a key. It types a character that has no key.
func (p *process) Key(ctx context.Context, name string, modifiers []string, times int) error {
	held, err := desktop.ModifiersOf(modifiers)
	if err != nil {
		return fault.From(err).WithDispatch(fault.NotDispatched)
	}
	key, err := desktop.KeyOf(name)
	typed := err != nil && held == 0 && utf8.RuneCountInString(name) == 1
	if err != nil && !typed {
		return fault.New(fault.InvalidInput, "%w", err).With("field", "key").WithDispatch(fault.NotDispatched)
	}
	return p.input(ctx, ui.Point{}, false, func(do desktop.Performer, _ target) (string, error) {
		if !typed {
			return do.Methods.Input, do.App.Press(ctx, desktop.Chord{Key: key, Modifiers: held}, times)
		}
		for range times {
			if err := do.App.Type(ctx, name); err != nil {
				return "", err
			}
		}
		return do.Methods.Input, nil
	})
}
