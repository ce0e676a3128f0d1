package ui

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// A clock on the screen looks like any other text. Only another change without an input shows that it changes by itself, so a text in which
// only digits changed is looked at once more.

// tick is a text before and after its digits changed.
type tick struct{ old, now *Node }

// ticks returns the texts whose digits changed, and whether the rest of the diff is only spontaneous motion.
func (d Diff) ticks() (found []tick, only bool) {
	only = d.Moved == 0
	for _, c := range d.Changed {
		if t := (tick{c.Before, c.After}); (c.Field == "label" || c.Field == "value") && t.counts() {
			found = append(found, t)
		} else if c.Field == "focused" || !c.Before.ambient() {
			only = false
		}
	}
	gone := slices.Clone(d.Removed)
	for _, n := range d.Added { // without an identifier, a changed text looks like a new element
		i := slices.IndexFunc(gone, func(o *Node) bool { return o.Frame.X == n.Frame.X && o.Frame.Y == n.Frame.Y && tick{o, n}.counts() })
		if i >= 0 {
			found = append(found, tick{gone[i], n})
			gone = slices.Delete(gone, i, i+1)
		} else if !n.ambient() {
			only = false
		}
	}
	return found, only && !slices.ContainsFunc(gone, func(n *Node) bool { return !n.ambient() })
}

// counts reports whether both are texts that differ only in their digits.
func (t tick) counts() bool {
	return t.old.Type == "StaticText" && t.now.Type == "StaticText" && (t.old.Label != t.now.Label || t.old.Value != t.now.Value) &&
		shape(t.old.Label) == shape(t.now.Label) && shape(t.old.Value) == shape(t.now.Value)
}

// shape is a text with all its numbers replaced by one placeholder.
func shape(s string) string {
	var b strings.Builder
	digits := false
	for _, r := range s {
		digit := unicode.IsDigit(r)
		switch {
		case !digit:
			b.WriteRune(r)
		case !digits:
			b.WriteByte('0')
		}
		digits = digit
	}
	return b.String()
}

// counter identifies a text with numbers, whatever the numbers are.
type counter struct{ device, app, identifier, label, value string }

func counterOf(device string, s *Screen, n *Node) counter {
	return counter{device, s.App, n.Identifier, shape(n.Label), shape(n.Value)}
}

// mostSteady is the maximum number of remembered texts; beyond it, all are learned again.
const mostSteady = 1024

// Span bounds when an event happened after an input: not before From, and not after To.
type Span struct{ From, To time.Duration }

// Pulse follows texts in which only digits changed after an input, until they change again or until a clock would have changed. Only that
// shows whether the input changed them.
type Pulse struct {
	device        string
	before, after *Screen
	changed       Span
	texts         []tick
	again         []Span // when each changed again; absent while it rests
}

// Suspect returns the pulse of a screen on which only digits of texts changed after an input within the span, if one of these texts may be
// a clock; else nil.
func (r *Refs) Suspect(device string, before, after *Screen, changed Span) *Pulse {
	found, only := r.Calm(device, Compare(before, after)).ticks()
	setOff := func(t tick) bool { return r.restless.movers[moverOf(device, after, t.now)].begun == begunAfter }
	unsure := func(t tick) bool { return !r.steady[counterOf(device, after, t.now)] }
	if !only || slices.ContainsFunc(found, setOff) || !slices.ContainsFunc(found, unsure) {
		return nil
	}
	return &Pulse{device, before, after, changed, found, make([]Span, len(found))}
}

// See takes a later look that differs from all looks before, and reports whether all texts have changed again.
func (p *Pulse) See(later *Screen, when Span) bool {
	second, _ := Compare(p.after, later).ticks()
	all := true
	for i, t := range p.texts {
		if p.again[i] == (Span{}) && slices.ContainsFunc(second, func(u tick) bool { return u.old == t.now }) {
			p.again[i] = when
		}
		all = all && p.again[i] != Span{}
	}
	return all
}

// Judge says whether the changes since the input may be its effect: if all the texts have changed again by themselves, they are not. It
// remembers of each text whether it is steady.
func (r *Refs) Judge(p *Pulse, last *Screen) (ticking, doubtful bool) {
	_, ticking = r.Calm(p.device, Compare(p.before, last)).ticks()
	if r.steady == nil || len(r.steady) > mostSteady {
		r.steady = map[counter]bool{}
	}
	for i, t := range p.texts {
		begun := r.counted(p, t, p.again[i])
		r.steady[counterOf(p.device, p.after, t.now)] = p.again[i] == Span{}
		ticking = ticking && p.again[i] != Span{} && begun != begunAfter
		doubtful = doubtful || begun == begunMaybe
	}
	return ticking, ticking && doubtful
}

// counted says when a text began to count that counts now. A clock keeps each text for one period: a text that stayed longer before it
// changed did not count at that time.
func (r *Refs) counted(p *Pulse, t tick, again Span) beginning {
	said := r.said(p.device, p.before, t.old)
	steady, known := r.steady[counterOf(p.device, p.after, t.now)]
	switch {
	case said+p.changed.From > again.To-p.changed.From+margin:
		return begunAfter
	case known && !steady, p.changed.To < again.From-p.changed.To && p.changed.From > atOnce:
		return begunBefore // a count started by the input would change at once, or a period later
	}
	return begunMaybe
}

// margin is how much longer a text must have stayed the same: a busy machine sees a change late.
const margin = time.Second

// atOnce is how long an immediate reaction of an app takes at most.
const atOnce = 400 * time.Millisecond

// timeless is the diff without texts that are known to count by themselves, such as clocks.
func (r *Refs) timeless(device string, d Diff) Diff {
	found, _ := d.ticks()
	for _, t := range found {
		if steady, known := r.steady[counterOf(device, d.After, t.now)]; !known || steady {
			continue
		}
		d.Added = slices.DeleteFunc(slices.Clone(d.Added), func(n *Node) bool { return n == t.now })
		d.Removed = slices.DeleteFunc(slices.Clone(d.Removed), func(n *Node) bool { return n == t.old })
		d.Changed = slices.DeleteFunc(slices.Clone(d.Changed), func(c Change) bool { return c.After == t.now })
	}
	return d
}

// Drifted forgets that a text is steady if it changed between two looks without an input.
func (r *Refs) Drifted(device string, earlier, later *Screen) {
	if len(r.steady) == 0 || earlier == nil {
		return
	}
	found, _ := Compare(earlier, later).ticks()
	for _, t := range found {
		if key := counterOf(device, later, t.now); r.steady[key] {
			delete(r.steady, key)
		}
	}
}
