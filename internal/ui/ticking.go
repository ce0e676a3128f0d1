package ui

import (
	"slices"
	"strings"
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

// Suspects reports whether only digits of texts changed after an input, and one of these texts is not known to be steady. Only
// a later look tells whether the input changed it: see Ticking.
func (r *Refs) Suspects(device string, before, after *Screen) bool {
	found, only := Compare(before, after).ticks()
	return only && slices.ContainsFunc(found, func(t tick) bool { return !r.steady[counterOf(device, after, t.now)] })
}

// Ticking reports whether the texts that changed from before to after changed again by itself until later, and nothing else
// changed: then the change proves nothing. It is remembered of each text whether it is steady.
func (r *Refs) Ticking(device string, before, after, later *Screen) bool {
	first, _ := Compare(before, after).ticks()
	second, _ := Compare(after, later).ticks()
	_, only := Compare(before, later).ticks()
	if r.steady == nil || len(r.steady) > mostSteady {
		r.steady = map[counter]bool{}
	}
	for _, t := range first {
		again := slices.ContainsFunc(second, func(u tick) bool { return u.old == t.now })
		if r.steady[counterOf(device, after, t.now)] = !again; !again {
			only = false
		}
	}
	return only
}

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
