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

// Options configure a table. The zero value is a table that forgets everything when the process ends.
type Options struct {
	Journal Journal
	Guard   Guard
	Now     func() time.Time // time.Now if nil
	// Timer calls f after d unless it is stopped; time.AfterFunc if nil.
	Timer func(d time.Duration, f func()) (stop func())
	Log   *slog.Logger
}

// Table has the leases of this host's resources. It is safe for concurrent use. It decides in memory, under a mutex that it never holds
// across I/O, and answers a caller once the journal has the decision. Many callers share one write.
type Table struct {
	o Options

	mu      sync.Mutex
	loaded  bool
	reading *reading         // of the journal; nil: no read is under way
	now     map[string]Lease // as decided
	kept    map[string]Lease // as the journal has it; a failed write returns to it
	epoch   uint64
	uses    map[uint64]int // running commands by epoch; a lease in use does not expire
	queue   []*waiter
	claims  map[string]*waiter // waiters by the id of their claim; its repeats wait
	turns   uint64             // number of grants
	holds   map[string]*hold   // locks against other homes
	freed   bool               // a reservation ended, so an earlier waiter may want its resource
	pending []Event            // decided, but not yet given to the journal
	ticket  *ticket            // of the pending events
	writing bool               // a goroutine writes them
	failing bool               // the last write failed
	watch   map[*watcher]bool
	alarm   func() // stops the timer
	closed  bool
	running int // number of the table's goroutines
	work    sync.WaitGroup
}

// ticket stands for one write; its callers wait for it.
type ticket struct {
	done chan struct{}
	err  error
}

// reading is one attempt to read the journal. All callers of the moment share it.
type reading struct {
	done chan struct{}
	err  error // a *StateError
}

// errClosed is the answer of a closed table.
var errClosed = errors.New("the table of leases is closed")

// NewTable makes a table. It reads its journal at the first use, or in Load.
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

// beginning is above all epochs that this clock gave so far, because the table gives fewer than one per millisecond. Epochs thus grow
// even after the journal was lost.
func (t *Table) beginning() uint64 { return uint64(max(t.o.Now().UnixMilli(), 0)) }

func newTicket() *ticket { return &ticket{done: make(chan struct{})} }

// slack is how far a lease may be ahead of the journal: each use renews a lease in memory, but only some renewals are written.
func slack(ttl time.Duration) time.Duration { return ttl / 10 }

// Load waits until the journal is read; a *StateError if that fails, and the next caller tries again. It expires the leases that ended
// while no process ran, and marks those as lost that another home took meanwhile.
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
		t.o.Log.Error("cannot read the leases; no device is handed out", "error", err)
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

// enter takes the mutex once the journal is read and the table is open. On an error it does not take it.
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

// held gives all leases with a holder, in random order.
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

// put makes a decision: the table has it now, and the journal gets it later.
func (t *Table) put(e Event) {
	t.now[e.Lease.Resource] = e.Lease
	t.pending = append(t.pending, e)
	if !t.writing {
		t.writing = t.start(t.write)
	}
	t.extend(e.Lease)
}

// write gives the decisions to the journal, in batches, until no more are pending.
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

// save gives a batch to the journal, without the mutex. A journal that lost its content gets all leases again.
func (t *Table) save(batch []Event) error {
	if t.o.Journal == nil {
		return nil
	}
	err := t.unlocked(func() error { return t.o.Journal.Save(batch) })
	var forgotten *ForgottenError
	if !errors.As(err, &forgotten) {
		return err
	}
	t.o.Log.Error("writing the whole journal again", "error", err)
	all := make([]Event, 0, len(t.kept)+len(batch))
	for _, l := range t.kept {
		all = append(all, Event{At: l.Used, What: Renewed, Lease: l})
	}
	return t.unlocked(func() error { return t.o.Journal.Save(append(all, batch...)) })
}

// unlocked runs I/O without the mutex.
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

// fallBack returns to the journal's state. All later decisions may rest on the failed one, so they fail with it. A command that has
// begun keeps its lease as long as this process lives.
func (t *Table) fallBack(err error) {
	t.o.Log.Error("cannot write the leases", "error", err)
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
	t.arm() // pump would write the expired leases, fail and expire them again without an end
}

// durable waits until a write is done and the locks of the resources are in the wanted state.
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

// wait waits for an event. An event that has happened counts even if ctx has ended. A nil channel counts as an event that has happened.
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
