// Package debugger attaches LLDB to processes of this machine and keeps the debuggers that are attached. It speaks the Debug
// Adapter Protocol with lldb-dap over pipes, and where there is none, uses lldb's prompt; no port is opened. A program that is debugged
// survives the debugger: no signal is sent to a debugger while it is attached (ADR 0024).
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
	"ios-agent/internal/machine/host"
)

// Options are what a Service works with.
type Options struct {
	Run   host.Runner
	Start host.Starter
	Tools apple.Toolchain
	// Keeper is the program, with its first arguments, that starts a debugger for us and outlives us to say goodbye to it (keeper.go).
	// Without one we start the debugger ourselves.
	Keeper []string
	// Patience is how long lldb-dap may take for an answer; 0 is half a minute.
	Patience time.Duration
	// Farewell is how long lldb-dap may take to disconnect before its input is closed; 0 is 2 s.
	Farewell time.Duration
	// Grace is how long it may take to leave after that before it is killed; 0 is 5 s.
	Grace time.Duration
}

// mostDebuggers is how many debuggers may be attached at once.
const mostDebuggers = 16

// Service holds the debuggers. It is safe for concurrent use.
type Service struct {
	o Options

	mu      sync.Mutex
	closed  bool
	all     map[int]*Debugger // by the process they debug; nil while one is being attached
	current map[string]int    // of a session: the process that is meant when it names none
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

// Attach attaches a debugger to a process.
type Attach struct {
	Owner device.Owner // its udid is empty for a process of no device
	PID   int
	Stop  bool // the program stays paused; else it goes on
	// AtStart says that the program was launched to be debugged, and stands at its start, where it stays.
	AtStart bool
	Keep    bool // the session's current debugger stays the current one
	// Through is the way, by its name in XcodeBuildMCP: dap, or lldb-cli; empty for the best one there is.
	Through string
}

// Attach attaches a debugger and returns when the program is paused or goes on again.
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
		return Status{}, fault.New(fault.Cancelled, "the daemon leaves")
	}
	return d.State(), nil
}

// reserve takes the place of a process: of two callers at once, one gets it.
func (s *Service) reserve(pid int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, taken := s.all[pid]; taken && (d == nil || d.live()) {
		by := ""
		if d != nil {
			by = fmt.Sprintf(", by the session %q", d.owner.Session)
		}
		return refusal("traced", "a debugger is attached to process %d already%s", pid, by).
			WithHint("`ios-agent debug sessions` lists the debuggers; `ios-agent debug detach` ends one")
	}
	live := 0
	for _, d := range s.all {
		if d == nil || d.live() {
			live++
		}
	}
	if live >= mostDebuggers {
		return fault.New(fault.TooMany, "%d debuggers are attached, and there may be no more", live).
			WithHint("end some of them: `ios-agent debug sessions` lists them, `ios-agent debug detach` ends one")
	}
	if len(s.all) >= 2*mostDebuggers { // those whose programs have ended make room
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
		return nil, fault.New(fault.SessionNotFound, "this session has %d debuggers, and none is the current one", len(own)).
			WithHint("attach one: `ios-agent debug attach --pid X`; `ios-agent debug sessions` lists those there are")
	}
	for _, d := range s.all {
		if d == nil || d.ID != id {
			continue
		}
		if d.owner.Session != session {
			return nil, fault.New(fault.Forbidden, "the session %q attached the debugger %s, not this one", d.owner.Session, id).
				With("field", "debugger").WithHint("use it in that session")
		}
		return d, nil
	}
	return nil, fault.New(fault.SessionNotFound, "there is no debugger %.40q", id).With("field", "debugger").
		WithHint("`ios-agent debug sessions` lists those there are")
}

// List is the debuggers of all sessions, by their processes.
func (s *Service) List() []Status {
	all := []Status{}
	for _, d := range s.debuggers(func(device.Owner) bool { return true }) {
		all = append(all, d.State())
	}
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.PID, b.PID) })
	return all
}

// Paused is a debugger that holds an app of a device, if there is one. A process of this machine is a device too: pid:4711.
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

// Holds are the debuggers that are attached, as they are told when the daemon leaves.
func (s *Service) Holds() (all []string) {
	for _, d := range s.debuggers(func(device.Owner) bool { return true }) {
		if d.live() {
			all = append(all, fmt.Sprintf("the debugger %s left process %d (%s), which runs on", d.ID, d.PID, d.Program))
		}
	}
	slices.Sort(all)
	return all
}

// Detach ends a debugger and forgets it. The program runs on, unless the answer says otherwise.
func (s *Service) Detach(ctx context.Context, d *Debugger) Detached {
	out := d.detach(ctx)
	s.forget(d)
	return out
}

// EndAll detaches every debugger whose owner fits, side by side.
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
