package atspi

import (
	"context"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// heard counts the events of a process, and knows which paths have had several elements. A changed page is hundreds of signals: each
// costs a lock and an addition.
type heard struct {
	mu     sync.Mutex
	count  uint64
	told   chan struct{} // closed at the next event; nil: no waiter
	ended  bool
	senses map[string]bool // true: names on the bus whose paths are never reused
	gens   map[ref]uint32  // for each known element: number of earlier elements with its path
}

// DeliverSignal is called by the connection, one signal after the other.
func (h *heard) DeliverSignal(iface, member string, s *dbus.Signal) {
	if kind, is := strings.CutPrefix(iface, "org.a11y.atspi.Event."); is {
		h.event(kind, member, s)
	} else if iface == "org.freedesktop.DBus" && member == "NameOwnerChanged" {
		h.left(s)
	}
}

func (h *heard) event(kind, member string, s *dbus.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	unique, ours := h.senses[s.Sender]
	if !ours {
		return
	}
	if kind == "Object" && len(s.Body) > 3 {
		detail, _ := s.Body[0].(string)
		on, _ := s.Body[1].(int32)
		switch {
		case member == "StateChanged" && detail == "defunct" && on != 0:
			h.died(ref{s.Sender, string(s.Path)})
		case member == "ChildrenChanged" && strings.HasPrefix(detail, "remove") && !unique:
			if child, ok := refOf(bare(s.Body[3])); ok {
				h.died(child)
			}
		}
	}
	h.tell()
}

// left forgets a name that has left the bus.
func (h *heard) left(s *dbus.Signal) {
	if len(s.Body) != 3 {
		return
	}
	name, _ := s.Body[0].(string)
	owner, _ := s.Body[2].(string)
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ours := h.senses[name]; ours && owner == "" {
		delete(h.senses, name)
		h.tell()
	}
}

// died is called with the lock held. It ignores elements without a key.
func (h *heard) died(r ref) {
	if _, named := h.gens[r]; named {
		h.gens[r]++
	}
}

// tell is called with the lock held.
func (h *heard) tell() {
	h.count++
	if h.told != nil {
		close(h.told)
		h.told = nil
	}
}

// hear starts to count the events of a name on the bus. unique means that its toolkit never reuses a path.
func (h *heard) hear(name string, unique bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.senses == nil {
		h.senses = map[string]bool{}
	}
	h.senses[name] = unique
}

// lives reports whether a name is still on the bus.
func (h *heard) lives(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, is := h.senses[name]
	return is
}

// name stores an element and returns its generation.
func (h *heard) name(r ref) uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, named := h.gens[r]; !named {
		h.gens[r] = 0
	}
	return h.gens[r]
}

func (h *heard) generation(r ref) uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gens[r]
}

// end wakes all waiters for good.
func (h *heard) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	h.tell()
}

// Events returns the number of events of the process.
func (a *App) Events() uint64 {
	a.heard.mu.Lock()
	defer a.heard.mu.Unlock()
	return a.heard.count
}

// Next waits for more events of the process.
func (a *App) Next(ctx context.Context, after uint64) error {
	h := &a.heard
	for {
		h.mu.Lock()
		if h.count > after || h.ended {
			h.mu.Unlock()
			return nil
		}
		if h.told == nil {
			h.told = make(chan struct{})
		}
		told := h.told
		h.mu.Unlock()
		select {
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		case <-a.bus.conn.Context().Done():
			return a.explain(dbus.ErrClosed)
		}
	}
}
