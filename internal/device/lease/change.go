package lease

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// Renew makes a lease last for its whole time again; a *NotHolderError when it is not the holder's.
func (t *Table) Renew(_ context.Context, holder, resource string) (Lease, error) {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pump()
	l := t.look(resource)
	if !l.Held() || l.Holder != holder {
		return l, &NotHolderError{l, holder}
	}
	now := t.Now()
	l.Used, l.Expires = now, now.Add(l.TTL)
	t.put(Event{At: now, What: Renewed, Lease: l})
	_ = t.lock(resource, l.Expires)
	err := t.wait()
	return l, err
}

// Release ends a lease; a *NotHolderError when it is another's. What nobody holds is released already.
func (t *Table) Release(_ context.Context, holder, resource string) (Lease, error) {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pump()
	l := t.look(resource)
	if !l.Held() {
		return l, nil
	}
	if l.Holder != holder {
		return l, &NotHolderError{l, holder}
	}
	l = t.free(l, Released, "")
	t.pump()
	err := t.wait()
	return l, err
}

// Amend says anew what has to be done with a holder's resource when its lease ends. It becomes durable with the next change.
func (t *Table) Amend(holder, resource, reset string) {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.look(resource); l.Held() && l.Holder == holder {
		l.Reset = reset
		t.now[resource] = l
	}
}

// free ends a lease, whoever has it.
func (t *Table) free(l Lease, what, reason string) Lease {
	from, now := l.Holder, t.Now()
	l.Holder, l.Dirty = "", l.Reset != "" && l.Reset != NoReset && what != Lost
	if what != Expired {
		l.Used = now // one that expired was last used when it was used
	}
	t.put(Event{At: now, What: what, Lease: l, From: from, Reason: reason})
	t.unlock(l.Resource)
	return l
}

// TakeOver gives a resource to a holder although another has it. Its commands under way are refused from then on: their
// epoch is an older one.
func (t *Table) TakeOver(_ context.Context, r Request, resource, reason string) (now, before Lease, err error) {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire()
	before = t.look(resource)
	at := t.Now()
	if other := t.lock(resource, at.Add(r.TTL)); other != nil {
		return before, before, &BusyError{Elsewhere: []*ElsewhereError{other}}
	}
	t.epoch++
	now = Lease{Resource: resource, Holder: r.Holder, Kind: r.Kind, Epoch: t.epoch, Since: at, Used: at, Expires: at.Add(r.TTL), TTL: r.TTL, Reset: r.Reset}
	t.put(Event{At: at, What: TakenOver, Lease: now, From: before.Holder, Reason: reason})
	t.pump()
	return now, before, t.wait()
}

// Clean says that what a released resource needed was done.
func (t *Table) Clean(_ context.Context, resource string, epoch uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.look(resource)
	if !l.Dirty || l.Epoch != epoch {
		return nil
	}
	l.Dirty, l.Reset = false, ""
	t.put(Event{At: t.Now(), What: Cleaned, Lease: l})
	t.pump()
	return t.wait()
}

// Expire ends what has run out, and says what that was.
func (t *Table) Expire() []Lease {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	ended := t.expire()
	t.pump()
	_ = t.wait() // one that could not be written is tried again with the next change
	return ended
}

func (t *Table) expire() (ended []Lease) {
	now := t.Now()
	for l := range t.held() {
		if most := now.Add(l.TTL); l.Expires.After(most) { // the clock went back: nobody gains by that
			l.Expires = most
			t.now[l.Resource] = l
		}
		if l.Expires.After(now) || t.uses[l.Epoch] > 0 {
			continue
		}
		ended = append(ended, l)
	}
	slices.SortFunc(ended, func(a, b Lease) int {
		return cmp.Or(a.Expires.Compare(b.Expires), strings.Compare(a.Resource, b.Resource))
	})
	for _, l := range ended {
		t.free(l, Expired, "")
	}
	return ended
}

// retry is how soon a journal that failed is tried again.
const retry = time.Second

// arm sets the timer for the next lease that may run out.
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
		t.alarm = t.Timer(max(next.Sub(t.Now()), wait), t.Poke)
	}
}

// Poke looks again: the world outside changed, or time passed.
func (t *Table) Poke() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.pump()
	}
}

// Get tells how a resource is.
func (t *Table) Get(resource string) Lease {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pump()
	return t.look(resource)
}

// All tells of every resource anything is known of.
func (t *Table) All() map[string]Lease {
	t.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pump()
	out := make(map[string]Lease, len(t.now))
	for name := range t.now {
		out[name] = t.look(name)
	}
	return out
}

// Waiting counts those who wait.
func (t *Table) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// Close stops the timer and waits for the journal. Leases stay as they are: they are not the process's.
func (t *Table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.alarm != nil {
		t.alarm()
	}
	err := t.wait()
	for t.writing != nil {
		last := t.writing
		t.mu.Unlock()
		<-last.done
		t.mu.Lock()
	}
	for w := range t.watch {
		w.end()
		delete(t.watch, w)
	}
	return err
}
