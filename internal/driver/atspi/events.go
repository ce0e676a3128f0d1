package atspi

import (
	"context"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// heard counts what a process tells, and knows which paths have had several elements. A page that is switched is hundreds of signals:
// each costs a lock and an addition.
type heard struct {
	mu     sync.Mutex
	count  uint64
	told   chan struct{} // closed at the next event; nil when nobody waits
	ended  bool
	senses map[string]bool // names on the bus whose paths are never used again: true
	gens   map[ref]uint32  // of every element that was named: how many had its path before
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

// left forgets who is no longer on the bus.
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

// died is called with the lock held. Only elements that somebody has a key of matter.
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

// hear begins to count what a name on the bus tells. Unique says that its toolkit never uses a path again.
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

// name remembers that an element was named, and gives its generation.
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

// end wakes all who wait, for good.
func (h *heard) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	h.tell()
}

// Events counts what the process told.
func (a *App) Events() uint64 {
	a.heard.mu.Lock()
	defer a.heard.mu.Unlock()
	return a.heard.count
}

// Next waits until the process has told more.
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
