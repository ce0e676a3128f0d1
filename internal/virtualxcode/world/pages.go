package world

import (
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// pages builds the screens of a process.
type pages struct {
	*process
	view *view
	now  time.Time
	size Screen
}

// sheetTop is the distance between the status bar and a sheet.
const sheetTop = 10.0

// lastSheet is the index of the topmost sheet among the modals, or -1.
func (b pages) lastSheet() int {
	for i := len(b.Modals) - 1; i >= 0; i-- {
		if len(b.Modals[i].Stack) > 0 {
			return i
		}
	}
	return -1
}

// base are the app's own screens, in its tabs if any.
func (b pages) base() []*Element {
	s := b.size
	bottom := s.Bottom
	tabs := b.bundle.App.Tabs
	if len(tabs.Items) > 0 {
		bottom += tabHeight
	}
	frame := place{frame: s.Bounds(), top: s.Top, bottom: bottom}
	out := b.stackOf(b.view, b.Stack, b.lastSheet() < 0, frame)
	if len(tabs.Items) == 0 {
		return out
	}
	holder := &Element{Type: "Other", Identifier: tabs.ID, Frame: s.Bounds(), Children: append(out, b.tabBar(tabs))}
	return []*Element{holder}
}

// place is the place of a page, and the insets of its bars.
type place struct {
	frame       Rect
	top, bottom float64
}

// stackOf is the top screen of a stack, or both screens of a change. live means that the stack is in use.
func (b pages) stackOf(v *view, stack []string, live bool, at place) []*Element {
	if live && b.sliding(b.now) {
		return b.change(v, stack, at)
	}
	return []*Element{b.page(v, stack, live, at)}
}

// change are the two screens of a change, the upper one last. The leaving screen ignores touches.
func (b pages) change(v *view, stack []string, at place) []*Element {
	done := b.Slide.progress(b.now)
	below, above := stack[:len(stack)-1], stack
	lowerView, upperView := untouchable(), v
	if b.Slide.Back {
		below, above = stack, slices.Concat(stack, []string{b.Slide.Left})
		lowerView, upperView = v, untouchable()
		done = 1 - done
	}
	lower, upper := b.page(lowerView, below, lowerView == v, at), b.page(upperView, above, upperView == v, at)
	shift(lower, -parallax*at.frame.W*done, 0, b.size.Scale)
	shift(upper, at.frame.W*(1-done), 0, b.size.Scale)
	return []*Element{lower, upper}
}

// parallax is the share of its width by which a covered screen moves away.
const parallax = 0.3

// page is the top screen of a stack at rest.
func (b pages) page(v *view, stack []string, live bool, at place) *Element {
	screen := b.screen(stack[len(stack)-1])
	page := &Element{Type: "Other", Frame: at.frame, Look: Look{Style: "screen"}}
	top := at.frame.Y + at.top
	bar := b.navigationBar(v, stack, Rect{X: at.frame.X, Y: top, W: at.frame.W, H: barHeight})
	if bar != nil {
		page.Children = []*Element{bar}
		top = bar.Frame.Y + bar.Frame.H
	}
	if b.Inserted > 0 {
		page.Children = append(page.Children, b.banner(Rect{X: at.frame.X, Y: top, W: at.frame.W, H: b.Inserted}))
		top += b.Inserted
	}
	l := newLayout(b, v, screen.Name, live)
	side := margin + b.size.Side
	window := Rect{X: at.frame.X, Y: top, W: at.frame.W, H: at.frame.Y + at.frame.H - at.bottom - top}
	if screen.Scroll || b.size.Side > 0 { // otherwise the content of an iPhone in landscape would not fit
		var below float64
		if at.bottom == b.size.Bottom { // without a bar the content continues under the home indicator
			below = at.bottom
			window.H += below
		}
		// The bar comes last, so that scrolled content lies under it.
		page.Children = append([]*Element{l.scrollView(screen, window, below)}, page.Children...)
		return page
	}
	area := Rect{X: window.X + side, Y: top + margin, W: window.W - 2*side, H: window.H - margin}
	page.Children = append(page.Children, l.column(screen.Elements, area, gap)...)
	return page
}

// navigationBar is nil on a first screen without title.
func (b pages) navigationBar(v *view, stack []string, frame Rect) *Element {
	title := b.title(stack)
	if title == "" && len(stack) == 1 {
		return nil
	}
	bar := &Element{Type: "NavigationBar", Identifier: title, Frame: frame}
	if len(stack) > 1 {
		bar.Children = append(bar.Children, b.backButton(v, stack[:len(stack)-1], bar.Frame, title))
	}
	if title != "" {
		bar.Children = append(bar.Children, titleText(title, bar.Frame))
	}
	return bar
}

func (p *process) title(stack []string) string {
	return p.screen(stack[len(stack)-1]).Title.Expand(p.Values)
}

// backButton leads from a bar to the last screen of below. It shortens its text if the title leaves no room.
func (b pages) backButton(v *view, below []string, bar Rect, title string) *Element {
	label := b.title(below)
	room := (bar.W-textWidth(title, bodySize))/2 - margin - b.size.Side
	if label == "" || chevronWidth+textWidth(label, bodySize) > room {
		label = "Back"
	}
	width := chevronWidth + textWidth(label, bodySize)
	e := &Element{Type: "Button", Identifier: "BackButton", Label: label,
		Frame: Rect{X: bar.X + b.size.Side + margin/2, Y: bar.Y, W: width, H: bar.H}, Look: Look{Style: "back", Size: bodySize}}
	v.acts[e] = press(func(f finger) { b.use([]app.Step{app.Back{}}, f.now) })
	return e
}

func titleText(title string, bar Rect) *Element {
	w, h := textWidth(title, bodySize), lineHeight(bodySize)
	return &Element{Type: "StaticText", Label: title, Look: Look{Style: "title", Size: bodySize},
		Frame: Rect{X: pixel(bar.X + (bar.W-w)/2), Y: bar.Y + (bar.H-h)/2, W: w, H: h}}
}
