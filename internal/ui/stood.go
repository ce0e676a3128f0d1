package ui

import "time"

// An element that stood still before an input and moves after it shows an effect of the input. A single look is too short to prove that an
// element stands still, so several looks are compared over time.

// stamp is a moment, by the time of day and by how long a session has looked at a device. In some virtual worlds, only looking makes time
// pass.
type stamp struct {
	at     time.Time
	looked time.Duration
}

func (s stamp) until(later stamp) time.Duration {
	return max(later.at.Sub(s.at), later.looked-s.looked)
}

// Stamp records when a look at a device ended. Every look of a session needs it.
func (r *Refs) Stamp(device string, s *Screen) {
	if r.looked == nil {
		r.looked = map[string]time.Duration{}
	}
	r.looked[device] += s.Waited
	s.At, s.looked = time.Now(), r.looked[device]
}

func (s *Screen) stamp() stamp { return stamp{s.At, s.looked} }

// stood returns for how long the consecutive looks up to this one have shown an element alike.
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
	if step, did := r.stepped[device]; did { // the step may have set it in motion
		return min(since.until(s.stamp()), step.until(s.stamp()))
	}
	return since.until(s.stamp())
}

// said returns for how long an element has kept its label and value.
func (r *Refs) said(device string, s *Screen, n *Node) time.Duration {
	return r.stood(device, s, func(earlier *Screen) bool {
		old := earlier.counterpart(n)
		return old != nil && old.Label == n.Label && old.Value == n.Value
	})
}

// rested returns how long an element rested before an input that it moves after; for a new element, how long the whole screen rested.
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
