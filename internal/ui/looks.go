package ui

import (
	"maps"
	"slices"
)

// looks are the last screens a session saw, by device: what a later look can be compared with. They are few, because a
// screen holds its whole tree.
type looks struct{ kept []look }

type look struct {
	device string
	screen *Screen
	first  stamp // when the looks began that showed this and nothing else
	brief  bool  // nobody waited until it was still
	left   bool  // the session itself went on to another screen after it, by a launch or a link
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
	first := s.stamp()
	if l := r.shown(device); l != nil && !l.left && l.screen.hash == s.hash {
		first = l.first
	}
	if at := slices.IndexFunc(r.looks.kept, func(l look) bool { return l.device == device && l.screen.hash == s.hash }); at >= 0 {
		r.drop(at)
	}
	if len(r.looks.kept) == mostLooks {
		r.makeRoom(device)
	}
	r.looks.kept = append(r.looks.kept, look{device: device, screen: &kept, first: first})
}

// makeRoom drops the oldest screen that is not the last one shown of another device: what changed there since would not be told. When
// there are only such ones, that is noted.
func (r *Refs) makeRoom(device string) {
	for i := range r.looks.kept {
		if l := &r.looks.kept[i]; l.device == device || l.left || l != r.shown(l.device) {
			r.drop(i)
			return
		}
	}
	r.lapse(r.looks.kept[0].device)
	r.drop(0)
}

// drop lets go of one screen.
func (r *Refs) drop(at int) {
	r.trees.release(r.looks.kept[at].screen.tree)
	r.looks.kept = slices.Delete(r.looks.kept, at, at+1)
}

// told ends what lapse noted; what is known of motion now is no news later.
func (r *Refs) told(device string) {
	r.lapsed = slices.DeleteFunc(r.lapsed, func(d string) bool { return d == device })
	r.restless.each(device, func(m *motion) { m.told = m.deeds })
}

// lapse notes that the screen of a device was shown and is forgotten.
func (r *Refs) lapse(device string) {
	if !r.Lapsed(device) {
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

// News are the elements that came or changed since the last other screen of the same app that was shown.
func (r *Refs) News(device string, now *Screen) map[*Node]bool {
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		before := r.looks.kept[i]
		if before.device != device || before.screen.hash == now.hash {
			continue
		}
		if before.screen.App != now.App || before.screen.Title() != now.Title() {
			return nil // all of another screen is new
		}
		return Compare(before.screen, now).fresh()
	}
	return nil
}

// fresh are the elements that came or changed.
func (d Diff) fresh() map[*Node]bool {
	all := map[*Node]bool{}
	for _, n := range d.Added {
		all[n] = true
	}
	for _, c := range d.Changed {
		all[c.After] = true
	}
	return all
}

// mostLively is how many elements of a screen may differ from an earlier look, if they are to say what changes on it: a list that was
// scrolled says nothing.
const mostLively = 8

// Lively are the elements that were different, or not there, on an earlier look at the same screen: what changes on a screen now and then
// tells more than what never does, also when the last action did not change it.
func (r *Refs) Lively(device string, now *Screen) map[*Node]bool {
	lively := map[*Node]bool{}
	for _, before := range r.looks.kept {
		if before.device != device || before.screen.App != now.App || before.screen.Title() != now.Title() {
			continue
		}
		if fresh := Compare(before.screen, now).fresh(); len(fresh) <= mostLively {
			maps.Copy(lively, fresh)
		}
	}
	return lively
}

// Lapsed reports whether the screen of a device was shown to the session and is forgotten.
func (r *Refs) Lapsed(device string) bool { return slices.Contains(r.lapsed, device) }

// Lasting is what is different from the screen that was shown last, without what was known to change by itself when it was shown.
func (r *Refs) Lasting(device string, before, now *Screen) Diff {
	d := r.calm(device, Compare(before, now), func(m motion) deeds { return m.told })
	return r.timeless(device, d).lasting()
}

// Last is the hash of the screen that was remembered last for a device; empty when there is none, or it still moved.
func (r *Refs) Last(device string) string {
	l := r.shown(device)
	if l == nil || l.brief || !l.screen.Settled && !l.screen.Quiet {
		return ""
	}
	return l.screen.hash
}

// Bytes is about how much memory the refs take, without the trees of remembered screens.
func (r *Refs) Bytes() int {
	size := r.bytes
	for known := range r.steady {
		size += ruleBytes + len(known.identifier) + len(known.label) + len(known.value)
	}
	return size + ruleBytes*len(r.restless.movers)
}

// Forget lets go of all refs and screens. The refs are expired from now on: their numbers are not given out again.
func (r *Refs) Forget() {
	left := Refs{last: r.last, trees: r.trees, lapsed: r.lapsed}
	for len(r.looks.kept) > 0 {
		left.lapse(r.looks.kept[0].device)
		r.drop(0)
	}
	*r = left
}

// Shed lets go of all screens but the one that was shown last, and of the refs that are not on it.
func (r *Refs) Shed() {
	for len(r.looks.kept) > 1 {
		r.drop(0)
	}
	for number, e := range r.entries {
		if len(r.looks.kept) == 0 || e.hash != r.looks.kept[0].screen.hash {
			r.remove(number)
		}
	}
}
