package world

import (
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// modal is a sheet or a dialog over an app's screens that blocks them.
type modal struct {
	Stack  []string  // the screens of a sheet; empty: a dialog
	Dialog int       // number of the dialog
	Since  time.Time // when it began to appear; in Leaving, to disappear
}

// Present implements app.Stage.
func (s stage) Present(screen string) {
	if len(s.Modals) >= deepestShow {
		return
	}
	s.blur(s.now)
	s.Slide, s.Leaving = slide{}, modal{}
	s.Modals = append(s.Modals, modal{Stack: []string{screen}, Since: s.now})
	s.appear(screen)
}

// Ask implements app.Stage.
func (s stage) Ask(d *app.Dialog) {
	if len(s.Modals) >= deepestShow {
		return
	}
	s.blur(s.now)
	s.Modals = append(s.Modals, modal{Dialog: d.Number, Since: s.now})
}

// Dismiss implements app.Stage.
func (s stage) Dismiss() {
	for i := len(s.Modals) - 1; i >= 0; i-- {
		if m := s.Modals[i]; len(m.Stack) > 0 {
			s.blur(s.now)
			s.Slide = slide{}
			s.Modals = slices.Clone(s.Modals[:i])
			s.Leaving = modal{Stack: m.Stack, Since: s.now}
			app.Run(s.screen(m.Stack[0]).Dismissed, s)
			return
		}
	}
}

// answer closes the top dialog and runs the steps of one of its buttons.
func (p *process) answer(b *app.Element, now time.Time) {
	p.Modals = slices.Clone(p.Modals[:len(p.Modals)-1])
	p.use(b.Do, now)
}

// cancel is the button that leaves a dialog, or nil.
func cancel(d *app.Dialog) *app.Element {
	i := slices.IndexFunc(d.Buttons, func(b *app.Element) bool { return b.Style == "cancel" })
	if i < 0 {
		return nil
	}
	return d.Buttons[i]
}
