package debugger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-dap"
	"golang.org/x/sys/unix"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/processes"
)

// The values of Status.State.
const (
	Running = "running"
	Paused  = "paused"
	Ended   = "ended"    // the program has ended
	Left    = "detached" // the program may keep running, without a debugger
)

// Status is the state of a debugger and its program.
type Status struct {
	ID      string `json:"debugger"`
	PID     int    `json:"pid"`
	Program string `json:"program"`
	UDID    string `json:"udid,omitempty"`    // device of the app
	Session string `json:"session,omitempty"` // session that attached the debugger
	State   string `json:"state"`             // running, paused, ended or detached
	Reason  string `json:"reason,omitempty"`  // reason of the pause, or of the end
	Where   string `json:"where,omitempty"`   // file:line in function
	Hit     []int  `json:"hit,omitempty"`     // breakpoints
	Through string `json:"through,omitempty"` // lldb-dap, or lldb's prompt with the reason
}

// Text is the status in one line.
func (s Status) Text() string {
	text := fmt.Sprintf("%s: %s (process %d) is %s", s.ID, s.Program, s.PID, s.State)
	switch s.State {
	case Ended:
		return fmt.Sprintf("%s: %s (process %d) has ended: %s", s.ID, s.Program, s.PID, s.Reason)
	case Left:
		return fmt.Sprintf("%s: detached from %s (process %d), which keeps running", s.ID, s.Program, s.PID)
	}
	if s.Where != "" {
		text += " at " + s.Where
	}
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

// Way names the way of a debugger without lldb-dap; empty for lldb-dap.
func (s Status) Way() string {
	if s.Through == "" || s.Through == throughDAP {
		return ""
	}
	return "through " + s.Through
}

// Held names the paused program, its place and the debugger.
func (s Status) Held() string {
	text := fmt.Sprintf("%s (process %d)", s.Program, s.PID)
	if s.Where != "" {
		text += " at " + s.Where
	}
	return text + " by the debugger " + s.ID
}

// Debugger is an LLDB attached to one process. Its methods are safe for concurrent use; a call that sends several requests takes the turn.
type Debugger struct {
	ID      string
	PID     int
	Program string

	owner    device.Owner
	through  string
	adapter  *adapter
	farewell time.Duration
	turn     chan struct{} // held by one call at a time that reads and then writes, or that sends several requests
	ready    chan struct{} // closed by the event initialized
	gone     chan struct{} // closed when lldb-dap has ended

	mu      sync.Mutex
	state   string
	reason  string
	stops   int // number of stops
	thread  int // the thread that stopped the program
	hit     []int
	where   string
	trap    string         // address of the stop, if lldb calls it a trap
	places  map[string]int // numbers of all breakpoints, also removed ones, by address
	located chan struct{}  // closed when the search for where has ended
	changed chan struct{}  // closed when the state changes
	isReady bool
	leaving bool
	once    sync.Once
	left    Detached
	signal  string // signal of the last stop, as lldb names it

	// Halts are the adapter's events "stopped"; sift decides which of them are stops (sift.go).
	halts    int           // number of halts
	halted   int           // number of the current halt; 0 while the program runs
	pausing  bool          // a caller waits for a pause: the next halt is a stop in any case
	hold     *hold         // a halt to set a breakpoint (hold.go)
	setting  chan struct{} // closed when the current request for breakpoints ends; nil without such a request
	sifts    bool          // there are conditional breakpoints or logpoints
	set      []Breakpoint  // copies of points, for readers without the turn
	hits     map[int]int   // number of hits, by breakpoint
	recorded records       // lines of logpoints
	watching atomic.Bool   // watchpoints may exist
	watches  []Watchpoint

	// These are guarded by the turn.
	points  []*Breakpoint
	unnamed int
}

func newDebugger(owner device.Owner, pid int, program string) *Debugger {
	return &Debugger{
		ID: fmt.Sprintf("d%d", pid), PID: pid, Program: program, owner: owner, turn: make(chan struct{}, 1),
		ready: make(chan struct{}), gone: make(chan struct{}), changed: make(chan struct{}), located: make(chan struct{}), state: Running,
		hits: map[int]int{}, places: map[string]int{},
	}
}

// State is the current status.
func (d *Debugger) State() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Status{
		ID: d.ID, PID: d.PID, Program: d.Program, UDID: d.owner.UDID, Session: d.owner.Session,
		State: d.state, Reason: d.reason, Where: d.where, Hit: d.hit, Through: d.through,
	}
}

// UDID is the device of the app; empty for a program of this machine.
func (d *Debugger) UDID() string { return d.owner.UDID }

// live reports whether lldb-dap is still running.
func (d *Debugger) live() bool {
	select {
	case <-d.gone:
		return false
	default:
		return true
	}
}

// watch waits for the end of lldb-dap and updates the state.
func (d *Debugger) watch() {
	<-d.adapter.over
	d.mu.Lock()
	switch {
	case d.over():
	case d.leaving:
		d.becomes(Left)
	default:
		d.becomes(Ended)
		d.reason = d.adapter.ended().Error() + "; the program probably ended with it"
	}
	d.mu.Unlock()
	close(d.gone)
}

// over reports whether the debugger has no program any more. The caller has the mutex.
func (d *Debugger) over() bool { return d.state == Ended || d.state == Left }

// becomes changes the state and wakes waiting callers. The caller has the mutex.
func (d *Debugger) becomes(state string) {
	d.state, d.where, d.hit, d.reason, d.trap = state, "", nil, "", ""
	close(d.changed)
	d.changed = make(chan struct{})
}

// heard handles an event. The goroutine that reads the messages calls it, so that it must not wait for an answer.
func (d *Debugger) heard(event string, body json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch event {
	case "initialized":
		if !d.isReady {
			d.isReady = true
			close(d.ready)
		}
	case "stopped":
		var stop dap.StoppedEventBody
		if json.Unmarshal(body, &stop) != nil || d.over() {
			return
		}
		d.halts++
		h := halt{number: d.halts, thread: stop.ThreadId, hit: stop.HitBreakpointIds, reason: cmp.Or(stop.Description, stop.Reason)}
		d.halted = h.number
		d.signal, _ = strings.CutPrefix(h.reason, "signal ")
		switch {
		case d.hold != nil && h.interrupts():
			d.holds(h)
		case d.sifts || h.reason == sigtrap || slices.ContainsFunc(h.hit, func(id int) bool { return d.published(id).ID == 0 }):
			go d.sift(h)
		default:
			d.tell(h)
		}
	case "continued":
		d.halted = 0
		if d.state == Paused {
			d.becomes(Running)
		}
	case "exited":
		var exit dap.ExitedEventBody
		if json.Unmarshal(body, &exit) == nil && !d.over() {
			d.becomes(Ended)
			d.reason = d.exitReason(exit.ExitCode)
		}
	case "terminated":
		if !d.over() && !d.leaving {
			if d.becomes(Left); !processes.Alive(d.PID, "") {
				d.state, d.reason = Ended, "it was ended"
			}
		}
		if d.over() {
			go d.detach(context.Background()) // lldb-dap has no program any more: end it
		}
	}
}

// tell makes a halt a stop. The caller has the mutex.
func (d *Debugger) tell(h halt) {
	d.becomes(Paused)
	d.stops++
	d.pausing = false
	d.thread, d.hit, d.reason = h.thread, h.hit, h.reason
	for _, id := range h.hit {
		d.count(id)
	}
	d.located = make(chan struct{})
	go d.locate(d.stops, d.thread, d.located)
}

// exitReason says how the program ended. LLDB reports the number of a signal as the exit code; the program's last stop distinguishes the
// two, except for SIGKILL, which does not stop a program. The caller has the mutex.
func (d *Debugger) exitReason(code int) string {
	name, _, _ := strings.Cut(d.signal, ":")
	switch n := unix.SignalNum(name); {
	case n != 0 && int(n) == code:
		return "signal " + d.signal
	case code == int(unix.SIGKILL):
		return "exit code 9 or signal SIGKILL"
	}
	return fmt.Sprintf("exit code %d", code)
}

// Wait waits until the program is paused or has ended, up to the limit.
func (d *Debugger) Wait(ctx context.Context, limit time.Duration) (Status, error) {
	return d.wait(ctx, limit, 0)
}

// wait waits for a stop whose number is greater than after.
func (d *Debugger) wait(ctx context.Context, limit time.Duration, after int) (Status, error) {
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		d.mu.Lock()
		state, changed, located, stopped := d.state, d.changed, d.located, d.stops > after
		d.mu.Unlock()
		next := changed
		switch {
		case state == Ended || state == Left:
			return d.State(), nil
		case state == Paused && stopped:
			select {
			case <-located:
				if now := d.State(); now.State != Running {
					return now, nil
				}
				continue
			default:
				next = located
			}
		}
		select {
		case <-next:
		case <-late.C:
			return d.State(), fault.New(fault.Timeout, "%s (process %d) is still running after %v", d.Program, d.PID, limit).
				WithHint("%s waits longer; %s pauses the program", hint.Do("debug_wait"), hint.Do("debug_pause"))
		case <-d.gone:
		case <-ctx.Done():
			return d.State(), ctx.Err()
		}
	}
}

// paused is the thread that stopped the program, and the number of stops; a fault if the program is not paused.
func (d *Debugger) paused() (thread, stops int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch d.state {
	case Ended, Left:
		return 0, 0, d.notThere()
	case Running:
		return 0, d.stops, d.notPaused()
	}
	return d.thread, d.stops, nil
}

// lives is a fault if the program has ended or the debugger is detached.
func (d *Debugger) lives() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over() {
		return d.notThere()
	}
	return nil
}

// inTurn runs fn with the turn.
func (d *Debugger) inTurn(ctx context.Context, fn func() error) error {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
		return fn()
	case <-d.gone:
		return d.lives()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// goes runs the program by a request. It sets the state to running before the request: the program may stop before the answer arrives.
func (d *Debugger) goes(ctx context.Context, command string, thread int) error {
	d.mu.Lock()
	stops, reason, where, halted := d.stops, d.reason, d.where, d.halted
	d.becomes(Running)
	d.halted = 0
	d.mu.Unlock()
	err := d.adapter.ask(ctx, command, dap.ContinueArguments{ThreadId: thread}, nil)
	if _, refused := err.(*refusedError); refused {
		d.mu.Lock()
		if d.state == Running && d.stops == stops {
			d.becomes(Paused)
			d.reason, d.where, d.halted = reason, where, halted
		}
		d.mu.Unlock()
	}
	return err
}

// Continue continues the program.
func (d *Debugger) Continue(ctx context.Context) (Status, error) {
	err := d.inTurn(ctx, func() error {
		thread, _, err := d.paused()
		if fault.Is(err, fault.NotPaused) {
			return nil // the program is running already
		}
		if err != nil {
			return err
		}
		return d.goes(ctx, "continue", thread)
	})
	return d.State(), err
}

// Pause pauses the program. It does not take the turn: the call that has the turn may wait for the program to pause.
func (d *Debugger) Pause(ctx context.Context) (Status, error) {
	if _, _, err := d.paused(); !fault.Is(err, fault.NotPaused) {
		return d.State(), err
	}
	thread, standing := d.wantsPause()
	if standing {
		return d.Wait(ctx, d.adapter.patience)
	}
	if err := d.adapter.ask(ctx, "pause", dap.PauseArguments{ThreadId: thread}, nil); err != nil {
		return d.State(), err
	}
	return d.Wait(ctx, d.adapter.patience)
}

// wantsPause makes the next halt a stop in any case. Standing means that the program is halted now, and sift examines the halt.
func (d *Debugger) wantsPause() (thread int, standing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pausing, d.hold = true, nil
	return d.anyThread(), d.halted != 0
}

// anyThread is a thread of the program. The caller has the mutex.
func (d *Debugger) anyThread() int { return cmp.Or(d.thread, d.PID) }

// The kinds of steps.
const (
	StepOver = "over"
	StepInto = "into"
	StepOut  = "out"
)

// Step runs the program to the next line, into a function or out of one, and waits until it stops.
func (d *Debugger) Step(ctx context.Context, how string, limit time.Duration) (state Status, err error) {
	command := map[string]string{StepOver: "next", StepInto: "stepIn", StepOut: "stepOut"}[how]
	err = d.inTurn(ctx, func() error {
		thread, stops, err := d.paused()
		if err != nil {
			return err
		}
		if err := d.goes(ctx, command, thread); err != nil {
			return err
		}
		state, err = d.wait(ctx, limit, stops)
		return err
	})
	if err != nil {
		return d.State(), err
	}
	return state, nil
}

// short is the place of a frame for one line of text: the file without its folders.
func (f Frame) short() string {
	if f.File == "" {
		return f.Symbol
	}
	return fmt.Sprintf("%s:%d in %s", filepath.Base(f.File), f.Line, strings.TrimSpace(f.Symbol))
}
