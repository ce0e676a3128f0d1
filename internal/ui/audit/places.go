package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/ui"
)

// Sizes of targets, in points: Apple's guideline, and the minimum of WCAG 2.2.
const (
	target = 44
	least  = 24
)

// systemHeight is the height of system controls that are lower than the guideline; the system accepts touches around them.
var systemHeight = map[string]float64{"Switch": 27, "Toggle": 27, "Slider": 24, "Stepper": 29, "PageIndicator": 20,
	"SearchField": 36}

// smallTargets finds actionable elements below the guideline's size, except controls in a size of the system.
func (l *look) smallTargets() (all []Finding) {
	for _, e := range l.acted() {
		f := e.Frame
		high, known := systemHeight[e.Type]
		if e.system || e.bar || f.W >= target && f.H >= target || known && f.H >= high {
			continue
		}
		severity := Note
		if f.W < least || f.H < least {
			severity = Warning
		}
		grown := ui.Rect{W: max(f.W, target), H: max(f.H, target)}
		grown.X, grown.Y = f.X-(grown.W-f.W)/2, f.Y-(grown.H-f.H)/2
		all = append(all, l.found("small-target", severity, e.Node,
			fmt.Sprintf("%s is %s by %s points", describe(e), points(f.W), points(f.H)),
			Fix{Say: "make it at least 44 by 44 points", Swift: ".frame(minWidth: 44, minHeight: 44).contentShape(Rectangle())", Frame: &grown}))
	}
	return all
}

func points(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// near is the maximum difference in points between frames that count as equal after rounding.
const near = 1

// bounds is the frame that an element must stay in, or an empty one. For a container off the screen it is the container's frame.
func (l *look) bounds(e *element) ui.Rect {
	switch {
	case e.container == nil && e.scrolled:
		return ui.Rect{}
	case e.container == nil:
		return l.screen.Viewport()
	}
	if seen := e.container.Frame.Intersect(l.screen.Viewport()); !e.scrolled && !seen.Empty() {
		return seen
	}
	return e.container.Frame
}

func inside(f, b ui.Rect) bool {
	return f.X >= b.X-near && f.Y >= b.Y-near && f.X+f.W <= b.X+b.W+near && f.Y+f.H <= b.Y+b.H+near
}

// strays are elements to act on that lie outside their container or the screen, in part or as a whole.
func (l *look) strays() (all []Finding) {
	for _, e := range l.elements {
		if !e.Interactive() || e.Hidden || e.Unplaced || e.Frame.Empty() || e.system || l.screen.Behind(e.Node) {
			continue
		}
		b := l.bounds(e)
		if b.Empty() || inside(e.Frame, b) {
			continue
		}
		where := "the screen"
		if e.container != nil {
			where = "its " + e.container.Role()
		}
		severity, how := Note, "lies in part outside "+where
		switch {
		case e.Frame.Intersect(b).Empty():
			how = "lies outside " + where
		case !b.Contains(e.Frame.Centre()):
			severity, how = Warning, "lies outside "+where+" with its centre"
		}
		to := fit(e.Frame, b)
		say := fmt.Sprintf("lay it out within %s, at %s", where, frame(to))
		if e.seen.Empty() {
			say += "; if it appears later, hide it until then: .accessibilityHidden(true)"
		}
		all = append(all, l.found("off-container", severity, e.Node, describe(e)+" "+how, Fix{Say: say, Frame: &to}))
	}
	return all
}

// fit is a frame moved into another one, and shrunk if it does not fit.
func fit(f, b ui.Rect) ui.Rect {
	f.W, f.H = min(f.W, b.W), min(f.H, b.H)
	f.X, f.Y = min(max(f.X, b.X), b.X+b.W-f.W), min(max(f.Y, b.Y), b.Y+b.H-f.H)
	return f
}

func frame(r ui.Rect) string {
	return fmt.Sprintf("%s,%s %s×%s", points(r.X), points(r.Y), points(r.W), points(r.H))
}

// touching is the overlap in points that two targets may have at their edges.
const touching = 4

// apart reports whether two elements never compete for a touch: one lies in the other, or one scrolls under a bar.
func apart(a, b *element) bool {
	return a.bar != b.bar && (a.scrolled || b.scrolled) || a.Type == "PageIndicator" || b.Type == "PageIndicator" ||
		within(a.Node, b.Node) || within(b.Node, a.Node)
}

// overlaps finds targets under another target. In a flat list, nesting is unknown, so containment does not excuse an overlap.
func (l *look) overlaps() (all []Finding) {
	if l.flat {
		return nil
	}
	acted := l.acted()
	for i, e := range acted {
		var worst *element
		most := 0.0
		for _, over := range acted[i+1:] {
			shared := e.seen.Intersect(over.seen)
			if shared.W <= touching || shared.H <= touching || apart(e, over) {
				continue
			}
			size := shared.W * shared.H
			if over.seen.Contains(e.Frame.Centre()) {
				size += 1e9
			}
			if size > most {
				worst, most = over, size
			}
		}
		if worst == nil {
			continue
		}
		severity, how := Note, "lies in part under"
		if most >= 1e9 {
			severity, how = Error, "lies with its centre under"
		}
		to := l.slide(e, acted)
		all = append(all, l.found("overlap", severity, e.Node, fmt.Sprintf("%s %s %s", describe(e), how, describe(worst)),
			Fix{Say: "move one of them, such as this one to " + frame(to), Frame: &to}))
	}
	return all
}

// slide is the nearest frame above, below, left or right of an element that is free of other targets, within the screen if possible.
func (l *look) slide(e *element, acted []*element) ui.Rect {
	others := slices.DeleteFunc(slices.Clone(acted), func(o *element) bool { return o == e || apart(e, o) })
	var best ui.Rect
	cost := -1.0
	for _, by := range []struct{ x, y float64 }{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
		// Along the direction of the slide, each target has a near and a far edge. The targets are passed in the order of their near edges.
		edges := func(r ui.Rect) (from, to float64) {
			switch {
			case by.y > 0:
				return r.Y, r.Y + r.H
			case by.y < 0:
				return -(r.Y + r.H), -r.Y
			case by.x > 0:
				return r.X, r.X + r.W
			}
			return -(r.X + r.W), -r.X
		}
		slices.SortFunc(others, func(a, b *element) int {
			fromA, _ := edges(a.seen)
			fromB, _ := edges(b.seen)
			return cmp.Compare(fromA, fromB)
		})
		to := e.Frame
		for _, o := range others {
			if to.Intersect(o.seen).Empty() {
				continue
			}
			_, far := edges(o.seen)
			own, _ := edges(to)
			to.X, to.Y = to.X+by.x*(far-own), to.Y+by.y*(far-own)
		}
		way := abs(to.X-e.Frame.X) + abs(to.Y-e.Frame.Y)
		if !inside(to, l.screen.Viewport()) {
			way += 1e6
		}
		if cost < 0 || way < cost {
			best, cost = to, way
		}
	}
	return best
}

func abs(v float64) float64 { return max(v, -v) }
