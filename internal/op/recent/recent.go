// Package recent keeps values by key within a bound. Callers choose keys, such as the names of sessions, so that a plain map would grow
// for as long as the daemon lives. Map is the type; it must not know what it keeps.
package recent

// Map keeps at most Most values: for one more, it removes the value that was put or read longest ago. A Map without Most keeps no values.
// It is not safe for concurrent use: its owner locks, usually for more than one call.
type Map[K comparable, V any] struct {
	Most int

	entries map[K]*entry[V]
	uses    uint64
}

type entry[V any] struct {
	value V
	used  uint64 // number of the last use
}

// Get returns the value of a key, and counts as a use of it.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	e, ok := m.entries[key]
	if !ok {
		return value, false
	}
	m.use(e)
	return e.value, true
}

// Put sets the value of a key, and counts as a use of it.
func (m *Map[K, V]) Put(key K, value V) {
	if m.entries == nil {
		m.entries = map[K]*entry[V]{}
	}
	e := &entry[V]{value: value}
	m.use(e)
	m.entries[key] = e
	if len(m.entries) > m.Most {
		m.forget()
	}
}

// Len returns the number of values.
func (m *Map[K, V]) Len() int { return len(m.entries) }

func (m *Map[K, V]) use(e *entry[V]) {
	m.uses++
	e.used = m.uses
}

// forget removes the entry that was used longest ago. It looks at all entries: maximum sizes are small, and a new key at the maximum is
// rare.
func (m *Map[K, V]) forget() {
	var oldest K
	first := m.uses + 1
	for key, e := range m.entries {
		if e.used < first {
			oldest, first = key, e.used
		}
	}
	delete(m.entries, oldest)
}
