package agent

import (
	"slices"

	"ios-agent/internal/virtualxcode/world"
)

// path is an element with its ancestors, starting from the app's element.
type path []*world.Element

func (p path) element() *world.Element { return p[len(p)-1] }

// found is an element on a screen.
type found struct {
	path
	front bool // its app is in front
}

// hittable reports whether a touch at the centre of the element would reach it: the centre is on the screen, inside the visible part of
// its ancestors, and not covered by a later element. It ignores whether the element is enabled.
func (f found) hittable() bool {
	frame := f.element().Frame
	return f.front && frame.W > 0 && frame.H > 0 && f.exposed(frame.Centre())
}

// reached reports whether a touch at p would reach the element at the end of the path, or one of its descendants.
func (at path) reached(p world.Point) bool {
	e := at.element()
	return (e.Frame.Contains(p) || covers(e, p)) && at.exposed(p)
}

// exposed reports whether p is on the screen and no ancestor or later element keeps a touch there from the end of the path.
func (at path) exposed(p world.Point) bool {
	if !at[0].Frame.Contains(p) {
		return false
	}
	for i, child := range at[1:] {
		if hides(at[i], child, p) {
			return false
		}
	}
	return true
}

// hides reports whether a part of parent covers child at p. Descendants of child never do: a button's text is part of the button.
func hides(parent, child *world.Element, p world.Point) bool {
	if parent.Clips() && !parent.Frame.Contains(p) {
		return true
	}
	later := parent.Children[slices.Index(parent.Children, child)+1:]
	return slices.ContainsFunc(later, func(e *world.Element) bool { return covers(e, p) })
}

// covers reports whether e or one of its descendants receives a touch at p.
func covers(e *world.Element, p world.Point) bool {
	if slices.Contains(modal(), e.Type) || (e.Frame.Contains(p) && !seeThrough(e)) {
		return true
	}
	if e.Clips() && !e.Frame.Contains(p) {
		return false // scrolled out of sight, so it covers nothing
	}
	return slices.ContainsFunc(e.Children, func(c *world.Element) bool { return covers(c, p) })
}

// modal are the types that receive the touches of the whole screen while they are shown.
func modal() []string { return []string{"Alert", "Dialog", "Sheet"} }

// seeThrough reports whether e is a container that spans the screen, is not drawn and receives no touches. A drawn container, such as
// the page of a screen that slides over another, does receive them.
func seeThrough(e *world.Element) bool {
	return e.Type == "Application" || e.Type == "Window" || e.Type == "Other" && e.Look.Style == ""
}

// named reports whether e has a label, an identifier or a value.
func named(e *world.Element) bool { return e.Identifier != "" || e.Label != "" || e.Value != "" }
