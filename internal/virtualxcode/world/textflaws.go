package world

import (
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// bringKeyboard shows the keyboard, and lets its faults happen.
func (p *process) bringKeyboard(now time.Time) {
	if p.Keyboard.Up {
		return
	}
	if p.on.Hardware || p.flaws.Happens(flaw.HardwareKeyboard) {
		return
	}
	p.Keyboard.show(now)
	if p.flaws == nil {
		return
	}
	p.Keyboard.Introduces = p.introduces()
	if slow, yes := p.flaws(flaw.SlowKeyboard); yes {
		p.Keyboard.Since = now.Add(slow.Millis("ms"))
	}
	p.Keyboard.Covers = p.flaws.Happens(flaw.KeyboardCoversField)
}

// late reports whether the keyboard is to come up but has not begun to.
func (k *keyboard) late(now time.Time) bool { return k.Up && now.Before(k.Since) }

// typed is what arrives of a text that is typed from now on, a key after the other.
func (p *process) typed(text string, now time.Time) (keys []rune) {
	for i, r := range p.smart(p.flaws.Typed(text)) {
		if !p.Keyboard.late(now.Add(time.Duration(i) * keyCost)) {
			keys = append(keys, r)
		}
	}
	return keys
}
