package telemetry

// unread is how many entries a subscription holds for a slow reader.
const unread = 1_000

// Subscription gives entries as they are stored.
type Subscription struct {
	C <-chan Entry // closed by Close, and when the store is closed

	s    *Store
	m    *matcher
	c    chan Entry
	lost int64 // the store's mu
}

// Follow begins a subscription to what fits the query from now on. When its reader is slow, entries are dropped and counted.
func (s *Store) Follow(q Query) *Subscription {
	c := make(chan Entry, unread)
	f := &Subscription{C: c, s: s, m: q.matcher(), c: c}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(c)
		return f
	}
	s.readers[f] = true
	return f
}

// publish gives entries that were stored to those who follow.
func (s *Store) publish(fresh []Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.readers {
		for i := range fresh {
			if !f.m.fits(&fresh[i]) {
				continue
			}
			select {
			case f.c <- fresh[i]:
			default:
				f.lost++
			}
		}
	}
}

// Lost is how many entries were dropped because they were not read.
func (f *Subscription) Lost() int64 {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.lost
}

// Close ends the subscription.
func (f *Subscription) Close() {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if f.s.readers[f] {
		delete(f.s.readers, f)
		close(f.c)
	}
}

func (s *Store) endSubscriptions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.readers {
		delete(s.readers, f)
		close(f.c)
	}
}
