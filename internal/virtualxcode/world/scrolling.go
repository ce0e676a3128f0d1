package world

import (
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/app"
)

// scrollView is the content of a scrolling screen. Content outside the screen is in the tree with its true frame. Below the end of the
// content points stay empty.
func (l layout) scrollView(screen *app.Screen, window Rect, below float64) *Element {
	key := scrollKey(screen.Name, "")
	state := l.Scrolls[key]
	l.follow = func(frame Rect, f finger) { // a field that the keyboard would cover scrolls up
		if under := frame.Y + frame.H + gap - (l.size.Height - boardHeight(l.size)); under > 0 && !l.Keyboard.Covers {
			l.scrollTo(key, state.to(state.at(f.now)+under))
		}
	}
	e := &Element{Type: "ScrollView", Frame: window}
	side := margin + l.size.Side
	area := Rect{X: window.X + side, Y: window.Y + margin, W: window.W - 2*side}
	e.Children = l.column(screen.Elements, area, gap)
	bottom := area.Y
	if n := len(e.Children); n > 0 {
		bottom = e.Children[n-1].Frame.Y + e.Children[n-1].Frame.H
	}
	limit := bottom + margin + below - window.Y - l.free(window)
	l.scrolls(e, key, state, max(limit, 0), func(offset float64) float64 { return offset })
	for _, c := range e.Children {
		shift(c, 0, -clamp(state.at(l.now), 0, max(limit, 0)), l.size.Scale)
	}
	return e
}

// free is the height of a scrolling window above the keyboard.
func (l layout) free(window Rect) float64 {
	if !l.live || !l.Keyboard.Up {
		return window.H
	}
	return min(window.H, l.size.Height-boardHeight(l.size)-window.Y)
}

// scrolls makes e scroll up to a limit; at its end its parent may scroll. A touch during a glide only stops it. rest is the nearest
// offset to a given one at which e may come to rest.
func (l layout) scrolls(e *Element, key string, state scroll, limit float64, rest func(float64) float64) {
	l.view.acts[e] = func(f finger) bool {
		distance := f.from.Y - f.to.Y
		at := clamp(state.at(f.now), 0, limit)
		if f.gesture != swiped || distance == 0 || distance > 0 && at >= limit || distance < 0 && at <= 0 {
			return false
		}
		l.blur(f.now)
		next := state.swiped(f, distance, limit)
		l.scrollTo(key, next.restingAt(min(rest(next.To), limit)))
		return true
	}
	if state.moving(l.now) {
		l.view.stop(e, func(now time.Time) { l.scrollTo(key, state.stopped(now)) })
	}
}

// list is a container whose tree has only the visible rows. It comes to rest with a whole row at its top: a partly hidden row would
// cover other elements for readers of the tree that do not clip.
func (l layout) list(def *app.Element, slot Rect) *Element {
	window := Rect{X: slot.X, Y: slot.Y, W: slot.W, H: def.Height}
	e := &Element{Type: "CollectionView", Label: def.Label.Expand(l.Values), Frame: window, Look: Look{Style: "list"}}
	l.inside = true
	key := scrollKey(l.screen, def.Key)
	state := l.Scrolls[key]
	order := l.order(key, def)
	heights, total := l.rowHeights(def, order, window.W)
	limit := max(total-window.H, 0)
	offset := clamp(state.at(l.now), 0, limit)
	y := window.Y - offset
	for i, which := range order {
		inner := def.Inner[which]
		if heights[i] > 0 && y+heights[i] > window.Y && y < window.Y+window.H {
			cell := &Element{Type: "Cell", Frame: Rect{X: window.X, Y: y, W: window.W, H: heights[i]}}
			slot := cell.Frame
			if def.Reorder {
				slot.W -= handleWidth
			}
			child, _ := l.member(inner, slot)
			cell.Children = []*Element{child}
			if def.Reorder {
				cell.Children = append(cell.Children, l.handle(def, key, i, heights, cell))
			}
			e.Children = append(e.Children, cell)
		}
		y += heights[i]
	}
	l.scrolls(e, key, state, limit, func(offset float64) float64 { return nearestRow(heights, offset) })
	return e
}

// nearestRow is the offset of the nearest row.
func nearestRow(heights []float64, offset float64) float64 {
	var y float64
	for _, h := range heights {
		if offset < y+h/2 {
			break
		}
		y += h
	}
	return y
}

// rowHeights are the heights of a list's rows, zero for absent rows, and their sum.
func (l layout) rowHeights(def *app.Element, order []int, width float64) (heights []float64, total float64) {
	heights = make([]float64, len(order))
	wanted := ""
	if def.Filter != "" {
		text, _ := l.Values[def.Filter].(string)
		wanted = strings.ToLower(text)
	}
	l.view = untouchable()
	for i, which := range order {
		inner := def.Inner[which]
		if !inner.Visible.Holds(l.Values) || wanted != "" && !l.mentions(inner, wanted) {
			continue
		}
		heights[i] = rowHeight
		if !fillsRow(inner) {
			_, heights[i] = l.member(inner, Rect{W: width})
		}
		total += heights[i]
	}
	return heights, total
}

// mentions reports whether a text of a row contains a word in lower case.
func (l layout) mentions(def *app.Element, word string) bool {
	if strings.Contains(strings.ToLower(def.Text.Expand(l.Values)), word) {
		return true
	}
	for _, inner := range def.Inner {
		if l.mentions(inner, word) {
			return true
		}
	}
	return false
}
