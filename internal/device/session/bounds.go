package session

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/ui"
)

// What the sessions of a daemon may take. Their names come from callers, and nobody says when a session is over.
const (
	mostSessions = 10_000             // with more, the one not used for the longest time is forgotten
	mostIdle     = 7 * 24 * time.Hour // so long a session that is not used is remembered
	mostProjects = 16                 // of one session: folders whose defaults are remembered
	// mostBytes is about how much memory the refs and screens of all sessions take together. With more, the sessions not used for the
	// longest time lose theirs: their refs are expired. The daemon is to stay below 200 MB, of which a good third is for what calls
	// need for a moment.
	mostBytes = 64 << 20
)

// makeRoom forgets sessions when there are too many, or when they were not used for too long. It is called under the store's lock.
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
			st.floor = max(st.floor, s.highest()) // the next session of this name goes on above
		}
	}
}

// oldest are all sessions, the one not used for the longest time first.
func (st *Store) oldest() []*Session {
	return slices.SortedFunc(maps.Values(st.byID), func(a, b *Session) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
}

// held is about how much memory the refs and screens of all sessions take. A tree that several of them hold counts once.
func (st *Store) held() int64 { return st.bytes.Load() + int64(st.trees.Bytes()) }

// weigh notes how much more a session holds. When all hold too much, others let go of theirs. If it is not enough, this one lets go
// of its older screens and their refs: what it was shown last stays, however large it is.
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
	st.mu.Unlock() // before a session is waited for that gives out refs: other calls need the store
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

// letGo has the session let go of refs and screens, and gives how many bytes the refs take less.
func (s *Session) letGo(of func(*ui.Refs)) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	of(&s.refs)
	return -s.weighed()
}

// weighed gives how many bytes more the refs take than when they were weighed last. It is called under the session's lock.
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

// abandon ends the numbering of a session that is forgotten. Who still works with it gets numbers that nobody else gets.
func (n *numbering) abandon() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.failed, n.floor = true, Unreserved(time.Now())
}

// projects are the defaults of a session by project folder; the folder used last is the last of order.
type projects struct {
	stores map[string]*config.Store
	order  []string
}

// of gives the defaults of a folder, which fresh makes when they are not known.
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
