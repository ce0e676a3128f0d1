// Package process keeps sessions of desktop programs. A launched program ends with the daemon; an attached one is only observed and keeps
// running. A session belongs to the client session that made it. Its output can be read after its process has ended, until the session is
// stopped. Sessions is the main type. The output of a process is untrusted data.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
)

// Options are what Sessions work with.
type Options struct {
	Start host.Starter
	Now   func() time.Time // time.Now if nil
}

// The bounds.
const (
	mostOwned = 10 // sessions of one client session
	most      = 50
	kept      = 64 << 10 // bytes at the end of each stream of a program
)

// grace is how long a program may take to leave after SIGTERM before it is killed.
const grace = 5 * time.Second

// Sessions are all sessions there are. They are safe for concurrent use.
type Sessions struct {
	o Options

	mu  sync.Mutex
	all map[string]*Session // by id; without a process while it is being started
}

// New makes Sessions. It starts nothing.
func New(o Options) *Sessions {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Sessions{o: o, all: map[string]*Session{}}
}

// Session is a process that a client session works with. It does not change once it can be found.
type Session struct {
	ID       string
	Owner    string // the client session
	PID      int
	Program  string // its name
	Attached bool   // it was running before; it is never ended
	Began    time.Time
	Launched time.Time         // by the clock of this machine; zero of an attached one
	Place    map[string]string // of a launched one: the variables that say on which desktop it is

	start   string        // of an attached one: its start time
	process *host.Process // of a launched one
	ready   bool
}

// Running reports whether the process lives.
func (s *Session) Running() bool {
	if s.process == nil {
		return processes.Alive(s.PID, s.start)
	}
	return s.process.Alive()
}

// Launch says what to start.
type Launch struct {
	Owner string
	Argv  []string
	Dir   string
	Env   []string // K=V
	Place map[string]string
	// Halted leaves the program at its start, for a debugger.
	Halted bool
}

// Launch starts a program in a process group of its own.
func (s *Sessions) Launch(ctx context.Context, l Launch) (*Session, error) {
	if len(l.Argv) == 0 || l.Argv[0] == "" {
		return nil, fault.New(fault.InvalidInput, "command is empty: name the program, then its arguments").With("field", "command")
	}
	for _, pair := range l.Env {
		if name, _, is := strings.Cut(pair, "="); !is || name == "" {
			return nil, fault.New(fault.InvalidInput, "%.80q is not a variable: write NAME=VALUE", pair).With("field", "env")
		}
	}
	one, err := s.reserve(l.Owner, filepath.Base(l.Argv[0]))
	if err != nil {
		return nil, err
	}
	p, err := s.o.Start.Start(ctx, host.Cmd{
		Name: l.Argv[0], Args: l.Argv[1:], Dir: l.Dir, Env: l.Env, Grace: grace, ByTerm: true, MaxOutput: kept, Halted: l.Halted,
	})
	if err != nil {
		s.forget(one)
		return nil, launchFault(l, err)
	}
	return s.place(one, func(one *Session) { one.PID, one.process, one.Launched, one.Place = p.PID, p, time.Now(), l.Place }), nil
}

func launchFault(l Launch, err error) error {
	if missing, is := errors.AsType[*host.NotFoundError](err); is {
		return fault.New(fault.AppLaunchFailed, "cannot find the program %s", missing.Name).With("field", "command").
			WithHint("name a program of the PATH, or the path of one; a path is looked for below the working folder")
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.New(fault.AppLaunchFailed, "%s does not start: %w", filepath.Base(l.Argv[0]), err).
		WithHint("check the program and the working folder: both must exist, and the program must be executable")
}

// Attach makes a session of a process of the user that runs already.
func (s *Sessions) Attach(owner string, pid int) (*Session, error) {
	program, start, err := Own(pid)
	if err != nil {
		return nil, err
	}
	one, err := s.reserve(owner, program)
	if err != nil {
		return nil, err
	}
	return s.place(one, func(one *Session) { one.PID, one.start, one.Attached = pid, start, true }), nil
}

// Own gives the name and the start time of a process, and a fault when it is not there, not the user's, or this one.
func Own(pid int) (program, start string, err error) {
	field := func(f *fault.Fault) error { return f.With("field", "pid") }
	if pid == os.Getpid() {
		return "", "", field(fault.New(fault.Forbidden, "process %d is this daemon", pid).WithHint("name another process"))
	}
	start, err = processes.StartTime(pid)
	d, inspected := processes.Inspect(pid)
	switch err := cmp.Or(err, inspected); {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", field(fault.New(fault.AppNotRunning, "unknown process %d", pid).
			WithHint("start the program: %s; %s lists the windows", launch(), hint.Do("debug_windows")))
	case err != nil:
		return "", "", field(fault.New(fault.AppNotRunning, "%w", err))
	case d.User != os.Geteuid():
		return "", "", field(fault.New(fault.Forbidden, "process %d belongs to user %d; only processes of user %d can be inspected",
			pid, d.User, os.Geteuid()).WithHint("name a process of your own"))
	}
	return filepath.Base(d.Path), start, nil
}

// sessions is the call that lists desktop sessions, and stop the call that ends one.
func sessions() string { return hint.Do("debug_session", "action", "list") }
func stop() string     { return hint.Do("debug_session", "action", "stop", "sessionId", "SESSION") }

// reserve makes a session that callers cannot find yet.
func (s *Sessions) reserve(owner, program string) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := func(other *Session) bool { return other.Owner == owner }
	if owned, full := s.room(mostOwned, own); full {
		return nil, fault.New(fault.TooMany, "desktop session limit reached: this session runs %d", owned).
			WithHint("%s lists the sessions; stop one with %s", sessions(), stop())
	}
	if _, full := s.room(most, func(*Session) bool { return true }); full {
		return nil, fault.New(fault.TooMany, "desktop session limit reached: all sessions together run %d", len(s.all)).
			WithHint("stop one in the session that started it: %s", stop())
	}
	now := s.o.Now()
	one := &Session{ID: s.free(word(program), now), Owner: owner, Program: program, Began: now}
	s.all[one.ID] = one
	return one, nil
}

// room makes room for one more of some sessions: it forgets the oldest session whose program has ended. It is full when all programs run.
func (s *Sessions) room(most int, of func(*Session) bool) (count int, full bool) {
	var oldest *Session
	for _, one := range s.all {
		if !of(one) {
			continue
		}
		count++
		if one.ready && !one.Running() && (oldest == nil || one.Began.Before(oldest.Began)) {
			oldest = one
		}
	}
	if count < most {
		return count, false
	}
	if oldest != nil {
		delete(s.all, oldest.ID)
	}
	return count, oldest == nil
}

// free is an id that no session has: the program, the day and the minute.
func (s *Sessions) free(program string, now time.Time) string {
	base := fmt.Sprintf("%s-%s", program, now.Format("2006-01-02-15h04"))
	id := base
	for i := 2; s.all[id] != nil; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	return id
}

// word is a program's name as a part of an id.
func word(program string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return -1
	}, program)
	return cmp.Or(clean[:min(len(clean), 40)], "app")
}

// place makes a session that can be found of a reserved one.
func (s *Sessions) place(one *Session, fill func(*Session)) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	fill(one)
	one.ready = true
	return one
}

func (s *Sessions) forget(one *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[one.ID] == one {
		delete(s.all, one.ID)
	}
}

// Get finds a session of a client session.
func (s *Sessions) Get(owner, id string) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch one := s.all[id]; {
	case one == nil || !one.ready:
		return nil, fault.New(fault.SessionNotFound, "unknown desktop session %.80q", id).With("field", "sessionId").
			WithHint("%s lists the sessions; %s starts a program", sessions(), launch())
	case one.Owner != owner:
		return nil, fault.New(fault.Forbidden, "the desktop session %s belongs to session %q", id, one.Owner).
			With("field", "sessionId").WithHint("use it in that session")
	default:
		return one, nil
	}
}

// ending is how long a program's end may be delayed after its process is gone: its last output is read first.
const ending = 2 * time.Second

// Ended is how a program ended that was launched here, whoever launched it.
func (s *Sessions) Ended(ctx context.Context, pid int) (Status, bool) {
	s.mu.Lock()
	var found *Session
	for _, one := range s.all {
		if one.ready && one.PID == pid && one.process != nil && (found == nil || one.Launched.After(found.Launched)) {
			found = one
		}
	}
	s.mu.Unlock()
	if found == nil {
		return Status{}, false
	}
	late := time.NewTimer(ending)
	defer late.Stop()
	select {
	case <-found.process.Done():
	case <-late.C:
	case <-ctx.Done():
	}
	return found.Status(), !found.Running()
}

// List is the sessions of a client session, the oldest first.
func (s *Sessions) List(owner string) []Status {
	return s.list(func(one *Session) bool { return one.Owner == owner })
}

func (s *Sessions) list(fits func(*Session) bool) []Status {
	s.mu.Lock()
	var own []*Session
	for _, one := range s.all {
		if one.ready && fits(one) {
			own = append(own, one)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(own, func(a, b *Session) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID)) })
	all := make([]Status, len(own))
	for i, one := range own {
		all[i] = one.Status()
	}
	return all
}

// Stop ends a launched program, or lets an attached one go, and forgets the session. It tells how things were at the end.
func (s *Sessions) Stop(ctx context.Context, one *Session) (Status, error) {
	if one.process != nil {
		if err := one.process.Stop(ctx); err != nil {
			return one.Status(), fault.New(fault.AppTerminate, "%w", err).WithHint("the kernel holds it: end it with the system's own tools")
		}
	}
	s.forget(one)
	return one.Status(), nil
}

// Holds describes the running launched programs, which end with the daemon.
func (s *Sessions) Holds() (all []string) {
	for _, one := range s.list(func(one *Session) bool { return !one.Attached }) {
		if one.Running {
			all = append(all, fmt.Sprintf("the program %s (process %d, session %s) was ended", one.Program, one.PID, one.ID))
		}
	}
	return all
}
