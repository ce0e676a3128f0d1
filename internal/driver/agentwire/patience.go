package agentwire

import (
	"math"
	"time"
	"unicode/utf8"
)

// How long an agent may be silent. XCTest queries stall for 5 to 10 seconds during transitions, so a request
// that waits by itself gets a margin on top of its own time.
const (
	usualPatience = 30 * time.Second
	margin        = 15 * time.Second
	treePatience  = 120*time.Second + margin
	perCharacter  = 100 * time.Millisecond
)

// Patience is how long a client waits for the answer to r, or for the next heartbeat, before it gives the
// connection up. A context can only shorten it.
func Patience(r Request) time.Duration {
	if p, ok := r.(interface{ patience() time.Duration }); ok {
		return p.patience()
	}
	return usualPatience
}

func (*DumpTree) patience() time.Duration      { return treePatience }
func (m *TapElement) patience() time.Duration  { return waiting(m.TimeoutMS) }
func (m *TapByLabel) patience() time.Duration  { return waiting(m.TimeoutMS) }
func (m *TapWithType) patience() time.Duration { return waiting(m.TimeoutMS) }
func (m *GetValue) patience() time.Duration    { return waiting(m.TimeoutMS) }
func (m *Observe) patience() time.Duration {
	return treePatience + time.Duration(m.MaxMS)*time.Millisecond
}
func (m *LongPress) patience() time.Duration { return usualPatience + seconds(m.Seconds) }
func (m *Button) patience() time.Duration    { return usualPatience + seconds(m.Seconds) }
func (m *Key) patience() time.Duration       { return usualPatience + time.Duration(m.Count)*perCharacter }

func (m *Drag) patience() time.Duration {
	return usualPatience + seconds(m.PressSeconds) + seconds(m.HoldSeconds)
}

func (m *Swipe) patience() time.Duration {
	if m.Seconds == nil {
		return usualPatience
	}
	return usualPatience + seconds(*m.Seconds)
}

func (m *TypeText) patience() time.Duration {
	return usualPatience + time.Duration(utf8.RuneCountInString(m.Text))*perCharacter
}

// longest keeps sums of durations from overflowing.
const longest = 24 * time.Hour

func waiting(ms *uint64) time.Duration {
	if ms == nil {
		return usualPatience
	}
	return time.Duration(min(*ms, uint64(longest.Milliseconds())))*time.Millisecond + margin
}

func seconds(s float64) time.Duration {
	if math.IsNaN(s) || s < 0 {
		return 0
	}
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
}
