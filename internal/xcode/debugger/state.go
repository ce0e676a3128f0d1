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
	"ios-agent/internal/machine/processes"
)

// The words of Status.State.
const (
	Running = "running"
	Paused  = "paused"
	Ended   = "ended"    // the program has
	Left    = "detached" // the program may run on; nobody looks
)

// Status is how a debugger and its program are.
type Status struct {
	ID      string `json:"debugger"`
	PID     int    `json:"pid"`
	Program string `json:"program"`
	UDID    string `json:"udid,omitempty"`    // of the device that the program is an app of
	Session string `json:"session,omitempty"` // that attached it
	State   string `json:"state"`             // running, paused, ended or detached
	Reason  string `json:"reason,omitempty"`  // why it is paused, or how it ended
	Where   string `json:"where,omitempty"`   // file:line in function
	Hit     []int  `json:"hit,omitempty"`     // breakpoints
	Through string `json:"through,omitempty"` // lldb-dap, or lldb's prompt and why
}

// Text says it in one line.
func (s Status) Text() string {
	text := fmt.Sprintf("%s: %s (process %d) is %s", s.ID, s.Program, s.PID, s.State)
	switch s.State {
	case Ended:
		return fmt.Sprintf("%s: %s (process %d) has ended: %s", s.ID, s.Program, s.PID, s.Reason)
	case Left:
		return fmt.Sprintf("%s: detached from %s (process %d), which runs on", s.ID, s.Program, s.PID)
	}
	if s.Where != "" {
		text += " at " + s.Where
	}
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

// Way says through what it is debugged when that is not lldb-dap; else nothing.
func (s Status) Way() string {
	if s.Through == "" || s.Through == throughDAP {
		return ""
	}
	return "through " + s.Through
}

// Held says which program is paused where, and by whom.
func (s Status) Held() string {
	text := fmt.Sprintf("%s (process %d)", s.Program, s.PID)
	if s.Where != "" {
		text += " at " + s.Where
	}
	return text + " by the debugger " + s.ID
}

// Debugger is LLDB, attached to one process. Its methods are safe for concurrent use; requests of several parts have turns.
type Debugger struct {
	ID      string
	PID     int
	Program string

	owner    device.Owner
	through  string
	adapter  *adapter
	farewell time.Duration
	turn     chan struct{} // of one request at a time that reads and then writes, or that asks several times
	ready    chan struct{} // closed by the event initialized
	gone     chan struct{} // closed when lldb-dap has ended

	mu      sync.Mutex
	state   string
	reason  string
	stops   int // how often it stopped
	thread  int // that stopped it
	hit     []int
	where   string
	trap    string         // where it is, if lldb calls the stop a trap
	places  map[string]int // of breakpoints, also of removed ones: their numbers, by where their code is
	located chan struct{}  // closed when where is known, or never will be
	changed chan struct{}  // closed when the state changes
	isReady bool
	leaving bool
	once    sync.Once
	left    Detached
	signal  string // that lldb said it stopped by, last

	// Halts are what the adapter tells as stops; those that are nobody's to know do not become stops (sift.go).
	halts    int           // so far
	halted   int           // number of the halt that the program stands at; 0 while it runs
	pausing  bool          // somebody waits for the program to be paused: the next halt is told whatever it is
	hold     *hold         // a halt that was asked for to set a breakpoint (hold.go)
	setting  chan struct{} // closed when the breakpoints that are being sent were; nil when none are
	sifts    bool          // halts are sifted: there are breakpoints with conditions or logpoints
	set      []Breakpoint  // copies, for those who have no turn
	hits     map[int]int   // of breakpoints, by their numbers
	recorded records       // by logpoints
	watching atomic.Bool   // there may be watchpoints
	watches  []Watchpoint

	// Only who has the turn reads and writes these.
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

// State is how it is now.
func (d *Debugger) State() Status {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Status{
		ID: d.ID, PID: d.PID, Program: d.Program, UDID: d.owner.UDID, Session: d.owner.Session,
		State: d.state, Reason: d.reason, Where: d.where, Hit: d.hit, Through: d.through,
	}
}

// UDID is the device that the program is an app of; empty for none.
func (d *Debugger) UDID() string { return d.owner.UDID }

// live reports whether lldb-dap is attached, or may be.
func (d *Debugger) live() bool {
	select {
	case <-d.gone:
		return false
	default:
		return true
	}
}

// watch notes that lldb-dap has ended. One whose program has ended is told to leave.
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

// over reports whether nothing more will be heard of the program. The caller has the mutex.
func (d *Debugger) over() bool { return d.state == Ended || d.state == Left }

// becomes changes the state and tells who waits. The caller has the mutex.
func (d *Debugger) becomes(state string) {
	d.state, d.where, d.hit, d.reason, d.trap = state, "", nil, "", ""
	close(d.changed)
	d.changed = make(chan struct{})
}

// heard takes an event. It is called by one goroutine, and asks nothing: the answer could not be read.
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
			go d.detach(context.Background()) // nothing is attached any more: lldb-dap need not stay
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

// exitReason says how the program ended. LLDB gives the number of a signal for the exit code; the program's last stop tells them apart,
// except for SIGKILL, which stops nothing. The caller has the mutex.
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

// Wait waits until the program is paused or has ended, and no longer than the limit.
func (d *Debugger) Wait(ctx context.Context, limit time.Duration) (Status, error) {
	return d.wait(ctx, limit, 0)
}

// wait waits for a stop after so many.
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
			return d.State(), fault.New(fault.Timeout, "%s (process %d) still runs after %v", d.Program, d.PID, limit).
				WithHint("wait longer, `ios-agent debug wait`, or pause it: `ios-agent debug pause`")
		case <-d.gone:
		case <-ctx.Done():
			return d.State(), ctx.Err()
		}
	}
}

// paused is the thread that stopped the program, and how often it had stopped; a fault when it runs.
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

// lives is a fault when the program has ended.
func (d *Debugger) lives() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over() {
		return d.notThere()
	}
	return nil
}

// inTurn runs fn when no other request of several parts is under way.
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

// goes has the program run by a request. It is running from before the request: it may stop before the answer is read.
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

// Continue has the program run on.
func (d *Debugger) Continue(ctx context.Context) (Status, error) {
	err := d.inTurn(ctx, func() error {
		thread, _, err := d.paused()
		if fault.Is(err, fault.NotPaused) {
			return nil // it runs: that is what was asked for
		}
		if err != nil {
			return err
		}
		return d.goes(ctx, "continue", thread)
	})
	return d.State(), err
}

// Pause stops the program where it is. It does not wait for a turn: what has it is waiting for the program.
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

// wantsPause has the next halt be told, whatever it is. Standing is that the program is at one that is being sifted.
func (d *Debugger) wantsPause() (thread int, standing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pausing, d.hold = true, nil
	return d.anyThread(), d.halted != 0
}

// anyThread is a thread of the program. The caller has the mutex.
func (d *Debugger) anyThread() int { return cmp.Or(d.thread, d.PID) }

// How far a step goes.
const (
	StepOver = "over"
	StepInto = "into"
	StepOut  = "out"
)

// Step has the program run to the next line, into a function, or out of one, and waits until it stops.
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

// short is where a frame is, for one line: the file without its folders.
func (f Frame) short() string {
	if f.File == "" {
		return f.Symbol
	}
	return fmt.Sprintf("%s:%d in %s", filepath.Base(f.File), f.Line, strings.TrimSpace(f.Symbol))
}
