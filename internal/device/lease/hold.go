package lease

import (
	"errors"
	"time"
)

// hold is our lock on one resource against other homes. The guard does I/O: one goroutine a resource calls it, outside the
// mutex, until the lock is as the table wants it.
type hold struct {
	locked  bool      // it is ours, or cannot be locked at all
	written time.Time // until when, as the guard has it
	until   time.Time // until when it should be
	by      *reservation
	busy    chan struct{} // closed when the goroutine ends; nil: there is none
}

// reservation keeps a resource for one caller while its lock is being taken. Nobody else is given it meanwhile.
type reservation struct {
	until time.Time
	brief bool            // it ends when the lock is there
	other *ElsewhereError // who has it: the reservation ended
}

// secured reports whether other homes are kept away from a resource, as far as they can be.
func (t *Table) secured(resource string) bool {
	return t.o.Guard == nil || t.holds[resource] != nil && t.holds[resource].locked
}

// reserved reports whether a resource is reserved for somebody else than r.
func (t *Table) reserved(resource string, r *reservation) bool {
	h := t.holds[resource]
	return h != nil && h.by != nil && h.by != r
}

// reserve keeps a resource for a caller and begins to lock it.
func (t *Table) reserve(resource string, r *reservation) {
	if t.o.Guard == nil {
		return
	}
	h := t.holds[resource]
	if h == nil {
		h = &hold{}
		t.holds[resource] = h
	}
	if h.by = r; !h.locked {
		h.until = r.until
	}
	t.sync(resource)
}

// unreserve ends a reservation; a lock that nobody needs is given back.
func (t *Table) unreserve(resource string, r *reservation) {
	if h := t.holds[resource]; h != nil && h.by == r {
		h.by, t.freed = nil, true
		t.sync(resource)
	}
}

// extend lets the lock of a lease last as long as the lease. A second more or less is not worth a write.
func (t *Table) extend(l Lease) {
	h := t.holds[l.Resource]
	if h == nil {
		return
	}
	if l.Held() && l.Expires.Sub(h.until).Abs() >= time.Second {
		h.until = l.Expires
	}
	t.sync(l.Resource)
}

// wanted reports whether a lock should be ours. A lock is kept until the journal, too, knows that its lease ended: a
// release that cannot be written is none.
func (t *Table) wanted(resource string, h *hold) bool {
	return h.by != nil || h.locked && (t.now[resource].Held() || t.kept[resource].Held())
}

// sync makes sure that a goroutine brings a lock to what the table wants, if it is not.
func (t *Table) sync(resource string) {
	h := t.holds[resource]
	if h == nil || h.busy != nil {
		return
	}
	want := t.wanted(resource, h)
	switch {
	case want && (!h.locked || !h.written.Equal(h.until)), !want && h.locked:
		h.busy = make(chan struct{})
		if !t.start(func() { t.secure(resource, h) }) {
			h.busy = nil
		}
	case !want:
		delete(t.holds, resource)
	}
}

// secure calls the guard until the lock is as the table wants it.
func (t *Table) secure(resource string, h *hold) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		want := t.wanted(resource, h)
		switch {
		case want && (!h.locked || !h.written.Equal(h.until)):
			until := h.until
			t.mu.Unlock()
			err := t.o.Guard.Lock(resource, until)
			t.mu.Lock()
			t.answered(resource, h, until, err)
		case !want && h.locked:
			h.locked = false
			t.mu.Unlock()
			t.o.Guard.Unlock(resource)
			t.mu.Lock()
		default:
			close(h.busy)
			if h.busy = nil; !want {
				delete(t.holds, resource)
			}
			t.serveAll()
			return
		}
	}
}

// answered notes what the guard said. Where there can be no lock, the resource is shared with other homes.
func (t *Table) answered(resource string, h *hold, until time.Time, err error) {
	r := h.by
	var other *ElsewhereError
	if errors.As(err, &other) {
		h.locked, h.by = false, nil
		if r != nil {
			r.other = other
		}
		if l := t.look(resource); l.Held() {
			t.o.Log.Warn("a lease was lost", "resource", resource, "holder", l.Holder, "error", err)
			t.put(ended(l, Lost, err.Error(), t.o.Now()))
		}
		t.serveAll()
		return
	}
	if err != nil {
		t.o.Log.Warn("no lock against other homes", "resource", resource, "error", err)
	}
	h.locked, h.written = true, until
	if r != nil && r.brief {
		h.by = nil
	}
	t.serveAll()
}

// busyWith is closed when the guard is done with a resource; nil when it does nothing.
func (t *Table) busyWith(resource string) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.holds[resource]; h != nil {
		return h.busy
	}
	return nil
}
