// Package session is what a client session remembers: its current device, the refs it was given, its defaults. An agent that
// uses both the CLI and MCP from one project has one session; two projects never share one.
package session

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/ui"
)

// HTTP is the session of plain HTTP callers that name none.
const HTTP = "http"

// ForDir names the session of a client that works in dir: the git top level it lies in, or the folder itself. The
// name carries the folder's own, so that a person recognises it.
func ForDir(dir string) string {
	top := config.GitTop(dir)
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	sum := sha256.Sum256([]byte(top))
	return readable(filepath.Base(top)) + "-" + hex.EncodeToString(sum[:3])
}

func readable(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return -1
	}, name)
	if clean == "" {
		return "dir"
	}
	return clean[:min(len(clean), 24)]
}

// Session is one client's context. Its lock is held for a moment at a time, never across I/O.
type Session struct {
	Name string

	numbers *numbering
	depth   atomic.Int64
	drivers *drivers
	store   *Store
	keys    config.Table
	allowed func(project string) []string // see Options
	used    atomic.Int64                  // when it was asked for last
	gone    atomic.Bool                   // the store has forgotten it

	recalled chan struct{} // closed when the choice of an earlier process is read; nil: none is kept

	mu       sync.Mutex
	choice   Choice
	chose    bool     // in this process
	known    bool     // an earlier process knew a choice
	client   string   // who works for it
	answered Answer   // what its last answer was about
	claims   []string // the devices it claimed last, in one call
	refs     ui.Refs
	bytes    int64    // of the refs, when they were weighed last
	projects projects // without any environment
	told     map[string]bool
	finger   Finger
}

// Finger is a finger that a call put down on a device and a later one lifts.
type Finger struct {
	Device string // udid; empty: no finger is down
	At     ui.Point
	Since  time.Time
}

// PutDown notes the finger that is down; there is one.
func (s *Session) PutDown(f Finger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finger = f
}

// Lift takes the finger off a device; false when none is down there.
func (s *Session) Lift(udid string) (Finger, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.finger
	if f.Device == "" || f.Device != udid {
		return Finger{}, false
	}
	s.finger = Finger{}
	return f, true
}

// mostTold is how many texts are remembered as told; with more, all are told anew.
const mostTold = 100

// Untold reports whether the session was not told a text yet, and notes that it is told now.
func (s *Session) Untold(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil || len(s.told) > mostTold {
		s.told = map[string]bool{}
	}
	known := s.told[text]
	s.told[text] = true
	return !known
}

// Claim notes the devices that the session claimed in one call.
func (s *Session) Claim(udids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims = udids
}

// LastClaims are the devices of the session's last claim in this process.
func (s *Session) LastClaims() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claims
}

// Answer is what an answer was about: a device, and what drove it and why, if that was not what usually does.
type Answer struct{ UDID, Driver string }

// Answered notes what an answer to the session is about, and gives the answer before; the zero value: this process gave none. An answer
// that nothing drove says nothing of drivers.
func (s *Session) Answered(now Answer) (before Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.answered = s.answered, now
	if now.Driver == "" {
		s.answered.Driver = before.Driver
	}
	return before
}

// Resumed reports whether an earlier process has given the session refs, or knew its choice.
func (s *Session) Resumed() bool {
	return s.numbers.begin() > 0 || s.remembered()
}

// Depth is how deep this session's looks go; 0 is the usual depth.
func (s *Session) Depth() int { return int(s.depth.Load()) }

// SetDepth makes this session's looks so deep from now on, so that what a deep look showed can be acted on.
func (s *Session) SetDepth(depth int) { s.depth.Store(int64(depth)) }

// Defaults are the session's defaults in the project that dir belongs to, as a client with this environment sees them.
// The project's file is read again when it changed. The environment counts for what is returned only: the session does
// not keep it. Without a folder, as over plain HTTP, there is no file.
func (s *Session) Defaults(dir string, env map[string]string) *config.Store {
	folder := ""
	if dir != "" {
		folder = config.Folder(dir)
	}
	store := s.project(folder).For(env)
	store.Reload()
	return store
}

// project is what the session remembers about a project folder.
func (s *Session) project(folder string) *config.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.projects.of(folder, func() *config.Store {
		user, _ := os.UserHomeDir() // without one, ~ in a path is refused
		return config.New(config.Options{Dir: folder, Home: user, Keys: s.keys, Allowed: s.allowed})
	})
}

// Refs calls fn with the session's refs, under the session's lock. It returns when the numbers that fn gave out are
// reserved: they are never given out again, whatever becomes of this process. The first call of a session waits until it is
// known which numbers the last process gave out.
func (s *Session) Refs(fn func(*ui.Refs)) { s.numbers.cover(s.withRefs(fn)) }

func (s *Session) withRefs(fn func(*ui.Refs)) (last int) {
	floor := s.numbers.begin()
	last, more := func() (int, int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refs.After(floor)
		fn(&s.refs)
		if s.gone.Load() {
			s.refs.Forget() // nobody would let go of it later
		}
		return s.refs.Highest(), s.weighed()
	}()
	s.store.weigh(s, more)
	return last
}

// Store holds the sessions of a daemon. The zero value is ready; its ref numbers begin anew in each process.
type Store struct {
	o Options

	end    sync.Mutex // of closed
	closed bool
	work   sync.WaitGroup

	drivers drivers
	trees   ui.Trees     // of the screens that sessions remember
	bytes   atomic.Int64 // of the refs of all sessions

	mu    sync.Mutex
	byID  map[string]*Session
	floor int       // without Numbers: sessions that were forgotten gave out numbers up to this one
	swept time.Time // when sessions were forgotten last
}

// NewStore makes a store.
func NewStore(o Options) *Store { return &Store{o: o} }

// Get gives the session of that name, made on first use.
func (st *Store) Get(name string) *Session {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.byID == nil {
		st.byID = map[string]*Session{}
	}
	s, ok := st.byID[name]
	now := time.Now()
	if !ok {
		st.makeRoom(now)
		s = &Session{Name: name, numbers: st.number(name), drivers: &st.drivers, store: st, keys: st.o.Keys,
			allowed: st.o.Allowed, refs: st.trees.Refs()}
		s.refs.After(st.floor)
		st.recall(s)
		st.byID[name] = s
	}
	s.used.Store(now.UnixNano())
	return s
}

// Close gives back the ref numbers that were reserved and not given out, so that the next process goes on with the next one.
func (st *Store) Close() error {
	st.end.Lock()
	st.closed = true
	st.end.Unlock()
	st.work.Wait()
	if st.o.Numbers == nil {
		return nil
	}
	st.mu.Lock()
	all := slices.Collect(maps.Values(st.byID))
	st.mu.Unlock()
	for _, s := range all {
		s.numbers.giveBack(s.withRefs(func(*ui.Refs) {}))
	}
	return nil
}
