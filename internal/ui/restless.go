package ui

import (
	"maps"
	"slices"
	"time"
)

// Some screens never rest: a picture moves across them for ever, a text blinks. Refs remembers the changes between two looks without an
// input, on a screen that did not settle in time. An action on such a screen is judged by the elements that do not move.

// mover identifies an element that does not rest. Twins look alike and are never movers.
type mover struct {
	device, app string
	identity    identity
}

// motion is what an element does by itself, and which part of that was known when its screen was last shown: later findings are news.
type motion struct {
	deeds
	told  deeds
	begun beginning
}

// deeds are the changes of an element without an input. An element that appeared and never disappeared may have come for good.
type deeds struct{ moves, changes, came, went bool }

// beginning says when a motion began, as far as known, during the step in which it was first seen.
type beginning byte

const (
	begunBefore beginning = iota // it was there before the input
	begunMaybe                   // it may have been
	begunAfter                   // the input began it
)

// rest is how long an element must have stood still before an input if the input is to count as the start of its motion. It is longer than
// a fast-moving element can seem to stand still.
const rest = 250 * time.Millisecond

func (d deeds) flickers() bool { return d.came && d.went }

func moverOf(device string, s *Screen, n *Node) mover {
	label := shape(n.Label)
	if s.uniquelyIdentified(n) {
		label = ""
	}
	return mover{device, s.App, identityOf(n.Identifier, n.Type, label, s.context(n))}
}

// restless is a session's knowledge of screens that never rest.
type restless struct {
	devices map[string]bool
	movers  map[mover]motion
}

// mostMovers is the maximum number of remembered movers; beyond it, all are forgotten.
const mostMovers = 1024

// Restless reports whether the screen of a device does not settle.
func (r *Refs) Restless(device string) bool { return r.restless.devices[device] }

// LearnMotion remembers the changes between two looks without an input: those elements change by themselves. The screen before the input
// shows whether they did so earlier; nil means that the step had no input.
func (r *Refs) LearnMotion(device string, beforeInput, earlier, later *Screen) {
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
		known, isKnown := r.restless.movers[key]
		if !isKnown && beforeInput != nil {
			known.begun = r.begun(device, beforeInput, key)
		}
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

// begun says when a motion began that was first seen after an input.
func (r *Refs) begun(device string, screen *Screen, key mover) beginning {
	if (screen.Settled || screen.Quiet) && r.rested(device, screen, key) >= rest {
		return begunAfter
	}
	return begunMaybe
}

// SetOff reports whether an input started a motion in the current step.
func (r *Refs) SetOff(device string) bool {
	for key, m := range r.restless.movers {
		if key.device == device && m.begun == begunAfter && (m.moves || m.flickers()) {
			return true
		}
	}
	return false
}

// Stepped is called when a step ends: its motions count as spontaneous from now on, and may stand still for their first period.
func (r *Refs) Stepped(device string) {
	if r.stepped == nil {
		r.stepped = map[string]stamp{}
	}
	r.stepped[device] = stamp{time.Now(), r.looked[device]}
	r.restless.each(device, func(m *motion) { m.begun = begunBefore })
}

func (r *restless) each(device string, do func(*motion)) {
	for key, m := range r.movers {
		if do(&m); key.device == device {
			r.movers[key] = m
		}
	}
}

// ForgetMotion is called when the screen of a device is still again.
func (r *Refs) ForgetMotion(device string) {
	delete(r.restless.devices, device)
	maps.DeleteFunc(r.restless.movers, func(key mover, _ motion) bool { return key.device == device })
}

// Calm is the diff without elements that are known to change by themselves. Motions that an input started in the current step stay in the
// diff; motions that it may have started make the diff doubtful.
func (r *Refs) Calm(device string, d Diff) Diff {
	return r.calm(device, d, func(m motion) deeds {
		if m.begun == begunAfter {
			return deeds{}
		}
		return m.deeds
	})
}

func (r *Refs) calm(device string, d Diff, known func(motion) deeds) Diff {
	if len(r.restless.movers) == 0 {
		return d
	}
	leaves := func(s *Screen, n *Node, does func(deeds) bool) bool {
		m := r.restless.movers[moverOf(device, s, n)]
		left := does(known(m))
		d.Doubtful = d.Doubtful || left && m.begun == begunMaybe
		return left
	}
	d.Added = slices.DeleteFunc(slices.Clone(d.Added), func(n *Node) bool { return leaves(d.After, n, deeds.flickers) })
	d.Removed = slices.DeleteFunc(slices.Clone(d.Removed), func(n *Node) bool { return leaves(d.Before, n, deeds.flickers) })
	d.Changed = slices.DeleteFunc(slices.Clone(d.Changed), func(c Change) bool {
		return (c.Field == "label" || c.Field == "value") && leaves(d.After, c.After, func(does deeds) bool { return does.changes })
	})
	d.moved = slices.DeleteFunc(slices.Clone(d.moved), func(n *Node) bool {
		return leaves(d.After, n, func(does deeds) bool { return does.moves || does.flickers() })
	})
	d.Moved = len(d.moved)
	return d
}

// AtRest reports whether two looks show the same, apart from elements that change by themselves.
func (r *Refs) AtRest(device string, earlier, later *Screen) bool {
	if earlier == nil || earlier.App != later.App {
		return false
	}
	outcome, _ := r.calm(device, Compare(earlier, later), func(m motion) deeds { return m.deeds }).Judge(nil)
	return outcome == Unchanged
}
