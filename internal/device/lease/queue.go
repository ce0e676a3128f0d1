package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// waiter is a caller in the queue. It is served in two steps: under the mutex it reserves what it will get; when the locks
// against other homes are there it is given all of it, or what it reserved is free again.
type waiter struct {
	Request
	use      bool                       // it begins a command
	reserved map[string]*reservation    // what is being locked for it
	refused  map[string]*ElsewhereError // what another home has
	ready    chan struct{}              // closed when got or err is filled
	err      error                      // a *BusyError or a *RepeatError
	got      []Lease
	ticket   *ticket // of the write that makes got durable; nil: there is nothing to write
}

func newWaiter(r Request) *waiter {
	r.Count = max(r.Count, 1)
	return &waiter{Request: r, reserved: map[string]*reservation{}, refused: map[string]*ElsewhereError{}, ready: make(chan struct{})}
}

// may reports whether a waiter can have a resource: it is free or the waiter's own; a command's also when it is a co-driver.
func (w *waiter) may(l Lease) bool {
	return l.Free() || Who{w.Holder, w.By}.Owns(l) || w.use && l.DrivenBy(w.Holder) || w.passesOn(l)
}

// passesOn reports whether a claim is of what its caller got by driving it: the caller gives it to the holder it names.
func (w *waiter) passesOn(l Lease) bool {
	return w.Kind == Claim && l.Held() && l.Kind == Implicit && l.Holder == w.By && w.By != w.Holder
}

// coDrivers are those of a lease and who asks for it in the holder's name.
func (r Request) coDrivers(now Names) Names {
	if r.By == r.Holder {
		return now
	}
	return now.With(r.By)
}

// Acquire gives the holder what it wants, all of it or nothing, or a *BusyError. What it holds already counts and is
// renewed: asking twice is asking once. A caller whose ctx ends is given nothing.
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

// stand waits in the queue until the waiter is served, refused, or its ctx ends. The caller holds the mutex, which is given
// up.
func (t *Table) stand(ctx context.Context, w *waiter) error {
	t.queue = append(t.queue, w)
	t.pump()
	t.mu.Unlock()
	if err := wait(ctx, w.ready); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		select {
		case <-w.ready: // in the same moment
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

// giveBack releases what was given to a caller that has left. Nothing was done with it.
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

// undoes reports whether the grant of a lease can be undone: it was given by that grant, and by no other since.
func (l Lease) undoes(is Lease) bool { return l.turn != 0 && is.Held() && is.turn == l.turn }

// undone is the end of a lease that was given in vain. A repeat of its claim begins anew.
func undone(l Lease, reason string, now time.Time) Event {
	l.Claim = ClaimID{}
	return ended(l, Released, reason, now)
}

// Undo releases what Acquire has given and the holder did not have before, unless it was given again since: to a repeat of the
// same claim.
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

// busyFor says why a waiter got nothing.
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

// pump serves the queue after a change: what has run out is free, and what another home had may be free too.
func (t *Table) pump() {
	t.expire()
	t.serveAll()
	t.probe()
	t.arm()
}

// probe tries to lock what those in the queue were refused. It is reserved for nobody meanwhile: who came first gets it.
func (t *Table) probe() {
	for _, w := range t.queue {
		for name := range w.refused {
			if !t.secured(name) && !t.reserved(name, nil) {
				t.reserve(name, &reservation{until: t.o.Now().Add(w.TTL), brief: true})
			}
		}
	}
}

// serveAll gives what is free to those who wait for it, in the order they came. Nothing that is free and not reserved is
// wanted by somebody in the queue afterwards: a newcomer cannot overtake.
func (t *Table) serveAll() {
	for t.freed = true; t.freed; {
		t.freed = false
		t.queue = slices.DeleteFunc(t.queue, t.serve)
	}
}

// serve tries to give a waiter all it wants, and reports whether it has its answer.
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

// answer ends the waiting of a waiter.
func (t *Table) answer(w *waiter, err error) bool {
	t.letGo(w)
	t.unclaim(w)
	w.err = err
	close(w.ready)
	return true
}

// first is the waiter that came first with the id of a claim. One that came later and makes the same claim waits for its answer, and then
// gets the same.
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

// claimed gives what a claim got before; a *RepeatError when that has ended, or was another claim.
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
	slices.SortFunc(held, func(a, b string) int { return cmp.Compare(t.now[a].Epoch, t.now[b].Epoch) }) // as they were given
	return held, nil
}

// locking reports whether locks for a waiter are still being taken, and notes which of them other homes have.
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

// pick gives the best of what a waiter may have now. It is undecided when something it wants is reserved for another: that
// may be free again in a moment. What the claim got before comes first; while its lock is being taken, as after a restart, nothing else is
// given instead of it, nor of what the holder has.
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

// reserveAll reserves what was picked if any of it has to be locked first. It reports whether all of it is.
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
		l.turn = 0 // it is not the waiter's to undo
	}
	if w.use {
		t.uses[l.Epoch]++ // from now on: it must not run out while it is written
	}
	w.got = append(w.got, l)
}

// grant gives a resource to a holder. Its own lease is kept, epoch and all, and made no weaker than it was.
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
