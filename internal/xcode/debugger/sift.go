package debugger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-dap"
)

// halt is an event "stopped" of the adapter. Not every halt is a stop: LLDB sets a breakpoint before its condition, so that a running
// program may halt where the condition is false, and a logpoint halts the program to read values. sift turns the other halts into stops.
type halt struct {
	number int
	thread int
	hit    []int // breakpoints
	reason string
}

// interrupts reports whether the program halted by the signal of a hold.
func (h halt) interrupts() bool { return len(h.hit) == 0 && strings.Contains(h.reason, "SIGSTOP") }

// passing is the time that LLDB needs to continue by itself after a halt at a false condition. sift sends no request before: requests
// about each such halt would block LLDB.
const passing = 20 * time.Millisecond

// sift makes a halt a stop, or continues the program if no condition is true, or if the program met only logpoints.
func (d *Debugger) sift(h halt) {
	ctx := context.Background()
	at := d.met(h)
	if slices.ContainsFunc(at, func(b Breakpoint) bool { return b.Log == "" }) && !d.stands(h) {
		return
	}
	frames, _, err := d.frames(ctx, h.thread, 0, 1)
	if slices.ContainsFunc(h.hit, d.removed) {
		d.goOn(ctx, h)
		return
	}
	if err == nil && len(frames) > 0 && h.reason == sigtrap {
		var late bool
		if at, late = d.trapped(&h, frames[0].pc); late {
			d.goOn(ctx, h)
			return
		}
	}
	left := h.hit
	if err == nil && len(frames) > 0 {
		for _, b := range at {
			holds, why := d.holdsAt(ctx, b, frames[0].id)
			switch {
			case why != nil && !d.stands(h):
				return
			case why != nil:
				h.reason = fmt.Sprintf("breakpoint %d: its condition %.80q is invalid: %s", b.ID, b.Condition, why)
			case !holds:
				left = without(left, b.ID)
			case b.Log != "":
				d.record(b.ID, d.expand(ctx, b.Log, frames[0].id))
				left = without(left, b.ID)
			}
		}
	}
	if len(h.hit) > 0 && len(left) == 0 {
		d.goOn(ctx, h)
		return
	}
	if len(left) < len(h.hit) {
		h.hit, h.reason = left, fmt.Sprintf("breakpoint %d", left[0])
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.halted == h.number {
		d.tell(h)
	}
}

func without(ids []int, id int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(one int) bool { return one == id })
}

// met are the conditional breakpoints and logpoints of a halt. While breakpoints are being sent, it waits, because the breakpoint of the
// halt may have no number yet.
func (d *Debugger) met(h halt) (at []Breakpoint) {
	d.mu.Lock()
	setting := d.setting
	d.mu.Unlock()
	if setting != nil {
		select {
		case <-setting:
		case <-d.gone:
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range h.hit {
		if b := d.published(id); b.sifted() {
			at = append(at, b)
		}
	}
	return at
}

// trapped changes a halt at a trap into one at the breakpoint of this place, because LLDB does not know its new trap yet. Late means that
// the breakpoint was removed meanwhile.
func (d *Debugger) trapped(h *halt, pc string) (at []Breakpoint, late bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ours := d.places[pc]
	b := d.published(id)
	switch {
	case !ours || pc == "":
	case b.ID == 0:
		return nil, true
	case b.sifted():
		h.hit, h.reason = []int{id}, fmt.Sprintf("breakpoint %d", id)
		return []Breakpoint{b}, false
	}
	return nil, false
}

// removed reports whether the program met a breakpoint while it was removed: LLDB may no longer know its number (0). An unknown number
// that was never in places is a breakpoint of an lldb command, and not removed.
func (d *Debugger) removed(id int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return id == 0 || d.published(id).ID == 0 && slices.Contains(slices.Collect(maps.Values(d.places)), id)
}

// published is the breakpoint with a number, or none. The caller has the mutex.
func (d *Debugger) published(id int) (none Breakpoint) {
	if i := slices.IndexFunc(d.set, func(b Breakpoint) bool { return b.ID == id }); i >= 0 {
		return d.set[i]
	}
	return none
}

// stands waits for the time in which LLDB continues by itself, and reports whether the program is still halted.
func (d *Debugger) stands(h halt) bool {
	still := time.NewTimer(passing)
	defer still.Stop()
	select {
	case <-still.C:
	case <-d.gone:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.halted == h.number
}

// holdsAt reports whether the condition of a breakpoint is true in a frame; the error says why LLDB cannot evaluate it.
func (d *Debugger) holdsAt(ctx context.Context, b Breakpoint, frame int) (bool, error) {
	if b.Condition == "" {
		return true, nil
	}
	v, err := d.expression(ctx, frame, "", b.Condition)
	return !isFalse(v.Value), err
}

// falses are LLDB's texts for false in C, Objective-C and Swift, besides numbers.
var falses = []string{"false", "NO", "nil", `'\0'`}

func isFalse(value string) bool {
	var n float64
	value = strings.TrimSpace(value)
	if _, err := fmt.Sscan(value, &n); err == nil && n == 0 && !strings.HasPrefix(value, "0x") {
		return true
	}
	return slices.Contains(falses, value) || strings.HasPrefix(value, "0x") && strings.Trim(value[2:], "0") == ""
}

// goOn continues the program after a halt that is not a stop, unless a hold or a pause request waits for a halt.
func (d *Debugger) goOn(ctx context.Context, h halt) {
	d.mu.Lock()
	switch {
	case d.halted != h.number:
		d.mu.Unlock()
		return
	case d.hold != nil && !d.hold.left:
		d.holds(h)
		d.mu.Unlock()
		return
	case d.pausing:
		d.tell(halt{h.number, h.thread, nil, "pause"})
		d.mu.Unlock()
		return
	}
	d.halted = 0
	d.mu.Unlock()
	if err := d.adapter.ask(ctx, "continue", dap.ContinueArguments{ThreadId: h.thread}, nil); err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.halts == h.number && d.state == Running { // the program is still halted: report the stop
		d.halted = h.number
		d.tell(h)
	}
}
