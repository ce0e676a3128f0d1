package lease

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// Options are what a table works with. The zero value is a table that forgets when the process ends.
type Options struct {
	Journal Journal
	Guard   Guard
	Now     func() time.Time // time.Now if nil
	// Timer calls f after d unless it is stopped; time.AfterFunc if nil.
	Timer func(d time.Duration, f func()) (stop func())
	Log   *slog.Logger
}

// Table knows the leases of this host's resources. It is safe for concurrent use. It decides in memory, under a mutex that
// is never held across I/O; callers are answered when the journal has it. Many callers share one write.
type Table struct {
	o Options

	mu      sync.Mutex
	loaded  bool
	reading *reading         // of the journal; nil: nobody reads it
	now     map[string]Lease // as decided
	kept    map[string]Lease // as the journal has it; what a failed write falls back to
	epoch   uint64
	uses    map[uint64]int // commands under way, by epoch: what is in use does not expire
	queue   []*waiter
	claims  map[string]*waiter // in the queue, by the id of its claim; its repeats wait
	turns   uint64             // grants so far
	holds   map[string]*hold   // locks against other homes
	freed   bool               // a reservation ended: somebody earlier in the queue may want it
	pending []Event            // decided, not yet handed to the journal
	ticket  *ticket            // of the pending ones
	writing bool               // a goroutine hands them to the journal
	failing bool               // the journal's last answer
	watch   map[*watcher]bool
	alarm   func() // stops the timer
	closed  bool
	running int // goroutines of ours
	work    sync.WaitGroup
}

// ticket is what the callers of one write wait for.
type ticket struct {
	done chan struct{}
	err  error
}

// reading is one attempt to read the journal. Those who need it wait for it together.
type reading struct {
	done chan struct{}
	err  error // a *StateError
}

// errClosed is the answer of a table that was closed.
var errClosed = errors.New("the table of leases is closed")

// NewTable makes a table; its journal is read at the first use, or by Load.
func NewTable(o Options) *Table {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Timer == nil {
		o.Timer = func(d time.Duration, f func()) func() { t := time.AfterFunc(d, f); return func() { t.Stop() } }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	t := &Table{
		o: o, loaded: o.Journal == nil, now: map[string]Lease{}, kept: map[string]Lease{}, uses: map[uint64]int{}, claims: map[string]*waiter{},
		holds: map[string]*hold{}, watch: map[*watcher]bool{}, ticket: newTicket(),
	}
	t.epoch = t.beginning()
	return t
}

// beginning is an epoch above all that were given by this clock so far: there are fewer than one a millisecond. It makes epochs
// grow even when everything that was kept is gone.
func (t *Table) beginning() uint64 { return uint64(max(t.o.Now().UnixMilli(), 0)) }

func newTicket() *ticket { return &ticket{done: make(chan struct{})} }

// slack is how much younger a lease may be than the journal says: use renews a lease at once, and the journal now and then.
func slack(ttl time.Duration) time.Duration { return ttl / 10 }

// Load waits until the journal was read; a *StateError when it cannot be, and the next caller tries again. What ran out while no
// process ran is expired; what another home took meanwhile is lost.
func (t *Table) Load(ctx context.Context) error {
	t.mu.Lock()
	if t.loaded {
		t.mu.Unlock()
		return nil
	}
	if t.reading == nil {
		r := &reading{done: make(chan struct{})}
		if !t.start(func() { t.load(r) }) {
			t.mu.Unlock()
			return errClosed
		}
		t.reading = r
	}
	r := t.reading
	t.mu.Unlock()
	if err := wait(ctx, r.done); err != nil {
		return fmt.Errorf("reading the leases: %w", err)
	}
	return r.err
}

func (t *Table) load(r *reading) {
	kept, err := t.o.Journal.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(r.done)
	if t.reading = nil; err != nil {
		t.o.Log.Error("the leases cannot be read; nothing is given", "error", err)
		r.err = &StateError{err}
		return
	}
	t.loaded = true
	t.epoch = max(t.epoch, kept.Epoch)
	for _, l := range kept.Leases {
		t.kept[l.Resource] = l
		if l.Held() {
			l.Expires = l.Expires.Add(slack(l.TTL))
		}
		t.now[l.Resource] = l
		t.epoch = max(t.epoch, l.Epoch)
	}
	t.expire()
	for l := range t.held() {
		t.reserve(l.Resource, &reservation{until: l.Expires, brief: true})
	}
	t.arm()
}

// start runs fn in a goroutine that Close waits for. The caller holds the mutex.
func (t *Table) start(fn func()) bool {
	if t.closed && t.running == 0 {
		return false
	}
	t.running++
	t.work.Go(func() {
		fn()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.running--
	})
	return true
}

// enter takes the mutex when the journal was read and the table is open, or gives an error and does not take it.
func (t *Table) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.Load(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return errClosed
	}
	return nil
}

// held gives the leases somebody has, in no order.
func (t *Table) held() iter.Seq[Lease] {
	return func(yield func(Lease) bool) {
		for _, l := range t.now {
			if l.Held() && !yield(l) {
				return
			}
		}
	}
}

func (t *Table) look(resource string) Lease {
	l := t.now[resource]
	l.Resource = resource
	return l
}

// put decides: from here on the table says so, and the journal will.
func (t *Table) put(e Event) {
	t.now[e.Lease.Resource] = e.Lease
	t.pending = append(t.pending, e)
	if !t.writing {
		t.writing = t.start(t.write)
	}
	t.extend(e.Lease)
}

// write hands what was decided to the journal, as much at once as has gathered, until there is no more.
func (t *Table) write() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pending) > 0 {
		batch, ticket := t.pending, t.ticket
		t.pending, t.ticket = nil, newTicket()
		ticket.err = t.save(batch)
		if t.failing = ticket.err != nil; t.failing {
			t.fallBack(ticket.err)
		} else {
			t.settle(batch)
		}
		close(ticket.done)
	}
	t.writing = false
}

// save hands a batch to the journal, without the mutex. A journal that lost what it had gets everything anew.
func (t *Table) save(batch []Event) error {
	if t.o.Journal == nil {
		return nil
	}
	err := t.unlocked(func() error { return t.o.Journal.Save(batch) })
	var forgotten *ForgottenError
	if !errors.As(err, &forgotten) {
		return err
	}
	t.o.Log.Error("the journal is written anew", "error", err)
	all := make([]Event, 0, len(t.kept)+len(batch))
	for _, l := range t.kept {
		all = append(all, Event{At: l.Used, What: Renewed, Lease: l})
	}
	return t.unlocked(func() error { return t.o.Journal.Save(append(all, batch...)) })
}

// unlocked runs what does I/O, without the mutex.
func (t *Table) unlocked(fn func() error) error {
	t.mu.Unlock()
	defer t.mu.Lock()
	return fn()
}

func (t *Table) settle(batch []Event) {
	for _, e := range batch {
		t.kept[e.Lease.Resource] = e.Lease
		t.tell(e)
		t.sync(e.Lease.Resource)
	}
}

// fallBack returns to what the journal has. Whatever was decided since then rests on what failed, and fails with it; but a
// command that has begun keeps the lease it began under, as long as this process lives.
func (t *Table) fallBack(err error) {
	t.o.Log.Error("the leases cannot be written", "error", err)
	before := t.now
	t.now = maps.Clone(t.kept)
	if t.pending != nil {
		t.ticket.err = err
		close(t.ticket.done)
		t.pending, t.ticket = nil, newTicket()
	}
	for name, was := range before {
		if is := t.look(name); was.Held() && was.Kind == Implicit && t.uses[was.Epoch] > 0 && is.Free() {
			t.now[name], t.kept[name] = was, was
		}
		t.sync(name)
	}
	t.arm() // and not pump: what ran out would be written, fail and run out again, without an end
}

// durable waits until a write is done and the locks of these resources are as they should be.
func (t *Table) durable(ctx context.Context, ticket *ticket, resources ...string) error {
	if err := wait(ctx, ticket.done); err != nil {
		return fmt.Errorf("writing the lease: %w", err)
	}
	if ticket.err != nil {
		return &JournalError{ticket.err}
	}
	for _, name := range resources {
		if err := wait(ctx, t.busyWith(name)); err != nil {
			return fmt.Errorf("the lock of %s against other homes: %w", name, err)
		}
	}
	return nil
}

// wait waits for an event; one that has happened counts although ctx ended too. A nil channel is one that has happened.
func wait(ctx context.Context, event <-chan struct{}) error {
	if event == nil {
		return nil
	}
	select {
	case <-event:
		return nil
	default:
	}
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// names are the resources of leases.
func names(leases []Lease) []string {
	out := make([]string, len(leases))
	for i, l := range leases {
		out[i] = l.Resource
	}
	return slices.Clip(out)
}
