package lease

import (
	"errors"
	"time"
)

// hold is this home's lock on one resource against other homes. The guard does I/O, so one goroutine per resource calls it outside the
// mutex until the lock is in the state that the table wants.
type hold struct {
	locked  bool      // this home has the lock, or the resource cannot be locked
	written time.Time // end of the lock as the guard has written it
	until   time.Time // wanted end of the lock
	by      *reservation
	busy    chan struct{} // closed when the goroutine ends; nil: no goroutine runs
}

// reservation keeps a resource for one caller while the guard takes its lock. No other caller gets the resource meanwhile.
type reservation struct {
	until time.Time
	brief bool            // the reservation ends when the lock is taken
	other *ElsewhereError // the home that has the resource: the reservation has ended
}

// secured reports whether other homes are locked out of a resource, as far as that is possible.
func (t *Table) secured(resource string) bool {
	return t.o.Guard == nil || t.holds[resource] != nil && t.holds[resource].locked
}

// reserved reports whether a resource is reserved for another caller than r.
func (t *Table) reserved(resource string, r *reservation) bool {
	h := t.holds[resource]
	return h != nil && h.by != nil && h.by != r
}

// reserve keeps a resource for a caller and starts to lock it.
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

// unreserve ends a reservation and releases an unneeded lock.
func (t *Table) unreserve(resource string, r *reservation) {
	if h := t.holds[resource]; h != nil && h.by == r {
		h.by, t.freed = nil, true
		t.sync(resource)
	}
}

// extend makes the lock of a lease last as long as the lease. A difference of a second is not worth a write.
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

// wanted reports whether this home needs the lock. The lock stays until the journal has the end of its lease: a release counts only
// once it is written.
func (t *Table) wanted(resource string, h *hold) bool {
	return h.by != nil || h.locked && (t.now[resource].Held() || t.kept[resource].Held())
}

// sync starts a goroutine that brings a lock to the wanted state, unless the lock is in it.
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

// secure calls the guard until the lock is in the wanted state.
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

// answered records the guard's answer. A resource that cannot be locked is shared with other homes.
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
		t.o.Log.Warn("cannot lock a device against other homes", "resource", resource, "error", err)
	}
	h.locked, h.written = true, until
	if r != nil && r.brief {
		h.by = nil
	}
	t.serveAll()
}

// busyWith is closed when the guard has finished with a resource; nil if the guard is idle.
func (t *Table) busyWith(resource string) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.holds[resource]; h != nil {
		return h.busy
	}
	return nil
}
