package ui

// looks are the last screens a session saw, by device: what a later look can be compared with. They are few, because a
// screen holds its whole tree.
type looks struct{ kept []look }

type look struct {
	device string
	screen *Screen
}

// mostLooks is how many screens are kept over all devices of a session.
const mostLooks = 8

// Remember keeps a screen that was shown to the agent, under its hash.
func (r *Refs) Remember(device string, s *Screen) {
	kept := r.looks.kept[:0]
	for _, l := range r.looks.kept {
		if l.device != device || l.screen.hash != s.hash {
			kept = append(kept, l)
		}
	}
	kept = append(kept, look{device, s})
	if over := len(kept) - mostLooks; over > 0 {
		copy(kept, kept[over:])
		clear(kept[mostLooks:])
		kept = kept[:mostLooks]
	}
	r.looks.kept = kept
}

// Recall gives the remembered screen of this hash; nil when it is not kept, or no longer.
func (r *Refs) Recall(device, hash string) *Screen {
	for _, l := range r.looks.kept {
		if l.device == device && l.screen.hash == hash {
			return l.screen
		}
	}
	return nil
}

// Shown is the screen that was remembered last for a device; nil when there is none.
func (r *Refs) Shown(device string) *Screen {
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		if l := r.looks.kept[i]; l.device == device {
			return l.screen
		}
	}
	return nil
}

// Last is the hash of the screen that was remembered last for a device; empty when there is none, or it still moved.
func (r *Refs) Last(device string) string {
	last := r.Shown(device)
	if last == nil || !last.Settled && !last.Quiet {
		return ""
	}
	return last.hash
}

// Since says what is different from an earlier look, in lines for models; one line when nothing is. The second result
// is false when the earlier look is not remembered: the caller shows the whole screen then, and says so.
func (s *Screen) Since(hash, device string, refs *Refs) (lines []string, known bool) {
	before := refs.Recall(device, hash)
	if before == nil {
		return nil, false
	}
	if lines = Compare(before, s).Lines(device, refs); len(lines) == 0 {
		lines = []string{"unchanged since " + hash}
	}
	return append([]string{s.Header()}, lines...), true
}
