package debugger

import (
	"context"
	"fmt"
)

// sigtrap is lldb's name of a stop at a trap that it does not know as a breakpoint.
const sigtrap = "signal SIGTRAP"

// locate finds the place where the program stopped.
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

// recognize changes a stop at a trap into a stop at its breakpoint. lldb reports a signal if the program meets a breakpoint in the moment
// in which it is set, because lldb does not know its own trap yet. The caller has the mutex.
func (d *Debugger) recognize() {
	id, ours := d.places[d.trap]
	if b := d.published(id); ours && d.trap != "" && b.ID != 0 && !b.sifted() {
		d.reason, d.hit, d.trap = fmt.Sprintf("breakpoint %d", id), []int{id}, ""
		d.count(id)
	}
}
