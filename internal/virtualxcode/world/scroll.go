package world

import (
	"math"
	"time"
)

// scroll is where the content of a scrolling container is and how it moves: it follows the finger, then glides on, slower
// and slower, until it rests or reaches its end.
type scroll struct {
	From  float64 // the offset when the finger came down
	Drag  float64 // how far the finger drew it
	Glide float64 // how much farther it would go
	To    float64 // where it comes to rest
	Since time.Time
	Took  time.Duration // how long the finger was down
	Until time.Time     // when it is at rest
}

const (
	friction   = 4.0   // of the glide, per second
	slowest    = 10.0  // points a second: what is slower is at rest
	flickSpeed = 200.0 // points a second: a slower finger lets go without a glide
	topTime    = 300 * time.Millisecond
)

// scrollKey names a scrolling container: a screen, or a list on it.
func scrollKey(screen, list string) string { return screen + "/" + list }

// swiped is s after a finger moved its content by distance; limit is the largest offset there is.
func (s scroll) swiped(f finger, distance, limit float64) scroll {
	now, took := f.now, f.took
	n := scroll{From: clamp(s.at(now), 0, limit), Drag: distance, Since: now, Took: took}
	speed := distance / max(took.Seconds(), 0.01)
	if f.rests {
		speed = 0
	}
	var glide float64 // seconds
	if math.Abs(speed) > flickSpeed {
		n.Glide = speed / friction
		glide = math.Log(math.Abs(speed)/slowest) / friction
	}
	n.To = math.Round(clamp(n.From+n.Drag+n.Glide, 0, limit))
	n.Until = now.Add(took + time.Duration(min(glide, n.glideTo(n.To))*float64(time.Second)))
	if n.From == n.To {
		n.Until = now
	}
	return n
}

// glideTo is how many seconds after the finger left the content is at an offset; infinite if it never is.
func (s scroll) glideTo(offset float64) float64 {
	share := (offset - s.From - s.Drag) / s.Glide
	switch {
	case s.Glide == 0 || share <= 0:
		return 0
	case share >= 1:
		return math.Inf(1)
	}
	return -math.Log(1-share) / friction
}

// at is the offset at a moment.
func (s scroll) at(now time.Time) float64 {
	if !s.moving(now) {
		return s.To
	}
	passed := now.Sub(s.Since)
	offset := s.From + s.Drag
	if passed < s.Took {
		offset = s.From + s.Drag*passed.Seconds()/s.Took.Seconds()
	} else {
		offset += s.Glide * (1 - math.Exp(-friction*(passed-s.Took).Seconds()))
	}
	low, high := min(s.From, s.To), max(s.From, s.To)
	return math.Round(clamp(offset, low, high)*3) / 3
}

// moving reports whether s is on its way at now.
func (s scroll) moving(now time.Time) bool { return !now.Before(s.Since) && now.Before(s.Until) }

// stopped is s with a finger put on it.
func (s scroll) stopped(now time.Time) scroll { return scroll{To: s.at(now)} }

// toTop is s on its way to the beginning.
func (s scroll) toTop(now time.Time) scroll {
	if s.at(now) == 0 && !s.moving(now) {
		return s // it is there
	}
	return scroll{From: s.at(now), Drag: -s.at(now), Since: now, Took: topTime, Until: now.Add(topTime)}
}

// restingAt is s coming to rest at an offset near the one it was on its way to.
func (s scroll) restingAt(offset float64) scroll {
	if glide := offset - s.From - s.Drag; glide*s.Glide > 0 {
		s.Glide = glide
	}
	s.To = offset
	return s
}

// to is s brought to an offset at once.
func (s scroll) to(offset float64) scroll { return scroll{To: offset} }

func clamp(v, low, high float64) float64 { return max(low, min(v, high)) }

// scrollTo keeps where a container is.
func (p *process) scrollTo(key string, s scroll) {
	if p.Scrolls == nil {
		p.Scrolls = map[string]scroll{}
	}
	p.Scrolls[key] = s
	p.changed()
}
