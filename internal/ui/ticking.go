package ui

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// A clock on the screen is a text like any other. That it changes by itself is known only when it changes again without an
// input. So a text in which only digits changed is looked at once more.

// tick is a text before and after its digits changed.
type tick struct{ old, now *Node }

// ticks are the texts whose digits changed, and whether a diff shows nothing else but what moves by itself.
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
	for _, n := range d.Added { // a text without an identifier is another one when it says something else
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

// counts reports whether both are a text that differs in its digits alone.
func (t tick) counts() bool {
	return t.old.Type == "StaticText" && t.now.Type == "StaticText" && (t.old.Label != t.now.Label || t.old.Value != t.now.Value) &&
		shape(t.old.Label) == shape(t.now.Label) && shape(t.old.Value) == shape(t.now.Value)
}

// shape is a text with every number in it made alike.
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

// counter names a text that holds numbers, whichever they are.
type counter struct{ device, app, identifier, label, value string }

func counterOf(device string, s *Screen, n *Node) counter {
	return counter{device, s.App, n.Identifier, shape(n.Label), shape(n.Value)}
}

// mostSteady is how many texts are remembered; with more, all are asked anew.
const mostSteady = 1024

// Span is when something happened, since an input: not before From, and not after To.
type Span struct{ From, To time.Duration }

// Pulse follows texts in which only digits changed after an input, until they change again or until a clock would have. Only that tells
// whether the input changed them.
type Pulse struct {
	device        string
	before, after *Screen
	changed       Span
	texts         []tick
	again         []Span // when each changed again; nothing while it rests
}

// Suspect is the pulse of a screen on which only digits of texts changed after an input, and one of these texts is not known to be
// steady; else nil. The texts changed within the span.
func (r *Refs) Suspect(device string, before, after *Screen, changed Span) *Pulse {
	found, only := r.Calm(device, Compare(before, after)).ticks()
	setOff := func(t tick) bool { return r.restless.movers[moverOf(device, after, t.now)].begun == begunAfter }
	unsure := func(t tick) bool { return !r.steady[counterOf(device, after, t.now)] }
	if !only || slices.ContainsFunc(found, setOff) || !slices.ContainsFunc(found, unsure) {
		return nil
	}
	return &Pulse{device, before, after, changed, found, make([]Span, len(found))}
}

// See takes a later look, which no look before it showed alike, and reports whether all texts have changed again.
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

// Judge says what the change from before the input until the last look proves: all of it has changed again by itself, so that it is
// no effect, or it may have been one. It is remembered of each text whether it is steady.
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

// counted says when a text began to count that counts now. A clock says the same for one period and no longer: what said the same for
// longer, until it changed, did not count then.
func (r *Refs) counted(p *Pulse, t tick, again Span) beginning {
	said := r.said(p.device, p.before, t.old)
	steady, known := r.steady[counterOf(p.device, p.after, t.now)]
	switch {
	case said+p.changed.From > again.To-p.changed.From+margin:
		return begunAfter
	case known && !steady, p.changed.To < again.From-p.changed.To && p.changed.From > atOnce:
		return begunBefore // one that began with the input would have changed a period later, or at once
	}
	return begunMaybe
}

// margin is how much longer a text must have said the same: on a busy machine a look tells of a change late.
const margin = time.Second

// atOnce is how long an app takes at most to show what it does at once.
const atOnce = 400 * time.Millisecond

// timeless is a diff without texts that are known to count by themselves, such as clocks.
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
