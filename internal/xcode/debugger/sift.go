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

// halt is what the adapter tells as a stop of the program. LLDB sets the place of a breakpoint before its condition, so a running program
// may halt where the condition is false; and a logpoint halts it to read values. Only what is left after both is told as a stop.
type halt struct {
	number int
	thread int
	hit    []int // breakpoints
	reason string
}

// interrupts reports whether the program halted by the signal of a hold.
func (h halt) interrupts() bool { return len(h.hit) == 0 && strings.Contains(h.reason, "SIGSTOP") }

// passing is how long a halt at a condition may take until LLDB itself lets the program run on. It is not asked about before: questions
// about each would keep LLDB from everything else.
const passing = 20 * time.Millisecond

// sift tells a halt as a stop, or has the program run on: where no condition holds, and where only logpoints were met.
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

// met are the breakpoints with conditions or texts that the program halted at. While breakpoints are being sent it waits: the one that
// was met may have no number yet.
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

// trapped makes a halt that LLDB calls a trap one at the breakpoint that is there: it does not know its own trap yet. Late is that the
// breakpoint was removed while it was met.
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

// removed reports whether a breakpoint was met while it was removed. LLDB may have forgotten its number. One that nobody has set here was
// set by a command.
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

// stands waits until LLDB would have let the program run on by itself, and reports whether it has not.
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

// holdsAt reports whether the condition of a breakpoint is true in a frame, or why it cannot be told.
func (d *Debugger) holdsAt(ctx context.Context, b Breakpoint, frame int) (bool, error) {
	if b.Condition == "" {
		return true, nil
	}
	v, err := d.expression(ctx, frame, "", b.Condition)
	return !isFalse(v.Value), err
}

// falses are how LLDB writes what is false in C, Objective-C and Swift, beside numbers.
var falses = []string{"false", "NO", "nil", `'\0'`}

func isFalse(value string) bool {
	var n float64
	value = strings.TrimSpace(value)
	if _, err := fmt.Sscan(value, &n); err == nil && n == 0 && !strings.HasPrefix(value, "0x") {
		return true
	}
	return slices.Contains(falses, value) || strings.HasPrefix(value, "0x") && strings.Trim(value[2:], "0") == ""
}

// goOn has the program run on after a halt that nobody is told of, unless somebody waits for it to be paused.
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
	if d.halts == h.number && d.state == Running { // it stands there still, and that is to be known
		d.halted = h.number
		d.tell(h)
	}
}
