// Package session has the state of a client session: its current device, its refs and its defaults. A Store has the sessions of a
// daemon by name. An agent that uses the CLI and MCP from one project has one Session; two projects never share one. A session's lock
// is never held across I/O.
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

// HTTP is the session of plain HTTP callers without a session name.
const HTTP = "http"

// ForDir names the session of a client in dir, by the git top level or by the folder itself. The name contains the folder's name for
// people.
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

// Session is one client's context. Its lock is never held across I/O.
type Session struct {
	Name string

	numbers *numbering
	depth   atomic.Int64
	drivers *drivers
	store   *Store
	keys    config.Table
	allowed func(project string) []string // see Options
	used    atomic.Int64                  // time of its last use
	gone    atomic.Bool                   // the store has forgotten it

	recalled chan struct{} // closed when the stored choice is read; nil: none is stored

	mu       sync.Mutex
	choice   Choice
	chose    bool     // made in this process
	known    bool     // an earlier process stored a choice
	client   string   // its client
	answered Answer   // subject of its last answer
	claims   []string // devices of its last claim
	refs     ui.Refs
	bytes    int64    // of the refs, at the last weighing
	projects projects // without an environment
	told     map[string]bool
	finger   Finger
}

// Finger is a finger that one call put down on a device and a later call lifts.
type Finger struct {
	Device string // udid; empty: no finger is down
	At     ui.Point
	Since  time.Time
}

// PutDown records the finger that is down; a session has one.
func (s *Session) PutDown(f Finger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finger = f
}

// Lift takes the finger off a device; false if none is down there.
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

// mostTold is the maximum number of remembered texts; beyond it, the session gets all texts again.
const mostTold = 100

// Untold reports whether a text is new to the session, and remembers it.
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

// Claim records the devices that the session claimed in one call.
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

// Answer is the subject of an answer: a device, and its driver with the reason if it is not the default one.
type Answer struct{ UDID, Driver string }

// Answered records the subject of an answer and gives the earlier one; the zero value if this process gave none. An answer that drove
// no device leaves the driver unchanged.
func (s *Session) Answered(now Answer) (before Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.answered = s.answered, now
	if now.Driver == "" {
		s.answered.Driver = before.Driver
	}
	return before
}

// Resumed reports whether an earlier process gave the session refs or stored its choice.
func (s *Session) Resumed() bool {
	return s.numbers.begin() > 0 || s.remembered()
}

// Depth is the depth of this session's looks; 0 is the default depth.
func (s *Session) Depth() int { return int(s.depth.Load()) }

// SetDepth sets the depth of this session's later looks, so that the elements of a deep look can be acted on.
func (s *Session) SetDepth(depth int) { s.depth.Store(int64(depth)) }

// Defaults are the session's defaults in the project of dir, for a client with this environment. A changed project file is read again.
// The environment counts for the result only; the session does not store it. Without a folder, as over plain HTTP, no file is read.
func (s *Session) Defaults(dir string, env map[string]string) *config.Store {
	folder := ""
	if dir != "" {
		folder = config.Folder(dir)
	}
	store := s.project(folder).For(env)
	store.Reload()
	return store
}

// project is the session's state of a project folder.
func (s *Session) project(folder string) *config.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.projects.of(folder, func() *config.Store {
		user, _ := os.UserHomeDir() // without a home, ~ in a path is refused
		return config.New(config.Options{Dir: folder, Home: user, Keys: s.keys, Allowed: s.allowed})
	})
}

// Refs calls fn with the session's refs, under the session's lock. It returns once the numbers that fn used are reserved: they are
// never used again, even if this process crashes. The first call of a session waits until the stored numbers are read.
func (s *Session) Refs(fn func(*ui.Refs)) { s.numbers.cover(s.withRefs(fn)) }

func (s *Session) withRefs(fn func(*ui.Refs)) (last int) {
	floor := s.numbers.begin()
	last, more := func() (int, int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refs.After(floor)
		fn(&s.refs)
		if s.gone.Load() {
			s.refs.Forget() // no later call would drop them
		}
		return s.refs.Highest(), s.weighed()
	}()
	s.store.weigh(s, more)
	return last
}

// Store has the sessions of a daemon. The zero value is ready; its ref numbers start again in each process.
type Store struct {
	o Options

	end    sync.Mutex // guards closed
	closed bool
	work   sync.WaitGroup

	drivers drivers
	trees   ui.Trees     // trees of the remembered screens
	bytes   atomic.Int64 // size of the refs of all sessions

	mu    sync.Mutex
	byID  map[string]*Session
	floor int       // without Numbers: the highest number of the forgotten sessions
	swept time.Time // time of the last removal of sessions
}

// NewStore makes a store.
func NewStore(o Options) *Store { return &Store{o: o} }

// Get gives the session of a name. The first use makes it.
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

// Close releases the reserved but unused ref numbers, so that the next process continues with the next one.
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
