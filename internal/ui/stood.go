package ui

import "time"

// What stood still before an input and moves after it is its effect. A look is too short to tell, so the time between looks is asked.

// stamp is a moment: by the time of day, and by how long a session has looked at a device, of which alone time passes in some virtual
// worlds.
type stamp struct {
	at     time.Time
	looked time.Duration
}

func (s stamp) until(later stamp) time.Duration {
	return max(later.at.Sub(s.at), later.looked-s.looked)
}

// Stamp notes when a look at a device ended. Every look of a session has its stamp.
func (r *Refs) Stamp(device string, s *Screen) {
	if r.looked == nil {
		r.looked = map[string]time.Duration{}
	}
	r.looked[device] += s.Waited
	s.At, s.looked = time.Now(), r.looked[device]
}

func (s *Screen) stamp() stamp { return stamp{s.At, s.looked} }

// stood is for how long the looks until this one, with no other in between, have shown an element alike.
func (r *Refs) stood(device string, s *Screen, alike func(earlier *Screen) bool) time.Duration {
	since := s.stamp()
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		l := r.looks.kept[i]
		if l.device != device {
			continue
		}
		if l.left || l.screen.App != s.App || !alike(l.screen) {
			break
		}
		since = l.first
	}
	if step, did := r.stepped[device]; did { // which may have set it in motion
		return min(since.until(s.stamp()), step.until(s.stamp()))
	}
	return since.until(s.stamp())
}

// said is for how long an element has said the same.
func (r *Refs) said(device string, s *Screen, n *Node) time.Duration {
	return r.stood(device, s, func(earlier *Screen) bool {
		old := earlier.counterpart(n)
		return old != nil && old.Label == n.Label && old.Value == n.Value
	})
}

// rested is for how long an element that moves after an input had rested before it; for one that was not there, how long all had.
func (r *Refs) rested(device string, before *Screen, key mover) time.Duration {
	for _, n := range before.nodes {
		if n.Type == "" || moverOf(device, before, n) != key {
			continue
		}
		return r.stood(device, before, func(earlier *Screen) bool {
			old := earlier.counterpart(n)
			return old != nil && old.Label == n.Label && old.Value == n.Value && old.Frame == n.Frame
		})
	}
	return r.stood(device, before, func(earlier *Screen) bool { return earlier.hash == before.hash })
}
