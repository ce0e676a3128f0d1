package lease_test

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"ios-agent/internal/device/lease"
)

// memory is a journal that outlives its table, and can be made to fail.
type memory struct {
	mu     sync.Mutex
	kept   map[string]lease.Lease
	events []lease.Event
	saves  int
	broken error
	dead   bool
}

var errFull = errors.New("no space left on device")

func (m *memory) Load() ([]lease.Lease, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.kept)), nil
}

func (m *memory) Save(events []lease.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saves++; m.broken != nil || m.dead {
		return m.broken
	}
	if m.kept == nil {
		m.kept = map[string]lease.Lease{}
	}
	for _, e := range events {
		m.kept[e.Lease.Resource] = e.Lease
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
	return &memory{kept: maps.Clone(m.kept)}
}

// request is a claim of one of the resources, in this order.
func request(holder string, among ...string) lease.Request {
	return lease.Request{Holder: holder, Kind: lease.Claim, TTL: claimTime, Among: func(func(string) lease.Lease) []string { return among }}
}
