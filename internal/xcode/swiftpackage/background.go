package swiftpackage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

// background holds the programs in the background. The host ends them when it closes.
type background struct {
	mu       sync.Mutex
	runs     map[int]*run // by process id
	starting int          // reserved places without a process
}

// run is a program in the background. It must not change once it is in the map.
type run struct {
	process    *host.Process
	session    string
	executable string
	path       string
	began      time.Time
}

// mostBackground is the maximum number of programs in the background.
const mostBackground = 32

// Start starts a program in the background for a session. The program ends by itself, by Stop, or with the host.
func (s *Service) Start(ctx context.Context, session string, r Run) (*Result, error) {
	cmd, err := s.runCommand(ctx, &r)
	if err != nil {
		return nil, err
	}
	if !s.background.reserve() {
		return nil, fault.New(fault.InvalidInput, "background program limit reached (%d)", mostBackground).
			WithHint("%s ends a program", hint.Do("swift_package_stop", "pid", "PID"))
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

// reserve reserves a place; without a free place, that of the run that ended first.
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

// occupy puts a run into the reserved place; nil frees the place.
func (b *background) occupy(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starting--
	if r != nil {
		b.runs[r.process.PID] = r
	}
}

// state is "running", or the way the program ended.
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
	Session    string `json:"session,omitempty"` // session that started the program
	Seconds    int    `json:"uptimeSeconds"`
	State      string `json:"state"` // running, or the way it ended
}

// List is the programs in the background, of all sessions, by process id. It includes an ended program until Stop reads its output, or
// until another program needs its place.
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

// Stop ends a program of the session and gives the end of its output.
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
			WithHint("%s lists the programs in the background", hint.Do("swift_package_list"))
	case r.session != session:
		return nil, fault.New(fault.Forbidden, "process %d belongs to the session %q", pid, r.session).With("field", "pid").
			WithHint("stop the program in that session")
	}
	return r, nil
}

// forget removes a run from the map, unless a later program has its process id.
func (b *background) forget(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runs[r.process.PID] == r {
		delete(b.runs, r.process.PID)
	}
}
