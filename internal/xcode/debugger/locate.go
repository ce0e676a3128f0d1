package debugger

import (
	"context"
	"fmt"
)

// sigtrap is what lldb calls a stop at a trap that is no breakpoint it knows.
const sigtrap = "signal SIGTRAP"

// locate finds out where the program stopped.
func (d *Debugger) locate(stop, thread int, found chan struct{}) {
	defer close(found)
	ctx := context.Background()
	frames, _, err := d.frames(ctx, thread, 0, 1)
	reason := d.watched(ctx, d.State().Reason)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && len(frames) > 0 && d.stops == stop && d.state == Paused {
		d.where, d.reason = frames[0].short(), reason
		if d.reason == sigtrap {
			d.trap = frames[0].pc
			d.recognize()
		}
	}
}

// recognize tells a trap as the breakpoint that it is. One that is met in the moment it is set lldb takes for a signal: it does not know
// its own trap yet. Whether a condition held, nobody asked there. The caller has the mutex.
func (d *Debugger) recognize() {
	id, ours := d.places[d.trap]
	if b := d.published(id); ours && d.trap != "" && b.ID != 0 && !b.sifted() {
		d.reason, d.hit, d.trap = fmt.Sprintf("breakpoint %d", id), []int{id}, ""
		d.count(id)
	}
}
