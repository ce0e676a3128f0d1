package world

import (
	"iter"
	"slices"
	"time"
)

// view is an app's screen at one moment, with the acts of its elements.
type view struct {
	root  *Element
	acts  map[*Element]act
	stops map[*Element]func(time.Time) // movements that a touch stops

	carries map[*Element]carry               // the values that can be dragged
	drops   map[*Element]func(carry, finger) // the acts of drop targets
	takes   map[*Element]func(string, finger) bool
}

func newView(s Screen, label string) *view {
	root := &Element{Type: "Application", Label: label, Frame: s.Bounds()}
	v := untouchable()
	v.root = root
	return v
}

// stop makes a touch anywhere in e stop a movement, without another effect.
func (v *view) stop(e *Element, f func(time.Time)) {
	if v.stops == nil {
		v.stops = map[*Element]func(time.Time){}
	}
	v.stops[e] = f
}

// window adds a window over the others and returns the container for its content.
func (v *view) window(s Screen) *Element {
	inner := &Element{Type: "Other", Frame: s.Bounds()}
	v.root.Children = append(v.root.Children, &Element{Type: "Window", Frame: s.Bounds(), Children: []*Element{inner}})
	return inner
}

// Shown is the text drawn for e.
func (e *Element) Shown() string {
	if e.Look.Text != "" {
		return e.Look.Text
	}
	return e.Label
}

// All iterates over e and its descendants, parents first.
func (e *Element) All() iter.Seq[*Element] {
	return func(yield func(*Element) bool) { e.walk(yield) }
}

func (e *Element) walk(yield func(*Element) bool) bool {
	if !yield(e) {
		return false
	}
	for _, c := range e.Children {
		if !c.walk(yield) {
			return false
		}
	}
	return true
}

// view builds the view of p at now on a screen of size s. A view at rest is built once and cached until a change.
func (p *process) view(now time.Time, s Screen) *view {
	if p.shown != nil && p.shown.root.Frame == s.Bounds() {
		return p.shown
	}
	v := p.build(now, s)
	if p.shown = nil; !p.moving(now) {
		p.shown = v
	}
	return v
}

// moving reports whether p may look different in a moment without an input.
func (p *process) moving(now time.Time) bool {
	if p.Restless || p.sliding(now) || p.Keyboard.moving(now) || under(p.Leaving.Since, now, sheetTime) {
		return true
	}
	for _, s := range p.Scrolls {
		if s.moving(now) {
			return true
		}
	}
	return slices.ContainsFunc(p.Modals, func(m modal) bool { return under(m.Since, now, sheetTime) })
}

func (p *process) build(now time.Time, s Screen) *view {
	v := newView(s, p.bundle.Name)
	inner := v.window(s)
	b := pages{process: p, view: v, now: now, size: s}
	inner.Children = b.base()
	for i, m := range p.Modals {
		if len(m.Stack) > 0 {
			inner.Children = append(inner.Children, b.sheet(v, m, i == b.lastSheet(), false)...)
		} else {
			v.window(s).Children = b.dialog(p.bundle.App.Dialogs[m.Dialog], i == len(p.Modals)-1)
		}
	}
	if under(p.Leaving.Since, now, sheetTime) && len(p.Leaving.Stack) > 0 {
		inner.Children = append(inner.Children, b.sheet(untouchable(), p.Leaving, false, true)...)
	}
	if p.Restless {
		v.window(s).Children = []*Element{restless(now, s)}
	}
	if p.Keyboard.visible(now) {
		v.window(s).Children = []*Element{p.keyboardElement(v, now, s)}
	}
	return v
}

// untouchable is a view without acts.
func untouchable() *view {
	return &view{acts: map[*Element]act{}, carries: map[*Element]carry{}, drops: map[*Element]func(carry, finger){},
		takes: map[*Element]func(string, finger) bool{}}
}
