package lease

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// change makes a decision about one resource and waits until it is durable. decide returns no event if the lease needs no change.
func (t *Table) change(ctx context.Context, resource string, decide func(l Lease, now time.Time) (*Event, error)) (Lease, error) {
	if err := t.proven(ctx, resource); err != nil {
		return Lease{Resource: resource}, err
	}
	t.pump()
	l := t.look(resource)
	e, err := decide(l, t.o.Now())
	if err != nil || e == nil {
		t.mu.Unlock()
		return l, err
	}
	t.put(*e)
	ticket := t.ticket
	t.pump()
	t.mu.Unlock()
	return e.Lease, t.durable(ctx, ticket, resource)
}

// proven takes the mutex, as enter does, once it is known whether a lease of an earlier process still belongs to this home: either this
// home has the lock, or another home has it.
func (t *Table) proven(ctx context.Context, resource string) error {
	for {
		if err := t.enter(ctx); err != nil {
			return err
		}
		h := t.holds[resource]
		if h == nil || h.locked || h.busy == nil || !t.now[resource].Held() {
			return nil
		}
		busy := h.busy
		t.mu.Unlock()
		if err := wait(ctx, busy); err != nil {
			return err
		}
	}
}

// Renew gives a lease its full lifetime again; a *NotHolderError if it belongs to another holder.
func (t *Table) Renew(ctx context.Context, who Who, resource string) (Lease, error) {
	return t.change(ctx, resource, func(l Lease, now time.Time) (*Event, error) {
		if !who.Owns(l) {
			return nil, &NotHolderError{l, who.name()}
		}
		l.Used, l.Expires = now, now.Add(l.TTL)
		return &Event{At: now, What: Renewed, Lease: l}, nil
	})
}

// Release ends a lease; a *NotHolderError if it belongs to another holder. A free resource counts as released.
func (t *Table) Release(ctx context.Context, who Who, resource string) (Lease, error) {
	return t.change(ctx, resource, func(l Lease, now time.Time) (*Event, error) {
		switch {
		case !l.Held():
			return nil, nil
		case !who.Owns(l):
			return nil, &NotHolderError{l, who.name()}
		}
		e := ended(l, Released, "", now)
		return &e, nil
	})
}

// Clean records that the reset of a released resource is done.
func (t *Table) Clean(ctx context.Context, resource string, epoch uint64) error {
	_, err := t.change(ctx, resource, func(l Lease, now time.Time) (*Event, error) {
		if !l.Dirty || l.Epoch != epoch {
			return nil, nil
		}
		l.Dirty, l.Reset = false, ""
		return &Event{At: now, What: Cleaned, Lease: l}, nil
	})
	return err
}

// Amend replaces the reset of a resource at the end of its lease. It becomes durable with the next change.
func (t *Table) Amend(ctx context.Context, who Who, resource, reset string) error {
	if err := t.enter(ctx); err != nil {
		return err
	}
	defer t.mu.Unlock()
	if l := t.look(resource); who.Owns(l) {
		l.Reset = reset
		t.now[resource] = l
	}
	return nil
}

// ended is the end of a lease by any holder.
func ended(l Lease, what, reason string, now time.Time) Event {
	from := l.Holder
	l.Holder, l.CoDrivers = "", ""
	l.Dirty = l.Reset != "" && l.Reset != NoReset && what != Lost
	if what != Expired {
		l.Used = now // an expired lease keeps the time of its last use
	}
	return Event{At: now, What: what, Lease: l, From: from, Reason: reason}
}

// TakeOver gives a resource to a holder although another has it. Running commands of the earlier holder fail from then on, because
// their epoch is older.
func (t *Table) TakeOver(ctx context.Context, r Request, resource, reason string) (now, before Lease, err error) {
	mine, err := t.lockFor(ctx, resource, r.TTL)
	if err != nil {
		return Lease{Resource: resource}, Lease{Resource: resource}, err
	}
	t.expire()
	before = t.look(resource)
	at := t.o.Now()
	t.epoch++
	now = Lease{
		Resource: resource, Holder: r.Holder, Kind: r.Kind, Epoch: t.epoch,
		Since: at, Used: at, Expires: at.Add(r.TTL), TTL: r.TTL, Reset: r.Reset, CoDrivers: r.coDrivers(""),
	}
	t.put(Event{At: at, What: TakenOver, Lease: now, From: before.Holder, Reason: reason})
	t.unreserve(resource, mine)
	ticket := t.ticket
	t.pump()
	t.mu.Unlock()
	return now, before, t.durable(ctx, ticket, resource)
}

// lockFor takes the mutex once other homes are locked out of a resource, and gives the reservation for it; a *BusyError if another home
// has the resource.
func (t *Table) lockFor(ctx context.Context, resource string, ttl time.Duration) (*reservation, error) {
	mine := &reservation{}
	for {
		if err := t.enter(ctx); err != nil {
			t.abandon(resource, mine)
			return nil, err
		}
		if t.secured(resource) {
			return mine, nil
		}
		if !t.reserved(resource, mine) {
			mine.until = t.o.Now().Add(ttl)
			t.reserve(resource, mine)
		}
		busy := t.holds[resource].busy
		t.mu.Unlock()
		if err := wait(ctx, busy); err != nil {
			t.abandon(resource, mine)
			return nil, err
		}
		if mine.other != nil {
			return nil, &BusyError{Elsewhere: []*ElsewhereError{mine.other}}
		}
	}
}

// abandon ends the reservation of a caller that left.
func (t *Table) abandon(resource string, r *reservation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unreserve(resource, r)
	t.serveAll()
}

// Expire ends and returns the expired leases. If the journal fails, the next change writes them again.
func (t *Table) Expire(ctx context.Context) ([]Lease, error) {
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	out := t.expire()
	ticket := t.ticket
	t.pump()
	t.mu.Unlock()
	if len(out) == 0 {
		return nil, nil
	}
	err := t.durable(ctx, ticket, names(out)...)
	var unwritten *JournalError
	if errors.As(err, &unwritten) {
		err = nil
	}
	return out, err
}

func (t *Table) expire() (out []Lease) {
	now := t.o.Now()
	for l := range t.held() {
		if most := now.Add(l.TTL); l.Expires.After(most) { // the clock went back, which must not extend a lease
			l.Expires = most
			t.now[l.Resource] = l
		}
		if l.Expires.After(now) || t.uses[l.Epoch] > 0 {
			continue
		}
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Lease) int {
		return cmp.Or(a.Expires.Compare(b.Expires), strings.Compare(a.Resource, b.Resource))
	})
	for _, l := range out {
		t.put(ended(l, Expired, "", now))
	}
	return out
}

// retry is the delay after a failed journal write.
const retry = time.Second

// arm sets the timer for the next lease that may expire.
func (t *Table) arm() {
	if t.alarm != nil {
		t.alarm()
		t.alarm = nil
	}
	var next time.Time
	for l := range t.held() {
		if t.uses[l.Epoch] == 0 && (next.IsZero() || l.Expires.Before(next)) {
			next = l.Expires
		}
	}
	wait := time.Millisecond
	if t.failing {
		wait = retry
	}
	if !next.IsZero() && !t.closed {
		t.alarm = t.o.Timer(max(next.Sub(t.o.Now()), wait), t.Poke)
	}
}

// Poke serves the queue again after a change outside the table or after some time.
func (t *Table) Poke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.pump()
	}
}

// Get is the state of a resource.
func (t *Table) Get(ctx context.Context, resource string) (Lease, error) {
	if err := t.enter(ctx); err != nil {
		return Lease{Resource: resource}, err
	}
	defer t.mu.Unlock()
	t.pump()
	return t.look(resource), nil
}

// All is the state of every known resource.
func (t *Table) All(ctx context.Context) (map[string]Lease, error) {
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	t.pump()
	out := make(map[string]Lease, len(t.now))
	for name := range t.now {
		out[name] = t.look(name)
	}
	return out, nil
}

// Close stops the timer and waits for the journal and the guard. Leases survive it, because they do not belong to the process.
func (t *Table) Close() error {
	t.mu.Lock()
	t.closed = true
	if t.alarm != nil {
		t.alarm()
		t.alarm = nil
	}
	last := t.ticket
	t.mu.Unlock()
	t.work.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.watch {
		w.end()
		delete(t.watch, w)
	}
	if last.err != nil {
		return &JournalError{last.err}
	}
	return nil
}
