package world

import (
	"time"

	"ios-agent/internal/virtualxcode/app"
)

func (p *process) focus(e *app.Element, now time.Time) {
	p.changed()
	p.tapField(e.Key, now)
	p.Focus = e.Key
	p.bringKeyboard(now)
	p.Keyboard.Plane = map[string]int{"number": 1}[e.Keyboard]
	p.Keyboard.Pad = ""
	if pads()[e.Keyboard] != nil {
		p.Keyboard.Pad = e.Keyboard
	}
}

func (p *process) blur(now time.Time) {
	p.changed()
	p.Focus, p.Selected, p.Taps = "", false, 0
	p.Keyboard.hide(now)
}

// focused is the element with keyboard focus, or nil.
func (p *process) focused() *app.Element {
	if p.Focus == "" {
		return nil
	}
	return find(p.top().Elements, func(e *app.Element) bool {
		return e.Key == p.Focus && e.Bind != "" && e.Visible.Holds(p.Values) && e.Enabled.Holds(p.Values)
	})
}

func find(elements []*app.Element, match func(*app.Element) bool) *app.Element {
	for _, e := range elements {
		if match(e) {
			return e
		}
		if inner := find(e.Inner, match); inner != nil {
			return inner
		}
	}
	return nil
}

// enter types one character into the focused field and reports whether a field has the focus.
func (p *process) enter(r rune, now time.Time) bool {
	e := p.focused()
	if e == nil {
		return false
	}
	p.changed()
	text, _ := p.Values[e.Bind].(string)
	replaces := p.Selected
	p.Selected, p.Taps = false, 0
	switch {
	case (r == '\n' || r == '\r') && e.Kind != app.KindEditor:
		p.blur(now)
		p.use(e.Submit, now)
		return true
	case replaces && (r == '\b' || r == '\x7f'):
		text = ""
	case r == '\b' || r == '\x7f':
		runes := []rune(text)
		text = string(runes[:max(len(runes)-1, 0)])
	case replaces:
		text = string(r)
	default:
		text += string(r)
	}
	p.Values[e.Bind] = text
	return true
}
