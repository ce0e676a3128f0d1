package ui

import (
	"maps"
	"slices"
)

// looks holds the last screens that a session saw, by device, to compare later looks with. It is short, because a screen holds its whole
// tree.
type looks struct{ kept []look }

type look struct {
	device string
	screen *Screen
	first  stamp // when the run of looks began that all showed this screen
	brief  bool  // the look did not wait for the screen to settle
	left   bool  // the session then left the screen, by a launch or a link
}

// mostLooks is the maximum number of screens that a session keeps, over all devices.
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

// makeRoom drops the oldest screen that is not the last shown screen of another device: without that one, later changes could not be
// reported. If only such screens remain, it drops one and records that.
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

// drop removes one screen.
func (r *Refs) drop(at int) {
	r.trees.release(r.looks.kept[at].screen.tree)
	r.looks.kept = slices.Delete(r.looks.kept, at, at+1)
}

// told clears the record of lapse: motion known by now is not reported as news later.
func (r *Refs) told(device string) {
	r.lapsed = slices.DeleteFunc(r.lapsed, func(d string) bool { return d == device })
	r.restless.each(device, func(m *motion) { m.told = m.deeds })
}

// lapse records that the last shown screen of a device was forgotten.
func (r *Refs) lapse(device string) {
	if !r.Lapsed(device) {
		r.lapsed = append(r.lapsed, device)
	}
}

// Glimpse is Remember for a screen that may still be moving.
func (r *Refs) Glimpse(device string, s *Screen) {
	r.Remember(device, s)
	r.shown(device).brief = true
}

// Recall returns the remembered screen with this hash, or nil.
func (r *Refs) Recall(device, hash string) *Screen {
	for _, l := range r.looks.kept {
		if l.device == device && l.screen.hash == hash {
			return l.screen
		}
	}
	return nil
}

// shown is the last shown screen of a device.
func (r *Refs) shown(device string) *look {
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		if l := &r.looks.kept[i]; l.device == device {
			return l
		}
	}
	return nil
}

// Leave marks that the session launches an app or opens a link on a device: later screens are not compared with the screen before.
func (r *Refs) Leave(device string) {
	if l := r.shown(device); l != nil {
		l.left = true
	}
	r.told(device)
}

// Shown is the last shown screen of a device; nil if the device was never shown or the session left that screen.
func (r *Refs) Shown(device string) *Screen {
	l := r.shown(device)
	if l == nil || l.left {
		return nil
	}
	return l.screen
}

// News are the elements that are new or changed since the previous different screen of the same app.
func (r *Refs) News(device string, now *Screen) map[*Node]bool {
	for i := len(r.looks.kept) - 1; i >= 0; i-- {
		before := r.looks.kept[i]
		if before.device != device || before.screen.hash == now.hash {
			continue
		}
		if before.screen.App != now.App || before.screen.Title() != now.Title() {
			return nil // another screen: everything is new
		}
		return Compare(before.screen, now).fresh()
	}
	return nil
}

// fresh are the added and changed elements.
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

// mostLively is the maximum number of differences from an earlier look that count as lively: more means that a list was scrolled, which
// says nothing.
const mostLively = 8

// Lively are the elements that differed or were absent on an earlier look at the same screen. Elements that change now and then are more
// informative than static ones, also when the last action did not change them.
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

// Lapsed reports whether the last shown screen of a device was forgotten.
func (r *Refs) Lapsed(device string) bool { return slices.Contains(r.lapsed, device) }

// Lasting is the difference from the last shown screen, without elements that were known to change by themselves at that time.
func (r *Refs) Lasting(device string, before, now *Screen) Diff {
	d := r.calm(device, Compare(before, now), func(m motion) deeds { return m.told })
	return r.timeless(device, d).lasting()
}

// Last is the hash of the last remembered screen of a device; empty if none is remembered or the screen was still moving.
func (r *Refs) Last(device string) string {
	l := r.shown(device)
	if l == nil || l.brief || !l.screen.Settled && !l.screen.Quiet {
		return ""
	}
	return l.screen.hash
}

// Bytes estimates the memory of the refs, without the trees of remembered screens.
func (r *Refs) Bytes() int {
	size := r.bytes
	for known := range r.steady {
		size += ruleBytes + len(known.identifier) + len(known.label) + len(known.value)
	}
	return size + ruleBytes*len(r.restless.movers)
}

// Forget removes all refs and screens. The refs expire; their numbers are never given out again.
func (r *Refs) Forget() {
	left := Refs{last: r.last, trees: r.trees, lapsed: r.lapsed}
	for len(r.looks.kept) > 0 {
		left.lapse(r.looks.kept[0].device)
		r.drop(0)
	}
	*r = left
}

// Shed removes all screens but the last shown one, and the refs of other screens.
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
