package ui

import (
	"fmt"
	"slices"
)

// looks are the last screens a session saw, by device: what a later look can be compared with. They are few, because a
// screen holds its whole tree.
type looks struct{ kept []look }

type look struct {
	device string
	screen *Screen
	brief  bool // nobody waited until it was still
	left   bool // the session itself went on to another screen after it, by a launch or a link
}

// mostLooks is how many screens are kept over all devices of a session.
const mostLooks = 8

// Remember keeps a screen that was shown to the agent, under its hash.
func (r *Refs) Remember(device string, s *Screen) {
	kept := *s
	kept.tree, kept.grid = r.trees.hold(s.tree), nil
	if s.Root != nil {
		kept.Root = kept.nodes[0]
	}
	r.told(device)
	if at := slices.IndexFunc(r.looks.kept, func(l look) bool { return l.device == device && l.screen.hash == s.hash }); at >= 0 {
		r.drop(at)
	}
	if len(r.looks.kept) == mostLooks {
		r.drop(0)
	}
	r.looks.kept = append(r.looks.kept, look{device: device, screen: &kept})
}

// drop lets go of one screen.
func (r *Refs) drop(at int) {
	r.trees.release(r.looks.kept[at].screen.tree)
	r.looks.kept = slices.Delete(r.looks.kept, at, at+1)
}

// told ends what lapse noted.
func (r *Refs) told(device string) {
	r.lapsed = slices.DeleteFunc(r.lapsed, func(d string) bool { return d == device })
}

// lapse notes that the screen of a device was shown and is forgotten.
func (r *Refs) lapse(device string) {
	if !slices.Contains(r.lapsed, device) {
		r.lapsed = append(r.lapsed, device)
	}
}

// Glimpse is Remember for a screen of which nobody knows whether it is still.
func (r *Refs) Glimpse(device string, s *Screen) {
	r.Remember(device, s)
	r.shown(device).brief = true
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

// shown is the screen of a device that was shown last.
func (r *Refs) shown(device string) *look {
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		if l := &r.looks.kept[i]; l.device == device {
			return l
		}
	}
	return nil
}

// Leave is called when the session launches an app or opens a link on a device: what was shown is not compared with what comes.
func (r *Refs) Leave(device string) {
	if l := r.shown(device); l != nil {
		l.left = true
	}
	r.told(device)
}

// Shown is the screen of a device that was shown last; nil when there is none, or the session left it.
func (r *Refs) Shown(device string) *Screen {
	l := r.shown(device)
	if l == nil || l.left {
		return nil
	}
	return l.screen
}

// news are the elements that came or changed since the last other screen of the same app that was shown.
func (r *Refs) news(device string, now *Screen) map[*Node]bool {
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		before := r.looks.kept[i]
		if before.device != device || before.screen.hash == now.hash {
			continue
		}
		if before.screen.App != now.App || before.screen.Title() != now.Title() {
			return nil // all of another screen is new
		}
		news := map[*Node]bool{}
		diff := Compare(before.screen, now)
		for _, n := range diff.Added {
			news[n] = true
		}
		for _, c := range diff.Changed {
			news[c.After] = true
		}
		return news
	}
	return nil
}

// SinceShown says what changed since the device was shown last, in lines for models, without what changes by itself. Of another app in
// front that alone is said: all of it is new.
func (r *Refs) SinceShown(device string, now *Screen) []string {
	before := r.Shown(device)
	switch {
	case slices.Contains(r.lapsed, device):
		return []string{"the screen this session was shown before is forgotten; changes since then are not told"}
	case before == nil || before.hash == now.hash && before.App == now.App:
		return nil
	case before.App != now.App:
		return []string{fmt.Sprintf("~ app: %s → %s", before.App, now.App)}
	}
	d := r.timeless(device, r.Calm(device, Compare(before, now))).lasting()
	if outcome, _ := d.Judge(nil); outcome == Unchanged {
		return nil
	}
	return d.Lines(device, r)
}

// Last is the hash of the screen that was remembered last for a device; empty when there is none, or it still moved.
func (r *Refs) Last(device string) string {
	l := r.shown(device)
	if l == nil || l.brief || !l.screen.Settled && !l.screen.Quiet {
		return ""
	}
	return l.screen.hash
}

// Since says what is different from an earlier look, in lines for models; one line when nothing is; and which elements are. It is
// false when the earlier look is not remembered: the caller shows the whole screen then, and says so.
func (s *Screen) Since(hash, device string, refs *Refs) (lines []string, nodes []*Node, known bool) {
	before := refs.Recall(device, hash)
	if before == nil {
		return nil, nil, false
	}
	diff := Compare(before, s)
	if lines = diff.Lines(device, refs); len(lines) == 0 {
		lines = []string{"unchanged since " + hash}
	}
	return append([]string{s.Header()}, lines...), diff.Nodes(), true
}
