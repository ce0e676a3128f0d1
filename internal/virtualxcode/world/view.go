package world

import (
	"iter"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// view is what an app shows at one moment, and what its elements do when touched.
type view struct {
	root *Element
	acts map[*Element]func()
}

func newView(s Screen, label string) *view {
	root := &Element{Type: "Application", Label: label, Frame: s.Bounds()}
	return &view{root: root, acts: map[*Element]func(){}}
}

// window adds a window over the others and returns what its content goes into.
func (v *view) window(s Screen) *Element {
	inner := &Element{Type: "Other", Frame: s.Bounds()}
	v.root.Children = append(v.root.Children, &Element{Type: "Window", Frame: s.Bounds(), Children: []*Element{inner}})
	return inner
}

// touch runs what lies under at. The topmost element decides; one that does nothing leaves it to what it is in.
func (v *view) touch(at Point) {
	path := topmost(v.root, at)
	for i := len(path) - 1; i >= 0; i-- {
		if act := v.acts[path[i]]; act != nil {
			act()
			return
		}
	}
}

// topmost is the path from e to the innermost element at a point, later siblings first: they are drawn later.
func topmost(e *Element, at Point) []*Element {
	for i := len(e.Children) - 1; i >= 0; i-- {
		if path := topmost(e.Children[i], at); path != nil {
			return append([]*Element{e}, path...)
		}
	}
	if e.Frame.Contains(at) && !passesThrough(e) {
		return []*Element{e}
	}
	return nil
}

// passesThrough reports whether touches beside e's children go to what is behind it: a window or a container is
// not a wall, a screen and the keyboard are.
func passesThrough(e *Element) bool {
	return e.Type == "Window" || e.Type == "Other" && e.Look.Style == ""
}

// Shown is the text drawn for e.
func (e *Element) Shown() string {
	if e.Look.Text != "" {
		return e.Look.Text
	}
	return e.Label
}

// All goes over e and everything below it, parents first.
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

// view shows p at now on a screen of size s.
func (p *process) view(now time.Time, s Screen) *view {
	v := newView(s, p.bundle.Name)
	inner := v.window(s)
	if p.sliding(now) {
		inner.Children = p.slidingPages(v, now, s)
	} else {
		inner.Children = []*Element{p.page(v, p.Stack, now, s)}
	}
	if p.Keyboard.visible(now) {
		window := v.window(s)
		window.Children = []*Element{p.keyboardElement(v, now, s)}
	}
	return v
}

// slidingPages are the two screens of a change, the upper one last. The one that leaves takes no touches.
func (p *process) slidingPages(v *view, now time.Time, s Screen) []*Element {
	done := progress(p.Slide.Since, now, slideTime)
	deaf := &view{acts: map[*Element]func(){}}
	below, above := p.Stack[:len(p.Stack)-1], p.Stack
	lowerView, upperView := deaf, v
	if p.Slide.Back {
		below, above = p.Stack, slices.Concat(p.Stack, []string{p.Slide.Left})
		lowerView, upperView = v, deaf
		done = 1 - done
	}
	lower, upper := p.page(lowerView, below, now, s), p.page(upperView, above, now, s)
	shift(lower, -parallax*s.Width*done, 0, s.Scale)
	shift(upper, s.Width*(1-done), 0, s.Scale)
	return []*Element{lower, upper}
}

// parallax is how much of its width a covered screen moves away.
const parallax = 0.3

// page is the top screen of a stack at rest.
func (p *process) page(v *view, stack []string, now time.Time, s Screen) *Element {
	screen := p.screen(stack[len(stack)-1])
	page := &Element{Type: "Other", Frame: s.Bounds(), Look: Look{Style: "screen"}}
	top := s.Top
	if bar := p.navigationBar(v, stack, now, s); bar != nil {
		page.Children = append(page.Children, bar)
		top = bar.Frame.Y + bar.Frame.H
	}
	l := layout{process: p, view: v, now: now, live: len(stack) == len(p.Stack)}
	area := Rect{X: margin, Y: top + margin, W: s.Width - 2*margin, H: s.Height - s.Bottom - top - margin}
	page.Children = append(page.Children, l.column(screen.Elements, area)...)
	return page
}

func (p *process) screen(name string) *app.Screen { return p.bundle.App.Screens[name] }

// navigationBar is nil on a first screen without title.
func (p *process) navigationBar(v *view, stack []string, now time.Time, s Screen) *Element {
	title := p.title(stack)
	if title == "" && len(stack) == 1 {
		return nil
	}
	bar := &Element{Type: "NavigationBar", Identifier: title, Frame: Rect{Y: s.Top, W: s.Width, H: barHeight}}
	if len(stack) > 1 {
		bar.Children = append(bar.Children, p.backButton(v, stack[:len(stack)-1], now, bar.Frame))
	}
	if title != "" {
		bar.Children = append(bar.Children, titleText(title, bar.Frame))
	}
	return bar
}

func (p *process) title(stack []string) string {
	return p.screen(stack[len(stack)-1]).Title.Expand(p.Values)
}

// backButton leads from a bar to the screen on top of below.
func (p *process) backButton(v *view, below []string, now time.Time, bar Rect) *Element {
	label := p.title(below)
	if label == "" {
		label = "Back"
	}
	width := chevronWidth + textWidth(label, bodySize)
	e := &Element{Type: "Button", Identifier: "BackButton", Label: label,
		Frame: Rect{X: margin / 2, Y: bar.Y, W: width, H: bar.H}, Look: Look{Style: "back", Size: bodySize}}
	v.acts[e] = func() { stage{p, now}.Pop() }
	return e
}

func titleText(title string, bar Rect) *Element {
	w, h := textWidth(title, bodySize), lineHeight(bodySize)
	return &Element{Type: "StaticText", Label: title, Look: Look{Style: "title", Size: bodySize},
		Frame: Rect{X: pixel(bar.X + (bar.W-w)/2), Y: bar.Y + (bar.H-h)/2, W: w, H: h}}
}
