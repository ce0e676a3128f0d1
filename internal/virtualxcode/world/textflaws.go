package world

import (
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// bringKeyboard shows the keyboard, and applies its faults.
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

// late reports whether the keyboard is about to appear.
func (k *keyboard) late(now time.Time) bool { return k.Up && now.Before(k.Since) }

// typed returns the characters that arrive of a text typed from now on, key by key.
func (p *process) typed(text string, now time.Time) (keys []rune) {
	for i, r := range p.smart(p.flaws.Typed(text)) {
		if !p.Keyboard.late(now.Add(time.Duration(i) * keyCost)) {
			keys = append(keys, r)
		}
	}
	return keys
}
