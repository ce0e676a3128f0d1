package telemetry

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// mostClosed is the maximum number of remembered closed sources.
const mostClosed = 50

// Feed is the way of one source into the store.
type Feed struct {
	s              *Store
	captured, lost atomic.Int64

	// guarded by the store's mu
	about  State
	closed bool
}

// Open begins a source. Sources lists its state until some time after its end.
func (s *Store) Open(about State) *Feed {
	if about.Started.IsZero() {
		about.Started = s.o.Now()
	}
	if about.Status == "" {
		about.Status = "streaming"
	}
	f := &Feed{s: s, about: about}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds = append(s.feeds, f)
	return f
}

// Add stores an entry of this source, and fills in a missing source, device and app.
func (f *Feed) Add(e Entry) {
	if f.s.add(f.complete(e)) {
		f.captured.Add(1)
	}
}

func (f *Feed) complete(e Entry) Entry {
	f.s.mu.Lock()
	about := f.about
	f.s.mu.Unlock()
	if e.Source == "" {
		e.Source = about.Source
	}
	if e.Device == "" {
		e.Device = about.Device
	}
	if e.App == "" {
		e.App = about.App
	}
	return e
}

// Lose records that n lines are missing, with the reason; n is 0 if the number is unknown. It adds an entry, so that readers see the
// gap.
func (f *Feed) Lose(n int64, why string) {
	a := f.lose(n, n, why)
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if !f.s.closed { // a full queue still accepts it: it is small and rare
		f.s.enqueue(a)
	}
}

// LoseSome records that a program dropped an unknown number of lines. A flood causes many of these: a full queue drops their entries,
// and each counts as one lost line.
func (f *Feed) LoseSome(why string) { f.s.add(f.lose(0, 1, why).Entry) }

// lose counts missing lines, n or an unknown number, and makes the entry about them.
func (f *Feed) lose(n, counted int64, why string) arrival {
	f.lost.Add(counted)
	lines, now := "lines are missing", f.s.o.Now()
	if n > 0 {
		lines = fmt.Sprintf("%d lines are missing", n)
	}
	f.s.mu.Lock()
	f.about.Missing = fmt.Sprintf("%s at %s: %s", lines, now.Local().Format(time.TimeOnly), why)
	f.s.mu.Unlock()
	e := Entry{Time: now, Process: ServerProcess, Level: Warning, Message: lines + " here: " + why, Count: 1}
	return arrival{f.complete(e), now}
}

// Status sets the state of the source.
func (f *Feed) Status(word string, err error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.about.Status, f.about.Error = word, ""
	if err != nil {
		f.about.Error = err.Error()
	}
}

// State is the state of the source.
func (f *Feed) State() State {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	return f.state()
}

func (f *Feed) state() State {
	about := f.about
	about.Captured, about.Lost = f.captured.Load(), f.lost.Load()
	return about
}

// Close ends the source.
func (f *Feed) Close() {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	if f.about.Status != "error" {
		f.about.Status = "stopped"
	}
	ended := 0
	for _, one := range f.s.feeds {
		if one.closed {
			ended++
		}
	}
	f.s.feeds = slices.DeleteFunc(f.s.feeds, func(one *Feed) bool {
		if ended > mostClosed && one.closed && one != f {
			ended--
			return true
		}
		return false
	})
}

// Sources are the sources, newest first.
func (s *Store) Sources() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]State, 0, len(s.feeds))
	for _, f := range slices.Backward(s.feeds) {
		out = append(out, f.state())
	}
	return out
}
