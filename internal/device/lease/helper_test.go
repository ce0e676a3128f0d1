package lease_test

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/device/lease"
)

// memory is a journal that outlives its table, and can be made to fail.
type memory struct {
	mu     sync.Mutex
	kept   map[string]lease.Lease
	epoch  uint64 // outlives what is kept
	events []lease.Event
	saves  int
	broken error
	dead   bool
	lost   bool // what was kept is gone, and nobody was told yet
}

var errFull = errors.New("no space left on device")

func (m *memory) Load() (lease.Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return lease.Kept{Leases: slices.Collect(maps.Values(m.kept)), Epoch: m.epoch}, nil
}

func (m *memory) Save(events []lease.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saves++; m.broken != nil || m.dead {
		return m.broken
	}
	if m.lost {
		m.lost = false
		return &lease.ForgottenError{Path: "memory"}
	}
	if m.kept == nil {
		m.kept = map[string]lease.Lease{}
	}
	for _, e := range events {
		m.kept[e.Lease.Resource] = e.Lease
		m.epoch = max(m.epoch, e.Lease.Epoch)
	}
	m.events = append(m.events, events...)
	return nil
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
}

// cut makes the journal deaf to its table: the process is gone.
func (m *memory) cut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
}

func (m *memory) copy() *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &memory{kept: maps.Clone(m.kept), epoch: m.epoch}
}

// forget loses what is kept, while a process runs.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost, m.kept = m.lost || m.kept != nil, nil
}

// request is a claim of one of the resources, in this order.
func request(holder string, among ...string) lease.Request {
	return lease.Request{Holder: holder, Kind: lease.Claim, TTL: claimTime, Among: func(func(string) lease.Lease) []string { return among }}
}

// homes are the locks that two homes share: ours, and another that takes what is free.
type homes struct {
	now func() time.Time
	pid int // of our process that lives

	mu    sync.Mutex
	locks map[string]owned
	calls map[string]int // under way, by resource
	wrong []string
}

type owned struct {
	other bool
	live  bool // the process that locked it lives
	until time.Time
}

// process is the guard of one process of ours; what it does after its end does not count.
type process struct {
	*homes
	pid int
}

func (h process) Lock(resource string, until time.Time) error {
	defer h.one(resource)()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pid != h.homes.pid {
		return nil
	}
	if l := h.locks[resource]; l.other {
		return &lease.ElsewhereError{Resource: resource, Home: "/other"}
	}
	h.locks[resource] = owned{live: true, until: until}
	return nil
}

func (h process) Unlock(resource string) {
	defer h.one(resource)()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pid != h.homes.pid {
		return
	}
	if l := h.locks[resource]; !l.live || l.other {
		h.wrong = append(h.wrong, "unlocked "+resource+", which was not ours")
	}
	delete(h.locks, resource)
}

// one checks the table's promise: one call a resource. Others run in between.
func (h process) one(resource string) (done func()) {
	resource = fmt.Sprint(resource, " in process ", h.pid)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls[resource]++; h.calls[resource] > 1 {
		h.wrong = append(h.wrong, "two calls at once for "+resource)
	}
	h.mu.Unlock()
	runtime.Gosched()
	h.mu.Lock()
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls[resource]--
	}
}

// elsewhere reports whether the other home has a resource.
func (h *homes) elsewhere(resource string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.locks[resource].other
}

// ours reports whether a process of ours that lives has locked a resource.
func (h *homes) ours(resource string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.locks[resource]
	return l.live && !l.other
}

// other lets the other home take a resource, or give it back.
func (h *homes) other(resource string) (has bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, locked := h.locks[resource]
	switch {
	case l.other:
		delete(h.locks, resource)
	case !locked, !l.live && !l.until.After(h.now()):
		h.locks[resource] = owned{other: true, live: true}
		return true
	}
	return false
}

// crash ends our process: what its locks say stays, and the other home may take what has run out.
func (h *homes) crash(took string) {
	h.mu.Lock()
	h.pid++
	for name, l := range h.locks {
		l.live = l.other
		h.locks[name] = l
	}
	h.mu.Unlock()
	if !h.elsewhere(took) {
		h.other(took)
	}
}
