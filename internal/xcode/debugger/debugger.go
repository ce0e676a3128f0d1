// Package debugger attaches LLDB to processes of this machine. A Service holds the attached debuggers; a Debugger sets breakpoints and
// reads stacks and variables. It speaks the Debug Adapter Protocol with lldb-dap over pipes or, without lldb-dap, uses lldb's prompt. It
// must not open a port, and must not send a signal to an attached debugger: a debugged program survives its debugger (ADR 0024).
package debugger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// Options are the dependencies and time limits of a Service.
type Options struct {
	Run   host.Runner
	Start host.Starter
	Tools apple.Toolchain
	// Keeper is the program, with its first arguments, that starts the debugger and outlives the daemon to detach it (keeper.go).
	// Without a keeper the Service starts the debugger itself.
	Keeper []string
	// Patience is the time limit of an answer of lldb-dap; 0 is half a minute.
	Patience time.Duration
	// Farewell is the time limit of a disconnect of lldb-dap, before its input is closed; 0 is 2 s.
	Farewell time.Duration
	// Grace is the time limit of lldb-dap's exit after that, before it is killed; 0 is 5 s.
	Grace time.Duration
}

// mostDebuggers is the maximum number of attached debuggers.
const mostDebuggers = 16

// Service holds the debuggers. It is safe for concurrent use.
type Service struct {
	o Options

	mu      sync.Mutex
	closed  bool
	all     map[int]*Debugger // by process; nil while a debugger is being attached
	current map[string]int    // process of the current debugger, by session
}

// New makes a Service. It starts nothing.
func New(o Options) *Service {
	o.Patience = cmp.Or(o.Patience, 30*time.Second)
	o.Farewell = cmp.Or(o.Farewell, 2*time.Second)
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	return &Service{o: o, all: map[int]*Debugger{}, current: map[string]int{}}
}

// Virtual reports whether apps of simulators have no machine code.
func (s *Service) Virtual() bool { return s.o.Tools.Name == apple.Virtual }

// Attach are the options of Service.Attach.
type Attach struct {
	Owner device.Owner // the udid is empty for a process of this machine
	PID   int
	Stop  bool // the program stays paused; else it continues
	// AtStart means that the program was launched under the debugger and stays paused at its start.
	AtStart bool
	Keep    bool // the session's current debugger stays the current one
	// Through is the way, by its name in XcodeBuildMCP: dap or lldb-cli; empty for the best available one.
	Through string
}

// Attach attaches a debugger and returns when the program is paused or runs again.
func (s *Service) Attach(ctx context.Context, a Attach) (Status, error) {
	program, err := check(a.PID)
	if err != nil {
		return Status{}, err
	}
	if err := s.reserve(a.PID); err != nil {
		return Status{}, err
	}
	d, err := s.attach(ctx, a, program)
	s.mu.Lock()
	closed := s.closed
	if err != nil || closed {
		delete(s.all, a.PID)
	} else {
		s.all[a.PID] = d
		if _, has := s.current[a.Owner.Session]; !has || !a.Keep {
			s.current[a.Owner.Session] = a.PID
		}
	}
	s.mu.Unlock()
	switch {
	case err != nil:
		return Status{}, err
	case closed:
		d.detach(context.WithoutCancel(ctx))
		return Status{}, fault.New(fault.Cancelled, "the daemon is stopping")
	}
	return d.State(), nil
}

// reserve reserves a process for one debugger: of two concurrent callers, one fails.
func (s *Service) reserve(pid int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, taken := s.all[pid]; taken && (d == nil || d.live()) {
		by := ""
		if d != nil {
			by = fmt.Sprintf(", by the session %q", d.owner.Session)
		}
		return refusal("traced", "a debugger is attached to process %d already%s", pid, by).
			WithHint("%s lists the debuggers; %s ends the session's current one", sessions(), hint.Do("debug_detach"))
	}
	live := 0
	for _, d := range s.all {
		if d == nil || d.live() {
			live++
		}
	}
	if live >= mostDebuggers {
		return fault.New(fault.TooMany, "debugger limit reached (%d)", live).
			WithHint("%s lists the debuggers; %s ends the session's current one", sessions(), hint.Do("debug_detach"))
	}
	if len(s.all) >= 2*mostDebuggers { // drop the debuggers of ended programs
		for other, d := range s.all {
			if d != nil && !d.live() {
				delete(s.all, other)
			}
		}
	}
	s.all[pid] = nil
	return nil
}

// Get finds a debugger of a session: by its id, or the current one.
func (s *Service) Get(session, id string) (*Debugger, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		if d := s.all[s.current[session]]; d != nil {
			return d, nil
		}
		var own []*Debugger
		for _, d := range s.all {
			if d != nil && d.owner.Session == session {
				own = append(own, d)
			}
		}
		if len(own) == 1 {
			return own[0], nil
		}
		return nil, fault.New(fault.SessionNotFound, "this session has %d debuggers and no current one", len(own)).
			WithHint("%s attaches a debugger; %s lists the debuggers", attachAgain("PID"), sessions())
	}
	for _, d := range s.all {
		if d == nil || d.ID != id {
			continue
		}
		if d.owner.Session != session {
			return nil, fault.New(fault.Forbidden, "the debugger %s belongs to the session %q", id, d.owner.Session).
				With("field", "debugger").WithHint("use the debugger in that session")
		}
		return d, nil
	}
	return nil, fault.New(fault.SessionNotFound, "unknown debugger %.40q", id).With("field", "debugger").
		WithHint("%s lists the debuggers", sessions())
}

// List is the status of the debuggers of all sessions, ordered by process.
func (s *Service) List() []Status {
	all := []Status{}
	for _, d := range s.debuggers(func(device.Owner) bool { return true }) {
		all = append(all, d.State())
	}
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.PID, b.PID) })
	return all
}

// Paused is a debugger that holds an app of a device paused, if any. A process of this machine is a device too: pid:4711.
func (s *Service) Paused(udid string) (Status, bool) {
	if s == nil || udid == "" {
		return Status{}, false
	}
	holds := s.debuggers(func(o device.Owner) bool { return o.UDID == udid })
	if rest, is := strings.CutPrefix(udid, "pid:"); is {
		pid, _, _ := strings.Cut(rest, ":") // its start may follow
		all := s.debuggers(func(device.Owner) bool { return true })
		holds = slices.DeleteFunc(all, func(d *Debugger) bool { return strconv.Itoa(d.PID) != pid })
	}
	for _, d := range holds {
		if state := d.State(); state.State == Paused {
			return state, true
		}
	}
	return Status{}, false
}

// Holds has a sentence for each attached debugger, for the report when the daemon stops.
func (s *Service) Holds() (all []string) {
	for _, d := range s.debuggers(func(device.Owner) bool { return true }) {
		if d.live() {
			all = append(all, fmt.Sprintf("the debugger %s was detached from process %d (%s), which keeps running", d.ID, d.PID, d.Program))
		}
	}
	slices.Sort(all)
	return all
}

// Detach ends a debugger and forgets it. The program keeps running, unless the answer says otherwise.
func (s *Service) Detach(ctx context.Context, d *Debugger) Detached {
	out := d.detach(ctx)
	s.forget(d)
	return out
}

// EndAll detaches all debuggers with a matching owner, concurrently.
func (s *Service) EndAll(ctx context.Context, fits func(device.Owner) bool) {
	var wg sync.WaitGroup
	for _, d := range s.debuggers(fits) {
		wg.Go(func() { s.Detach(ctx, d) })
	}
	wg.Wait()
}

// Close detaches all debuggers and refuses new ones.
func (s *Service) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.EndAll(context.Background(), func(device.Owner) bool { return true })
	return nil
}

func (s *Service) debuggers(fits func(device.Owner) bool) (all []*Debugger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.all {
		if d != nil && fits(d.owner) {
			all = append(all, d)
		}
	}
	return all
}

func (s *Service) forget(d *Debugger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[d.PID] != d {
		return
	}
	delete(s.all, d.PID)
	if s.current[d.owner.Session] == d.PID {
		delete(s.current, d.owner.Session)
	}
}
