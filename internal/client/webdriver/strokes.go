package webdriver

import (
	"context"
	"math"
	"time"

	"ios-agent/internal/ui"
)

// move is a part of a touching finger's path.
type move struct {
	to   ui.Point
	took time.Duration // 0 and to the same place: nothing
}

// stroke is one touch: a finger goes down, moves, rests, and is lifted.
type stroke struct {
	from  ui.Point
	moves []move
	rest  time.Duration // before it, with no finger down
}

func (s stroke) to() ui.Point {
	if len(s.moves) == 0 {
		return s.from
	}
	return s.moves[len(s.moves)-1].to
}

func (s stroke) took() (d time.Duration) {
	for _, m := range s.moves {
		d += m.took
	}
	return d
}

// pressAfter is the minimum rest of a long press; with such a rest before a move, the touch is a drag. Two taps with less time between them
// are a double tap.
const (
	pressAfter = 400 * time.Millisecond
	slack      = 2.0 // maximum distance in points of a path from a straight line
)

// oneFinger performs the touches of one finger.
func (q *request) oneFinger(strokes []stroke) (steps []act, err error) {
	for i := 0; i < len(strokes); i++ {
		s := strokes[i]
		if s.rest > 0 {
			steps = append(steps, func(ctx context.Context) error { return q.rest(ctx, s.rest) })
		}
		if i+1 < len(strokes) && s.taps() && strokes[i+1].taps() && near(s.from, strokes[i+1].from) && strokes[i+1].rest < pressAfter {
			steps = append(steps, q.gesture("double_tap", map[string]any{"x": s.from.X, "y": s.from.Y}))
			i++
			continue
		}
		step, err := q.touch(s)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// taps reports whether the finger stays in place only briefly.
func (s stroke) taps() bool { return s.still() && s.took() < pressAfter }

func (s stroke) still() bool {
	for _, m := range s.moves {
		if !near(m.to, s.from) {
			return false
		}
	}
	return true
}

func near(a, b ui.Point) bool { return math.Hypot(a.X-b.X, a.Y-b.Y) <= slack }

// touch converts one touch to one of our gestures.
func (q *request) touch(s stroke) (act, error) {
	if s.taps() {
		return q.gesture("tap_element", map[string]any{"x": s.from.X, "y": s.from.Y}), nil
	}
	if s.still() {
		return q.gesture("touch", map[string]any{"x": s.from.X, "y": s.from.Y, "seconds": within(s.took().Seconds(), 0.01, 60)}), nil
	}
	way, err := s.way()
	if err != nil {
		return nil, err
	}
	if way.press < pressAfter && way.hold < pressAfter {
		return q.gesture("swipe", map[string]any{
			"start_x": s.from.X, "start_y": s.from.Y, "end_x": s.to().X, "end_y": s.to().Y, "seconds": within(way.took.Seconds(), 0.05, 60),
		}), nil
	}
	return q.gesture("drag", map[string]any{
		"from_x": s.from.X, "from_y": s.from.Y, "to_x": s.to().X, "to_y": s.to().Y,
		"press": within(way.press.Seconds(), 0, 60), "hold": within(way.hold.Seconds(), 0, 60),
	}), nil
}

func within(v, low, high float64) float64 { return min(max(v, low), high) }

// way is a straight move between two rests.
type way struct{ press, took, hold time.Duration }

// way reads the moves of a finger: it rests, goes straight to one place, and rests again. Any turn is refused, because no driver supports
// it.
func (s stroke) way() (w way, err error) {
	from, at := s.from, s.from
	target := s.to()
	whole := math.Hypot(target.X-from.X, target.Y-from.Y)
	done := 0.0
	for _, m := range s.moves {
		step := math.Hypot(m.to.X-at.X, m.to.Y-at.Y)
		switch {
		case step == 0 && done == 0:
			w.press += m.took
		case step == 0 && whole-done <= slack:
			w.hold += m.took
		case step == 0:
			w.took += m.took
		default:
			w.took += m.took
			along := ((m.to.X-from.X)*(target.X-from.X) + (m.to.Y-from.Y)*(target.Y-from.Y)) / max(whole, 1e-9)
			off := math.Abs((m.to.X-from.X)*(target.Y-from.Y)-(m.to.Y-from.Y)*(target.X-from.X)) / max(whole, 1e-9)
			if whole <= slack || off > slack || along < done-slack {
				return w, fail(unsupported, "a finger that changes its direction is not supported").
					hinted("move it straight from one place to another; several touches may follow one another")
			}
			done = max(done, along)
		}
		at = m.to
	}
	return w, nil
}

// twoFingers spread or pinch around one point.
func (q *request) twoFingers(a, b []stroke) ([]act, error) {
	if len(a) != 1 || len(b) != 1 {
		return nil, fail(unsupported, "two fingers that touch several times are not supported")
	}
	before := math.Hypot(a[0].from.X-b[0].from.X, a[0].from.Y-b[0].from.Y)
	after := math.Hypot(a[0].to().X-b[0].to().X, a[0].to().Y-b[0].to().Y)
	centre := ui.Point{X: (a[0].from.X + b[0].from.X) / 2, Y: (a[0].from.Y + b[0].from.Y) / 2}
	moved := ui.Point{X: (a[0].to().X + b[0].to().X) / 2, Y: (a[0].to().Y + b[0].to().Y) / 2}
	drift := math.Hypot(centre.X-moved.X, centre.Y-moved.Y)
	if math.Abs(after-before) <= slack || drift > math.Abs(after-before) {
		return nil, fail(unsupported, "two fingers that neither spread nor pinch are not supported").hinted("move them apart, or together")
	}
	middle := ui.Point{X: (centre.X + moved.X) / 2, Y: (centre.Y + moved.Y) / 2}
	scale := within(max(after, 1)/max(before, 1), 0.01, 100)
	return []act{q.gesture("pinch", map[string]any{"x": middle.X, "y": middle.Y, "scale": scale})}, nil
}
