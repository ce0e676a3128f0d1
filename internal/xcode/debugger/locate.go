package debugger

import (
	"context"
	"fmt"
	"time"
)

// sigtrap is what lldb calls a stop at a trap that is no breakpoint it knows.
const sigtrap = "signal SIGTRAP"

// passing is how long a stop may take that is none: lldb-dap tells of one wherever a condition is met that does not hold.
const passing = 20 * time.Millisecond

// locate finds out where the program stopped. Beside conditions it waits for the stop to pass: questions about each would keep lldb from
// everything else.
func (d *Debugger) locate(stop, thread int, found chan struct{}) {
	defer close(found)
	if d.conditions.Load() {
		d.mu.Lock()
		changed, same := d.changed, d.stops == stop && d.state == Paused
		d.mu.Unlock()
		if !same {
			return
		}
		still := time.NewTimer(passing)
		defer still.Stop()
		select {
		case <-changed:
			return
		case <-still.C:
		}
	}
	frames, _, err := d.frames(context.Background(), thread, 0, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && len(frames) > 0 && d.stops == stop && d.state == Paused {
		d.where = frames[0].short()
		if d.reason == sigtrap {
			d.trap = frames[0].pc
			d.recognize()
		}
	}
}

// recognize tells a trap as the breakpoint that it is. One that is met in the moment it is set lldb takes for a signal: it does not know
// its own trap yet. The caller has the mutex.
func (d *Debugger) recognize() {
	if id, ours := d.places[d.trap]; ours && d.trap != "" {
		d.reason, d.hit, d.trap = fmt.Sprintf("breakpoint %d", id), []int{id}, ""
	}
}
