package atspi

import (
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/ui"
)

// A tree has the place of an element, and a click goes to a point. A program can put another window there in between, even during the
// look: the tree and the server's answer then belong to different moments. So the server reports every window that opens, closes or
// moves, and a click needs the same windows at its point as at the look.

// stirs are the programs whose menus and other frameless windows opened, closed or moved since the start of the last look: by client, of
// which an X server has few.
type stirs struct {
	mu    sync.Mutex
	who   map[uint32]bool
	heard chan struct{} // closed when all events of the server are read; nil: no waiter
	ended bool
}

// hear stores an event of the server.
func (s *stirs) hear(d *display, e xgb.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note := func(w xproto.Window) {
		if s.who == nil {
			s.who = map[uint32]bool{}
		}
		s.who[d.client(w)] = true
	}
	switch e := e.(type) {
	case xproto.MapNotifyEvent:
		note(e.Window)
	case xproto.UnmapNotifyEvent:
		note(e.Window)
	case xproto.ConfigureNotifyEvent:
		note(e.Window)
	case xproto.ClientMessageEvent:
		if e.Window == d.blank {
			s.wake()
		}
	}
}

// wake is called with the lock held.
func (s *stirs) wake() {
	if s.heard != nil {
		close(s.heard)
		s.heard = nil
	}
}

// end wakes the waiters: no more events come.
func (s *stirs) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.wake()
}

// stirred returns the programs that stirred since the last call with forget. It includes all events before this call: it sends itself a
// message and waits for it.
func (d *display) stirred(forget bool) (map[uint32]bool, error) {
	defer d.within(longestX)()
	blank, err := d.unseen()
	if err != nil {
		return nil, err
	}
	s := &d.stirs
	s.mu.Lock()
	heard := make(chan struct{})
	if s.heard = heard; s.ended {
		s.wake()
	}
	s.mu.Unlock()
	mark := xproto.ClientMessageEvent{Format: 32, Window: blank, Type: d.atoms["_NET_WM_STATE"],
		Data: xproto.ClientMessageDataUnionData32New(make([]uint32, 5))}
	xproto.SendEvent(d.conn, false, blank, 0, string(mark.Bytes()))
	<-heard
	s.mu.Lock()
	defer s.mu.Unlock()
	who := s.who
	if forget {
		s.who = nil
		return who, nil
	}
	all := make(map[uint32]bool, len(who))
	for client := range who {
		all[client] = true
	}
	return all, nil
}

// unseen is a window of this connection that is never shown.
func (d *display) unseen() (xproto.Window, error) {
	if d.blank != 0 {
		return d.blank, nil
	}
	w, err := xproto.NewWindowId(d.conn)
	if err != nil {
		return 0, err
	}
	err = xproto.CreateWindowChecked(d.conn, 0, w, d.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil).Check()
	if err != nil {
		return 0, err
	}
	d.stirs.mu.Lock() // hear reads it too
	defer d.stirs.mu.Unlock()
	d.blank = w
	return w, nil
}

// still reports whether the process has the same windows at a point as at the last look, and none of them opened or closed since.
func (a *App) still(own []xwindow, at ui.Point) (bool, error) {
	who, err := a.screen.stirred(false)
	if err != nil {
		return false, err
	}
	for _, w := range own {
		if who[a.screen.client(w.id)] {
			return false, nil
		}
	}
	was, now := under(a.lay, at), under(own, at)
	same := len(was) == len(now)
	for i := 0; same && i < len(now); i++ {
		same = was[i].id == now[i].id && was[i].rect == now[i].rect
	}
	return same, nil
}

// under are the windows at a point, back to front.
func under(all []xwindow, at ui.Point) (there []xwindow) {
	for _, w := range all {
		if w.viewable && w.rect.Contains(at) {
			there = append(there, w)
		}
	}
	return there
}
