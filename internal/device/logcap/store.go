package logcap

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/device"
)

// suffix ends the file names.
const suffix = ".log"

// Store has the running captures. It is safe for concurrent use.
type Store struct {
	dir  string
	now  func() time.Time
	hide func(string) string

	mu   sync.Mutex
	live map[string]*Session
	over []*Session // ended by EndAll, at most MostSessions
}

// New makes an empty store. The first capture makes the folder.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hide == nil {
		o.Hide = func(line string) string { return line }
	}
	return &Store{dir: o.Dir, now: o.Now, hide: o.Hide, live: map[string]*Session{}}
}

// keep reserves a place for a capture before its start.
func (s *Store) keep(one *Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.live) >= MostSessions {
		return ErrTooMany
	}
	s.live[one.ID] = one
	return nil
}

// settle records that a capture has started, or forgets a failed one. It returns false if EndAll ended the capture meanwhile.
func (s *Store) settle(one *Session, begun bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live[one.ID] == nil {
		return false
	}
	one.begun = begun
	if !begun {
		delete(s.live, one.ID)
	}
	return true
}

// Get gives a capture by kind and id, running or ended by EndAll; ok is false if the store has none.
func (s *Store) Get(kind, id string) (one Session, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.find(kind, id)
	if ok {
		one = *found
	}
	return one, ok
}

// find needs the mutex.
func (s *Store) find(kind, id string) (*Session, bool) {
	one := s.live[id]
	if i := s.isOver(id); i >= 0 {
		one = s.over[i]
	}
	if one == nil || one.Kind != kind || !one.begun {
		return nil, false
	}
	return one, true
}

// take removes a capture for the caller that ends it; nil if the store has none.
func (s *Store) take(kind, id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.find(kind, id)
	if ok {
		delete(s.live, id)
		s.over = slices.DeleteFunc(s.over, func(o *Session) bool { return o == one })
	}
	return one
}

// isOver is the index of an ended capture, or -1. It needs the mutex.
func (s *Store) isOver(id string) int {
	return slices.IndexFunc(s.over, func(o *Session) bool { return o.ID == id })
}

// keepEnded stores a capture that EndAll ended until its owner asks for it.
func (s *Store) keepEnded(one *Session, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.ended = why
	if s.over = append(s.over, one); len(s.over) > MostSessions {
		s.over = s.over[1:]
	}
}

// takeAll removes the captures of matching owners and returns the started ones.
func (s *Store) takeAll(fits func(device.Owner) bool) (begun []*Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, one := range s.live {
		if !fits(one.Owner) {
			continue
		}
		delete(s.live, id)
		one.cancel()
		if one.begun {
			begun = append(begun, one)
		}
	}
	return begun
}

// Live lists the running captures of an owner.
func (s *Store) Live(owner device.Owner) (all []*Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.live {
		if one.begun && one.Owner.Matches(owner) {
			all = append(all, one)
		}
	}
	return all
}

// sweep makes the folder and removes old files. It keeps the files of running captures, because a quiet app may print no lines for
// days.
func (s *Store) sweep() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil // a capture can still be written
	}
	writing := s.writing()
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.IsDir() || writing[e.Name()] || s.now().Sub(info.ModTime()) < Retention {
			continue
		}
		_ = os.Remove(filepath.Join(s.dir, e.Name())) // the next capture tries again
	}
	return nil
}

// writing has the files of running captures.
func (s *Store) writing() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]bool{}
	for _, one := range s.live {
		names[filepath.Base(one.File)] = true
	}
	return names
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
