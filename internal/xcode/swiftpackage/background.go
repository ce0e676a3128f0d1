package swiftpackage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// background holds the programs that were started in the background. The host ends them when it is closed.
type background struct {
	mu       sync.Mutex
	runs     map[int]*run // by process id
	starting int          // places that are taken but have no process yet
}

// run is a program in the background. It does not change once it is in the map.
type run struct {
	process    *host.Process
	session    string
	executable string
	path       string
	began      time.Time
}

// mostBackground is how many programs may run at once.
const mostBackground = 32

// Start starts a program in the background for a session. The program ends by itself, by Stop, or with the host.
func (s *Service) Start(ctx context.Context, session string, r Run) (*Result, error) {
	cmd, err := s.runCommand(ctx, &r)
	if err != nil {
		return nil, err
	}
	if !s.background.reserve() {
		return nil, fault.New(fault.InvalidInput, "%d programs run in the background already", mostBackground).
			WithHint("stop some with swift_package_stop({})")
	}
	cmd.Dir, cmd.Grace, cmd.Spool = r.Path, grace, s.o.Logs
	p, err := s.o.Start.Start(ctx, cmd)
	if err != nil {
		s.background.occupy(nil)
		return nil, swiftFault(err)
	}
	s.background.occupy(&run{p, session, cmp.Or(r.Executable, "default"), r.Path, s.o.Now()})
	return &Result{
		Message: fmt.Sprintf("started in the background (PID: %d)", p.PID), Package: r.Path, Status: Running, Process: p.PID, LogFile: p.Spool,
	}, nil
}

// reserve takes a place, that of the run that ended longest ago if there is no other.
func (b *background) reserve() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.runs)+b.starting >= mostBackground {
		var oldest *run
		for _, r := range b.runs {
			if !r.process.Alive() && (oldest == nil || r.began.Before(oldest.began)) {
				oldest = r
			}
		}
		if oldest == nil {
			return false
		}
		delete(b.runs, oldest.process.PID)
	}
	b.starting++
	return true
}

// occupy puts a run in the place that reserve took; nil gives the place back.
func (b *background) occupy(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting--
	if r != nil {
		b.runs[r.process.PID] = r
	}
}

// state is "running", or how the program ended.
func (r *run) state() string {
	if r.process.Alive() {
		return running
	}
	res, _ := r.process.Result() // its error says the same
	if res.Signal != "" {
		return "ended by " + res.Signal
	}
	return fmt.Sprintf("ended with exit code %d", res.ExitCode)
}

const running = "running"

// Program is a program in the background.
type Program struct {
	PID        int    `json:"processId"`
	Executable string `json:"executable"`
	Package    string `json:"packagePath"`
	Session    string `json:"session,omitempty"` // that started it
	Seconds    int    `json:"uptimeSeconds"`
	State      string `json:"state"` // running, or how it ended
}

// List is the programs in the background, of all sessions, by process id. One that ended by itself is in the list until
// its output is taken with Stop, or until its place is needed.
func (s *Service) List() []Program {
	s.background.mu.Lock()
	defer s.background.mu.Unlock()
	all := []Program{}
	for pid, r := range s.background.runs {
		all = append(all, Program{pid, r.executable, r.path, r.session, max(1, int(s.o.Now().Sub(r.began).Seconds())), r.state()})
	}
	slices.SortFunc(all, func(a, b Program) int { return cmp.Compare(a.PID, b.PID) })
	return all
}

// Stop ends a program that the session started and gives the end of its output.
func (s *Service) Stop(ctx context.Context, session string, pid int) (*Result, error) {
	r, err := s.background.find(session, pid)
	if err != nil {
		return nil, err
	}
	before := r.state()
	if err := r.process.Stop(ctx); err != nil {
		return nil, fault.New(fault.AppTerminate, "%w", err)
	}
	s.background.forget(r)
	took := s.o.Now().Sub(r.began).Seconds()
	out := &Result{Package: r.path, Status: Succeeded, Process: pid, LogFile: r.process.Spool, Seconds: took}
	out.Message = fmt.Sprintf("ended process %d after %.1f s", pid, took)
	if before != running {
		out.Message = fmt.Sprintf("process %d had %s", pid, before)
	}
	out.Output = endOf(r.process.Tail(host.Stdout), r.process.Tail(host.Stderr))
	return out, nil
}

func (b *background) find(session string, pid int) (*run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.runs[pid]
	switch {
	case r == nil:
		return nil, fault.New(fault.AppNotRunning, "no program in the background has the PID %d", pid).With("field", "pid").
			WithHint("swift_package_list({}) shows those there are; only those that swift_package_run({}) started can be ended")
	case r.session != session:
		return nil, fault.New(fault.Forbidden, "the session %q started process %d, not this one", r.session, pid).With("field", "pid").
			WithHint("stop it in that session")
	}
	return r, nil
}

// forget takes a run out of the map, unless a later program has its process id.
func (b *background) forget(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runs[r.process.PID] == r {
		delete(b.runs, r.process.PID)
	}
}
