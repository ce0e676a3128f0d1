package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/ui"
)

// The limits of a daemon's sessions. Session names come from callers, and a session has no explicit end.
const (
	mostSessions = 10_000             // beyond it, the session that was unused for the longest time is forgotten
	mostIdle     = 7 * 24 * time.Hour // maximum idle time of a remembered session
	mostProjects = 16                 // maximum number of project folders per session with remembered defaults
	// mostBytes is the approximate memory limit for the refs and screens of all sessions. Beyond it, the sessions that were unused for
	// the longest time lose theirs: their refs expire. The daemon should stay below 200 MB, and a good third of that is for running
	// calls.
	mostBytes = 64 << 20
)

// makeRoom forgets sessions beyond the maximum number or idle time. The caller holds the store's lock.
func (st *Store) makeRoom(now time.Time) {
	if len(st.byID) < mostSessions && now.Sub(st.swept) < time.Hour {
		return
	}
	st.swept = now
	oldest := st.oldest()
	for i, s := range oldest {
		if len(oldest)-i < mostSessions && now.Sub(s.lastUse()) < mostIdle {
			return
		}
		delete(st.byID, s.Name)
		st.drivers.forget(s.Name)
		s.gone.Store(true)
		st.bytes.Add(-s.letGo((*ui.Refs).Forget))
		s.numbers.abandon()
		if s.numbers == nil {
			st.floor = max(st.floor, s.highest()) // the next session of this name continues above it
		}
	}
}

// oldest are all sessions, the longest unused first.
func (st *Store) oldest() []*Session {
	return slices.SortedFunc(maps.Values(st.byID), func(a, b *Session) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
}

// held is the approximate memory of the refs and screens of all sessions. A tree that several sessions share counts once.
func (st *Store) held() int64 { return st.bytes.Load() + int64(st.trees.Bytes()) }

// weigh records the memory that a session gained. Beyond the limit, other sessions drop refs and screens. If that is not enough, this
// session drops its older screens with their refs; it always keeps the screen that it was shown last.
func (st *Store) weigh(s *Session, more int64) {
	if st == nil {
		return
	}
	st.bytes.Add(more)
	if st.held() <= mostBytes {
		return
	}
	st.mu.Lock()
	oldest := st.oldest()
	st.mu.Unlock() // unlock before the wait for a busy session: other calls need the store
	for _, other := range oldest {
		if st.held() <= mostBytes*3/4 {
			return
		}
		if other != s {
			st.bytes.Add(-other.letGo((*ui.Refs).Forget))
		}
	}
	if st.held() > mostBytes {
		st.bytes.Add(-s.letGo((*ui.Refs).Shed))
	}
}

// letGo makes the session drop refs and screens, and gives the number of freed bytes.
func (s *Session) letGo(of func(*ui.Refs)) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	of(&s.refs)
	return -s.weighed()
}

// weighed gives the growth of the refs in bytes since the last call. The caller holds the session's lock.
func (s *Session) weighed() (more int64) {
	now := int64(s.refs.Bytes())
	more, s.bytes = now-s.bytes, now
	return more
}

func (s *Session) highest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refs.Highest()
}

func (s *Session) lastUse() time.Time { return time.Unix(0, s.used.Load()) }

// abandon ends the numbering of a forgotten session. A caller that still uses it gets numbers that no other session gets.
func (n *numbering) abandon() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.failed, n.floor = true, Unreserved(time.Now())
}

// projects are a session's defaults by project folder; the last folder of order was used last.
type projects struct {
	stores map[string]*config.Store
	order  []string
}

// of gives the defaults of a folder; fresh makes unknown ones.
func (p *projects) of(folder string, fresh func() *config.Store) *config.Store {
	store, known := p.stores[folder]
	if !known {
		store = fresh()
		if p.stores == nil {
			p.stores = map[string]*config.Store{}
		}
		p.stores[folder] = store
	}
	p.order = append(slices.DeleteFunc(p.order, func(f string) bool { return f == folder }), folder)
	if len(p.order) > mostProjects {
		delete(p.stores, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
	return store
}
