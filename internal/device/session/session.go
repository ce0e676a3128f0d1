// Package session is what a client session remembers: its current device, the refs it was given, its defaults. An agent that
// uses both the CLI and MCP from one project has one session; two projects never share one.
package session

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ios-agent/internal/device/session/defaults"
	"ios-agent/internal/ui"
)

// HTTP is the session of plain HTTP callers that name none.
const HTTP = "http"

// ForDir names the session of a client that works in dir: the git top level it lies in, or the folder itself. The
// name carries the folder's own, so that a person recognises it.
func ForDir(dir string) string {
	top := defaults.GitTop(dir)
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

	mu       sync.Mutex
	device   string
	refs     ui.Refs
	defaults map[string]*defaults.Store // by project folder; without any environment
}

// Device is the udid of the session's current device; empty when it has none.
func (s *Session) Device() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.device
}

// Use makes a device current; "" forgets it.
func (s *Session) Use(udid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.device = udid
}

// Defaults are the session's defaults in the project that dir belongs to, as a client with this environment sees them.
// The project's file is read again when it changed. The environment counts for what is returned only: the session does
// not keep it. Without a folder, as over plain HTTP, there is no file.
func (s *Session) Defaults(dir string, env map[string]string) *defaults.Store {
	folder := ""
	if dir != "" {
		folder = defaults.Folder(dir)
	}
	store := s.project(folder).For(env)
	store.Reload()
	return store
}

// project is what the session remembers about a project folder.
func (s *Session) project(folder string) *defaults.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	store, known := s.defaults[folder]
	if !known {
		user, _ := os.UserHomeDir() // without one, ~ in a path is refused
		store = defaults.New(defaults.Options{Dir: folder, Home: user})
		if s.defaults == nil {
			s.defaults = map[string]*defaults.Store{}
		}
		s.defaults[folder] = store
	}
	return store
}

// Refs calls fn with the session's refs, under the session's lock.
func (s *Session) Refs(fn func(*ui.Refs)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.refs)
}

// Store holds the sessions of a daemon. The zero value is ready.
type Store struct {
	mu   sync.Mutex
	byID map[string]*Session
}

// Get gives the session of that name, made on first use.
func (st *Store) Get(name string) *Session {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.byID == nil {
		st.byID = map[string]*Session{}
	}
	s, ok := st.byID[name]
	if !ok {
		s = &Session{Name: name}
		st.byID[name] = s
	}
	return s
}

// Forget clears udid from every session that has it as its current device.
func (st *Store) Forget(udid string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, s := range st.byID {
		if s.Device() == udid {
			s.Use("")
		}
	}
}
