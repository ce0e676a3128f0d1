package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// waiter is a caller in the queue. It is served in two steps. Under the mutex it reserves its resources. When the locks against other
// homes are taken, it gets all of them; if a lock fails, its reservations end.
type waiter struct {
	Request
	use      bool                       // the waiter begins a command
	reserved map[string]*reservation    // resources whose locks are being taken for it
	refused  map[string]*ElsewhereError // resources of other homes
	ready    chan struct{}              // closed when got or err is set
	err      error                      // a *BusyError or a *RepeatError
	got      []Lease
	ticket   *ticket // of the write that makes got durable; nil: no write is needed
}

func newWaiter(r Request) *waiter {
	r.Count = max(r.Count, 1)
	return &waiter{Request: r, reserved: map[string]*reservation{}, refused: map[string]*ElsewhereError{}, ready: make(chan struct{})}
}

// may reports whether a waiter can have a resource: a free resource or its own. For a command, a co-driver's resource counts too.
func (w *waiter) may(l Lease) bool {
	return l.Free() || Who{w.Holder, w.By}.Owns(l) || w.use && l.DrivenBy(w.Holder) || w.passesOn(l)
}

// passesOn reports whether a claim is for a resource that its caller got by driving it: the caller then hands it to the named holder.
func (w *waiter) passesOn(l Lease) bool {
	return w.Kind == Claim && l.Held() && l.Kind == Implicit && l.Holder == w.By && w.By != w.Holder
}

// coDrivers are the co-drivers of a lease together with the session that asks in the holder's name.
func (r Request) coDrivers(now Names) Names {
	if r.By == r.Holder {
		return now
	}
	return now.With(r.By)
}

// Acquire gives the holder all of its wish or nothing; then it returns a *BusyError. Resources that the holder already has count and
// are renewed, so a second identical request changes nothing. A caller whose ctx ends gets nothing.
func (t *Table) Acquire(ctx context.Context, r Request) ([]Lease, error) {
	if r.Holder == "" {
		return nil, errors.New("a lease needs a holder")
	}
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	w := newWaiter(r)
	if err := t.stand(ctx, w); err != nil {
		return nil, err
	}
	err := t.durable(ctx, w.ticket, names(w.got)...)
	if err != nil && ctx.Err() != nil {
		t.giveBack(w)
	}
	if err != nil {
		return nil, err
	}
	return w.got, nil
}

// stand waits in the queue until the waiter is served or refused, or its ctx ends. The caller holds the mutex; stand releases it.
func (t *Table) stand(ctx context.Context, w *waiter) error {
	t.queue = append(t.queue, w)
	t.pump()
	t.mu.Unlock()
	if err := wait(ctx, w.ready); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		select {
		case <-w.ready: // served in the same moment
		default:
			t.queue = slices.DeleteFunc(t.queue, func(q *waiter) bool { return q == w })
			t.letGo(w)
			t.unclaim(w)
			t.serveAll()
			return fmt.Errorf("%w: %w", err, t.busyFor(w))
		}
	}
	return w.err
}

// giveBack releases the grant of a caller that has left without using it.
func (t *Table) giveBack(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range w.got {
		if is := t.look(l.Resource); l.undoes(is) {
			is.Reset = NoReset
			t.put(undone(is, "its caller left", t.o.Now()))
		}
	}
	t.pump()
}

// undoes reports whether the grant of a lease can be undone: it is still the latest grant of the resource.
func (l Lease) undoes(is Lease) bool { return l.turn != 0 && is.Held() && is.turn == l.turn }

// undone is the end of an unused lease. A repeat of its claim starts again.
func undone(l Lease, reason string, now time.Time) Event {
	l.Claim = ClaimID{}
	return ended(l, Released, reason, now)
}

// Undo releases the grant of an Acquire. It keeps resources that the holder had before, or that were granted again since by a repeat of
// the claim.
func (t *Table) Undo(ctx context.Context, l Lease, reason string) error {
	_, err := t.change(ctx, l.Resource, func(is Lease, now time.Time) (*Event, error) {
		if !l.undoes(is) {
			return nil, nil
		}
		e := undone(is, reason, now)
		return &e, nil
	})
	return err
}

// busyFor is the reason why a waiter got nothing.
func (t *Table) busyFor(w *waiter) *BusyError {
	busy := &BusyError{}
	for _, name := range w.Among(t.look) {
		if l := t.look(name); !w.may(l) {
			busy.Held = append(busy.Held, l)
		} else if other := w.refused[name]; other != nil {
			busy.Elsewhere = append(busy.Elsewhere, other)
		}
	}
	return busy
}

// pump serves the queue after a change: expired leases become free, and resources of other homes are tried again.
func (t *Table) pump() {
	t.expire()
	t.serveAll()
	t.probe()
	t.arm()
}

// probe tries to lock the resources that other homes had. It reserves them for no waiter: the first in the queue gets them.
func (t *Table) probe() {
	for _, w := range t.queue {
		for name := range w.refused {
			if !t.secured(name) && !t.reserved(name, nil) {
				t.reserve(name, &reservation{until: t.o.Now().Add(w.TTL), brief: true})
			}
		}
	}
}

// serveAll gives free resources to the waiters in their order. Afterwards no waiter wants a free unreserved resource, so a newcomer
// cannot overtake the queue.
func (t *Table) serveAll() {
	for t.freed = true; t.freed; {
		t.freed = false
		t.queue = slices.DeleteFunc(t.queue, t.serve)
	}
}

// serve tries to give a waiter all of its wish, and reports whether the waiter has its answer.
func (t *Table) serve(w *waiter) bool {
	if t.locking(w) {
		return false
	}
	if first := t.first(w); first.Claim != w.Claim {
		return t.answer(w, &RepeatError{ID: w.Claim.ID})
	} else if first != w {
		return false
	}
	before, err := t.claimed(w.Claim)
	if err != nil {
		return t.answer(w, err)
	}
	picked, undecided := t.pick(w, before)
	if len(picked) < w.Count {
		if w.Wait || undecided {
			t.letGo(w)
			return false
		}
		return t.answer(w, t.busyFor(w))
	}
	if !t.reserveAll(w, picked) {
		return false
	}
	now := t.o.Now()
	for _, l := range picked {
		t.hand(w, l, now)
	}
	return t.answer(w, nil)
}

// answer ends the wait of a waiter.
func (t *Table) answer(w *waiter, err error) bool {
	t.letGo(w)
	t.unclaim(w)
	w.err = err
	close(w.ready)
	return true
}

// first is the earliest waiter with a claim's id. A later waiter with the same claim waits for its answer and gets the same.
func (t *Table) first(w *waiter) *waiter {
	if w.Claim.ID == "" {
		return w
	}
	if t.claims[w.Claim.ID] == nil {
		t.claims[w.Claim.ID] = w
	}
	return t.claims[w.Claim.ID]
}

// unclaim lets the repeats of a waiter's claim be served.
func (t *Table) unclaim(w *waiter) {
	if t.claims[w.Claim.ID] == w {
		delete(t.claims, w.Claim.ID)
		t.freed = true
	}
}

// claimed gives the resources of an earlier claim with the same id; a *RepeatError if they were released, or if the claim differs.
func (t *Table) claimed(c ClaimID) (held []string, err error) {
	if c.ID == "" {
		return nil, nil
	}
	ended := false
	for name, l := range t.now {
		switch {
		case l.Claim.ID != c.ID:
		case l.Claim != c:
			return nil, &RepeatError{ID: c.ID}
		case l.Held():
			held = append(held, name)
		default:
			ended = true
		}
	}
	if ended && len(held) == 0 {
		return nil, &RepeatError{ID: c.ID, Ended: true}
	}
	slices.SortFunc(held, func(a, b string) int { return cmp.Compare(t.now[a].Epoch, t.now[b].Epoch) }) // in the order of their grants
	return held, nil
}

// locking reports whether the guard is still taking locks for a waiter, and notes the resources that other homes have.
func (t *Table) locking(w *waiter) (still bool) {
	for name, r := range w.reserved {
		switch {
		case r.other != nil:
			w.refused[name] = r.other
			delete(w.reserved, name)
		case !t.secured(name):
			still = true
		}
	}
	return still
}

// pick gives the best resources that a waiter may have now. It is undecided while a wanted resource is reserved for another waiter,
// because that one may be free in a moment. The resources of an earlier grant of the claim come first. While their locks are being
// taken, as after a restart, neither free resources nor the holder's others replace them.
func (t *Table) pick(w *waiter, before []string) (picked []Lease, undecided bool) {
	for i, name := range append(before, w.Among(t.look)...) {
		l := t.look(name)
		switch {
		case i >= len(before) && slices.Contains(before, name):
			continue
		case !w.may(l), w.refused[name] != nil && !t.secured(name):
			continue
		case t.reserved(name, w.reserved[name]):
			if l.Held() {
				return nil, true
			}
			undecided = true
			continue
		}
		if picked = append(picked, l); len(picked) == w.Count {
			break
		}
	}
	return picked, undecided
}

// reserveAll reserves the picked resources if any of them needs a lock first. It reports whether all of them are locked.
func (t *Table) reserveAll(w *waiter, picked []Lease) bool {
	if !slices.ContainsFunc(picked, func(l Lease) bool { return !t.secured(l.Resource) }) {
		return true
	}
	for name, r := range w.reserved {
		if !slices.ContainsFunc(picked, func(l Lease) bool { return l.Resource == name }) {
			delete(w.reserved, name)
			t.unreserve(name, r)
		}
	}
	until := t.o.Now().Add(w.TTL)
	for _, l := range picked {
		if w.reserved[l.Resource] == nil {
			r := &reservation{until: until}
			w.reserved[l.Resource] = r
			t.reserve(l.Resource, r)
		}
	}
	return false
}

// letGo ends a waiter's reservations.
func (t *Table) letGo(w *waiter) {
	for name, r := range w.reserved {
		delete(w.reserved, name)
		t.unreserve(name, r)
	}
}

// hand gives a waiter one resource.
func (t *Table) hand(w *waiter, l Lease, now time.Time) {
	if w.passesOn(l) {
		t.put(ended(l, Released, "claimed as "+w.Holder, now))
		l = t.look(l.Resource)
	}
	own := !l.Free()
	if own && w.use {
		l = t.touch(l)
	} else {
		l = t.grant(l, w.Request, now)
		w.ticket = t.ticket
	}
	if own {
		l.turn = 0 // the waiter cannot undo it
	}
	if w.use {
		t.uses[l.Epoch]++ // from now on, so that the lease cannot expire during the write
	}
	w.got = append(w.got, l)
}

// grant gives a resource to a holder. The holder's own lease keeps its epoch and gets no weaker.
func (t *Table) grant(l Lease, r Request, now time.Time) Lease {
	own := l.Holder == r.Holder
	if !own {
		t.epoch++
		l.Epoch, l.Since, l.Holder, l.Kind, l.TTL, l.Reset, l.Claim = t.epoch, now, r.Holder, r.Kind, r.TTL, r.Reset, r.Claim
	} else if r.Kind == Claim {
		if l.Kind != Claim {
			l.Since = now
		}
		l.Kind, l.TTL = Claim, r.TTL
		if r.Reset != "" {
			l.Reset = r.Reset
		}
		if r.Claim.ID != "" {
			l.Claim = r.Claim
		}
	}
	t.turns++
	l.turn = t.turns
	l.Used, l.Expires = now, now.Add(l.TTL)
	e := Event{At: now, What: Claimed}
	if own {
		e.What = Renewed
	}
	if drivers := r.coDrivers(l.CoDrivers); drivers != l.CoDrivers {
		l.CoDrivers, e.Reason = drivers, "driven by "+r.By+" too"
	}
	e.Lease = l
	t.put(e)
	return l
}
