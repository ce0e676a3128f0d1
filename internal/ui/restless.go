package ui

import "slices"

// Some screens never rest: a picture moves across them for ever, a text blinks. What changed between two looks without an input,
// on a screen that did not become still in time, is remembered. Such a screen is judged by what does not move.

// mover names an element that does not rest. Twins cannot be told apart and are never movers.
type mover struct {
	device, app string
	identity    identity
}

// motion is what an element does by itself. One that came and did not go may have come for good.
type motion struct{ moves, changes, came, went bool }

func (m motion) flickers() bool { return m.came && m.went }

func moverOf(device string, s *Screen, n *Node) mover {
	label := shape(n.Label)
	if s.uniquelyIdentified(n) {
		label = ""
	}
	return mover{device, s.App, identityOf(n.Identifier, n.Type, label, s.context(n))}
}

// restless is what a session knows of the screens that never rest.
type restless struct {
	devices map[string]bool
	movers  map[mover]motion
}

// mostMovers is how many elements are remembered that do not rest; with more, all are forgotten.
const mostMovers = 1024

// Restless reports whether the screen of a device does not become still.
func (r *Refs) Restless(device string) bool { return r.restless.devices[device] }

// LearnMotion remembers what changed between two looks without an input: it changes by itself.
func (r *Refs) LearnMotion(device string, earlier, later *Screen) {
	if r.restless.devices == nil || len(r.restless.movers) > mostMovers {
		r.restless = restless{map[string]bool{}, map[mover]motion{}}
	}
	r.restless.devices[device] = true
	d := Compare(earlier, later)
	learn := func(s *Screen, n *Node, does func(*motion)) {
		if n.twin > 0 && !s.uniquelyIdentified(n) {
			return
		}
		key := moverOf(device, s, n)
		known := r.restless.movers[key]
		does(&known)
		r.restless.movers[key] = known
	}
	for _, n := range d.moved {
		learn(later, n, func(m *motion) { m.moves = true })
	}
	for _, c := range d.Changed {
		if c.Field == "label" || c.Field == "value" {
			learn(later, c.After, func(m *motion) { m.moves, m.changes = true, true })
		}
	}
	for _, n := range d.Added {
		learn(later, n, func(m *motion) { m.came = true })
	}
	for _, n := range d.Removed {
		learn(earlier, n, func(m *motion) { m.went = true })
	}
}

// ForgetMotion is called when the screen of a device is still again.
func (r *Refs) ForgetMotion(device string) {
	delete(r.restless.devices, device)
	for key := range r.restless.movers {
		if key.device == device {
			delete(r.restless.movers, key)
		}
	}
}

// Calm is a diff without what is known to change by itself.
func (r *Refs) Calm(device string, d Diff) Diff {
	if len(r.restless.movers) == 0 {
		return d
	}
	does := func(s *Screen, n *Node) motion { return r.restless.movers[moverOf(device, s, n)] }
	d.Added = slices.DeleteFunc(slices.Clone(d.Added), func(n *Node) bool { return does(d.After, n).flickers() })
	d.Removed = slices.DeleteFunc(slices.Clone(d.Removed), func(n *Node) bool { return does(d.Before, n).flickers() })
	d.Changed = slices.DeleteFunc(slices.Clone(d.Changed), func(c Change) bool {
		return (c.Field == "label" || c.Field == "value") && does(d.After, c.After).changes
	})
	d.moved = slices.DeleteFunc(slices.Clone(d.moved), func(n *Node) bool { return does(d.After, n).moves || does(d.After, n).flickers() })
	d.Moved = len(d.moved)
	return d
}

// AtRest reports whether two looks show the same, but for what changes by itself.
func (r *Refs) AtRest(device string, earlier, later *Screen) bool {
	if earlier == nil || earlier.App != later.App {
		return false
	}
	outcome, _ := r.Calm(device, Compare(earlier, later)).Judge(nil)
	return outcome == Unchanged
}
