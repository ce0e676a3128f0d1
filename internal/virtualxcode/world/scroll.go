package world

import (
	"math"
	"time"
)

// scroll is the position and the movement of a scrolling container's content: it follows the finger, then glides ever slower until it
// rests or reaches an end.
type scroll struct {
	From  float64 // the offset at the start of the touch
	Drag  float64 // the distance of the finger
	Glide float64 // the distance of a glide without an end
	To    float64 // where it comes to rest
	Since time.Time
	Took  time.Duration // the duration of the touch
	Until time.Time     // the time of rest
}

const (
	friction   = 4.0   // of the glide, per second
	slowest    = 10.0  // points per second: slower content is at rest
	flickSpeed = 200.0 // points per second: a slower finger causes no glide
	topTime    = 300 * time.Millisecond
)

// scrollKey names a scrolling container: a screen, or a list on a screen.
func scrollKey(screen, list string) string { return screen + "/" + list }

// swiped is s after a finger moved its content by distance; limit is the largest offset.
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

// glideTo is the time in seconds between the end of the touch and an offset; infinite if the content never reaches it.
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

// moving reports whether the content moves at now.
func (s scroll) moving(now time.Time) bool { return !now.Before(s.Since) && now.Before(s.Until) }

// stopped is s after a finger touched it.
func (s scroll) stopped(now time.Time) scroll { return scroll{To: s.at(now)} }

// toTop is s on its way to the beginning.
func (s scroll) toTop(now time.Time) scroll {
	if s.at(now) == 0 && !s.moving(now) {
		return s // already there
	}
	return scroll{From: s.at(now), Drag: -s.at(now), Since: now, Took: topTime, Until: now.Add(topTime)}
}

// restingAt is s coming to rest at an offset near its natural end.
func (s scroll) restingAt(offset float64) scroll {
	if glide := offset - s.From - s.Drag; glide*s.Glide > 0 {
		s.Glide = glide
	}
	s.To = offset
	return s
}

// to is s moved to an offset at once.
func (s scroll) to(offset float64) scroll { return scroll{To: offset} }

func clamp(v, low, high float64) float64 { return max(low, min(v, high)) }

// scrollTo stores the position of a container.
func (p *process) scrollTo(key string, s scroll) {
	if p.Scrolls == nil {
		p.Scrolls = map[string]scroll{}
	}
	p.Scrolls[key] = s
	p.changed()
}
