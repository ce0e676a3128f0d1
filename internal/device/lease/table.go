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

// Table is the authority over this host's resources. It is safe for concurrent use. What it decides it decides at once and
// in memory; callers are answered when the journal has it. Many callers share one write.
type Table struct {
	Options
	loaded sync.Once

	mu      sync.Mutex
	now     map[string]Lease // as decided
	kept    map[string]Lease // as the journal has it; what a failed write falls back to
	epoch   uint64
	uses    map[uint64]int // commands under way, by epoch: what is in use does not expire
	queue   []*waiter
	pending []Event // decided, not yet handed to the journal
	ticket  *ticket // of the pending ones
	writing *ticket // what the journal has in hand; nil: nothing
	failing bool    // the journal's last answer
	watch   map[*watcher]bool
	alarm   func() // stops the timer
	closed  bool
}

// ticket is what the callers of one write wait for.
type ticket struct {
	done chan struct{}
	err  error
}

type waiter struct {
	Request
	got       []Lease
	ticket    *ticket
	ready     chan struct{} // closed when got is filled
	elsewhere []*ElsewhereError
}

var _ Authority = (*Table)(nil)

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
	return &Table{Options: o, now: map[string]Lease{}, kept: map[string]Lease{}, uses: map[uint64]int{}, watch: map[*watcher]bool{}, ticket: newTicket()}
}

func newTicket() *ticket { return &ticket{done: make(chan struct{})} }

// slack is how much younger a lease may be than the journal says: use renews a lease at once, and the journal now and then.
func slack(ttl time.Duration) time.Duration { return ttl / 10 }

// Load reads the journal. What ran out while nobody watched is expired; what another home took meanwhile is lost.
func (t *Table) Load() { t.loaded.Do(t.load) }

func (t *Table) load() {
	if t.Journal == nil {
		return
	}
	all, err := t.Journal.Load()
	if err != nil {
		t.Log.Error("the leases cannot be read; starting with none", "error", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range all {
		t.kept[l.Resource] = l
		if l.Held() {
			l.Expires = l.Expires.Add(slack(l.TTL))
		}
		t.now[l.Resource] = l
		t.epoch = max(t.epoch, l.Epoch)
	}
	t.expire()
	for _, l := range slices.Collect(t.held()) {
		if err := t.lock(l.Resource, l.Expires); err != nil {
			t.Log.Warn("a lease was lost", "resource", l.Resource, "holder", l.Holder, "error", err)
			t.free(l, Lost, err.Error())
		}
	}
	t.arm()
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

// Acquire gives the holder what it wants, all of it or nothing, or a *BusyError. What it holds already counts and is
// renewed: asking twice is asking once.
func (t *Table) Acquire(ctx context.Context, r Request) ([]Lease, error) {
	if r.Holder == "" {
		return nil, errors.New("a lease needs a holder")
	}
	t.Load()
	r.Count = max(r.Count, 1)
	w := &waiter{Request: r, ready: make(chan struct{})}
	t.mu.Lock()
	t.queue = append(t.queue, w)
	t.pump()
	if w.got == nil && !r.Wait {
		busy := t.leave(w)
		t.mu.Unlock()
		return nil, busy
	}
	t.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		t.mu.Lock()
		if w.got == nil {
			busy := t.leave(w)
			t.mu.Unlock()
			return nil, fmt.Errorf("%w: %w", ctx.Err(), busy)
		}
		t.mu.Unlock() // granted in the same moment: the caller has it, and returns it if it does not want it any more
	}
	<-w.ticket.done
	if w.ticket.err != nil {
		return nil, &JournalError{w.ticket.err}
	}
	return w.got, nil
}

// leave takes a waiter out of the queue and says what it waited for.
func (t *Table) leave(w *waiter) *BusyError {
	t.queue = slices.DeleteFunc(t.queue, func(q *waiter) bool { return q == w })
	busy := &BusyError{Elsewhere: w.elsewhere}
	for _, name := range w.Among(t.look) {
		if l := t.look(name); l.Held() && l.Holder != w.Holder {
			busy.Held = append(busy.Held, l)
		}
	}
	return busy
}

func (t *Table) look(resource string) Lease {
	l := t.now[resource]
	l.Resource = resource
	return l
}

// pump gives what is free to those who wait for it, in the order they came. It runs after every change, so that nothing
// free is ever wanted by somebody in the queue: a newcomer cannot overtake.
func (t *Table) pump() {
	t.expire()
	t.queue = slices.DeleteFunc(t.queue, t.serve)
	t.arm()
}

// serve tries to give a waiter all it wants.
func (t *Table) serve(w *waiter) bool {
	now := t.Now()
	var picked []Lease
	w.elsewhere = nil
	for _, name := range w.Among(t.look) {
		l := t.look(name)
		if l.Holder != w.Holder && !l.Free() {
			continue
		}
		if err := t.lock(name, now.Add(w.TTL)); err != nil {
			w.elsewhere = append(w.elsewhere, err)
			continue
		}
		if picked = append(picked, l); len(picked) == w.Count {
			break
		}
	}
	if len(picked) < w.Count {
		for _, l := range picked {
			if !l.Held() {
				t.unlock(l.Resource)
			}
		}
		return false
	}
	for _, l := range picked {
		w.got = append(w.got, t.grant(l, w.Request, now))
	}
	w.ticket = t.ticket
	close(w.ready)
	return true
}

// grant gives a resource to a holder. Its own lease is kept, epoch and all, and made no weaker than it was.
func (t *Table) grant(l Lease, r Request, now time.Time) Lease {
	own := l.Holder == r.Holder
	if !own {
		t.epoch++
		l.Epoch, l.Since, l.Holder, l.Kind, l.TTL, l.Reset = t.epoch, now, r.Holder, r.Kind, r.TTL, r.Reset
	} else if r.Kind == Claim {
		if l.Kind != Claim {
			l.Since = now
		}
		l.Kind, l.TTL = Claim, r.TTL
		if r.Reset != "" {
			l.Reset = r.Reset
		}
	}
	l.Used, l.Expires = now, now.Add(l.TTL)
	what := Claimed
	if own {
		what = Renewed
	}
	t.put(Event{At: now, What: what, Lease: l})
	return l
}

// put decides: from here on the table says so, and the journal will.
func (t *Table) put(e Event) {
	t.now[e.Lease.Resource] = e.Lease
	t.pending = append(t.pending, e)
	if t.writing == nil {
		t.writing = t.ticket
		go t.write()
	}
}

// write hands what was decided to the journal, as much at once as has gathered, until there is no more.
func (t *Table) write() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pending) > 0 {
		batch, ticket := t.pending, t.ticket
		t.pending, t.ticket, t.writing = nil, newTicket(), ticket
		if t.Journal != nil {
			t.mu.Unlock()
			ticket.err = t.Journal.Save(batch)
			t.mu.Lock()
		}
		if t.failing = ticket.err != nil; t.failing {
			t.fallBack(ticket.err)
		} else {
			t.settle(batch)
		}
		close(ticket.done)
	}
	t.writing = nil
}

func (t *Table) settle(batch []Event) {
	for _, e := range batch {
		t.kept[e.Lease.Resource] = e.Lease
		t.tell(e)
	}
}

// fallBack returns to what the journal has. Whatever was decided since then rests on what failed, and fails with it.
func (t *Table) fallBack(err error) {
	t.Log.Error("the leases cannot be written", "error", err)
	before := t.now
	t.now = maps.Clone(t.kept)
	if t.pending != nil {
		t.ticket.err = err
		close(t.ticket.done)
		t.pending, t.ticket = nil, newTicket()
	}
	for name := range before {
		was, is := before[name], t.now[name]
		switch {
		case was.Held() && !is.Held():
			t.unlock(name)
		case is.Held() && !was.Held():
			_ = t.lock(name, is.Expires) // we had it a moment ago
		}
	}
	t.arm() // and not pump: what ran out would be written, fail and run out again, without an end
}

// wait returns when everything decided up to now is durable. The caller holds the lock, which is given up meanwhile.
func (t *Table) wait() error {
	ticket := t.ticket
	if len(t.pending) == 0 {
		return nil
	}
	t.mu.Unlock()
	<-ticket.done
	t.mu.Lock()
	if ticket.err != nil {
		return &JournalError{ticket.err}
	}
	return nil
}

func (t *Table) lock(resource string, until time.Time) *ElsewhereError {
	if t.Guard == nil {
		return nil
	}
	err := t.Guard.Lock(resource, until)
	var other *ElsewhereError
	if err != nil && !errors.As(err, &other) {
		t.Log.Warn("no lock against other homes", "resource", resource, "error", err) // theirs to share, as before there were locks
	}
	return other
}

func (t *Table) unlock(resource string) {
	if t.Guard != nil {
		t.Guard.Unlock(resource)
	}
}
