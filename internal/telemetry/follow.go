package telemetry

// unread is the maximum number of buffered entries for a slow reader.
const unread = 1_000

// Subscription gives entries as they are stored.
type Subscription struct {
	C <-chan Entry // closed by Close and by the end of the store

	s    *Store
	m    *matcher
	c    chan Entry
	lost int64 // guarded by the store's mu
}

// Follow subscribes to all later entries that match the query. If the reader is slow, entries are dropped and counted.
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

// publish gives stored entries to the subscriptions.
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

// Lost is the number of dropped entries.
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
