package world

import (
	"context"
	"time"
)

// tripleTap is the maximum time between taps that select all of a field's text.
const tripleTap = 600 * time.Millisecond

// tapField counts the taps on a field; the third in a row selects its text.
func (p *process) tapField(key string, now time.Time) {
	if p.Focus != key || now.Sub(p.Tapped) > tripleTap {
		p.Taps = 0
	}
	p.Taps, p.Tapped = p.Taps+1, now
	p.Selected = p.Taps >= 3
}

// SelectAll selects the text of the focused field: the next typed text replaces it, delete removes it.
func (w *World) SelectAll(ctx context.Context, udid string) error {
	return w.act(ctx, udid, keyCost, func(d *device, now time.Time) error {
		d.advance(now)
		p := d.process(d.Front)
		if p == nil || p.focused() == nil {
			return noFocus()
		}
		d.note(InputSelect, finger{now: now})
		p.Selected = true
		return nil
	})
}
